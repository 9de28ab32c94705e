/** If a gate says how its runner names tests, exit code 0 without a test that ran is no pass. */
import { expect, test } from 'vitest';
import { Checks, type GateSketch } from './checks.ts';

const node = (body: string) => `import { test } from 'node:test';\n${body}\n`;
const COMMAND = 'node --test --test-reporter=tap test/*.test.mjs';
const TAP = { name: 'tests', command: COMMAND, ids: 'tap' } as const;
const OK = {
  'a.txt': 'old\n',
  'lib.mjs': 'export {};\n',
  'test/a.test.mjs': node("import '../lib.mjs'; test('a', () => {});"),
};

/** The same command without `ids` and output: only the exit code counts. It shows that the attack works where nothing defends. */
const blind = ({ ids: _, ...gate }: GateSketch): GateSketch => ({
  ...gate,
  command: `{ ${gate.command}; } >/dev/null 2>&1`,
});

test.each<[string, Record<string, string>, GateSketch, Record<string, string>, string, string]>([
  [
    'a module under test that ends the process',
    OK,
    TAP,
    { 'lib.mjs': 'process.exit(0);\n' },
    'fail',
    'no test ran: exit code 0, and none was found or all were skipped; at the base 1 ran',
  ],
  [
    'no test at all, as at the base',
    { 'a.txt': 'old\n', 'test/a.test.mjs': node("test.skip('a', () => {});") },
    TAP,
    { 'a.txt': 'new\n' },
    'error',
    'no test ran: exit code 0, and none was found or all were skipped; at the base none runs either',
  ],
  [
    'a runner that was ended before its summary',
    OK,
    { ...TAP, command: `node -e "import('./lib.mjs')" && { test -e b.txt || ${COMMAND}; }` },
    { 'b.txt': '' },
    'error',
    'the summary that tap prints at its end is missing',
  ],
  [
    'a failure whose exit code a pipe swallowed',
    OK,
    { ...TAP, command: `${COMMAND} | cat` },
    { 'lib.mjs': "throw new Error('broken');\n" },
    'fail',
    'exit code 0, but its summary counts 1 failed',
  ],
])('%s is no pass', async (_, base, gate, change, status, why) => {
  await using checks = new Checks(base);
  const candidate = await checks.candidate(change);
  checks.gates(blind(gate));
  expect((await checks.check('tests', candidate)).status).toBe('pass');
  checks.gates(gate);
  const found = await checks.check('tests', candidate);
  expect(found).toMatchObject({ status, text: expect.stringContaining(why) });
  expect(found).not.toHaveProperty('excused');
});

test('a pass from before the totals were read is not remembered: every look runs again and is no pass', async () => {
  await using checks = new Checks(OK);
  checks.gates(TAP);
  const candidate = await checks.candidate({ 'lib.mjs': 'process.exit(0);\n' });
  for (let n = 0; n < 2; n += 1) expect((await checks.check('tests', candidate)).status).toBe('fail');
});

test.each([
  ['node, which ends with 0 without tests', COMMAND, 'tap', 'test/a.test.mjs', node("test('a', () => {});")],
  [
    'a runner that ends with 5 without tests, as pytest does',
    'if test -e test/a.py; then echo "=== 1 passed in 0.1s ==="; else echo "=== no tests ran in 0.1s ==="; exit 5; fi',
    'pytest',
    'test/a.py',
    'def test_a(): pass\n',
  ],
] as const)('the first test of a project passes: %s', async (_, command, ids, path, text) => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.settings = { ...checks.settings, testPaths: ['test/**'] };
  checks.gates({ name: 'tests', command, ids });
  const found = await checks.check('tests', await checks.candidate({ [path]: text }));
  expect(found).toMatchObject({
    status: 'pass',
    text: expect.stringContaining('no other test runs, nor does one at the base'),
  });
});

