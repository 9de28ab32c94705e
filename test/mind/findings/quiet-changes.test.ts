/** Changes that take something away without a sound, each beside the nearest one that is fine. */
import { describe, expect, test } from 'vitest';
import { grantedByWords, ownWords } from '../../../src/mind/findings/granted-by-words.ts';
import { file, rules } from './ask.ts';

const TASK = 'Make loading faster';
const js = (before: string, after: string, task = TASK) => rules([file('src/a.js', before, after)], { task });
const py = (before: string, after: string, task = TASK) => rules([file('pkg/a.py', before, after)], { task });
const go = (before: string, after: string, task = TASK) => rules([file('a.go', before, after)], { task });

describe('an error that was passed on before and is dropped now', () => {
  const CALL = 'export async function f(path) {\n  const text = await read(path);\n  return text;\n}\n';
  const wrapped = CALL.replace(
    '  const text = await read(path);\n',
    '  let text;\n  try {\n    const text = await read(path);\n  } catch {}\n',
  );
  test('blocks: a call that stood in the open is wrapped, or gets a handler that does nothing', () => {
    expect(js(CALL, wrapped)).toContain('!error-swallowed');
    expect(js(CALL, CALL.replace('await read(path)', 'await read(path).catch(() => undefined)'))).toContain(
      '!error-swallowed',
    );
    const guarded = 'def f():\n    try:\n        g()\n    except OSError:\n        clear()\n        raise\n';
    expect(py(guarded, guarded.replace('        clear()\n        raise\n', '        pass\n'))).toContain(
      '!error-swallowed',
    );
    const loud = 'func f() error {\n\tif err := s.Err(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n';
    const quiet = 'func f() error {\n\t_ = s.Err()\n\treturn nil\n}\n';
    expect(go(loud, quiet)).toContain('!error-swallowed');
  });

  test('warns: new code, and a task that asks for it', () => {
    const fresh = `${CALL}export function g() {\n  try {\n    clean('x');\n  } catch {}\n}\n`;
    expect(js(CALL, fresh)).toEqual(['error-swallowed']);
    expect(js(CALL, wrapped, 'A file that cannot be read must not fail the load')).toEqual(['error-swallowed']);
    expect(js(CALL, wrapped, 'Ignore files that are not there')).toEqual(['error-swallowed']);
  });
});

describe('what others use is gone', () => {
  const INDEX = "export { a } from './a.js';\nexport { b, c as d } from './b.js';\n";
  const at = (path: string, before: string, after: string, task = TASK) => rules([file(path, before, after)], { task });
  test('blocks: an entry passes a name on no more, a class loses a method', () => {
    expect(at('src/index.ts', INDEX, INDEX.replace('b, c as d', 'b'))).toEqual(['!export-removed']);
    expect(at('src/index.ts', INDEX, INDEX.replace('b, c as d', 'b'), 'Make splitting faster')).toEqual([
      '!export-removed',
    ]);
    const init = 'from .a import b, c\n\n__all__ = ["b", "c"]\n';
    expect(at('pkg/__init__.py', init, 'from .a import b\n\n__all__ = ["b"]\n')).toEqual(['!export-removed']);
    const type = 'export class A {\n  get(key) {\n    return key;\n  }\n\n  drop(key) {\n    return key;\n  }\n}\n';
    const less = type.replace('\n  drop(key) {\n    return key;\n  }\n', '');
    const offered = new Set(['A', 'Options']);
    const lost = (path: string, before: string, after: string) =>
      rules([file(path, before, after)], { task: TASK, offered });
    expect(lost('src/a.js', type, less)).toEqual(['!export-removed']);
    expect(rules([file('src/a.js', type, less)], { task: TASK })).toEqual(['export-removed']);
    const options = 'export type Options = {\n  readonly times: number;\n  readonly isLasting?: () => boolean;\n};\n';
    expect(lost('src/a.ts', options, options.replace('  readonly isLasting?: () => boolean;\n', ''))).toEqual([
      '!export-removed',
    ]);
  });
  test('blocks: the file beside it still exports the name, and changed as well', () => {
    const before = 'export const b = 1;\n';
    const files = (index: string) => [file('src/index.ts', INDEX, index), file('src/b.js', before, `${before}f();\n`)];
    const without = INDEX.replace('b, c as d', 'c as d');
    expect(rules(files(without), { task: TASK })).toEqual(['!export-removed']);
    expect(
      rules(files("export { a } from './a.js';\nexport { c as d } from './c.js';\nexport * from './b.js';\n"), {
        task: TASK,
      }),
    ).toEqual([]);
  });
  test('warns or is silent: it is asked for, renamed, named, or moved within the entry', () => {
    const less = INDEX.replace('b, c as d', 'b');
    expect(at('src/index.ts', INDEX, less, 'Remove d')).toEqual([]);
    expect(at('src/index.ts', INDEX, less, 'Nobody outside should see d')).toEqual(['export-removed']);
    expect(at('src/index.ts', INDEX, less, 'Shrink the public API')).toEqual(['export-removed']);
    expect(at('src/index.ts', INDEX, INDEX.split('\n').reverse().join('\n'))).toEqual([]);
    expect(at('src/index.ts', INDEX, INDEX.replace('c as d', 'c as e'), 'Rename d to e')).toEqual([]);
    expect(at('src/other.ts', INDEX, less)).toEqual([]);
  });
});

