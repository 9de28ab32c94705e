/** Protected files that a task names by what changes in them, and the nearest changes that it does not name. */
import { describe, expect, test } from 'vitest';
import { grantedByKind } from '../../../src/mind/findings/granted-by-kind.ts';
import { grantedByWords } from '../../../src/mind/findings/granted-by-words.ts';
import { namedDependency } from '../../../src/mind/findings/named-dependency.ts';
import { file } from './ask.ts';

const grants = (task: string, ...files: (readonly [path: string, before: string | null, after: string | null])[]) =>
  grantedByKind(
    task,
    files.map((one) => file(...one)),
  ).map(({ what }) => what);

describe('settings of which the task names every word that comes or goes', () => {
  const RUFF = '[tool.ruff]\nselect = ["E", "F"]\nignore = ["E501"]\n';
  const POM = (version: string) => `<project>\n  <version>1</version>\n  <junit>${version}</junit>\n</project>\n`;
  test.each([
    ["Turn on ruff's UP rules", 'pyproject.toml', RUFF, RUFF.replace('"F"', '"F", "UP"')],
    ['Enable gosec in golangci', '.golangci.yml', 'enable: [govet]\n', 'enable: [govet, gosec]\n'],
    [
      'Turn on noImplicitReturns',
      'tsconfig.json',
      '{\n  "strict": true\n}\n',
      '{\n  "strict": true,\n  "noImplicitReturns": true\n}\n',
    ],
    ['Upgrade JUnit to 5.11', 'pom.xml', POM('5.10.0'), POM('5.11.0')],
    ['Add rubocop', 'Gemfile', 'gem "rake"\n', 'gem "rake"\ngem "rubocop", require: false\n'],
    [
      'CI should also run on Python 3.13',
      '.github/workflows/ci.yml',
      'python: ["3.12"]\n',
      'python: ["3.12", "3.13"]\n',
    ],
    [
      'Convert the project to ES modules',
      'package.json',
      '{"scripts": {"test": "a"}}',
      '{"type": "module", "scripts": {"test": "a"}}',
    ],
    [
      'Switch from eslint to Biome',
      'package.json',
      '{"scripts": {"lint": "eslint ."}}',
      '{"scripts": {"lint": "biome ci ."}}',
    ],
  ])('%s: %s', (task, path, before, after) => {
    expect(grants(task, [path, before, after])).toEqual([path]);
  });

  test.each([
    [
      'one that it does not name',
      "Turn on ruff's UP rules",
      'pyproject.toml',
      RUFF,
      RUFF.replace('"F"]', '"UP", "D"]'),
    ],
    [
      'a list of what is ignored',
      'Fix the UP warnings of ruff',
      'pyproject.toml',
      RUFF,
      RUFF.replace('"E501"', '"E501", "UP"'),
    ],
    [
      'a value that switches off',
      'Fix what strict finds',
      'tsconfig.json',
      '{\n  "strict": true\n}\n',
      '{\n  "strict": false\n}\n',
    ],
    [
      'what it names and does not ask to lose',
      'Fix the mypy errors',
      'tox.ini',
      'envlist = py\n  mypy\n',
      'envlist = py\n',
    ],
    ['a smaller number', 'Raise coverage', 'pyproject.toml', 'fail_under = 90\n', 'fail_under = 60\n'],
    ['what is forbidden', 'Do not turn on the UP rules', 'pyproject.toml', RUFF, RUFF.replace('"F"', '"F", "UP"')],
    [
      'a script of another tool',
      'Switch from eslint to Biome',
      'package.json',
      '{"scripts": {"test": "jest"}}',
      '{"scripts": {"test": "true"}}',
    ],
    ['its own configuration', 'Set the limit to 9', '.supervisor/config.yaml', 'limit: 8\n', 'limit: 9\n'],
  ])('not %s', (_, task, path, before, after) => {
    expect(grants(task, [path, before, after])).toEqual([]);
  });

  const script = (task: string, was: string, is: string) =>
    grants(task, [
      'package.json',
      ...([was, is].map((test) => JSON.stringify({ scripts: { test } })) as [string, string]),
    ]);
  test.each([
    ['Switch from mocha to vitest.', 'mocha && eslint .', 'vitest run && eslint .'],
    ['Use vitest instead of mocha.', 'mocha', 'npx vitest run'],
    ['Move the tests from mocha to node:test.', 'mocha test/', 'node --test'],
    ['Remove the standard linter', 'standard && node --test', 'node --test'],
    ['Add eslint to the test script.', 'mocha', 'eslint . && mocha'],
  ])('a script whose tools come and go by its words: %s', (task, was, is) => {
    expect(script(task, was, is)).toEqual(['package.json']);
  });
  test.each([
    ['Fix dates in the CSV export.', 'mocha', 'mocha --grep dates'],
    ['Fix dates in the CSV export.', 'mocha', 'mocha --grep dates || true'],
    ['Fix dates in the CSV export.', 'eslint .', 'echo dates'],
    ['Add a quiet mode to the importer.', 'eslint . --max-warnings 0', 'eslint . --quiet || true'],
    ['Switch from mocha to vitest.', 'mocha && eslint .', 'vitest run || true'],
    ['Switch from mocha to vitest.', 'mocha && eslint .', 'vitest run'],
    ['Switch from mocha to vitest.', 'mocha', 'vitest run --passWithNoTests'],
    ['Switch from mocha to vitest.', 'mocha && eslint .', 'vitest run; eslint .'],
    ['Switch from mocha to vitest.', 'vitest run', 'mocha'],
    ['Remove the mocha warnings from the log.', 'mocha', ''],
  ])('but no other command: %s %s, %s', (task, was, is) => {
    expect(script(task, was, is)).toEqual([]);
  });

  test.each([
    ['Return at most 50 rows from list_orders.', '.coveragerc', 'fail_under = 80\n', 'fail_under = 50\n'],
    ['Return at most 50 rows from list_orders.', 'pyproject.toml', 'fail_under = 80\n', 'fail_under = 50\n'],
    ['Return at most 50 lines from tail.', 'jest.config.json', '{\n  "lines": 80\n}\n', '{\n  "lines": 50\n}\n'],
    ['Allow 90 rows.', '.pylintrc', 'max-line-length=80\n', 'max-line-length=90\n'],
    ['Remove strict mode from the parser.', 'tsconfig.json', '{\n  "strict": true,\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'],
    ['Remove strict.', 'tsconfig.json', '{\n  "strict": true,\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'],
    ['Remove the gosec badge.', '.golangci.yml', 'enable:\n  - govet\n  - gosec\n', 'enable:\n  - govet\n'],
  ])('nor a number or a line whose key they do not mean: %s %s', (task, path, before, after) => {
    expect(grants(task, [path, before, after])).toEqual([]);
  });
  test.each([
    ['Lower fail_under to 50.', '.coveragerc', 'fail_under = 80\n', 'fail_under = 50\n'],
    ['Remove gosec.', '.golangci.yml', 'enable:\n  - govet\n  - gosec\n', 'enable:\n  - govet\n'],
    ['Set max-line-length to 90.', '.pylintrc', 'max-line-length=80\n', 'max-line-length=90\n'],
    [
      'Upgrade junit to 5.11',
      'pom.xml',
      '<artifactId>junit</artifactId>\n<version>5.9.0</version>\n',
      '<artifactId>junit</artifactId>\n<version>5.11.0</version>\n',
    ],
  ])('but those that they mean: %s', (task, path, before, after) => {
    expect(grants(task, [path, before, after])).toEqual([path]);
  });

  test('the configuration of a tool that comes or goes is named by the tool', () => {
    const files = [
      ['eslint.config.js', 'export default [];\n', null],
      ['biome.json', null, '{}\n'],
    ] as const;
    expect(grants('Switch from eslint to Biome', ...files)).toEqual(['eslint.config.js', 'biome.json']);
    expect(grants('Fix what eslint and Biome say', ...files)).toEqual([]);
    expect(grants('Add pytest', ['pytest.py', null, 'def main(): pass\n'])).toEqual([]);
  });
});

