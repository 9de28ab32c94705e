/** Exit code 0 is a pass only when the runner says that tests ran, and that none of them failed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdFormat } from '../../src/mind/gates/ids.ts';
import { saysNoTestRan } from '../../src/mind/gates/no-tests.ts';
import { checkTotals, totalsIn } from '../../src/mind/gates/totals.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { put } from '../workspace/repository.ts';
import { GREEN } from './totals-printed.ts';

const ENDED = { green: true, ended: 'exit code 0' };

test.each(GREEN)('%s: %s', (format, _, printed, totals) => {
  expect(totalsIn(format, printed)).toEqual(totals);
  const isPass = totals !== null && totals.failed === 0 && totals.ran !== 0;
  expect(checkTotals(format, printed, ENDED).type === 'stands').toBe(isPass);
});

test.each(GREEN)('%s: %s; the same without knowing the runner', (_format, what, printed, totals) => {
  if (UNKNOWABLE.has(what)) return;
  const none = totals?.ran === 0 && totals.failed === 0;
  expect(saysNoTestRan(printed)).toBe(none);
});
/** What only the runner's own format tells. */
const UNKNOWABLE = new Set(['a class that could not be set up']);

/** Printed by runners that have no format of `ids`; true: no test ran. */
test.each<[string, string, boolean]>([
  ['unittest', 'Ran 0 tests in 0.000s\n\nOK\n', true],
  ['unittest, skipped', 'Ran 2 tests in 0.000s\n\nOK (skipped=2)\n', true],
  ['unittest, one skipped', 'Ran 2 tests in 0.000s\n\nOK (skipped=1)\n', false],
  ['node', 'ℹ tests 1\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\n', true],
  ['node', '✔ a (1.026108ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n', false],
  ['node, an empty file', '✔ empty.test.mjs (126.35134ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n', true],
  ['mocha', '\n  0 passing (1ms)\n', true],
  ['mocha', '\n  3 passing (12ms)\n  1 pending\n', false],
  ['deno', 'ok | 0 passed | 0 failed (3ms)\n', true],
  ['rspec', 'No examples found.\n\n0 examples, 0 failures\n', true],
  ['minitest', '4 runs, 5 assertions, 0 failures, 0 errors, 0 skips\n', false],
  ['phpunit', 'No tests executed!\n', true],
  ['phpunit', 'OK (1 test, 2 assertions)\n', false],
  ['maven', '[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n', true],
  [
    'maven, one of two modules',
    '[INFO] No tests to run.\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n',
    false,
  ],
  ['dotnet', 'No test is available in /workspace/a.dll. Make sure\n', true],
  ['two runners, one with tests', 'Ran 0 tests in 0.000s\n\nOK\n  2 passing (3ms)\n', false],
  ['no runner', 'all files are formatted\n0 errors, 0 warnings\n', false],
  ['a linter that failed nothing', '0 fail\n12 files\n', false],
  ['nothing', '', false],
])('%s prints %j: no test ran is %s', (_, stdout, none) => {
  expect([saysNoTestRan({ stdout, stderr: '' }), saysNoTestRan({ stdout: '', stderr: stdout })]).toEqual([none, none]);
});

test('each kind says what is wrong; a red exit code stays, unless no test ran', () => {
  const said = (text: string, green = true) =>
    checkTotals('pytest', { stdout: text, stderr: '' }, { green, ended: green ? 'exit code 0' : 'exit code 5' });
  expect(said('')).toMatchObject({ type: 'error', noTests: false, problem: expect.stringContaining('is missing') });
  expect(said('=== 1 skipped in 1s ===')).toMatchObject({ type: 'error', noTests: true });
  expect(said('=== 1 failed in 1s ===')).toEqual({
    type: 'red',
    ended: 'exit code 0, but its summary counts 1 failed',
  });
  expect(said('=== 2 passed in 1s ===')).toEqual({ type: 'stands', ran: 2 });
  expect(said('=== no tests ran in 1s ===', false)).toMatchObject({
    type: 'error',
    problem: expect.stringMatching(/^no test ran: exit code 5/),
  });
  expect(said('=== 1 error in 1s ===', false).type).toBe('stands');
  expect(said('', false)).toEqual({ type: 'stands', ran: null });
});

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-totals-'));
  const node = (body: string) => `import { test } from 'node:test';\n${body}`;
  const vitest = (body: string) => `import { expect, test } from 'vitest';\n${body}`;
  put(dir, {
    'ok.test.mjs': node("test('a', () => {}); test('b', () => {});"),
    'skip.test.mjs': node("test.skip('a', () => {}); test.todo('b');"),
    'exit.test.mjs': node("test('a', () => process.exit(0)); test('b', () => { throw new Error('x'); });"),
    'empty.test.mjs': '',
    'bad.test.mjs': node("test('a', () => { throw new Error('x'); });"),
    'ok.test.ts': vitest("test('a', () => {}); test.fails('f', () => expect(1).toBe(2));"),
    'skip.test.ts': vitest("test.skip('a', () => {}); test.todo('b');"),
    'bad.test.ts': vitest("test('a', () => expect(1).toBe(2));"),
    'exits.mjs': 'export default () => process.exit(0);',
    'exits.config.mjs': "export default { test: { globalSetup: './exits.mjs' } };",
  });
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const TAP = ['--test', '--test-reporter=tap'];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--passWithNoTests'];

