/** Existing tests that a candidate was allowed to change run as the base has them, too; the result is reported. */
import { expect, test } from 'vitest';
import { Checks } from './checks.ts';

const FILES = {
  'sum.mjs': 'export const sum = (a, b) => a + b;\n',
  'test/sum.test.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../sum.mjs';
test('adds', () => assert.equal(sum(1, 2), 3));
`,
  'test/more.test.mjs': `import { test } from 'node:test';\ntest('fine', () => {});\n`,
};
const GATE = { name: 'tests', command: 'node --test test/*.test.mjs' };
const BROKEN = { 'sum.mjs': 'export const sum = (a, b) => a - b;\n' };

test("WT-13 a candidate that deletes the test it fails: green by itself, loudly red with the base's tests", async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  expect((await checks.check('tests', await checks.candidate(BROKEN))).status).toBe('fail');
  const found = await checks.check('tests', await checks.candidate({ ...BROKEN, 'test/sum.test.mjs': null }));
  expect(found.status).toBe('pass');
  expect(found.text).toContain(
    '1 were changed or removed (test/sum.test.mjs); AS IN THE BASE THEY ARE RED, exit code 1',
  );
  const [, named = ''] = /\(evidence ([0-9a-f]{64})\)/.exec(found.text) ?? [];
  expect(checks.blobs.get(named as never)).toContain('these are the tests as in the base');
  expect(checks.blobs.get(named as never)).toContain('adds');
});

test('a change of tests that keeps the old ones green says so', async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  const candidate = await checks.candidate({
    'test/sum.test.mjs': `${FILES['test/sum.test.mjs']}test('x', () => {});\n`,
  });
  const found = await checks.check('tests', candidate);
  expect(found).toMatchObject({ status: 'pass', text: expect.stringContaining('as in the base they pass as well') });
  expect(checks.runs).toBe(2);
  expect(await checks.check('tests', candidate)).toMatchObject({
    status: 'pass',
    text: expect.stringContaining('as in the base they pass as well'),
  });
  expect(checks.runs).toBe(2);
});

test('a new test that reports success for all the others does not hide what the change broke: red', async () => {
  await using checks = new Checks(FILES);
  // The control: as the candidate has it, the gate is green.
  checks.gates({
    name: 'tests',
    command: 'if [ -e test/skip.test.mjs ]; then exit 0; fi; node --test test/*.test.mjs',
  });
  const found = await checks.check('tests', await checks.candidate({ ...BROKEN, 'test/skip.test.mjs': '' }));
  expect(found).toMatchObject({
    status: 'fail',
    text: expect.stringContaining('a new test hides what the change broke'),
  });
  expect(checks.runs).toBe(3);
});

test("a new setup file that the runner's config names is empty while existing tests run without the new ones", async () => {
  await using checks = new Checks(FILES);
  // As a runner that loads what its config names, and that ends when it is not there.
  const command = 'node --test --import="./$(cat setup.txt 2>/dev/null || echo sum.mjs)" test/*.test.mjs';
  checks.gates({ name: 'tests', command });
  const config = { 'setup.txt': 'test/setup.mjs' };
  const honest = { ...config, 'test/setup.mjs': 'globalThis.started = true;\n' };
  const found = await checks.check('tests', await checks.candidate(honest));
  expect(found, found.text).toMatchObject({ status: 'pass' });
  const silent = "import assert from 'node:assert';\nassert.equal = () => {};\n";
  const candidate = await checks.candidate({ ...BROKEN, ...config, 'test/setup.mjs': silent });
  expect(await checks.check('tests', candidate)).toMatchObject({
    status: 'fail',
    text: expect.stringContaining('a new test hides what the change broke'),
  });
});

test('a new helper that a changed test imports is there while existing tests run without the new ones', async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  const helped = {
    'test/sum.test.mjs': FILES['test/sum.test.mjs'].replace("from 'node:assert'", "from './strict.mjs'"),
    'test/strict.mjs': "export { default } from 'node:assert/strict';\n",
  };
  const found = await checks.check('tests', await checks.candidate(helped));
  expect(found, found.text).toMatchObject({ status: 'pass' });
});

test('not to be runnable without its new tests is no way out either', async () => {
  await using checks = new Checks(FILES);
  const command = 'if [ -e test/skip.test.mjs ]; then exit 0; fi; exit 127';
  // The base passes by a file that the candidate takes away; without its new test the command cannot run.
  checks.gates({ name: 'tests', command: `if grep -q BROKEN sum.mjs 2>/dev/null; then ${command}; fi; exit 0` });
  const candidate = await checks.candidate({ 'sum.mjs': '// BROKEN\n', 'test/skip.test.mjs': '' });
  expect(await checks.check('tests', candidate)).toMatchObject({
    status: 'fail',
    text: expect.stringContaining('a new test hides what the change broke'),
  });
});

test('a base that is red too excuses nothing by itself, and what fails there as well only by its ids', async () => {
  await using checks = new Checks({ ...FILES, 'test/old.test.mjs': "throw new Error('old trouble');\n" });
  const hide = 'if ls test | grep -q skip; then exit 0; fi; ';
  checks.gates({ name: 'tests', command: `${hide}node --test test/*.test.mjs` });
  const candidate = await checks.candidate({ ...BROKEN, 'test/skip.test.mjs': '' });
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'fail' });
});

test('a new test that hides failures of the base makes none of them green: they are red, same as base', async () => {
  const old =
    "import { test } from 'node:test';\ntest('old trouble', () => { if (!process.env.HIDE) throw new Error('x'); });\n";
  await using checks = new Checks({ 'a.txt': 'old\n', 'test/old.test.mjs': old });
  const run = 'node --test --test-reporter=tap test/*.test.mjs';
  const hides = `if ls test | grep -q skip; then HIDE=1 ${run}; else ${run}; fi`;
  checks.gates({ name: 'tests', command: hides, ids: 'tap' });
  const fine = "import { test } from 'node:test';\ntest('fine', () => {});\n";
  const candidate = await checks.candidate({ 'a.txt': 'new\n', 'test/skip.test.mjs': fine });
  const found = await checks.check('tests', candidate);
  expect(found).toMatchObject({ status: 'pass', excused: 1, text: expect.stringContaining('ended: exit code 0') });
  expect(await checks.check('tests', candidate, { spec: { red_base: 'fix' } })).toMatchObject({ status: 'fail' });
});

test('a grant for one test lifts nothing for the others: new ones are taken out all the same', async () => {
  await using checks = new Checks(FILES);
  checks.gates({
    name: 'tests',
    command: 'if [ -e test/skip.test.mjs ]; then exit 0; fi; node --test test/*.test.mjs',
  });
  const candidate = await checks.candidate({
    ...BROKEN,
    'test/skip.test.mjs': '',
    'test/more.test.mjs': '// changed\n',
  });
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'fail' });
});

test('a gate that names a test which is only now written is not red for that', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'node --test test/new.test.mjs' });
  const found = await checks.check(
    'tests',
    await checks.candidate({ 'test/new.test.mjs': "import { test } from 'node:test'; test('new', () => {});" }),
  );
  expect(found).toMatchObject({ status: 'pass', text: expect.stringContaining('as its command names one of them') });
});

test('without new or changed tests, and when the gate is red anyway, there is no second run', async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  await checks.check('tests', await checks.candidate({ 'readme.txt': 'x' }));
  expect(checks.runs).toBe(1);
  await checks.check('tests', await checks.candidate({ ...BROKEN, 'test/more.test.mjs': '// changed\n' }));
  expect(checks.runs).toBe(2);
});

test('the definition of a test file can be configured', async () => {
  await using checks = new Checks({ ...FILES, 'checks/a.sh': 'grep -q + sum.mjs\n' });
  checks.gates({ name: 'tests', command: 'sh checks/a.sh' });
  const candidate = await checks.candidate({ ...BROKEN, 'checks/a.sh': 'true\n' });
  expect((await checks.check('tests', candidate)).text).not.toContain('existing tests');
  checks.settings = { ...checks.settings, testPaths: ['checks/'] };
  expect((await checks.check('tests', candidate)).text).toContain('AS IN THE BASE THEY ARE RED');
});
