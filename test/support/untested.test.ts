/** No test is skipped without a word: what could not be tested is noted, and listed at the end of the run. */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { noteUntestedIn, untested, untestedLines } from './untested.ts';

const TESTS = resolve(import.meta.dirname, '..');

test('a note is listed once, with its reason; a test that can run is not', () => {
  const dir = mkdtempSync(join(tmpdir(), 'untested-'));
  const before = process.env['SUPERVISOR_TEST_UNTESTED'];
  const file = join(dir, 'notes');
  try {
    noteUntestedIn(file);
    expect(untestedLines(file)).toEqual([]);
    expect(untested('a thing', null)).toBe(false);
    expect(untestedLines(file)).toEqual([]);
    for (const what of ['b thing', 'a thing', 'b thing']) expect(untested(what, 'it is\nnot there')).toBe(true);
    expect(untestedLines(file)).toEqual([
      'Not tested here (2):',
      '  a thing: it is\nnot there',
      '  b thing: it is\nnot there',
    ]);
  } finally {
    if (before === undefined) delete process.env['SUPERVISOR_TEST_UNTESTED'];
    else noteUntestedIn(before);
    rmSync(dir, { recursive: true });
  }
});

/** Ways to skip that note nothing. `skipIf` of a name is one of a note: the same file makes it. */
const silent = (text: string): string[] => [
  ...(text.match(/\b(?:test|describe|it)\b\S*\.(?:runIf|skip|todo)\(.*/g) ?? []),
  ...(text.includes('.skipIf(') && !text.includes('untested(') ? ['skipIf without untested'] : []),
  ...(text.match(/if \(process\.gete?uid\?\.\(\) !== 0\) return\b.*/g) ?? []),
];

test('every test that is skipped is noted', () => {
  expect(silent('test.runIf(ROOT)(')).toHaveLength(1);
  expect(silent('describe.skip(')).toHaveLength(1);
  expect(silent('test.skipIf(!ROOT)(')).toHaveLength(1);
  expect(silent('if (process.getuid?.() !== 0) return;')).toHaveLength(1);
  expect(silent("test.skipIf(untested('x', NOT_ROOT))(")).toEqual([]);
  const own = 'support/untested.test.ts';
  const files = globSync('**/*.{test,long}.ts', { cwd: TESTS }).filter((name) => name !== own);
  const found = files.flatMap((name) => {
    // Tests that a test writes for a gate are texts.
    const text = readFileSync(join(TESTS, name), 'utf8').replace(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g, '');
    return silent(text).map((line) => `${name}: ${line}`);
  });
  expect(found).toEqual([]);
});
