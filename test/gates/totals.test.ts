/** Exit code 0 is a pass only when the runner says that tests ran, and that none of them failed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdFormat } from '../../src/mind/gates/ids.ts';
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
