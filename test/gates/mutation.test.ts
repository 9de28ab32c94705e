/** The mutation gate: a defect that no test notices is named, with its line. */
import { expect, test } from 'vitest';
import { mutantsOf } from '../../src/mind/gates/mutants.ts';
import { Checks } from './checks.ts';

const isTest = (path: string) => path.startsWith('test/');
const inLine = (line: string, path = 'a.js') =>
  mutantsOf([{ path, before: '', after: `${line}\n` }], { isTest, most: 5 }).map(({ to }) => to);

test.each([
  ['if (a === b) return 1;', 'if (a !== b) return 1;'],
  ['return a < b;', 'return a >= b;'],
  ['return a && b;', 'return a || b;'],
  ['const x = true;', 'const x = false;'],
  ['return total + 1;', 'return total - 1;'],
  ['return 7;', 'return 7 + 1;'],
  ['const rate = 3;', 'const rate = (3 + 1);'],
])('%s becomes %s', (from, to) => expect(inLine(from)).toEqual([to]));

test.each(['// a === b', "import { a } from 'b';", '}', "say('a === b');", 'console.log(a + b);', 'type A = 1;'])(
  'nothing is put into %s',
  (line) => expect(inLine(line)).toEqual([]),
);

test('only changed lines of sources, spread over the files, at most as many as asked', () => {
  const file = (path: string, lines: number) => ({
    path,
    before: 'const kept = 1;\n',
    after: `const kept = 1;\n${Array.from({ length: lines }, (_, n) => `let a${n} = ${n};\n`).join('')}`,
  });
  const found = mutantsOf([file('b.js', 9), file('a.js', 2), file('test/a.js', 9), file('c.md', 9)], {
    isTest,
    most: 6,
  });
  expect(found.map(({ path, line }) => `${path}:${line}`)).toEqual([
    'a.js:2',
    'a.js:3',
    'b.js:2',
    'b.js:3',
    'b.js:4',
    'b.js:5',
  ]);
});

test('a defect that the tests notice is killed; one that they do not is a finding, and does not block by itself', async () => {
  const tests =
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { half } from '../lib.mjs';\ntest('halves', () => {\n  assert.equal(half(4), 2);\n});\n";
  await using checks = new Checks({ 'lib.mjs': 'export const half = (a) => a;\n', 'test/a.test.mjs': tests });
  const command = 'node --test --test-reporter=tap test/*.test.mjs';
  checks.gates({ name: 'tests', command, ids: 'tap' }, { name: 'mutation', kind: 'mutation', of: 'tests' });
  const change = {
    'lib.mjs':
      'export const half = (a) => {\n  if (a === 99) return 0;\n  return a / 2 + 0 * 1;\n};\nexport const more = (a) => a > 3 && a < 9;\n',
  };
  const found = await checks.check('mutation', await checks.candidate(change));
  expect(found).toMatchObject({ status: 'fail', findings: { medium: expect.any(Number) } });
  expect(found.text).toContain('lib.mjs:5: no test fails when');
  expect(found.text).not.toContain('lib.mjs:2: no test fails');
});

test('if a gate measures coverage, only lines that tests run get a defect', async () => {
  const tests =
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { half } from '../lib.mjs';\ntest('halves', () => {\n  assert.equal(half(4), 2);\n});\n";
  await using checks = new Checks({ 'lib.mjs': 'export const half = (a) => a / 2;\n', 'test/a.test.mjs': tests });
  const plain = 'node --test --test-reporter=tap';
  const measured =
    'node --test --experimental-test-coverage --test-reporter=lcov --test-reporter-destination="$REPORT_DIR/lcov.info"';
  const mutation = { name: 'mutation', kind: 'mutation', of: 'tests' } as const;
  const change = {
    'lib.mjs':
      'export const half = (a) => {\n  const by = 2 + 0;\n  return a / by;\n};\nexport function more(a) {\n  return a > 3;\n}\n',
  };
  checks.gates({ name: 'tests', command: plain, ids: 'tap' }, mutation);
  const candidate = await checks.candidate(change);
  expect((await checks.check('mutation', candidate)).text).toContain('lib.mjs:6: no test fails when');
  const coverage = { format: 'lcov', file: 'lcov.info' } as const;
  checks.gates(
    { name: 'tests', command: plain, ids: 'tap' },
    { name: 'coverage', kind: 'coverage', command: measured, coverage },
    mutation,
  );
  const found = await checks.check('mutation', candidate);
  expect(found.text).toContain('small defects in changed lines that tests run');
  expect(found.text).toContain('lib.mjs:2: no test fails when');
  expect(found.text).not.toContain('lib.mjs:6');
});
