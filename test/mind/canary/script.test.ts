/** Planting into files of JavaScript and TypeScript: into which tests, in which form, and that the result parses. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plantBeside, plantInto, type TestRunner } from '../../../src/mind/canary/plant.ts';
import { diceOf } from './dice.ts';
import { scriptErrors } from './parse.ts';
import { SCRIPT_FORMS } from './script-forms.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index);
const into = (text: string, path = 'a.test.ts', seed = 1, runner: TestRunner = 'vitest') =>
  plantInto(runner, path, text, diceOf(seed));

test.each(SCRIPT_FORMS)('$about', ({ text, path = 'a.test.ts', tests }) => {
  const all = SEEDS.map((seed) => into(text, path, seed));
  expect(scriptErrors(tests === null ? [] : [{ path, text }])).toEqual([]);
  if (tests === null) {
    expect(all.every((one) => one === null)).toBe(true);
    return;
  }
  const inside = new Set<string>();
  for (const planted of all) {
    const names = planted?.plants.filter(({ kind }) => kind === 'inside').map((plant) => plant.test) ?? [];
    expect(names).toHaveLength(Math.min(15, tests.length));
    expect(planted?.plants.filter(({ kind }) => kind === 'added')).toHaveLength(1);
    for (const name of names) inside.add(name);
  }
  expect([...inside].sort()).toEqual([...tests].sort());
  expect(scriptErrors(all.filter((one) => one !== null))).toEqual([]);
});

test.each(SCRIPT_FORMS)('a file beside: $about', ({ text, path = 'a.test.ts' }) => {
  const all = SEEDS.map((seed) => plantBeside('tap', path, text, diceOf(seed))).filter((one) => one !== null);
  expect(scriptErrors(all)).toEqual([]);
  expect(all.some((one) => one.path === path)).toBe(false);
});

test.each(SCRIPT_FORMS)('one assertion and nothing else: $about', ({ text, path = 'a.test.ts', tests }) => {
  const all = (tests ?? []).map((name, seed) => {
    const planted = plantInto('vitest', path, text, diceOf(seed), name);
    expect(planted?.plants).toEqual([{ kind: 'inside', path, test: name }]);
    return planted;
  });
  expect(scriptErrors(all.filter((one) => one !== null))).toEqual([]);
  expect(plantInto('vitest', path, text, diceOf(1), 'no test of that name')).toBeNull();
});

test('an assertion comes behind what the test does, whatever it returns; not where the test ends by itself', () => {
  const body = (inner: string) =>
    plantInto(
      'vitest',
      'a.test.ts',
      `import { expect, test } from 'vitest';\ntest('a', () => ${inner});\n`,
      diceOf(1),
      'a',
    )?.text;
  expect(body('{\n  if (run()) return;\n  expect(1).toBe(1);\n}')).toMatch(/toBe\(1\);\s*\} finally \{ expect\(\d+\)/);
  expect(body('expect(1).toBe(1)')).toMatch(
    /\{ try \{ return \(expect\(1\)\.toBe\(1\)\n\); \} finally \{ expect\(\d+\)/,
  );
  expect(body('{\n  expect(1).toBe(1);\n  t.skip();\n}')).toMatch(/=> \{\n {2}expect\(\d{2,}\)\.toBe\(\d+\);\n/);
});

test.each([
  ["import assert from 'node:assert';", 'assert.strictEqual(a, 1);', /assert\.strictEqual\((\d+), (?!\1)\d+\);/],
  ["import assert from 'node:assert';", 'assert(a);', /assert\(Number\('\d+'\) === \d+\);/],
  ["import { deepEqual as same } from 'node:assert';", 'same(a, 1);', /same\(\[(\d+), 7\], \[(?!\1)\d+, 7\]\);/],
  ["import { expect } from 'vitest';", 'expect(a).toBe(1);', /expect\((\d+)\)\.toBe\((?!\1)\d+\);/],
  ["import { expect } from 'vitest';", 'expect(a)\n    .not.toEqual(1);', /expect\((\d+)\)\.not\.toEqual\(\1\);/],
  ["import { expect } from 'chai';", 'expect(a).to.be.true;', /expect\(Number\('\d+'\) === \d+\)\.to\.be\.true;/],
  ['', 't.assert.ok(a);', /t\.assert\.ok\(Number\('\d+'\) === \d+\);/],
  ["import assert from 'node:assert';", 'await assert.rejects(a);', /await assert\.rejects\(async \(\) => \d+\);/],
  ["import { equal } from './product.ts';", 'equal(a, 1);', /throw new \w+Error|throw new Error/],
  ["import * as m from './product.ts';", 'm.equal(a, 1);', /throw new \w+Error|throw new Error/],
])('the assertion that the file uses: %s %s', (head, line, wanted) => {
  const text = `${head}\nimport { test } from 'node:test';\ntest('a', async (t) => {\n  ${line}\n});\n`;
  const planted = into(text);
  expect(planted?.text.split('\n\ntest(')[0]?.replace(line, '')).toMatch(wanted);
});

test('among several tests one throws, whatever the file asserts with, and one asserts', () => {
  const tests = [1, 2, 3, 4].map((n) => `test('t${n}', () => { expect(${n}).toBe(${n}); });`).join('\n');
  for (const seed of SEEDS) {
    const planted = into(`import { expect, test } from 'vitest';\n${tests}\n`, 'a.test.ts', seed)?.text ?? '';
    expect(planted).toMatch(/t\d', \(\) => \{.* throw new /s);
    expect(planted).toMatch(/t\d', \(\) => \{.* expect\(\d\d+\)\.toBe/s);
  }
});

test('a file beside is named like the one it stands beside, and imports what it needs', () => {
  const text =
    "import {\n  expect,\n  test,\n} from 'vitest';\nimport { a } from './a.ts';\ntest('a', () => { expect(a).toBe(1); });\n";
  const beside = (path: string) => plantBeside('vitest', path, text, diceOf(3));
  const own = beside('x/sum.test.ts');
  expect(own?.path).toMatch(/^x\/\w+-\d+-\w+\.test\.ts$/);
  expect(own?.text).toMatch(
    /^import \{\n {2}expect,\n {2}test,\n\} from 'vitest';\n\ntest\('[a-z]+ [a-z]+ \d+ [a-z]+ [a-z]+', /,
  );
  expect(own?.text).not.toContain('./a.ts');
  expect(own?.plants).toEqual([{ kind: 'own', path: own?.path, test: expect.any(String) }]);
  expect(beside('x/sum_test.js')?.path).toMatch(/^x\/\w+_\d+_\w+_test\.js$/);
  expect(beside('x/sum.unit.spec.tsx')?.path).toMatch(/\.unit\.spec\.tsx$/);
  expect(beside('test-sum.mjs')?.path).toMatch(/^test-\w+-\d+-\w+\.mjs$/);
  expect(beside('src/__tests__/sum.js')?.path).toMatch(/^src\/__tests__\/\w+-\d+-\w+\.js$/);
  expect(beside('src/sum.js')).toBeNull();
});

test('the same dice plant the same, other dice plant other names', () => {
  const text = "import { expect, test } from 'vitest';\ntest('a', () => { expect(1).toBe(1); });\n";
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (one, other) => {
      expect(into(text, 'a.test.ts', one)).toEqual(into(text, 'a.test.ts', one));
      const name = (seed: number) => into(text, 'a.test.ts', seed)?.plants.at(-1)?.test;
      if (one >>> 0 !== other >>> 0) expect(name(one)).not.toBe(name(other));
    }),
  );
  const names = new Set(SEEDS.map((seed) => plantBeside('vitest', 'a.test.ts', text, diceOf(seed))?.plants[0]?.test));
  expect(names.size).toBe(SEEDS.length);
});

test('at most fifteen tests of a file get an assertion: the list of failed tests is bounded', () => {
  const text = Array.from({ length: 200 }, (_, n) => `test('t${n}', () => {});`).join('\n');
  expect(into(text)?.plants.filter(({ kind }) => kind === 'inside')).toHaveLength(15);
});

test('any text gives null or what parses', () => {
  const pieces = fc.constantFrom(
    "test('a', () => {",
    '});',
    '`',
    '${',
    '}',
    "'",
    '"',
    '/',
    '//',
    '/*',
    '*/',
    '\n',
    'x',
    '(',
    ')',
    '=>',
    'test',
    'it(',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.integer(), (parts, seed) => {
      const text = parts.join(' ');
      const planted = into(text, 'a.test.ts', seed);
      if (planted === null || scriptErrors([{ path: 'a.test.ts', text }]).length > 0) return;
      expect(scriptErrors([planted])).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});