test('fewer tests than at the base are red, unless the task may change tests', async () => {
  const two = node("import { skip } from '../lib.mjs'; test('a', { skip }, () => {}); test('b', () => {});");
  await using checks = new Checks({ 'lib.mjs': 'export const skip = false;\n', 'test/a.test.mjs': two });
  checks.gates(TAP);
  const text = expect.stringContaining('tests of the base: 1 skipped now: a');
  const skips = await checks.candidate({ 'lib.mjs': 'export const skip = true;\n' });
  expect(await checks.check('tests', skips)).toMatchObject({ status: 'fail', text });
  // A changed test gets to a gate only when the task was granted it.
  const granted = await checks.candidate({ 'test/a.test.mjs': node("test('b', () => {});") });
  expect(await checks.check('tests', granted)).toMatchObject({
    status: 'pass',
    text: expect.stringContaining('tests of the base: 1 no longer run: a; the task may change tests'),
  });
});

test('a change that makes all old tests skip is red, although a new test passes', async () => {
  const skips = node("import { skip } from '../lib.mjs'; test('a', { skip }, () => {});");
  await using checks = new Checks({ 'lib.mjs': 'export const skip = false;\n', 'test/a.test.mjs': skips });
  checks.settings = { ...checks.settings, testPaths: ['test/**'] };
  checks.gates(TAP);
  const change = { 'lib.mjs': 'export const skip = true;\n', 'test/b.test.mjs': node("test('b', () => {});") };
  const found = await checks.check('tests', await checks.candidate(change));
  expect(found).toMatchObject({ status: 'fail', text: expect.stringContaining('1 skipped now: a') });
});

/** As `init` writes it for a project whose runner has no format of ids, or a person with `--gate`. */
const UNITTEST = { name: 'tests', command: 'python3 -m unittest discover' } as const;
const SPEC = { name: 'tests', command: 'node --test' } as const;
/** What go 1.19.8 prints. */
const NO_GO_TESTS = "printf '?   \\texample.com/demo/a\\t[no test files]\\n'";
const PYTEST_STYLE = 'def test_a():\n    assert False\n';
const UNIT = 'import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n';
const SKIPPED_UNIT = UNIT.replace('class', "@unittest.skip('x')\nclass");

test.each<[string, Record<string, string>, GateSketch, string]>([
  ['unittest, which finds no functions of pytest', { 'test_a.py': PYTEST_STYLE }, UNITTEST, 'none runs either'],
  ['unittest, all skipped', { 'test_a.py': SKIPPED_UNIT }, UNITTEST, 'none runs either'],
  ['node --test without a file', { 'lib.mjs': '' }, SPEC, 'none runs either'],
  ['node --test with an empty file', { 'a.test.mjs': '' }, SPEC, 'none runs either'],
  ['go, whose packages have no tests', {}, { name: 'tests', command: NO_GO_TESTS }, 'none runs either'],
])('a gate without `ids` is no pass if its runner says that no test ran: %s', async (_, files, gate, why) => {
  await using checks = new Checks({ 'a.txt': 'old\n', ...files });
  checks.gates(blind(gate));
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  expect((await checks.check('tests', candidate)).status).toBe('pass');
  checks.gates(gate);
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'error', text: expect.stringContaining(why) });
});

test('a gate without `ids` passes if any of its runners ran a test, or none of them says how many', async () => {
  await using checks = new Checks({ 'a.txt': 'old\n', 'test_a.py': UNIT, 'lib.mjs': '' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  for (const command of ['python3 -m unittest discover && node --test lib/*.mjs || true', 'grep -q new a.txt']) {
    checks.gates({ name: 'tests', command });
    expect((await checks.check('tests', candidate)).status).toBe('pass');
  }
});

test('the first test of a project without `ids` passes', async () => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.settings = { ...checks.settings, testPaths: ['test_*.py'] };
  checks.gates(UNITTEST);
  expect((await checks.check('tests', await checks.candidate({ 'test_a.py': UNIT }))).status).toBe('pass');
});
