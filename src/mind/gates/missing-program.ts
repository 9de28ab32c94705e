/** Recognises a gate whose program is not installed although its exit code is that of failed tests. */
import type { GateCommand } from './kinds.ts';

/** `python -m TOOL`. Other modules may be the project's own, which the change may have broken. */
const PYTHON_TOOL =
  /(?:^|[\s/"'])python[\d.]*["']?(?: +-\w+)*? +-m +(pytest|coverage|nox|tox|mypy|pyright|pylint|flake8|ruff|black|isort|bandit)(?![\w.])/g;
/** make ends with 2 whatever its recipe ended with, and prints that. */
const MAKE = /(?:^|[\s/"'])g?make(?![\w.-])/;
const MAKE_ERROR = /^g?make(?:\[\d+\])?: \*\*\* \[.{1,300}\] Error 127$/m;
/** A program that PATH lacks. One with a path may be the project's own. */
const NOT_ON_PATH =
  /^(?:g?make(?:\[\d+\])?|[\w/]{0,40}sh(?:: line \d+|: \d+)?): ([\w.+-]{1,80}): (?:No such file or directory|(?:command )?not found)$/m;

/** The missing program and how to get it, or null. Output of the code under check can only turn red into an error. */
export function missingProgram(command: GateCommand, output: string): string | null {
  const line = typeof command === 'string' ? command : command.join(' ');
  for (const [, name = ''] of line.matchAll(PYTHON_TOOL))
    if (new RegExp(`^\\S*python[\\d.]*: No module named ${name}$`, 'm').test(output))
      return `Python has no module ${name} here: let \`environment:\` of the config install it, or install it for the python on the gate's PATH`;
  if (!MAKE.test(line) || !MAKE_ERROR.test(output)) return null;
  const program = NOT_ON_PATH.exec(output)?.[1];
  return program === undefined ? null : `make starts ${program}, which is not installed: install it on the gate's PATH`;
}
