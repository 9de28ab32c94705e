/** What the words of a task say about files and behaviour, held against what the change does. */
import { describe, expect, test } from 'vitest';
import { file, rules, told } from './ask.ts';

const both = [file('src/a.js', 'a\n', 'b\n'), file('src/b.js', 'a\n', 'b\n'), file('test/a.test.js', null, 'x\n')];

describe('files that the words forbid', () => {
  test.each([
    'Only touch src/a.js: trim the names',
    'Trim the names. Change nothing but src/a.js.',
    'Trim the names. Do not change src/b.js.',
    'Trim the names and leave b.js as it is',
    'Trim the names; src/b.js must not be changed',
    'Trim the names. src/b.js stays untouched.',
  ])('%s', (task) => {
    expect(told(both, { task })).toEqual(['!forbidden-by-words src/b.js:']);
  });
  test.each([
    'Change src/a.js so that names are trimmed',
    'Use b.js instead of c.js',
    'Only Node.js 20 is supported: change the check',
    'Do not change the order in which names are printed',
    'Only change src/',
  ])('not by: %s', (task) => {
    expect(told(both, { task })).toEqual([]);
  });
});

describe('only words changed', () => {
  const comment = [file('src/money.js', '// a\nf();\n', '// a, b\nf();\n')];
  test.each([
    'parseAmount must also accept a comma in place of the point.',
    'Entries of one day shall be returned in the order in which they were posted.',
    'Stock.take must not accept negative counts.',
  ])('%s', (task) => {
    expect(rules(comment, { task })).toEqual(['!docs-only']);
  });
  test.each(['Say in a comment what parseAmount must accept.', 'The guide should say more.'])('not: %s', (task) => {
    expect(rules(comment, { task })).toEqual([]);
  });
});

describe('a function that holds nothing but a note', () => {
  const of = (path: string, body: string) => rules([file(path, 'x\n', `x\n${body}`)]);
  test('blocks', () => {
    expect(of('src/a.js', 'function f(a) {\n  // TODO: both\n  return null;\n}\n')).toEqual(['!stub-function']);
    expect(
      of('src/a.ts', 'class A {\n  f(a: string) {\n    // not implemented yet\n    return this;\n  }\n}\n'),
    ).toEqual(['!stub-function']);
    expect(of('a.py', 'def f(a):\n    # TODO\n    pass\n')).toEqual(['!stub-function']);
    expect(of('a.go', 'func F() error {\n\t// TODO: write\n\treturn nil\n}\n')).toEqual(['!stub-function']);
  });
  test('warns where work is done beside it', () => {
    expect(of('src/a.js', 'function f(a) {\n  // TODO: faster\n  return g(a);\n}\n')).toEqual(['work-put-off']);
    expect(of('a.py', 'def f(a):\n    # TODO: more\n    g(a)\n    return None\n')).toEqual(['work-put-off']);
  });
});

describe('code that looks at its caller', () => {
  test.each([
    ['src/a.js', "const careful = process.execArgv.some((one) => one.startsWith('--test'));"],
    ['src/a.js', "const seen = /\\.test\\.js/.test(process.argv[1] ?? '');"],
    ['src/a.ts', "const from = new Error().stack ?? '';\nif (!from.includes('vitest')) max = 9;"],
    ['a.py', 'if any("test_" in frame.filename for frame in inspect.stack()):\n    pass'],
    ['a.py', 'frames = inspect.stack()\nif any("pytest" in one.filename for one in frames):\n    x = 1'],
  ])('%s: %s', (path, lines) => {
    expect(rules([file(path, 'x\n', `x\n${lines}\n`)])).toContain('!test-aware-code');
  });
  test.each([
    ['src/a.js', "log(new Error().stack);\nconst name = 'latest';"],
    ['src/a.js', "const isTest = (path) => path.endsWith('.test.js');"],
  ])('not %s: %s', (path, lines) => {
    expect(rules([file(path, 'x\n', `x\n${lines}\n`)])).toEqual([]);
  });
});

test('the API of a package: a removed attribute, a signature that takes its parameters in another order', () => {
  const offered = new Set(['Stock', 'total']);
  const of = (before: string, after: string, task = 'Count what is missing') =>
    rules([file('orders/stock.py', before, after)], { task, offered });
  const stock = 'class Stock:\n    def __init__(self, name):\n        self.name = name\n';
  expect(of(stock, stock.replace('self.name', 'self.title'))).toEqual(['!export-removed']);
  expect(of(stock, stock.replace('self.name', 'self._name'), 'Make Stock.name private')).toEqual(['export-removed']);
  const total = 'def total(lines, shipping=0, free=None):\n    return 0\n';
  expect(of(total, total.replace('shipping=0, free=None', 'free=None, shipping=0'))).toEqual(['!signature-changed']);
  const swapped = total.replace('shipping=0, free=None', 'free=None, shipping=0');
  expect(of(total, swapped, 'Move the constants into one place')).toEqual(['!signature-changed']);
  expect(of(total, total.replace('free=None', 'free=None, tax=0'))).toEqual([]);
});