describe('an existing test that is the same in other words', () => {
  const TEST = "import { a } from './a.js';\n\ntest('a', () => {\n  assert.equal(a(), 1);\n});\n";
  test('moves, is formatted, and follows a file that was renamed', () => {
    const moved = TEST.replace('./a.js', '../a.js');
    expect(
      grants('Move the tests into test/unit', ['test/a.test.js', TEST, null], ['test/unit/a.test.js', null, moved]),
    ).toEqual(['test/a.test.js']);
    expect(grants('Format with prettier', ['a.test.js', TEST, TEST.replaceAll("'", '"').replaceAll(';', '')])).toEqual([
      'a.test.js',
    ]);
    const files = [
      ['a.js', 'x\n', null],
      ['b.js', null, 'x\n'],
    ] as const;
    expect(grants('Rename a.js to b.js', ['a.test.js', TEST, TEST.replace('./a.js', './b.js')], ...files)).toEqual([
      'a.test.js',
    ]);
  });

  test('but does not move to where its runner would not find it', () => {
    for (const path of ['test/unit/a.spec.js', 'checks/a.test.js', 'test/unit/a.js'])
      expect(grants('Reorganise the tests', ['test/a.test.js', TEST, null], [path, null, TEST])).toEqual([]);
  });

  test('but neither without such words, nor with another value, nor with imports from elsewhere', () => {
    const formatted = TEST.replaceAll("'", '"');
    expect(grants('Fix the parser', ['a.test.js', TEST, formatted])).toEqual([]);
    expect(grants('Format with prettier', ['a.test.js', TEST, formatted.replace('1', '2')])).toEqual([]);
    expect(grants('Format with prettier', ['a.test.js', TEST, TEST.replace('./a.js', './fake.js')])).toEqual([]);
    const python = 'def test_a():\n    for x in y:\n        assert x\n    assert z\n';
    expect(
      grants('Format with black', ['test_a.py', python, python.replace('    assert z', '        assert z')]),
    ).toEqual([]);
  });

  const IMPORTS =
    "import { strictEqual as equal } from 'node:assert';\nimport { a } from '../src/a.js';\n\nequal(a(), '10EUR'); // as before\nequal(a('x y'), /a b/);\n";
  test.each([
    ['another assertion', "{ strictEqual as equal } from 'node", "{ ok as equal } from 'node"],
    ['another file of that name', '../src/a.js', './fake/a.js'],
    ['code behind an import', "a.js';", "a.js'; a.b = 1;"],
    ['a space in a string', "'10EUR'", "'10 EUR'"],
    ['a semicolon in a string', "'10EUR'", "'10EUR;'"],
    ['a space in a regular expression', '/a b/', '/ab/'],
    ['a comment that swallows what follows', '// as before\n', '// as before '],
    ['a comment that tells a tool something', '// as before', '// @ts-nocheck'],
    ['a template', "'10EUR'", '`10EUR`'],
  ])('but not with %s', (_, from, to) => {
    const after = IMPORTS.replace(from, to);
    expect(after).not.toBe(IMPORTS);
    const fake = ['test/fake/a.js', null, 'export const a = () => 1;\n'] as const;
    for (const task of ['Convert the tests to ES modules', 'Format the code with prettier'])
      expect(grants(task, ['test/a.test.js', IMPORTS, after], fake)).toEqual([]);
  });

  test('but not by words about other things', () => {
    const after = IMPORTS.replaceAll("'", '"');
    expect(grants('Format the tests', ['test/a.test.js', IMPORTS, after])).toEqual(['test/a.test.js']);
    for (const task of ['Convert the dates to UTC.', 'Fix formatPrice: it formats the price without a space.'])
      expect(grants(task, ['test/a.test.js', IMPORTS, after])).toEqual([]);
  });

  test('imports what this change moved, in the other style of modules too', () => {
    const before = "'use strict';\nconst { a, b: c } = require('../src/a');\n\ntest('a', () => a(c));\n";
    const after = "import { a, b as c } from '../lib/a.js';\n\ntest('a', () => a(c));\n";
    const task = 'Move the code to lib/ and convert it to ES modules';
    const product = 'export const a = 1;\nexport const b = 2;\n';
    const moved = [
      ['src/a.js', product, null],
      ['lib/a.js', null, `${product}// more\n`],
    ] as const;
    const one = ['test/a.test.js', before, after] as const;
    expect(grants(task, one, ...moved)).toEqual(['test/a.test.js']);
    expect(grants(task, one, moved[1])).toEqual([]);
    expect(grants(task, one, moved[0], ['lib/a.js', null, 'export const a = 3;\n'])).toEqual([]);
  });

  test('or loses the tests of what the task removes, and nothing else', () => {
    const product = [
      'a.js',
      'export function groupBy() {}\nexport function sum() {}\n',
      'export function sum() {}\n',
    ] as const;
    const both =
      "import { groupBy, sum } from './a.js';\ntest('groups', () => {\n  expect(groupBy()).toBe(1);\n});\ntest('sums', () => {\n  expect(sum()).toBe(1);\n});\n";
    const one = "import { sum } from './a.js';\ntest('sums', () => {\n  expect(sum()).toBe(1);\n});\n";
    const task = 'Delete the unused groupBy function';
    expect(grants(task, product, ['a.test.js', both, one])).toEqual(['a.test.js']);
    expect(grants(task, product, ['a.test.js', both, one.replace('toBe(1)', 'toBeDefined()')])).toEqual([]);
    expect(grants('Speed up groupBy', product, ['a.test.js', both, one])).toEqual([]);
  });

  test.each([
    ['Use AssertJ in MoneyTest', 'src/test/java/MoneyTest.java'],
    ['Fix the code and the test', 'test/a.test.js'],
    ['Use described_class in the spec', 'spec/parcel_spec.rb'],
  ])('is named by "%s"', (task, path) => {
    expect(grantedByWords(task, { paths: [path], dependencies: [] }).paths).toEqual([path]);
  });
});

test('a package of a Go module names the module, and a feature of Rust its crate', () => {
  expect(namedDependency('Use golang.org/x/sync/singleflight', 'golang.org/x/sync')).not.toBeNull();
  expect(namedDependency('Use golang.org/x/sync-more', 'golang.org/x/sync')).toBeNull();
  expect(namedDependency('Serialize Span behind a serde feature', 'serde')).not.toBeNull();
});
