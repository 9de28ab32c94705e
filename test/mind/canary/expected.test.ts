/** Which expected values of existing assertions the canary may put others in place of, and what it puts there. */
import { expect, test } from 'vitest';
import { expectedIn, otherThan } from '../../../src/mind/canary/expected.ts';
import { plantInto } from '../../../src/mind/canary/plant.ts';
import { scan, type TestLanguage } from '../../../src/mind/canary/scan.ts';
import { diceOf } from './dice.ts';

const TABLE: readonly (readonly [TestLanguage, string, readonly string[]])[] = [
  ['script', 'assert.equal(sum(1, 2), 3);', ['3']],
  ['script', 'assert.equal(3, sum(1, 2));', ['3']],
  ['script', "assert.strictEqual(name(), 'a', 'the name');", ["'a'"]],
  ['script', 't.assert.deepStrictEqual(all(), [1, 2]);', ['1']],
  ['script', 'await expect(run()).toBe(true);', ['true']],
  ['script', 'expect(run())\n  .toEqual(-7);', ['-7']],
  ['script', 'check(sum(4, 2), 6);', ['6']],
  ['script', 'const a = one();\nexpect(a).toBe(1);\nexpect(a).toBe(b);', ['1']],
  ['script', 'assert.equal(1, 1);', []],
  ['script', "assert(2);\nassert(two(), 'two');\ncheck(2);", []],
  ['script', 'assert.notEqual(sum(1, 2), 3);', []],
  ['script', 'expect(run()).not.toBe(3);', []],
  ['script', 'expect(run()).toEqual(expect.arrayContaining([1]));', []],
  ['script', 'if (rare) { assert.equal(sum(1, 2), 3); }', []],
  ['script', 'it.each([1]).run(() => { assert.equal(a, 3); });', []],
  ['script', 'expect(price()).toBe(1.5);', []],
  ['script', `expect(a()).toBe(\`b\${c}\`);`, []],
  ['script', '// assert.equal(sum(1, 2), 3);', []],
  ['python', '    assert add(1, 2) == 3\n', ['3']],
  ['python', "    assert name() == 'a', 'the name'\n", []],
  ['python', '    assert add(1, 2) == 3  # three\n', ['3']],
  ['python', '    self.assertEqual(add(1, 2), 3)\n', ['3']],
  ['python', '    self.assertTrue(add(1, 2))\n', []],
  ['python', '    assert add(1, 2) >= 3\n', []],
  ['go', '\tif got := Sum(1, 2); got != 3 {\n\t\tt.Fatal(got)\n\t}\n', ['3']],
  ['go', '\tassert.Equal(t, 3, Sum(1, 2))\n', ['3']],
  ['go', '\tif err != nil {\n\t}\n', []],
  ['rust', '    assert_eq!(sum(1, 2), 3);\n', ['3']],
  ['rust', '    assert_ne!(sum(1, 2), 4);\n', []],
];

test.each(TABLE)('%s: %s', (family, text, wanted) => {
  const scanned = scan(family, text);
  if (scanned === null) throw new Error('not scanned');
  const found = expectedIn(family, text, scanned, { from: 0, to: text.length });
  expect(found.map(({ value }) => value)).toEqual(wanted);
  for (const { from, to, value } of found) expect(text.slice(from, to)).toBe(value);
});

test('another value is of the same kind, never the same, and often one that is expected elsewhere in the file', () => {
  const all = ['3', '7', "'a'", '"a"', "'b'", 'true'].map((value) => ({ from: 0, to: 1, value }));
  const others = (value: string) =>
    new Set(Array.from({ length: 60 }, (_, seed) => otherThan(value, all, diceOf(seed))));
  expect(others('true')).toEqual(new Set(['false']));
  expect(others('True')).toEqual(new Set(['False']));
  expect(others('3')).toContain('7');
  expect([...others('3')].every((one) => /^\d+$/.test(one) && one !== '3')).toBe(true);
  expect([...others("'a'")].sort()).toEqual(["'as'", "'b'"]);
});

test('an altered test keeps its lines, and gets no assertion besides; of several some are altered', () => {
  const text = `import assert from 'node:assert';
import { test } from 'node:test';
test('one', () => {
  assert.equal(f(1), 1);
});
test('two', () => {
  assert.equal(f(2), 2);
});
`;
  for (let seed = 0; seed < 30; seed += 1) {
    const known = new Set(['one', 'two']);
    const some = plantInto('tap', 'a.test.js', text, diceOf(seed), null, known);
    expect(some?.plants.map(({ kind }) => kind).sort()).toEqual(['added', 'altered', 'inside']);
    const all = plantInto('tap', 'a.test.js', text, diceOf(seed), null, 'all');
    expect(all?.plants.map(({ kind }) => kind).sort()).toEqual(['added', 'altered', 'altered']);
    expect(all?.text).toMatch(/assert\.equal\(f\(1\), (?!1\))\d+\);[\s\S]*assert\.equal\(f\(2\), (?!2\))\d+\);/);
    const single = plantInto('tap', 'a.test.js', text, diceOf(seed), 'two', known);
    expect(single?.plants).toHaveLength(1);
    if (single?.plants[0]?.kind === 'altered') expect(single.text.split('\n')).toHaveLength(text.split('\n').length);
  }
});
