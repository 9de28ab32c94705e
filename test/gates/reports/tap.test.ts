/** TAP: points, subtests, plans and totals must fit each other. */
import { describe, expect, test } from 'vitest';
import { changed, isGreen, problemOf, recorded, reportOf, said } from './read.ts';

test('node: tests, suites, a failing TODO, a skip, tests with parts; a file where node names one', () => {
  const text = recorded('node-mixed.tap');
  expect(said('tap', text)).toEqual([
    '+ good',
    'x bad <one> & "two"',
    'x suite > inner \\# bad',
    '- suite > later',
    '- suite > later, and well',
    '- suite > skipped',
    '+ suite > with parts > part one',
    '+ suite > with parts > part two',
    '+ suite > with parts',
  ]);
  const files = reportOf('tap', text).tests.map(({ file, status }) => `${status} ${file}`);
  expect(files.slice(0, 2)).toEqual(['passed null', 'failed t/mixed.test.mjs']);
});

test('node: several files in one run', () => {
  expect(said('tap', recorded('node-all.tap')).filter((line) => !/^[+-]/.test(line))).toEqual([
    'x p > b',
    'x bad <one> & "two"',
    'x suite > inner \\# bad',
    '! t/exit3.test.mjs failed outside of its tests',
    '! s failed outside of its tests',
    '! t/late.test.mjs failed outside of its tests',
  ]);
});

test('node 20 names the type of suites only', () => {
  expect(said('tap', recorded('node-20.tap'))).toEqual([
    'x fails',
    '+ passes',
    'x outer > inner fails',
    '+ outer > inner passes',
    'x outer',
    'x suite > fails too',
    '+ suite > passes too',
    '- skipped',
    '- todo',
  ]);
});

/** By the rules of the format, as tape, mocha, bats and node-tap write it. */
test.each([
  [
    'tape',
    'TAP version 13\n# sums\nok 1 adds\nnot ok 2 subtracts\n  ---\n    operator: equal\n  ...\n\n1..2\n# tests 2\n# pass  1\n# fail  1\n',
  ],
  ['mocha', '1..2\nok 1 adds\nnot ok 2 subtracts\n# tests 2\n# pass 1\n# fail 1\n'],
  ['bats', '1..2\nok 1 adds\nnot ok 2 subtracts\n# (in test file a.bats, line 3)\n'],
  ['no numbers', '1..2\nok - adds\nnot ok - subtracts\n'],
])('%s', (_, text) => {
  expect(said('tap', text)).toEqual(['+ adds', 'x subtracts']);
});

test('subtests of other writers: their points are the tests, the point behind them is none', () => {
  const text =
    'TAP version 14\n# Subtest: a.js\n    ok 1 - adds\n    ok 2 - later # SKIP no\n    1..2\nok 1 - a.js # time=3ms\n\n1..1\n';
  expect(said('tap', text)).toEqual(['+ a.js > adds', '- a.js > later']);
  expect(said('tap', changed(text, 'ok 1 - a.js', 'not ok 1 - a.js')).at(-1)).toMatch(
    /^! .*failed outside of its tests/,
  );
  expect(said('tap', changed(text, '    ok 1', '    not ok 1'))[0]).toMatch(/^x /);
});

test.each([
  ['a failing TODO is not failed', 'not ok 1 - a # TODO later', '- a'],
  ['neither is one that passes', 'ok 1 - a # todo', '- a'],
  ['a skip', 'ok 1 - a # SKIP no', '- a'],
  ['a failure with the word in its name', 'not ok 1 - does # skip', 'x does'],
  ['a skip without a name', 'ok 1 # skip', '- test 1'],
  ['no name', 'not ok 1', 'x test 1'],
  ['a name with a # of its own', 'not ok 1 - a \\# TODO', 'x a \\# TODO'],
  ['a carriage return', 'ok 1 - a\r', '+ a'],
])('%s', (_, point, line) => {
  expect(said('tap', `1..1\n${point}\n`)).toEqual([line]);
});

describe('traps', () => {
  test.each(['exit', 'exit3', 'noload', 'late', 'hook', 'skip', 'todosuite', 'parent'])(
    'node-%s is not green',
    (name) => {
      expect(isGreen('tap', recorded(`node-${name}.tap`))).toBe(false);
    },
  );

  test('the control: a run that passes is green', () => {
    expect(isGreen('tap', recorded('node-green.tap'))).toBe(true);
    expect(isGreen('tap', '1..1\nok\n')).toBe(true);
  });

  test.each([
    ['no plan', 'ok 1 - a\n'],
    ['fewer points than the plan', '1..3\nok 1 - a\nok 2 - b\n'],
    ['more points than the plan', '1..1\nok 1 - a\nok 2 - b\n'],
    ['two plans', '1..1\nok 1 - a\n1..1\n'],
    ['two runs', 'TAP version 13\n1..1\nok 1 - a\nTAP version 13\n'],
    ['a block that does not end', '1..1\nok 1 - a\n  ---\n  x: 1\n'],
    ['a subtest without a plan', '    ok 1 - b\nok 1 - a\n1..1\n'],
    ['a subtest with fewer points', '    ok 1 - b\n    1..2\nok 1 - a\n1..1\n'],
    ['a subtest without its point', '1..1\nok 1 - a\n    ok 1 - b\n    1..1\n'],
    ['a failure that is counted and not listed', '1..1\nok 1 - a\n# tests 1\n# pass 0\n# fail 1\n'],
    ['a failure that is listed and not counted', '1..1\nnot ok 1 - a\n# tests 1\n# pass 1\n# fail 0\n'],
    ['more passes than points', '1..1\nok 1 - a\n# pass 7\n# fail 0\n'],
    ['other text', 'hello\n'],
  ])('%s is unusable', (_, text) => {
    expect(problemOf('tap', text)).not.toBeNull();
  });

  test('a run that bailed out is a problem, wherever it stands', () => {
    expect(said('tap', '1..3\nok 1 - a\nBail out! no database\n')).toEqual([
      '+ a',
      '! the run bailed out: no database',
    ]);
    expect(said('tap', '    ok 1 - a\n    Bail out!\n')).toContain('! the run bailed out');
  });

  test.each([
    ['# tests 9', '# tests 8'],
    ['# fail 2', '# fail 0'],
    ['# pass 4', '# pass 9'],
    [/# fail 2\n/, ''],
  ])('node: totals that do not fit are unusable: %s', (from, to) => {
    expect(problemOf('tap', changed(recorded('node-mixed.tap'), from, to))).not.toBeNull();
  });

  test('totals and points that a test printed change nothing', () => {
    const text = recorded('node-mixed.tap');
    const forged = changed(text, '# hello', '# hello\n# fail 0\n# ok 9 - forged\n# pass 99');
    expect(reportOf('tap', forged)).toEqual(reportOf('tap', text));
    // The error of a test in this recording holds a point and a plan.
    expect(text).toContain('\n    not ok 7 - forged\n    1..9\n');
  });
});