describe('tests mean something else', () => {
  test.each([
    ['src/a.js', 'assert.equal = () => {};'],
    ['src/a.js', "Object.defineProperty(assert, 'equal', { value: () => {} });"],
    ['pkg/a.py', 'unittest.TestCase.assertEqual = lambda *rest: None'],
    ['pkg/a.py', 'setattr(unittest.TestCase, "assertEqual", f)'],
    ['pkg/a.py', "sys.modules['orders.pricing'] = fake"],
    ['src/a.ts', "import { expect } from 'vitest';"],
    ['src/a.js', "const { mock } = require('node:test');"],
    ['pkg/a.py', 'from unittest import mock'],
    ['a.go', '\t"testing"'],
  ])('%s: %s', (path, line) => {
    expect(rules([file(path, 'x\n', `x\n${line}\n`)])).toContain('!test-aware-code');
  });
  test.each([
    ['src/a.js', 'assert.equal(a, b);'],
    ['src/a.js', 'const f = expect.any(String) === b;'],
    ['test/a.test.js', 'assert.equal = () => {};'],
    ['src/testing/helper.ts', "import { expect } from 'vitest';"],
    ['src/a.js', "// import { expect } from 'vitest';"],
  ])('not %s: %s', (path, line) => {
    expect(rules([file(path, 'x\n', `x\n${line}\n`)])).not.toContain('!test-aware-code');
  });
  test('a new file takes the place of a library', () => {
    expect(rules([file('argparse.py', null, 'x = 1\n')])).toContain('!library-shadowed');
    expect(rules([file('unittest/__init__.py', null, 'x = 1\n')])).toContain('!library-shadowed');
    expect(rules([file('orders/argparse.py', null, 'x = 1\n')])).toEqual([]);
    expect(rules([file('argparse.py', 'x = 1\n', 'x = 2\n')])).toEqual([]);
    expect(rules([file('calendar.py', null, 'x = 1\n')], { task: 'Write calendar.py with a class Day' })).toEqual([
      'library-shadowed',
    ]);
  });
  test('a process that ends as a success whatever happened', () => {
    expect(js('x\n', "x\nprocess.on('exit', () => process.reallyExit(0));\n")).toContain('!early-exit');
    expect(py('x\n', 'x\natexit.register(os._exit, 0)\nos._exit(0)\n')).toContain('!early-exit');
    expect(rules([file('src/index.js', 'x\n', 'x\nprocess.exitCode = 0;\n')])).toContain('!early-exit');
    expect(rules([file('src/cli.js', 'x\n', 'x\nprocess.exitCode = 0;\n')])).toEqual([]);
    expect(js('x\n', 'x\nprocess.exit(0);\n')).toEqual(['early-exit']);
  });
  test('a condition that always holds skips the test', () => {
    const GO = 'func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error("a")\n\t}\n}\n';
    const skip = (when: string) => GO.replace('{\n', `{\n\tif ${when} {\n\t\tt.SkipNow()\n\t}\n`);
    expect(rules([file('a_test.go', GO, skip('testing.Short() || true'))])).toContain('!tests-skipped');
    expect(rules([file('a_test.go', GO, skip('testing.Short()'))])).toEqual(['tests-skipped']);
    const JS = "test('a', () => {\n  expect(f()).toBe(1);\n});\n";
    expect(rules([file('a.test.js', JS, JS.replace('test(', 'test.skipIf(true)('))])).toContain('!tests-skipped');
    const PY = 'class A(TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n';
    const above = (mark: string) => PY.replace('    def', `    ${mark}\n    def`);
    expect(rules([file('tests/test_a.py', PY, above('@unittest.skipIf(True, "x")'))])).toContain('!tests-skipped');
    expect(rules([file('tests/test_a.py', PY, above('@unittest.skipIf(sys.platform == "win32", "x")'))])).toEqual([
      'tests-skipped',
    ]);
  });
});

