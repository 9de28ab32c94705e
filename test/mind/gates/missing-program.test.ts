/** A gate whose program is not installed could not run: its exit code alone says that tests failed. */
import { expect, test } from 'vitest';
import { missingProgram } from '../../../src/mind/gates/missing-program.ts';

const PYTHON = '/usr/bin/python3: No module named pytest\n';
const MAKE = 'pytest -q\nmake: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n';

test.each([
  ['python3 -m pytest', PYTHON],
  ['cd sub && python3 -m pytest -q --junitxml="$REPORT_DIR/junit.xml"', PYTHON],
  ['python -I -m pytest', PYTHON],
  ['"/opt/venv/bin/python3.12" -m pytest', PYTHON.replace('python3', 'python3.12')],
  [['python3', '-m', 'pytest'], PYTHON],
  ['make test', MAKE],
  ['make -C sub test', MAKE.replaceAll('make:', 'make[1]:')],
  ['make test', MAKE.replace('make: pytest: No such file or directory', '/bin/sh: 1: pytest: not found')],
  ['make test', MAKE.replace('make: pytest: No such file or directory', 'bash: line 1: pytest: command not found')],
])('%s: not installed', (command, output) => {
  expect(missingProgram(command, output)).not.toBeNull();
});

test.each([
  ['the program of another command', 'npm test', PYTHON],
  ['a module that the tests import', 'python3 -m pytest', "E   ModuleNotFoundError: No module named 'requests'\n"],
  ['a submodule of the project', 'python3 -m pytest.own', PYTHON],
  ['words of a test', 'python3 -m pytest', `it says ${PYTHON}`],
  ['a module of the project', 'python3 -m myapp --selftest', PYTHON.replace('pytest', 'myapp')],
  ['a program of the project', 'make test', MAKE.replaceAll('pytest:', './run-tests:')],
  ['a program that may not run', 'make test', MAKE.replace('127', '126')],
  ['a recipe that fails', 'make test', MAKE.replace('127', '1')],
  ['a cmake that fails', 'cmake --build .', MAKE],
])('not so: %s', (_, command, output) => {
  expect(missingProgram(command, output)).toBeNull();
});
