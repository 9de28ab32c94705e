/** What each rule catches, and the nearest change that it must let pass. */
import { describe, expect, test } from 'vitest';
import { file, rules, told } from './ask.ts';

test('a file that the worker claims and did not change', () => {
  const files = [file('a.js', 'a\n', 'b\n')];
  expect(told(files, { claims: ['a.js', './a.js', 'b.js'] })).toEqual(['claim-not-changed b.js:']);
});

test('a generated file without its source', () => {
  const generated = (path: string) => (path === 'a.pb.go' ? 'a.proto' : null);
  const changed = file('a.pb.go', 'package a\n', 'package b\n');
  expect(rules([changed], { generated })).toEqual(['generated-edited']);
  expect(rules([changed, file('a.proto', 'a', 'b')], { generated })).toEqual([]);
});

describe('code that asks who is looking', () => {
  test.each([
    ['src/a.js', 'if (process.env.CI) return 42;'],
    ['src/a.ts', "if (process.env['VITEST']) return 42;"],
    ['src/a.js', 'const { CI } = process.env;'],
    ['src/a.js', "if (new Error().stack.includes('.test.')) return 42;"],
    ['pkg/a.py', 'if "pytest" in sys.modules: return 42'],
    ['pkg/a.py', 'if os.getenv("CI"): return 42'],
    ['a.go', '\tif testing.Testing() { return 42 }'],
    ['a.go', '\tif _, ok := os.LookupEnv("CI"); ok { return 42 }'],
    ['src/a.rs', '    if cfg!(test) { return 42; }'],
    ['src/a.rs', '    if std::env::var("CI").is_ok() { return 42; }'],
  ])('%s: %s', (path, line) => {
    expect(rules([file(path, 'x\n', `x\n${line}\n`)])).toContain('!test-aware-code');
  });

  test.each([
    ['src/a.test.js', 'if (process.env.CI) return 42;'],
    ['vitest.config.ts', 'retry: process.env.CI ? 2 : 0,'],
    ['scripts/release.js', 'if (process.env.CI) return 42;'],
    ['README.md', 'if (process.env.CI) return 42;'],
    ['src/a.js', '// process.env.CI is set by most of them'],
    ['src/a.js', 'return process.env.HOME;'],
    ['src/a.rs', '#[cfg(test)]'],
  ])('not %s: %s', (path, line) => {
    expect(rules([file(path, 'x\n', `x\n${line}\n`)])).not.toContain('!test-aware-code');
  });

  test('a task about it is asked for', () => {
    const files = [file('src/a.js', 'x\n', 'x\nif (process.env.CI) color = false;\n')];
    expect(rules(files, { task: 'Switch colours off in CI' })).toEqual(['test-aware-code']);
  });
});

describe('early exits', () => {
  test.each([
    ['a.test.js', "test('a', () => { expect(1 + x).toBe(2); });\n", 'process.exit(0);'],
    ['a.test.js', "test('a', () => { expect(1 + x).toBe(2); });\n", 'process.exit()'],
    ['a.test.js', "test('a', () => { expect(1 + x).toBe(2); });\n", 'process.exitCode = 0;'],
    ['tests/conftest.py', 'import os\n', 'os._exit(0)'],
    ['tests/test_a.py', 'def test_a():\n    assert f(1) == 2\n', 'sys.exit(0)'],
    ['vitest.setup.ts', 'x\n', 'process.exit(0)'],
    ['a_test.go', 'func TestA(t *testing.T) {\n\tt.Error("a")\n}\n', 'func init() { os.Exit(0) }'],
  ])('block in tests and what they load: %s', (path, before, line) => {
    expect(rules([file(path, before, `${before}${line}\n`)])).toContain('!early-exit');
  });

  test.each([
    ['src/parse.js', 'process.exit(0);'],
    ['pkg/parse.py', 'sys.exit(0)'],
    ['parse.go', '\tos.Exit(0)'],
    ['src/parse.rs', '    std::process::exit(0);'],
  ])('warn in product code: %s', (path, line) => {
    expect(rules([file(path, 'x\n', `x\n${line}\n`)])).toEqual(['early-exit']);
  });

  test.each([
    ['src/cli.js', 'process.exit(0);'],
    ['cmd/tool/main.go', '\tos.Exit(0)'],
    ['src/parse.js', 'process.exit(1);'],
    ['src/parse.js', "const text = 'process.exit(0)';"],
    ['test/fixtures/child.js', 'process.exit(0);'],
    ['a_test.go', '\tos.Exit(m.Run())'],
  ])('not %s: %s', (path, line) => {
    expect(rules([file(path, 'x\n', `x\n${line}\n`)])).toEqual([]);
  });
});

