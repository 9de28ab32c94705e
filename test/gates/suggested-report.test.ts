/** The report that `init` suggests names the tests that a change loses, for runners whose usual output does not. */
import { describe, expect, test } from 'vitest';
import type { TestRunner } from '../../src/mind/canary/plant.ts';
import { managerOf } from '../../src/mind/detect/node-managers.ts';
import { reportOf, reportOfScript } from '../../src/mind/detect/report.ts';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { untested } from '../support/untested.ts';
import { missing, runnerChecks } from './runners.ts';

type Sample = {
  readonly runner: TestRunner;
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
  /** One of the tests goes, and a new one comes. */
  readonly change: Readonly<Record<string, string>>;
  readonly honest: Readonly<Record<string, string>>;
};
const VITEST = (list: string) =>
  `import { expect, test } from 'vitest';\nimport { cases } from '../cases.mjs';\nfor (const one of cases) test(\`has \${one}\`, () => { expect(one).toBeGreaterThan(0); });\n${list}`;
const PYTEST =
  'import pytest\nfrom cases import CASES\n\n\n@pytest.mark.parametrize("one", CASES)\ndef test_has(one):\n    assert one > 0\n\n\ndef test_all():\n    assert len(CASES) > 1\n';
const SAMPLES: readonly Sample[] = [
  {
    runner: 'vitest',
    command: 'vitest run',
    files: { 'cases.mjs': 'export const cases = [1, 2, 3];\n', 'test/cases.test.mjs': VITEST('') },
    change: {
      'cases.mjs': 'export const cases = [1, 2];\n',
      'test/new.test.mjs': "import { test } from 'vitest';\ntest('has 3, or so', () => {});\n",
    },
    honest: { 'cases.mjs': 'export const cases = [1, 2, 3, 4];\n' },
  },
  {
    runner: 'pytest',
    command: 'python3 -m pytest -p no:cacheprovider',
    files: { 'cases.py': 'CASES = [1, 2, 3]\n', 'tests/test_cases.py': PYTEST },
    change: {
      'cases.py': 'CASES = [1, 2]\n',
      'tests/test_new.py': 'def test_has_3_or_so():\n    assert True\n',
    },
    honest: { 'cases.py': 'CASES = [1, 2, 3, 4]\n' },
  },
];

describe.each(SAMPLES)('$runner', ({ runner, command, files, change, honest }) => {
  test.skipIf(untested(`the report that init suggests for ${runner}`, missing(runner)))(
    'a lost test is named, and the canary reads the report',
    async () => {
      const report = reportOf(command);
      if (report === null) throw new Error('no report is suggested');
      await using checks = runnerChecks(runner, files);
      const { format, file, words } = report;
      const gate = { name: 'tests', command: `${command} ${words}`, ids: runner, report: { format, file } };
      checks.gates(gate);
      const found = await checks.check('tests', await checks.candidate(change));
      expect(found, found.text).toMatchObject({ status: 'fail', text: expect.stringMatching(/1 no longer run: .*3/) });
      const fine = await checks.candidate(honest);
      expect(await checks.check('tests', fine)).toMatchObject({ status: 'pass', tests: { failed: 0, skipped: 0 } });
      expect(await checks.check(canaryOf('tests'), fine)).toMatchObject({
        status: 'pass',
        text: expect.stringContaining('ended: proven: '),
      });
    },
  );
});

test.each([
  ['pytest', 'junit'],
  ['PYTHONPATH=src /env/venv/bin/python -m pytest tests -q', 'junit'],
  ['cd api && python3 -m pytest', 'junit'],
  ['node_modules/.bin/vitest run', 'vitest'],
  ['jest --ci', 'jest'],
  ['vitest run && eslint .', null],
  ['tsc; vitest run', null],
  ['vitest run --reporter=dot', null],
  ['vitest --watch', null],
  ['pytest --junitxml=out.xml', null],
  ['pytest $ARGS', null],
  ['echo vitest run', null],
  ['nox -s pytest', null],
  ['node --test', null],
])('%s: %s', (command, format) => {
  expect(reportOf(command)?.format ?? null).toBe(format);
});

test('words for the runner stand behind those of npm, and other managers pass them on', () => {
  const manager = (lock: string) => managerOf(new Set([lock]), '').manager;
  expect(reportOfScript('jest', manager('package-lock.json'))?.words).toBe(
    '-- --json --outputFile="$REPORT_DIR/jest.json"',
  );
  expect(reportOfScript('jest', manager('yarn.lock'))?.words).toBe('--json --outputFile="$REPORT_DIR/jest.json"');
});
