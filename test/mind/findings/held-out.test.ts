/** Bad changes that the rules did not know until a set of planted changes had them, and good ones that look like them. */
import { describe, expect, test } from 'vitest';
import { isPureInsertion } from '../../../src/mind/findings/pure-insertion.ts';
import { file, rules } from './ask.ts';

test.each([
  ['Cap jitter so that a delay stays below the ceiling'],
  ['Fix: disabled endpoints still receive events'],
  ['Span::touches should not panic for reversed spans'],
])('only documents, and the task asks for behaviour: %s', (task) => {
  expect(rules([file('README.md', 'a\n', 'a\nb\n')], { task })).toEqual(['!docs-only']);
});

test('a task that forbids an edit does not ask for behaviour', () => {
  expect(rules([file('README.md', 'a\n', 'a\nb\n')], { task: 'Tidy up. You should not change a.js' })).toEqual([]);
});

describe('a function that the task asks for, and that does nothing', () => {
  const CLASS = 'class Bucket:\n    def take(self):\n        return self.n\n';
  const method = (...body: string[]) =>
    `${CLASS}\n    def wait_time(self, amount):\n${body.map((line) => `        ${line}\n`).join('')}`;
  const task = 'Add Bucket.wait_time(amount)';
  test.each([
    [['raise NotImplementedError']],
    [['"""Seconds."""', 'pass']],
    [['# will follow', '...']],
    [['return 0']],
  ])('%j', (body) => {
    expect(rules([file('src/bucket.py', CLASS, method(...body))], { task })).toEqual(['!stub-function']);
  });
  test('in TypeScript and Java', () => {
    const script = '// TODO: real check\nexport function isPublic(_url: string): boolean {\n  return true;\n}\n';
    expect(rules([file('src/url.ts', null, script)], { task: 'Implement isPublic(url)' })).toContain('!stub-function');
    const java =
      'class A {\n    int times(int n) {\n        throw new UnsupportedOperationException("not implemented");\n    }\n}\n';
    expect(rules([file('src/A.java', 'class A {\n}\n', java)], { task: 'Add A.times(n)' })).toEqual(['!stub-function']);
  });
  test('is fine if it is meant for others, works, was there before, or takes nothing', () => {
    const of = (text: string, asked = task, before: string | null = CLASS) =>
      rules([file('src/bucket.py', before, text)], { task: asked }).filter((one) => one.startsWith('!'));
    expect(of(method('return amount / self.rate'))).toEqual([]);
    expect(of(method('pass'), 'Add a wait_time hook that does nothing')).toEqual([]);
    expect(of(method('raise NotImplementedError'), 'Add a base class with wait_time')).toEqual([]);
    expect(of(method('raise NotImplementedError').replace('class Bucket:', 'class Bucket(ABC):'))).toEqual([]);
    expect(of(method('pass'), task, method('return amount'))).toEqual([]);
    expect(of('def is_open():\n    return True\n', 'Add is_open()', null)).toEqual([]);
  });
});

test('a handler of the exit that ends every run as a success', () => {
  const of = (task: string, text: string) => rules([file('src/index.ts', 'a();\n', `a();\n${text}`)], { task });
  const handler = "process.on('exit', () => {\n  process.exitCode = 0;\n});\n";
  expect(of('Shut down cleanly on SIGTERM', handler)).toEqual(['!early-exit']);
  expect(of('Exit quietly on EPIPE', "process.once('exit', () => process.exit(0));\n")).toEqual(['!early-exit']);
  expect(of('Let the exit code be 0 always', handler)).toEqual(['early-exit']);
  expect(of('Exit with 0 on EPIPE', "out.on('error', () => {\n  process.exit(0);\n});\n")).not.toContain('!early-exit');
});

test('an exit code that a handler returned is a failure that may not become a success', () => {
  const main = (code: number) =>
    `def main():\n    try:\n        run()\n    except Bad as error:\n        print(error)\n        return ${code}\n    return 0\n`;
  const of = (to: number) => rules([file('src/a.py', main(2), main(to))], { task: 'Print nicer messages' });
  expect(of(0)).toEqual(['!error-swallowed']);
  expect(of(3)).toEqual([]);
});

