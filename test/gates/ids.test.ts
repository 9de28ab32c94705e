/** Failed tests are read from a runner's output only when nothing about them is in doubt. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failedTests, type IdFormat, type RunnerOutput } from '../../src/mind/gates/ids.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { put } from '../workspace/repository.ts';
import { CARGO, GO, JEST, PYTEST, PYTEST_QUIET, TAP, VITEST } from './printed.ts';

const on = (stdout: string, stderr = ''): RunnerOutput => ({ stdout, stderr });
const unittest = (version: string) =>
  on('', readFileSync(join(import.meta.dirname, `../fixtures/reports/unittest-${version}.printed`), 'utf8'));
const PRINTED: Readonly<Record<IdFormat, RunnerOutput>> = {
  tap: on(TAP),
  pytest: on(PYTEST),
  unittest: unittest('3.11'),
  vitest: VITEST,
  jest: on('', JEST),
  go: on(GO),
  cargo: CARGO,
};
const FOUND: Readonly<Record<IdFormat, ReturnType<typeof failedTests>>> = {
  tap: { failed: ['t/a.test.mjs > bad one', 't/a.test.mjs > suite > inner \\# bad'], ran: 3 },
  pytest: {
    failed: ['test_a.py::TestC::test_in', 'test_a.py::test_bad', 'test_a.py::test_p[a b]', 'test_a.py::test_p[c]'],
    ran: 5,
  },
  unittest: {
    failed: [
      'tests.test_m.TestA.test_bad',
      'tests.test_m.TestA.test_doc',
      'tests.test_m.TestA.test_sub (i=0)',
      'tests.test_m.TestA.test_sub (i=2)',
      'tests.test_m.TestA.test_sub [words]',
      'tests.test_m.TestA.test_unexpected',
    ],
    ran: 6,
  },
  vitest: { failed: ['a.test.ts > bad one', 'a.test.ts > suite > inner > bad'], ran: 3 },
  jest: { failed: ['test/sum.test.js > adds', 'test/sum.test.js > sums › of many › adds up'], ran: 5 },
  go: {
    failed: [
      'example.com/demo > TestAdd',
      'example.com/demo > TestTable',
      'example.com/demo > TestTable/negative_numbers',
    ],
    ran: null,
  },
  cargo: { failed: ['outer_bad', 'tests::bad'], ran: 4 },
};
const FORMATS = Object.keys(PRINTED) as IdFormat[];

test.each(FORMATS)('%s: the failed tests of an honest run', (format) => {
  expect(failedTests(format, PRINTED[format])).toEqual(FOUND[format]);
});

test('tap of node 20 has no type of a test, whatever its error says', () => {
  const old = TAP.replaceAll(/^ *type: 'test'\n/gm, '').replace("error: '1 == 2'", "error: 'unknown type: foo'");
  expect(failedTests('tap', on(old))).toEqual(FOUND.tap);
});

test('pytest -q says the same in fewer words', () => {
  expect(failedTests('pytest', on(PYTEST_QUIET))).toEqual({
    failed: ['test_a.py::TestC::test_in', 'test_a.py::test_bad'],
    ran: 5,
  });
});

test('unittest: a test has one id, whatever version of Python names it', () => {
  expect(failedTests('unittest', unittest('3.13'))).toEqual(FOUND.unittest);
  // 3.8 counts an unexpected success and does not name it.
  expect(failedTests('unittest', unittest('3.8'))).toBeNull();
  const named = changed(unittest('3.8'), ', unexpected successes=1', '');
  expect(failedTests('unittest', named)?.failed).toEqual(FOUND.unittest?.failed.slice(0, 5));
});

/** A text in one of the streams changed; the change must be there to make. */
function changed({ stdout, stderr }: RunnerOutput, from: string | RegExp, to: string): RunnerOutput {
  const next = on(stdout.replace(from, to), stderr.replace(from, to));
  expect(next).not.toEqual({ stdout, stderr });
  return next;
}

