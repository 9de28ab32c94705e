/** Every runner whose summaries are read: none found and all skipped are no pass, one test that ran is one, a failure is counted. */
import { expect, test } from 'vitest';
import { saysNoTestRan } from '../../src/mind/gates/no-tests.ts';
import { failuresSaid } from '../../src/mind/gates/printed-failures.ts';
import { RUNNERS } from '../../src/mind/gates/runners/index.ts';
import { Checks } from './checks.ts';
import { OUTPUTS } from './runners-printed.ts';

const ROWS = Object.entries(OUTPUTS);
const none = ROWS.flatMap(([runner, { empty, skipped }]) =>
  [...empty, ...(skipped ?? [])].map((text): [string, string] => [runner, text]),
);
const some = ROWS.flatMap(([runner, { one }]) => one.map((text): [string, string] => [runner, text]));
const red = ROWS.flatMap(([runner, { failed }]) => failed.map((text): [string, string] => [runner, text]));

const read = (text: string) => {
  const both = [
    { stdout: text, stderr: '' },
    { stdout: '', stderr: text },
  ];
  return both.map((printed) => ({ none: saysNoTestRan(printed), failed: failuresSaid(printed) }));
};

test('every runner has its rows', () => {
  expect(Object.keys(OUTPUTS).sort()).toEqual(Object.keys(RUNNERS).sort());
  for (const [runner, { empty, one, failed }] of ROWS)
    expect([empty.length, one.length, failed.length].includes(0), runner).toBe(false);
});

test.each(none)('%s prints %j: no test ran', (_, text) => {
  expect(read(text)).toEqual([
    { none: true, failed: 0 },
    { none: true, failed: 0 },
  ]);
});

test.each(some)('%s prints %j: a test ran', (_, text) => {
  expect(read(text)).toEqual([
    { none: false, failed: 0 },
    { none: false, failed: 0 },
  ]);
});

test.each(red)('%s prints %j: a test failed', (_, text) => {
  for (const { none, failed } of read(text)) {
    expect(none).toBe(false);
    expect(failed).toBeGreaterThan(0);
  }
});

test('one of two runners ran a test: that is enough', () => {
  for (const [runner, text] of none) {
    expect(saysNoTestRan({ stdout: `${text}ℹ pass 1\nℹ fail 0\n`, stderr: '' }), runner).toBe(false);
  }
});

test.each(red)('%s prints %j, indented: a nested run is no failure', (_, text) => {
  const nested = text.replaceAll(/^/gm, '    ');
  expect(failuresSaid({ stdout: `${nested}\nℹ pass 1\nℹ fail 0\n`, stderr: '' })).toBe(0);
});

/** As few gates as show that the gate itself reads the output: each takes a second. */
const ALL_NONE = none.map(([, text]) => text).join('\n');
test.each<[string, string, string]>([
  ['none of all runners', ALL_NONE, 'error'],
  ['a failure of XCTest', OUTPUTS.XCTest.failed.join(''), 'fail'],
  ['a failure of Playwright', OUTPUTS.playwright.failed.join(''), 'fail'],
  ['a test of Gradle', OUTPUTS.gradle.one.join(''), 'pass'],
])('a gate that ends with 0 and prints %s', async (_, text, status) => {
  await using checks = new Checks({ 'a.txt': 'old\n', 'printed.txt': text });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  // The control: only the exit code counts where the output is thrown away.
  checks.gates({ name: 'tests', command: 'cat printed.txt >/dev/null' });
  expect((await checks.check('tests', candidate)).status).toBe('pass');
  checks.gates({ name: 'tests', command: 'cat printed.txt' });
  expect((await checks.check('tests', candidate)).status).toBe(status);
});