describe('licence lines', () => {
  const source = '// Copyright 2020 The Authors\n// SPDX-License-Identifier: MIT\ncode();\n';
  test('gone from a source, or the file itself', () => {
    expect(told([file('a.js', source, 'code();\n')])).toEqual(['!licence-removed a.js:']);
    expect(told([file('LICENSE', 'MIT License\n', null)])).toEqual(['!licence-removed LICENSE:']);
  });
  test('another year, a deleted source, a moved licence, a task that asks', () => {
    expect(rules([file('a.js', source, source.replace('2020', '2021'))])).toEqual([]);
    expect(rules([file('a.js', source, null)])).toEqual([]);
    expect(rules([file('LICENSE', 'MIT\n', null), file('LICENSE.md', null, 'MIT\n')])).toEqual([]);
    expect(rules([file('a.js', source, 'code();\n')], { task: 'Remove the licence headers' })).toEqual([
      'licence-removed',
    ]);
  });
});

test('new binaries: data warns, programs block, and so does a program by another name', () => {
  expect(rules([file('logo.png', null, '\ufffdPNG\r\n\0\0')])).toEqual(['new-binary']);
  expect(rules([file('bin/tool', null, '\x7fELF\0\0\0')])).toEqual(['!new-binary']);
  expect(rules([file('lib/a.so', null, null)])).toEqual(['!new-binary']);
  expect(rules([file('lib/a.so', null, null)], { grants: ['lib/a.so'] })).toEqual(['new-binary']);
  expect(rules([file('a.txt', null, 'plain text, é\n')])).toEqual([]);
  expect(rules([file('lib/a.so', 'old', null)])).toEqual([]);
});

describe('only documents', () => {
  const docs = [file('README.md', 'a\n', 'b\n')];
  const comments = [file('a.js', 'f();\n', '// Rounds up.\nf();\n')];
  test.each([
    'Fix parse() so that it accepts empty text',
    'Make `slugify` drop accents',
    'Add a function that counts words to src/words.js',
    'Fix the off-by-one error in the pager',
    'The parser crashes on empty input: it should return null',
  ])('answer a task for behaviour: %s', (task) => {
    expect(rules(docs, { task })).toEqual(['!docs-only']);
    expect(rules(comments, { task })).toEqual(['!docs-only']);
    expect(rules([...docs, file('a.js', 'f();\n', 'g();\n')], { task })).toEqual([]);
  });
  test.each([
    'Explain parse() in the README',
    'Fix a typo in src/words.js',
    'Add Acme to the users',
    'Fix broken link',
    '',
  ])('are what this asks for: %s', (task) => {
    expect(rules(docs, { task })).toEqual([]);
  });
});

describe('work that is put off', () => {
  test.each([
    ['src/a.ts', 'export function f(): number {\n  throw new Error("not implemented");\n}\n'],
    ['pkg/a.py', 'def f():\n    """Counts."""\n    raise NotImplementedError\n'],
    ['a.go', 'func F() int {\n\tpanic("not implemented")\n}\n'],
    ['src/a.rs', 'pub fn f() -> u8 {\n    todo!()\n}\n'],
    ['src/a.rs', 'pub fn f() -> u8 {\n    unimplemented!("later")\n}\n'],
  ])('a function that is a stub blocks: %s', (path, after) => {
    expect(rules([file(path, null, after)])).toEqual(['!stub-function']);
  });
  test.each([
    ['src/a.ts', '// TODO: handle the rest\n'],
    ['pkg/a.py', '# FIXME later\n'],
    ['pkg/a.py', 'class Shape:\n    def area(self):\n        raise NotImplementedError\n'],
    ['src/a.ts', 'if (kind === 4) {\n  throw new Error("kind 4 is not implemented");\n}\n'],
  ])('a note warns: %s', (path, after) => {
    const found = rules([file(path, null, after)]);
    expect(found).toHaveLength(1);
    expect(found[0]).not.toMatch(/^!/);
  });
  test.each([
    ['src/a.ts', 'const todos = list.filter((todo) => !todo.done);\n'],
    ['docs/a.md', 'TODO: more\n'],
    ['src/a.test.ts', '// TODO: more\n'],
  ])('not: %s', (path, after) => {
    expect(rules([file(path, null, after)])).toEqual([]);
  });
});