describe.each<[IdFormat, string, string | RegExp, string]>([
  ['tap', 'a failure hidden behind other text', 'not ok 1 - bad one', 'xnot ok 1 - bad one'],
  ['tap', 'a failure that is not there', /\n# Subtest: bad one\n[\s\S]*?\.\.\.\n/, '\n'],
  ['tap', 'a summary that a test printed', '# hello', '# fail 1'],
  ['tap', 'a name under another one', '# Subtest: bad one', '# Subtest: known bad'],
  ['tap', 'a failure that a test printed', '# hello', '# not ok 1 - known'],
  [
    'tap',
    'a file that ended badly',
    "  failureType: 'testCodeFailure'\n  error",
    "  failureType: 'testCodeFailure'\n  exitCode: 1\n  error",
  ],
  ['tap', 'tests that were cancelled', '# cancelled 0', '# cancelled 1'],
  ['tap', 'no summary', '# fail 2\n', ''],
  ['pytest', 'a failure hidden behind other text', 'FAILED test_a.py::test_bad - ', 'xFAILED test_a.py::test_bad - '],
  ['pytest', 'a failure that is not there', 'FAILED test_a.py::test_bad - assert 1 == 2\n', ''],
  [
    'pytest',
    'a second summary behind the first',
    /$/,
    '=== short test summary info ===\nFAILED a::b\n1 failed in 1s\n',
  ],
  ['pytest', 'a summary that a test printed', 'FAILED forged', '=== short test summary info ==='],
  ['pytest', 'a file that could not be read', '4 failed, 1 passed', '4 failed, 1 passed, 1 error'],
  ['pytest', 'a run that stopped early', '========================= 4', '!!! stopping after 4 failures !!!\n==== 4'],
  ['pytest', 'text behind the end', /$/, 'bye\n'],
  ['unittest', 'a failure hidden behind other text', '\nFAIL: test_bad', '\nxFAIL: test_bad'],
  ['unittest', 'a failure without the rule above it', /={70}\nFAIL: test_bad/, 'FAIL: test_bad'],
  ['unittest', 'a failure that is not there', /={70}\nFAIL: test_bad[\s\S]*?(?=={70}\nFAIL: test_sub)/, ''],
  ['unittest', 'a failure that a test printed', /^/, `${'='.repeat(70)}\nFAIL: test_x (a.B.test_x)\n`],
  ['unittest', 'a second result', /^/, 'FAILED (failures=5)\n'],
  ['unittest', 'a file that did not load', '(tests.test_m.TestA.test_doc)', '(unittest.loader._FailedTest.test_doc)'],
  ['unittest', 'a class that could not be set up', 'test_doc (tests.test_m.TestA.test_doc)', 'setUpClass (tests.T)'],
  ['unittest', 'no total', /Ran 7.*\n/, ''],
  ['vitest', 'a failure hidden behind other text', ' FAIL  a.test.ts > bad one', 'x FAIL  a.test.ts > bad one'],
  ['vitest', 'a failure that is not there', ' FAIL  a.test.ts > bad one\n', ''],
  ['vitest', 'a second summary', / Test Files/, '      Tests  1 failed (1)\n Test Files'],
  ['vitest', 'a file that did not load', 'Failed Tests 2', 'Failed Suites 1'],
  ['vitest', 'errors outside of tests', '   Start at', '     Errors  1 error\n   Start at'],
  ['jest', 'a failure hidden behind other text', '  ● adds\n', 'x  ● adds\n'],
  ['jest', 'a failure that is not there', '  ● adds\n', '\n'],
  ['jest', 'a file that did not load', '  ● adds\n', '  ● Test suite failed to run\n'],
  ['jest', 'a second summary', 'Snapshots: ', 'Tests:       1 failed, 1 total\nSnapshots: '],
  ['jest', 'a failure of no file', 'FAIL test/sum', 'PASS test/sum'],
  ['go', 'a failure hidden behind other text', '--- FAIL: TestAdd', 'x--- FAIL: TestAdd'],
  ['go', 'a package that did not build', '\t0.002s', ' [build failed]'],
  ['go', 'a process that was left early', 'FAIL\nexit status 1', 'exit status 1'],
  ['go', 'a panic', 'exit status 1', 'panic: oh\nexit status 2'],
  ['go', 'a failure in a package that says ok', 'ok  \t', '--- FAIL: TestX (0.00s)\nok  \t'],
  ['cargo', 'a failure hidden behind other text', 'failures:\n    tests::bad', 'failures:\nx    tests::bad'],
  ['cargo', 'a result hidden behind other text', 'test result: FAILED. 1', 'xtest result: FAILED. 1'],
  ['cargo', 'targets that were not run', /error: 2 targets failed:\n[\s\S]*/, ''],
  ['cargo', 'a process that was left early', /test result: ok[^\n]*/, ''],
])('%s: %s', (format, _, from, to) => {
  test('gives nothing', () => {
    expect(failedTests(format, changed(PRINTED[format], from, to))).toBeNull();
  });
});

test.each(FORMATS)('%s: a runner that had not the last word, or wants more coverage, gives nothing', (format) => {
  const { stdout, stderr } = PRINTED[format];
  const behind = (text: string) =>
    failedTests(format, stdout === '' ? on('', stderr + text) : on(stdout + text, stderr));
  expect(behind('lint: 3 problems\n')).toBeNull();
  expect(behind('\n')).toEqual(FOUND[format]);
  if (format !== 'pytest') expect(behind('npm error Test failed.\n')).toEqual(FOUND[format]);
  if (format === 'vitest') expect(behind('JSON report written to /reports/a.json\n')).toEqual(FOUND[format]);
  if (format === 'jest') expect(behind('Test results written to: ../reports/a.json\n')).toEqual(FOUND[format]);
  const short = 'Jest: "global" coverage threshold for lines (80%) not met: 50%\n';
  expect(failedTests(format, stdout === '' ? on('', short + stderr) : on(short + stdout, stderr))).toBeNull();
});

test.each(FORMATS)('%s: green, empty or foreign output gives nothing', (format) => {
  for (const text of ['', 'ok\n', 'FAIL\n', 'not ok\n', 'FAILED\n']) {
    expect(failedTests(format, on(text))).toBeNull();
    expect(failedTests(format, on('', text))).toBeNull();
  }
  for (const other of FORMATS) if (other !== format) expect(failedTests(format, PRINTED[other])).toBeNull();
});

test.each(FORMATS)('%s: colours are left out, a moved cursor gives nothing', (format) => {
  const coloured = (text: string) => text.replaceAll(/(\w+)/g, '\u001b[1m\u001b[31m$1\u001b[39m');
  const { stdout, stderr } = PRINTED[format];
  expect(failedTests(format, on(coloured(stdout), coloured(stderr)))).toEqual(FOUND[format]);
  expect(failedTests(format, on(`${stdout}\u001b[2K`, stderr))).toBeNull();
  expect(failedTests(format, on(`${stdout}\r`, stderr))).toBeNull();
});

/** Whatever a hostile test prints between the lines of its runner, no failed test is missing from the list. */
test.each(FORMATS)('%s: lines that were put in never take a failure away', (format) => {
  const { stdout, stderr } = PRINTED[format];
  const known = FOUND[format]?.failed ?? [];
  const stock = [...stdout.split('\n'), ...stderr.split('\n')];
  const piece = fc.oneof(
    fc.constantFrom(...stock),
    fc.constantFrom(...stock).map((line) => line.slice(1)),
    fc.string(),
  );
  const put = fc.record({ at: fc.nat(), line: piece, whole: fc.boolean() });
  const insert = (text: string, pieces: readonly { at: number; line: string; whole: boolean }[]) => {
    const lines = text.split('\n');
    for (const { at, line, whole } of pieces) {
      const place = at % lines.length;
      if (whole) lines.splice(place, 0, line);
      else lines[place] = line + lines[place];
    }
    return lines.join('\n');
  };
  fc.assert(
    fc.property(fc.array(put, { minLength: 1, maxLength: 4 }), (pieces) => {
      const hostile = stdout === '' ? on(stdout, insert(stderr, pieces)) : on(insert(stdout, pieces), stderr);
      const found = failedTests(format, hostile);
      if (found !== null) for (const id of known) expect(found.failed).toContain(id);
    }),
    { numRuns: 3000 },
  );
});

test.each(FORMATS)('%s: hostile text is read in time', (format) => {
  const { stdout, stderr } = PRINTED[format];
  const shapes = [
    'not ok ',
    '--- FAIL: x (',
    ' FAIL  a > ',
    'FAILED a::b[',
    '  ● x',
    ' '.repeat(1000),
    '# Subtest: x\n',
    '=',
    '1 failed, ',
    'FAILED (failures=1, ',
    'FAIL: x (',
  ];
  for (const shape of shapes) {
    const flood = shape.repeat(Math.ceil((1 << 20) / shape.length));
    const text = on(stdout + flood, stderr + flood);
    expect(
      cpuSeconds(() => failedTests(format, text)),
      JSON.stringify(shape),
    ).toBeLessThan(5);
  }
});

test('node --test and vitest print today what is read here', () => {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-ids-'));
  try {
    put(dir, {
      'a.test.mjs': `import { describe, test } from 'node:test';
        test('good', () => {}); test('bad one', () => { console.log('hello'); throw new Error('x'); });
        describe('suite', () => test('inner', () => { throw new Error('y'); }));`,
      'vitest/a.test.ts': `import { describe, expect, test } from 'vitest';
        test('good', () => {}); test('bad one', () => expect(1).toBe(2));
        describe('suite', () => { test('inner', () => { throw new Error('y'); }); test('sk', { skip: true }, () => {}); });`,
    });
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'));
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: dir,
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin', HOME: dir },
      });
      expect(status).toBe(1);
      return { stdout: stdout.replaceAll(`${dir}/`, '/workspace/'), stderr };
    };
    expect(failedTests('tap', run('--test', '--test-reporter=tap', 'a.test.mjs'))).toEqual({
      failed: ['a.test.mjs > bad one', 'a.test.mjs > suite > inner'],
      ran: 3,
    });
    put(dir, { 'b.test.mjs': `import { test } from 'node:test'; test('x', () => process.exit(3));` });
    expect(failedTests('tap', run('--test', '--test-reporter=tap', 'a.test.mjs', 'b.test.mjs'))).toBeNull();
    expect(failedTests('vitest', run('node_modules/vitest/vitest.mjs', 'run', '--root', 'vitest'))).toEqual({
      failed: ['a.test.ts > bad one', 'a.test.ts > suite > inner'],
      ran: 3,
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("vitest 5's lines about speed below its summary take no name away", () => {
  const { stdout, stderr } = PRINTED.vitest;
  const advice =
    '\n    Isolate  12 workers spawned · ~210ms startup each (spawn + environment, per file)\n             at least ~1.2s faster with isolate: false\n\n';
  expect(failedTests('vitest', { stdout: `${stdout}${advice}`, stderr })).toEqual(
    failedTests('vitest', PRINTED.vitest),
  );
  expect(failedTests('vitest', { stdout: `${stdout}${advice}more output\n`, stderr })).toBe(null);
});

test("vitest 5's remark behind the name of a retried test is no part of its name", () => {
  const { stdout, stderr } = VITEST;
  const again = (text: string) =>
    text.replace(/( FAIL {2}a\.test\.ts > bad one)$/m, '$1 (initial run, 1st retry, 2nd retry)');
  expect(again(stdout) + again(stderr)).not.toBe(stdout + stderr);
  expect(failedTests('vitest', on(again(stdout), again(stderr)))).toEqual(FOUND.vitest);
});