test.each<[IdFormat, string, string[], number, ReturnType<typeof totalsIn>]>([
  ['tap', 'tests that pass', [...TAP, 'ok.test.mjs'], 0, { ran: 2, failed: 0 }],
  ['tap', 'no file', [...TAP, 'nothing/*.mjs'], 0, { ran: 0, failed: 0 }],
  ['tap', 'a file without tests', [...TAP, 'empty.test.mjs'], 0, { ran: 0, failed: 0 }],
  ['tap', 'all skipped', [...TAP, 'skip.test.mjs'], 0, { ran: 0, failed: 0 }],
  ['tap', 'process.exit(0) in a test', [...TAP, 'exit.test.mjs'], 0, { ran: 0, failed: 0 }],
  ['tap', 'a failure', [...TAP, 'bad.test.mjs', 'ok.test.mjs'], 1, { ran: 3, failed: 1 }],
  ['vitest', 'tests that pass', [...VITEST, 'ok.test.ts'], 0, { ran: 2, failed: 0 }],
  ['vitest', 'no file', [...VITEST, 'nothing'], 0, { ran: 0, failed: 0 }],
  ['vitest', 'all skipped', [...VITEST, 'skip.test.ts'], 0, { ran: 0, failed: 0 }],
  ['vitest', 'process.exit(0) around the tests', [...VITEST, '--config', 'exits.config.mjs', 'ok.test.ts'], 0, null],
  ['vitest', 'a failure', [...VITEST, 'bad.test.ts', 'ok.test.ts'], 1, { ran: 3, failed: 1 }],
])('%s as installed here: %s', (format, _, args, code, totals) => {
  const env = { PATH: '/usr/bin:/bin', HOME: dir };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8', env });
  // The positive control: by the exit code alone, most of these would pass.
  expect(status, stdout + stderr).toBe(code);
  expect(totalsIn(format, { stdout, stderr }), stdout + stderr).toEqual(totals);
});

test('colours and a moving cursor are left out', () => {
  const stdout =
    '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m3 passed\u001b[39m\u001b[22m\u001b[90m (3)\u001b[39m\n';
  expect(totalsIn('vitest', { stdout: `\u001b[2K\r${stdout}`, stderr: '' })).toEqual({ ran: 3, failed: 0 });
});

test.each<IdFormat>(['tap', 'pytest', 'unittest', 'vitest', 'jest', 'go', 'cargo'])(
  '%s: hostile text is read in time',
  (format) => {
    for (const shape of [
      'Tests  1 failed ',
      ': ',
      '= 1 passed, ',
      'Tests: ',
      '1 a, ',
      'ok 1 - a\n',
      ' ',
      '\u001b[',
      '1..9\n',
      'Ran 1 test in 1s\n',
      'FAILED (failures=1, ',
    ]) {
      const flood = shape.repeat(Math.ceil((1 << 20) / shape.length));
      expect(
        cpuSeconds(() => totalsIn(format, { stdout: flood, stderr: flood })),
        JSON.stringify(shape),
      ).toBeLessThan(5);
    }
  },
);

test('hostile text is read in time without knowing the runner', () => {
  for (const shape of [
    ': ',
    '= 1 passed, ',
    ': 1 passed, \n',
    'OK (a=1, ',
    'Tests  1 passed | \n',
    'Tests: 1 skipped, \n',
    '\n',
    'a\n',
  ]) {
    const flood = shape.repeat(Math.ceil((4 << 20) / shape.length));
    expect(
      cpuSeconds(() => saysNoTestRan({ stdout: flood, stderr: flood })),
      JSON.stringify(shape),
    ).toBeLessThan(5);
  }
});