test('lines that a recent commit replaced come back', () => {
  const old = Array.from({ length: 6 }, (_, i) => `  oldWay(${i}, "somewhere");`);
  const before = 'start();\nnewWay();\nend();\n';
  const files = [file('a.js', before, `start();\n${old.join('\n')}\nend();\n`)];
  const recent = [{ commit: 'abcdef0123456789', path: 'a.js', removed: old }];
  expect(told(files, { recent })).toEqual(['!landed-work-reverted a.js:2']);
  expect(rules(files, { recent, task: 'Revert the new way' })).toEqual(['landed-work-reverted']);
  expect(rules(files, { recent, task: 'Do not revert the new way' })).toEqual(['!landed-work-reverted']);
  expect(rules(files, { recent: [{ ...recent[0]!, removed: old.slice(0, 4) }] })).toEqual([]);
  expect(rules(files, { recent: [{ ...recent[0]!, path: 'b.js' }] })).toEqual([]);
  expect(rules([file('a.js', before, `${before}more();\n`)], { recent })).toEqual([]);
  // The same over several files.
  const halves = [old.slice(0, 3), old.slice(3)];
  const both = halves.map((lines, i) => file(`${i}.js`, before, `start();\n${lines.join('\n')}\nend();\n`));
  const spread = halves.map((removed, i) => ({ commit: 'abcdef0123456789', path: `${i}.js`, removed }));
  expect(told(both, { recent: spread })).toEqual(['!landed-work-reverted 0.js:2']);
});

describe('errors that are swallowed', () => {
  test.each([
    ['src/a.js', 'try {\n  f();\n} catch {}\n'],
    ['src/a.js', 'try {\n  f();\n} catch (error) {\n  // nothing\n}\n'],
    ['src/a.js', 'f().catch(() => {});\n'],
    ['pkg/a.py', 'try:\n    f()\nexcept Exception:\n    pass\n'],
    ['pkg/a.py', 'try:\n    f()\nexcept: pass\n'],
    ['a.go', '\t_ = err\n'],
    ['a.go', '\tif err != nil {\n\t}\n'],
    ['src/a.rs', '    let _ = f();\n'],
  ])('%s: %s', (path, after) => {
    expect(rules([file(path, 'x\n', `x\n${after}`)])).toEqual(['error-swallowed']);
  });
  test.each([
    ['src/a.js', 'try {\n  f();\n} catch (error) {\n  report(error);\n}\n'],
    ['src/a.js', 'f().catch((error) => report(error));\n'],
    ['pkg/a.py', 'try:\n    f()\nexcept KeyError:\n    g()\n'],
    ['a.go', '\tif err != nil {\n\t\treturn err\n\t}\n'],
    ['a.test.js', 'f().catch(() => {});\n'],
  ])('not %s: %s', (path, after) => {
    expect(rules([file(path, 'x\n', `x\n${after}`)])).toEqual([]);
  });
  test('what was there before is not told', () => {
    const text = 'f().catch(() => {});\n';
    expect(rules([file('src/a.js', text, `${text}g();\n`)])).toEqual([]);
  });
});

test('checks that are switched off', () => {
  const added = (path: string, line: string) => told([file(path, 'x\n', `x\n${line}\n`)]);
  for (const [path, line] of [
    ['a.ts', '// @ts-ignore'],
    ['a.js', '/* istanbul ignore next */'],
    ['a.js', '// eslint-disable-next-line no-eval'],
    ['a.py', 'f()  # noqa'],
    ['a.py', 'def f():  # pragma: no cover'],
    ['a.go', 'f() //nolint:errcheck'],
    ['a.rs', '#[allow(dead_code)]'],
  ] as const)
    expect(added(path, line)).toEqual([`check-switched-off ${path}:2`]);
  expect(added('a.ts', '// ignores the rest')).toEqual([]);
});

describe('exported names', () => {
  const before = 'export function keep(a) {\n  return a;\n}\nexport function gone(a, b) {\n  return b;\n}\n';
  test('gone without a word of it', () => {
    expect(told([file('src/a.js', before, before.slice(0, before.indexOf('export function gone')))])).toEqual([
      'export-removed src/a.js:',
    ]);
    expect(rules([file('a.go', 'package a\n\nfunc Gone() {}\n', 'package a\n')])).toEqual(['export-removed']);
    expect(rules([file('a.py', 'def gone():\n    return 1\n', 'x = 1\n')])).toEqual(['export-removed']);
  });
  test('a parameter gone', () => {
    expect(told([file('src/a.js', before, before.replace('gone(a, b)', 'gone(b)'))])).toEqual([
      'signature-changed src/a.js:4',
    ]);
    expect(rules([file('src/a.js', before, before.replace('gone(a, b)', 'gone(a, b, c)'))])).toEqual([
      'signature-changed',
    ]);
  });
  test('moved, asked for, or only more', () => {
    const at = before.indexOf('export function gone');
    expect(rules([file('src/a.js', before, before.slice(0, at)), file('src/b.js', null, before.slice(at))])).toEqual(
      [],
    );
    expect(rules([file('src/a.js', before, before.slice(0, at))], { task: 'Remove gone()' })).toEqual([]);
    expect(rules([file('src/a.js', before, before.replace('(a, b)', '(a, b, c = 1)'))])).toEqual([]);
    expect(rules([file('src/a.js', before, `${before}export const more = 1;\n`)])).toEqual([]);
  });
});
