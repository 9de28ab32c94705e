/** Planting into files of Python, Go and Rust: into which tests, and that the result parses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseFiles } from '../../../src/mind/canary/choose.ts';
import { isReported, plantBeside, plantInto, type TestRunner } from '../../../src/mind/canary/plant.ts';
import { untested } from '../../support/untested.ts';
import { diceOf } from './dice.ts';
import { GO_FORMS, PYTEST_FORMS, RUST_FORMS, UNITTEST_FORMS } from './forms.ts';
import { goErrors, missing, pythonErrors, rustErrors, type Source } from './parse.ts';
import type { Form } from './script-forms.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index);
const FAMILIES: readonly [TestRunner, string, readonly Form[], (all: readonly Source[]) => string[], string][] = [
  ['pytest', 'tests/test_a.py', PYTEST_FORMS, pythonErrors, 'python3'],
  ['unittest', 'tests/test_a.py', UNITTEST_FORMS, pythonErrors, 'python3'],
  ['go', 'x/a_test.go', GO_FORMS, goErrors, 'gofmt'],
  ['cargo', 'tests/a.rs', RUST_FORMS, rustErrors, 'rustfmt'],
];

describe.each(FAMILIES)('%s', (runner, usual, forms, errors, program) => {
  const plants = ({ text, path = usual }: Form) => SEEDS.map((seed) => plantInto(runner, path, text, diceOf(seed)));
  const beside = ({ text, path = usual }: Form) => SEEDS.map((seed) => plantBeside(runner, path, text, diceOf(seed)));

  const single = ({ text, path = usual, tests }: Form) =>
    (tests ?? []).map((name, seed) => plantInto(runner, path, text, diceOf(seed), name));

  test.each(forms)('$about', (form) => {
    const all = plants(form);
    if (form.tests === null) {
      expect(all.every((one) => one === null)).toBe(true);
      return;
    }
    const inside = new Set<string>();
    for (const planted of all) {
      const names = planted?.plants.filter(({ kind }) => kind === 'inside').map((plant) => plant.test) ?? [];
      expect(names).toHaveLength(Math.min(15, form.tests.length));
      expect(planted?.plants.filter(({ kind }) => kind === 'added')).toHaveLength(1);
      for (const name of names) inside.add(name);
    }
    expect([...inside].sort()).toEqual([...form.tests].sort());
  });

  test.each(forms)('one assertion and nothing else: $about', ({ text, path = usual, tests }) => {
    for (const [seed, name] of (tests ?? []).entries()) {
      const planted = plantInto(runner, path, text, diceOf(seed), name);
      expect(planted?.plants).toEqual([{ kind: 'inside', path, test: name }]);
    }
    expect(plantInto(runner, path, text, diceOf(1), 'no_test_of_that_name')).toBeNull();
  });

  test.skipIf(
    untested(`what is planted into ${program === 'python3' ? runner : program}'s files parses`, missing(program)),
  )('all of it parses', () => {
    const all = forms
      .flatMap((form) => [...plants(form), ...beside(form), ...single(form)])
      .filter((one) => one !== null);
    expect(all.length).toBeGreaterThan(forms.length);
    const some = program === 'python3' ? all : all.filter((_, index) => index % 4 === 0);
    const given = forms.filter(({ tests }) => tests !== null).map(({ text, path = usual }) => ({ path, text }));
    expect(errors([...some, ...given])).toEqual([]);
  });

  test('the same dice plant the same, other dice plant other names', () => {
    const text = forms[0]?.text ?? '';
    const planted = (seed: number) => plantInto(runner, usual, text, diceOf(seed));
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (one, other) => {
        expect(planted(one)).toEqual(planted(one));
        if (one >>> 0 !== other >>> 0) expect(planted(one)?.plants.at(-1)).not.toEqual(planted(other)?.plants.at(-1));
      }),
    );
  });
});

test.each<[TestRunner, string, RegExp]>([
  ['pytest', 'tests/test_a.py', /^tests\/test_[a-z]+_\d+_[a-z]+\.py$/],
  ['unittest', 'tests/a_test.py', /^tests\/[a-z]+_\d+_[a-z]+_test\.py$/],
  ['go', 'x/a_test.go', /^x\/[a-z]+\d+[a-z]+_test\.go$/],
  ['cargo', 'crates/a/tests/a.rs', /^crates\/a\/tests\/[a-z]+_\d+_[a-z]+\.rs$/],
])('%s: a file beside %s', (runner, path, wanted) => {
  const forms = FAMILIES.find(([name]) => name === runner)?.[2];
  expect(plantBeside(runner, path, forms?.[0]?.text ?? '', diceOf(1))?.path).toMatch(wanted);
});

test.each<[TestRunner, string]>([
  ['cargo', 'src/lib.rs'],
  ['cargo', 'tests/common/mod.rs'],
  ['pytest', 'tests/checks.py'],
])('%s: no file beside %s, which no runner would find', (runner, path) => {
  const text = FAMILIES.find(([name]) => name === runner)?.[2][0]?.text ?? '';
  expect(plantBeside(runner, path, text, diceOf(1))).toBeNull();
});

test.each<[string, string, string, boolean]>([
  ['a.test.ts', 'adds', 'a.test.ts > adds', true],
  ['a.test.ts', 'adds', 'a.test.ts > suite > adds', true],
  ['packages/a/a.test.ts', 'adds', 'a.test.ts > adds', true],
  ['a.test.ts', 'adds', '/workspace/x/a.test.ts > adds', true],
  ['a.test.ts', 'adds', '|unit| a.test.ts > adds', true],
  ['a.test.ts', 'adds', 'b.test.ts > adds', false],
  ['a.test.ts', 'adds', 'a.test.ts > adds more', false],
  ['a.test.ts', 'adds', 'a.test.ts > and adds', false],
  ['a.test.ts', 'a #1', 'a.test.ts > a \\#1', true],
  ['a.test.js', 'adds', 'a.test.js > sums › of many › adds', true],
  ['t/test_a.py', 'test_x', 't/test_a.py::test_x', true],
  ['t/test_a.py', 'test_x', 'test_a.py::test_x[1]', true],
  ['t/test_a.py', 'TestA.test_x', 't/test_a.py::TestA::test_x', true],
  ['t/test_a.py', 'test_x', 't/test_a.py::TestA::test_x', false],
  ['t/test_a.py', 'TestA.test_x', 't.test_a.TestA.test_x', true],
  ['t/test_a.py', 'TestA.test_x', 'test_a.TestA.test_x', true],
  ['t/test_a.py', 'TestA.test_x', 't.test_b.TestA.test_x', false],
  ['t/__init__.py', 'TestA.test_x', 't.TestA.test_x', true],
  ['a_test.go', 'TestX', 'example.com/demo > TestX', true],
  ['sub/a_test.go', 'TestX', 'example.com/demo/sub > TestX', true],
  ['sub/a_test.go', 'TestX', 'example.com/demo/sub > TestXY', false],
  ['src/lib.rs', 'tests::adds', 'tests::adds', true],
  ['crates/c/src/a/b.rs', 'tests::adds', 'a::b::tests::adds', true],
  ['src/a/mod.rs', 'tests::adds', 'a::tests::adds', true],
  ['src/a.rs', 'tests::adds', 'b::tests::adds', false],
  ['src/a.rs', 'tests::adds', 'tests::adds', false],
  ['src/bin/x.rs', 'tests::adds', 'tests::adds', true],
  ['tests/a.rs', 'adds', 'adds', true],
  ['tests/it/a.rs', 'adds', 'a::adds', true],
])('a plant of %s named %s in %s: %s', (path, name, id, isThere) => {
  expect(isReported({ kind: 'inside', path, test: name }, ['other', id])).toBe(isThere);
});

test('tests of one name in two packages of Go are told apart', () => {
  const plant = { kind: 'inside', path: 'a/x_test.go', test: 'TestX' } as const;
  expect(isReported(plant, ['e.com/b > TestX', 'e.com/c > TestX'])).toBe(false);
  expect(isReported(plant, ['e.com/a > TestX', 'e.com/c > TestX'])).toBe(true);
});

test('files that load changed modules come first, then others, up to a limit', () => {
  const testFiles = Array.from({ length: 100 }, (_, n) => `t${n}`);
  const loadsChanged = new Set(['t50', 't60', 't70', 'elsewhere']);
  const chosen = chooseFiles({ testFiles, loadsChanged, dice: diceOf(1) });
  expect(chosen).toHaveLength(40);
  expect(chosen.slice(0, 3).toSorted()).toEqual(['t50', 't60', 't70']);
  expect(new Set(chosen).size).toBe(40);
  expect(chooseFiles({ testFiles, loadsChanged, dice: diceOf(1) })).toEqual(chosen);
  expect(chooseFiles({ testFiles, loadsChanged, dice: diceOf(2) })).not.toEqual(chosen);
  expect(chooseFiles({ testFiles, loadsChanged, dice: diceOf(1), most: 2 })).toEqual(chosen.slice(0, 2));
});
