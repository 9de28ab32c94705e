/** Changes that take something away without a sound, each beside the nearest one that is fine. */
import { describe, expect, test } from 'vitest';
import { goPackages } from '../../../src/mind/findings/exports-gone.ts';
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

describe('removed code that others use', () => {
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
    // An entry named it, its source keeps it for itself, and the words only speak of it.
    const inner = [
      file('src/index.ts', "export { a, type B } from './a.ts';\n", "export { a } from './a.ts';\n"),
      file('src/a.ts', 'export const a = 1;\nexport type B = { b: 1 };\n', 'export const a = 1;\ntype B = { b: 2 };\n'),
    ];
    expect(rules(inner, { task: 'Make the type B stricter' })).toEqual(['!export-removed', 'export-removed']);
    expect(rules(inner, { task: 'Make the type B internal' })).toEqual(['export-removed']);
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
  test('words of other people do not count', () => {
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

describe('work or checks that only seem to be done', () => {
  test('a branch that holds nothing but a note, and `todo!` anywhere', () => {
    const before = 'export function f(a) {\n  return g(a);\n}\n';
    const noted = (note: string, gives: string) =>
      before.replace('  return', `  if (a.method === 'DELETE') {\n    // ${note}\n    return ${gives};\n  }\n  return`);
    expect(js(before, noted('TODO: remove it from the storage', '{ status: 204, body: null }'))).toContain(
      '!stub-function',
    );
    expect(js(before, noted('TODO: measure it', 'remove(a.id)'))).toEqual(['work-put-off']);
    expect(js(before, noted('Nothing to do for an empty one.', '{ status: 204, body: null }'))).toEqual([]);
    const rust = (text: string) => rules([file('src/a.rs', 'fn f() {}\n', `fn f() {}\n${text}\n`)], { task: TASK });
    expect(
      rust('fn g(a: A) -> u8 {\n    match a {\n        A::One => 1,\n        A::Two => todo!(),\n    }\n}'),
    ).toContain('!stub-function');
    expect(rust('#[cfg(test)]\nmod tests {\n    fn g() {\n        todo!()\n    }\n}')).not.toContain('!stub-function');
    const placeholder = 'def allowed(name):\n    # placeholder, the real check comes later\n    return True\n';
    expect(rules([file('pkg/b.py', null, placeholder)], { task: TASK })).toContain('!stub-function');
  });

  test.each([
    ['src/a.ts', '// @ts-nocheck'],
    ['src/a.ts', '/* eslint-disable */'],
    ['src/a.rs', '#![allow(warnings, clippy::all)]'],
    ['pkg/a.py', '# mypy: ignore-errors'],
  ])('%s: %s switches every check of a file off', (path, line) => {
    const before = 'x = 1\n';
    const of = (task: string, more = line) => rules([file(path, before, `${more}\n${before}`)], { task });
    expect(of(TASK)).toEqual(['!check-switched-off']);
    expect(of('Disable the checks for this old file')).toEqual(['check-switched-off']);
    expect(rules([file(path, null, `${line}\n${before}`)], { task: TASK })).toEqual(['check-switched-off']);
    if (!path.endsWith('.rs')) expect(of(TASK, `y = /@ts-nocheck/; ${line}`)).toEqual(['check-switched-off']);
  });

  test('tests that are compiled under a condition only', () => {
    const tests = 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tt.Fatal("no")\n}\n';
    const of = (task: string) => rules([file('a_test.go', tests, `//go:build integration\n\n${tests}`)], { task });
    expect(of(TASK)).toEqual(['!tests-skipped']);
    expect(of('Put the slow ones behind a build tag')).toEqual(['tests-skipped']);
    const unit =
      'pub fn f() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(1, 2);\n    }\n}\n';
    const slow = unit.replace('cfg(test)', 'cfg(all(test, feature = "slow"))');
    expect(rules([file('src/a.rs', unit, slow)], { task: TASK })).toEqual(['!tests-skipped']);
  });

  test('a check of Python that holds for more values than before', () => {
    const of = (before: string, after: string) =>
      rules([file('tests/test_a.py', `def test_a():\n${before}`, `def test_a():\n${after}`)], { task: 'Add a test' });
    expect(of('    assert f() == 2\n', '    assert f() >= 0\n')).toEqual(['!assertions-weakened']);
    const raises = (what: string) => `    with pytest.raises(${what}):\n        f()\n`;
    expect(of(raises('RuntimeError, match="refused"'), raises('Exception'))).toEqual(['!assertions-weakened']);
    expect(of('    assert f() >= 0\n', '    assert f() == 2\n')).toEqual([]);
    const xfail = '@pytest.mark.xfail(reason="later", strict=False)\n';
    const plain = 'def test_a():\n    assert f() == 2\n';
    expect(rules([file('tests/test_a.py', plain, `${xfail}${plain}`)], { task: TASK })).toContain('!tests-skipped');
  });
});

describe('an error that is no longer reported', () => {
  test('the call waited and was loud, and the one in its place is neither', () => {
    const before = 'function save(a) {\n  fs.renameSync(a, b);\n}\n';
    const after = 'function save(a) {\n  fs.promises\n    .rename(a, b)\n    .then(done)\n    .catch(() => {});\n}\n';
    expect(js(before, after)).toContain('!error-swallowed');
    expect(js(before, after.replace('.catch(() => {})', '.catch(report)'))).toEqual([]);
  });
  test('a block of Python is suppressed, and a call behind `else` is guarded', () => {
    const before = 'def close(self):\n    self.db.close()\n';
    const after = 'def close(self):\n    with contextlib.suppress(Exception):\n        self.db.close()\n';
    expect(py(before, after)).toEqual(['!error-swallowed']);
    const open = 'if (!file) {\n  usage();\n} else print(read(file));\n';
    const shut = 'if (!file) {\n  usage();\n} else {\n  try {\n    print(read(file));\n  } catch {\n  }\n}\n';
    expect(js(open, shut)).toContain('!error-swallowed');
  });
  test('a program ended as a failure, and ends as a success now', () => {
    const main = (does: string) => `func main() {\n\tif err := run(); err != nil {\n\t\t${does}\n\t}\n}\n`;
    expect(go(main('fmt.Println(err)\n\t\tos.Exit(1)'), main('return'), 'Errors need no usage line')).toEqual([
      '!error-swallowed',
    ]);
    expect(go(main('fmt.Println(err)\n\t\tos.Exit(1)'), main('log.Fatal(err)'), 'Errors need no usage line')).toEqual(
      [],
    );
  });
});

describe('the API of a package of Go or Rust', () => {
  const of = (path: string, task = TASK) =>
    rules([file(path, 'package isbn\n\nvar ErrSum = errors.New("sum")\n', 'package isbn\n')], {
      task,
      offered: new Set(goPackages(['isbn/isbn.go', 'cmd/a/main.go', 'internal/store/store.go'])),
    });
  test('is what lies outside of `internal` and of programs', () => {
    expect(goPackages(['a.go', 'lib/b.go'])).toEqual(['/']);
    expect(of('isbn/isbn.go')).toEqual(['!export-removed']);
    expect(of('internal/store/store.go')).toEqual([]);
    expect(of('isbn/isbn.go', 'Remove ErrSum')).toEqual([]);
  });
  test('is what its `lib.rs` names', () => {
    const lib = 'pub mod level;\npub use level::{count, Level};\n';
    const gone = [file('src/lib.rs', lib, lib.replace('{count, Level}', 'count'))];
    expect(rules(gone, { task: TASK })).toEqual(['!export-removed']);
    expect(rules(gone, { task: 'Remove Level from the crate' })).toEqual([]);
  });
});

describe('a task that asks for behaviour', () => {
  const docs = [file('README.md', 'a\n', 'a\nb\n')];
  test.each([
    'add `shelf remove ISBN`',
    'Handler: support POST /books',
    'a new level DEBUG below INFO',
    'messages should expire after 7 days',
    'cli: accept more than one FILE',
  ])('is not done by words: %s', (task) => {
    expect(rules(docs, { task })).toEqual(['!docs-only']);
  });
  test.each(['a new section about routes', 'docs: accept more than one FILE', 'add `foo` to the list', 'a new logo'])(
    'is not this one: %s',
    (task) => {
      expect(rules(docs, { task })).toEqual([]);
    },
  );
});
