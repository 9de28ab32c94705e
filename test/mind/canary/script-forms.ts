/** Forms of test files in JavaScript and TypeScript: a file, what is in it, and which of its tests can get an assertion. */

export type Form = {
  readonly about: string;
  readonly text: string;
  /** Tests that certainly run. Null: nothing can be planted into the file. */
  readonly tests: readonly string[] | null;
  readonly path?: string;
  /** Whether no test of its own can be added. */
  readonly isClosed?: true;
};

const NODE = "import { test, describe, it } from 'node:test';\nimport assert from 'node:assert/strict';\n";

export const SCRIPT_FORMS: readonly Form[] = [
  { about: 'arrow functions', text: `${NODE}test('adds', () => {\n  assert.equal(1, 1);\n});\n`, tests: ['adds'] },
  { about: 'async arrow functions', text: `${NODE}test('adds', async () => {\n  await f();\n});\n`, tests: ['adds'] },
  { about: 'functions', text: `${NODE}test('adds', function () {\n  f();\n});\n`, tests: ['adds'] },
  { about: 'async functions with names', text: `${NODE}it("adds", async function adds() { f(); })`, tests: ['adds'] },
  { about: 'names in backticks', text: `${NODE}test(\`adds it's\`, () => {});`, tests: ["adds it's"] },
  { about: 'names with quotes', text: `${NODE}test('it\\'s "here"', () => {});`, tests: ['it\'s "here"'] },
  {
    about: 'names that are made',
    text: `${NODE}test(\`adds \${1}\`, () => {});\ntest('a' + 'b', () => {});`,
    tests: [],
  },
  { about: 'names with escapes', text: `${NODE}test('a\\nb', () => {});\ntest('a\\u0041', () => {});`, tests: [] },
  {
    about: 'the context of a test',
    text: `${NODE}test('adds', (t) => {\n  t.assert.equal(1, 1);\n});`,
    tests: ['adds'],
  },
  { about: 'a context without brackets', text: `${NODE}test('adds', t => { t.assert.ok(1) })`, tests: ['adds'] },
  { about: 'callbacks', text: `${NODE}test('adds', (t, done) => {\n  setTimeout(done, 1);\n});`, tests: ['adds'] },
  {
    about: 'suites in suites',
    text: `${NODE}describe('a', () => {\n  describe("b", function () {\n    it('one', () => {});\n  });\n  it('two', () => {});\n});`,
    tests: ['one', 'two'],
  },
  {
    about: 'heads over lines',
    text: `${NODE}test(\n  'adds',\n  { timeout: 5_000 },\n  async (\n    t,\n  ) => {\n    f();\n  },\n);`,
    tests: ['adds'],
  },
  { about: 'expressions', text: `${NODE}test('adds', () => assert.equal(f(1, [2]), 3));`, tests: ['adds'] },
  { about: 'expressions with comments', text: `${NODE}test('adds', async () =>\n  f() // once\n);`, tests: ['adds'] },
  { about: 'expressions that are objects', text: `${NODE}test('adds', () => ({ a: 1 }));`, tests: ['adds'] },
  {
    about: 'marks that skip',
    text: `${NODE}test.skip('a', () => {});\nit.todo('b');\ntest('c', { skip: true }, () => {});\ntest('d', { todo: 'x' }, () => {});\ndescribe.skip('e', () => { it('f', () => {}); });\ndescribe('g', { skip: true }, () => { it('h', () => {}); });`,
    tests: [],
  },
  { about: 'only some', text: `${NODE}test.only('a', () => {});\ntest('b', () => {});`, tests: null },
  { about: 'only some, as an option', text: `${NODE}test('a', { only: true }, () => {});`, tests: null },
  {
    about: 'options that are computed',
    text: `${NODE}test('a', options, () => {});\ntest('b', { skip }, () => {});`,
    tests: [],
  },
  {
    about: 'conditions',
    text: `${NODE}if (x) test('a', () => {});\nif (x) {\n  test('b', () => {});\n}\nx && test('c', () => {});\nif (x)\n  test('d', () => {});\nelse\n  test('e', () => {});\ntest('f', () => {});`,
    tests: ['f'],
  },
  { about: 'loops', text: `${NODE}for (const x of [1, 2]) {\n  test('a', () => {});\n}`, tests: [] },
  {
    about: 'what follows a return',
    text: `${NODE}describe('a', () => {\n  if (x) return;\n  test('a', () => {});\n});`,
    tests: [],
  },
  {
    about: 'two of one name',
    text: `${NODE}describe('a', () => { it('x', () => {}); });\ndescribe('b', () => { it('x', () => {}); it('y', () => {}); });`,
    tests: ['y'],
  },
  { about: 'functions from elsewhere', text: `${NODE}test('a', body);\ntest('b', wrap(async () => {}));`, tests: [] },
  { about: 'generators', text: `${NODE}test('a', function* () {});`, tests: [] },
  {
    about: 'tests in strings and comments',
    text: `${NODE}// test('a', () => {});\n/* test('b', () => {}); */\nconst s = "test('c', () => {";\nconst u = \`\${[\`test('d', () => {\`]} it('e', () => {\`;\ntest('f', () => {});`,
    tests: ['f'],
  },
  {
    about: 'regular expressions',
    text: `${NODE}const a = /['"\`({[]/;\nconst b = x.replace(/\\/\\*"/g, '') / 2 / 3;\nif (a) /['{]/.test(b);\ntest('a', () => { assert.match('x', /[/'"]{/u); });`,
    tests: ['a'],
  },
  {
    about: 'required modules',
    text: "'use strict';\nconst test = require('node:test');\nconst assert = require('node:assert').strict;\ntest('a', () => { assert.deepEqual([1], [1]); });\n",
    path: 't/a.test.cjs',
    tests: ['a'],
  },
  {
    about: 'required names',
    text: "const { test: check } = require('node:test');\nconst { equal } = require('assert');\ncheck('a', () => { equal(1, 1); });\n",
    path: 't/a.test.js',
    tests: ['a'],
  },
  {
    about: 'other names',
    text: "import { it as should, describe as on } from 'node:test';\non('x', () => { should('a', () => {}); });\n",
    tests: ['a'],
  },
  {
    about: 'a default import',
    text: "import nt from 'node:test';\nnt('a', () => {});\nnt.describe('s', () => { nt.it('b', () => {}); });\n",
    tests: ['a', 'b'],
  },
  {
    about: 'awaited tests',
    text: `${NODE}await test('a', async () => {});\nvoid test('b', () => {});\n`,
    tests: ['a', 'b'],
  },
  {
    about: 'no semicolons',
    text: `import test from 'node:test'\nimport assert from 'node:assert'\n\nconst a = [1]\n\ntest('a', () => {\n  assert(a)\n})\n\ntest('b', () => {\n  assert.ok(a)\n})`,
    tests: ['a', 'b'],
  },
  { about: 'a last line that is a comment', text: `${NODE}test('a', () => {});\n// the end`, tests: ['a'] },
  {
    about: 'lines that end with CR LF',
    text: `${NODE}test('a', () => {\n  f();\n});\n`.replaceAll('\n', '\r\n'),
    tests: ['a'],
  },
  {
    about: 'a first line for a shell',
    text: `#!/usr/bin/env node it's\n${NODE}test('a', () => {});\n`,
    path: 't/a.test.mjs',
    tests: ['a'],
  },
  {
    about: 'vitest',
    text: "import { describe, expect, test } from 'vitest';\ntest('a', () => {\n  expect(1).toBe(1);\n  expect([1]).toEqual([1]);\n});\n",
    tests: ['a'],
  },
  {
    about: 'vitest with limits',
    text: "import { expect, it } from 'vitest';\nit('a', async () => { expect(1).toBe(1); }, 5_000);\nit('b', { timeout: 10 }, () => { expect(f).toThrow(); });\n",
    tests: ['a', 'b'],
  },
  {
    about: 'vitest marks',
    text: "import { it, describe } from 'vitest';\nit.fails('a', () => {});\nit.skipIf(x)('b', () => {});\nit.each([1])('c', () => {});\nit.each`a\n1`('d', () => {});\ndescribe.each([1])('e', () => { it('f', () => {}); });\nit.concurrent('g', () => {});\ndescribe.sequential('h', () => { it('i', () => {}); });\n",
    tests: ['g', 'i'],
  },
  {
    about: 'fixtures',
    text: "import { test } from './fixtures';\ntest('a', async ({ page, expect }) => {\n  expect(page).toBeDefined();\n});\n",
    tests: ['a'],
  },
  {
    about: 'globals of jest',
    text: "describe('a', () => {\n  beforeEach(() => {});\n  it('b', (done) => {\n    expect(1).toBe(1);\n    done();\n  });\n});\n",
    path: 'src/__tests__/a.js',
    tests: ['b'],
  },
  {
    about: 'other marks of jest',
    text: "xit('a', () => {});\nxdescribe('b', () => { it('c', () => {}); });\nit.failing('d', () => {});\ntest.todo('e');\n",
    tests: [],
  },
  { about: 'some of jest', text: "fit('a', () => {});\nit('b', () => {});\n", tests: null },
  {
    about: 'types',
    text: "import { expect, test, type TestContext } from 'vitest';\nimport type { A } from './a.ts';\ntype F<T> = (a: T) => void;\ntest('a', async ({ task }: TestContext): Promise<void> => {\n  const x = <T,>(a: T) => a as unknown as A;\n  expect(x satisfies unknown).toBe(1);\n});\n",
    path: 'a.test.ts',
    tests: ['a'],
  },
  {
    about: 'chai',
    text: "import { expect, assert } from 'chai';\ndescribe('x', function () {\n  it('a', function () {\n    expect(1).to.equal(1);\n    expect(true).to.be.true;\n    assert.isTrue(true);\n  });\n});\n",
    tests: ['a'],
  },
  {
    about: 'JSX',
    text: "import { expect, it } from 'vitest';\nit('a', () => {\n  expect(render(<A b={`x`} c=\"d\">{1} / 2</A>)).toMatch(/a/);\n});\nit('b', () => <br />);\n",
    path: 'a.test.tsx',
    tests: ['a', 'b'],
  },
  {
    about: 'JSX with an apostrophe',
    text: "import { it } from 'vitest';\nit('a', () => { render(<p>it's</p>); });\n",
    path: 'a.test.tsx',
    tests: null,
  },
  { about: 'brackets that do not fit', text: `${NODE}test('a', () => {`, tests: null },
  { about: 'a string that is not closed', text: `${NODE}test('a, () => {});`, tests: null },
  { about: 'another kind of file', text: `${NODE}test('a', () => {});`, path: 't/a.md', tests: null },
  { about: 'no tests', text: 'export const a = 1;\n', tests: null },
  {
    about: 'a file that declares its own test',
    text: "function test(name, body) { body(); }\nconst it = test;\nit('a', () => {});\n",
    tests: ['a'],
  },
];