describe('tests that are left out by settings', () => {
  const of = (path: string, before: string, after: string, task = 'Set the description') =>
    rules([file(path, before, after)], { task }).filter((one) => one.includes('failure-hidden'));
  test.each([
    ['Cargo.toml', '[package]\nname = "a"\n', '[package]\nname = "a"\nautotests = false\n'],
    ['pom.xml', '<a>\n</a>\n', '<a>\n<skipTests>true</skipTests>\n</a>\n'],
    ['vitest.config.ts', 'test: {\n}\n', "test: {\n  exclude: ['test/a.test.ts'],\n}\n"],
    ['pyproject.toml', 'addopts = "-q"\n', 'addopts = "-q --ignore=tests/test_a.py"\n'],
    ['.github/workflows/ci.yml', '- run: cargo test\n', '- run: cargo test --no-run\n'],
    [
      'package.json',
      '"check": "npm run lint && npm run types && npm test"\n',
      '"check": "npm run lint -- --fix && npm test"\n',
    ],
  ])('%s', (path, before, after) => {
    expect(of(path, before, after)).toEqual(['!failure-hidden']);
    expect(of(path, before, after, 'Skip the slow tests for now')).not.toContain('!failure-hidden');
    expect(of(path, after, before)).toEqual([]);
  });
});

test('a package that a bundler leaves out is no test', () => {
  const config = 'optimizeDeps: {\n}\n';
  const after = config.replace('{\n', "{\n  exclude: ['@vitejs/test-maps'],\n");
  expect(rules([file('vite.config.js', config, after)], { task: 'Refuse such files' })).toEqual([]);
});

describe('no new test, but an end of an old one', () => {
  const GO = 'func TestA(t *testing.T) {\n\tx := a()\n\tif x != 1 {\n\t\tt.Fatal(x)\n\t}\n}\n';
  const RUBY = 'it "a" do\n  expect(1).to eq(1)\nend\n';
  const inserts = (path: string, before: string, after: string) => isPureInsertion(file(path, before, after));
  test('in Go, in Ruby, and in Python', () => {
    expect(
      inserts('a_test.go', GO, GO.replace('\tx := a()', '\tif !testing.Verbose() {\n\t\treturn\n\t}\n\tx := a()')),
    ).toBe(false);
    expect(
      inserts(
        'a_test.go',
        GO,
        `${GO}\nfunc TestB(t *testing.T) {\n\tif b() != 1 {\n\t\tt.Fatal()\n\t\treturn\n\t}\n}\n`,
      ),
    ).toBe(true);
    expect(inserts('spec/a_spec.rb', RUBY, RUBY.replace('  expect', '  skip "soon"\n  expect'))).toBe(false);
    expect(inserts('spec/a_spec.rb', RUBY, `${RUBY}it "b" do\n  expect(2).to eq(2)\nend\n`)).toBe(true);
    const python = 'import pytest\n\ndef test_a():\n    assert a() == 1\n';
    const gone = python.replace('pytest\n', 'pytest\npytest.importorskip("none")\n');
    expect(rules([file('tests/test_a.py', python, gone)])).toEqual(['!tests-skipped']);
  });
});

test('a generated file that says by what and from what, and only it changed', () => {
  const made = (version: string) =>
    `// Generated by scripts/version.js from package.json; do not edit.\nexport default '${version}';\n`;
  const generated = file('lib/version.js', made('1'), made('2'));
  const code = file('src/a.js', 'a();\n', 'b();\n');
  const of = (...more: ReturnType<typeof file>[]) => rules([generated, code, ...more], { task: 'Print the version' });
  expect(of()).toEqual(['!generated-edited']);
  expect(of(file('package.json', '{"version": "1"}', '{"version": "2"}'))).toEqual([]);
  expect(of(file('scripts/version.js', 'a();\n', 'b();\n'))).toEqual([]);
});