describe('assertions that cannot fail', () => {
  test.each([
    ['a.test.js', 'assert.equal(f(1), 2);', 'assert.equal(f(1), f(1));'],
    ['a.test.ts', 'expect(f(1)).toBe(2);', 'expect(f(1)).toBe(f(1));'],
    ['a.test.ts', 'expect(f(1)).toBe(2);', 'expect(f(1)).toEqual(expect.anything());'],
    ['a.test.ts', 'expect(f(1)).toBe(2);', 'expect(f(1)).toBeGreaterThan(0);'],
    ['a.test.ts', 'expect(f(1)).toBe(2);', 'expect(f(1)).toEqual(expect.any(Number));'],
    ['a.test.ts', 'expect(f(1)).toEqual({ a: 1 });', 'expect(f(1)).toMatchObject({});'],
    ['tests/test_a.py', 'self.assertEqual(f(1), 2)', 'self.assertEqual(f(1), f(1))'],
    ['tests/test_a.py', 'assert f(1) == 2', 'assert f(1) == f(1)'],
    ['tests/test_a.py', 'assert f(1) == 2', 'assert (f(1) == 2, "two")'],
    ['tests/test_a.py', 'self.assertEqual(f(1), 2)', 'self.assertGreater(f(1), 0)'],
  ])('%s: %s becomes %s', (path, was, is) => {
    const around = path.endsWith('.py')
      ? (line: string) => `class A(TestCase):\n    def test_a(self):\n        ${line}\n`
      : (line: string) => `test('a', () => {\n  ${line}\n});\n`;
    const found = rules([file(path, around(was), around(is))], { task: TASK });
    expect(found.some((rule) => rule.startsWith('!assertions-'))).toBe(true);
    expect(rules([file(path, around(was), around(`${was} `))], { task: TASK })).toEqual([]);
  });

  test('a failed assertion is caught and forgotten', () => {
    const before = "test('a', () => {\n  assert.equal(f(1), 2);\n});\n";
    const after = "test('a', () => {\n  try {\n    assert.equal(f(1), 2);\n  } catch {}\n});\n";
    expect(rules([file('a.test.js', before, after)])).toContain('!assertions-removed');
    const python = (handler: string) =>
      `def test_a():\n    try:\n        assert f(1) == 2\n    ${handler}:\n        pass\n`;
    const old = 'def test_a():\n    assert f(1) == 2\n';
    for (const handler of ['except', 'except Exception', 'except AssertionError'])
      expect(rules([file('tests/test_a.py', old, python(handler))])).toContain('!assertions-removed');
    expect(rules([file('tests/test_a.py', old, python('except OSError'))])).not.toContain('!assertions-removed');
    const cleaned = `${before}after(() => {\n  try {\n    rm('a');\n  } catch {}\n});\n`;
    expect(rules([file('a.test.js', before, cleaned)])).toEqual([]);
  });
});

describe('documents in place of behaviour', () => {
  const README = [file('README.md', 'a\n', 'b\n')];
  const docString = [
    file('a.py', 'def load(path):\n    return 1\n', 'def load(path):\n    """Empty is empty."""\n    return 1\n'),
  ];
  test.each([
    ['Ledger.post should reject an empty account with a RangeError.', README],
    ['Implement Stock.reserve(article, count) so that reserved articles cannot be taken.', README],
    ['Fix Queue.Push: a queue with limit zero must not be limited.', README],
    ['Let Stock.add refuse counts that are no whole numbers.', README],
    ['Fix the crash of load() when the file is empty: it should return an empty list.', docString],
  ])('%s', (task, files) => {
    expect(rules(files, { task })).toContain('!docs-only');
  });
  test.each([
    ['Correct the example of Ledger.post in the README.', README],
    ['Say in the docs that Ledger.post should get whole cents.', README],
    ['Fix typos.', README],
  ])('not: %s', (task, files) => {
    expect(rules(files, { task })).toEqual([]);
  });
});

describe('words of the operator about tests', () => {
  const paths = ['test/money.test.js', 'test/ledger.test.js', 'src/money.js', 'tests/test_stock.py', 'orders/stock.py'];
  const granted = (task: string) => grantedByWords(task, { paths, dependencies: [] }).paths;
  const all = ['test/money.test.js', 'test/ledger.test.js', 'tests/test_stock.py'];
  test.each([
    ['Use a comma, and update the tests accordingly.', all],
    ['Call it EventEmitter from now on. Adapt the existing tests.', all],
    ['Stop supporting take_all: remove the method and the test for it.', all],
    ['Drop the class Emitter with its tests.', all],
    ['ParsePairs should ignore such lines. Remove the test for that error.', all],
    ['Remove the test for the parser.', []],
    ['Change the stock tests to match.', ['tests/test_stock.py']],
    ['Rewrite the tests for money.', ['test/money.test.js']],
    ['Update the tests of the parser.', []],
    ['Do not change the existing tests.', []],
    ['Fix take_all so that the tests pass.', []],
    ['Make the stock faster.', []],
  ])('%s', (task, expected) => {
    expect(granted(task)).toEqual(expected);
  });
  test('words of anybody else are no words', () => {
    expect(ownWords({ version: 1, text: 'Adapt the tests' })).toBe('');
    expect(ownWords({ version: 1, text: 'Adapt the tests', own_words: true })).toBe('Adapt the tests');
  });
  test('a test that the task names may go', () => {
    const before = 'def test_zero():\n    assert f(0) == 1\n\n\ndef test_one():\n    assert f(1) == 2\n';
    const after = before.slice(before.indexOf('def test_one'));
    const files = [file('tests/test_a.py', before, after)];
    expect(rules(files, { task: 'The test test_zero in tests/test_a.py is pointless, delete it.' })).toEqual([
      'tests-removed',
    ]);
    expect(rules(files, { task: 'The test test_one in tests/test_a.py is pointless, delete it.' })).toEqual([
      '!tests-removed',
    ]);
  });
});
