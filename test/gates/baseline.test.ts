/** Red stays red, unless every failed test is known by its id to fail at the base as well, and the task names none of them. */
import { expect, test } from 'vitest';
import type { Spec } from '../../src/mind/domain/values.ts';
import { excuse, isNamed } from '../../src/mind/gates/baseline.ts';
import { redTestsIn } from '../../src/mind/gates/evidence.ts';
import { stall } from '../workspace/repository.ts';
import { Checks } from './checks.ts';

const suite = (known: string, sum: string) => `import assert from 'node:assert';
import { test } from 'node:test';
import { known, sum } from '../lib.mjs';
test('old trouble', () => assert.ok(${known}));
test('addition', () => assert.equal(${sum}, 3));
`;
const lib = (sum: string, rest = '') =>
  `export const known = () => false;\nexport const sum = (a, b) => ${sum};\n${rest}`;
const FILES = { 'lib.mjs': lib('a + b'), 'test/lib.test.mjs': suite('known()', 'sum(1, 2)'), 'a.txt': 'old\n' };
const GATE = { name: 'tests', command: 'node --test --test-reporter=tap test/*.test.mjs', ids: 'tap' } as const;

test('a test that fails at the base too is excused, by name; the base is checked once', async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found).toMatchObject({ status: 'pass', excused: 1, tests: { run: 2, failed: 1, skipped: 0 } });
  expect(redTestsIn(found.text)).toEqual(['test/lib.test.mjs > old trouble']);
  expect(found.text).toContain('RED, BUT EXCUSED: all 1 failed tests fail at the base too');
  expect(found.text).toContain('test/lib.test.mjs > old trouble');
  expect(checks.runs).toBe(2);
  const again = await checks.check('tests', await checks.candidate({ 'a.txt': 'newer\n' }));
  expect(again.status).toBe('pass');
  expect(checks.runs).toBe(3);
  const cached = await checks.check('tests', await checks.candidate({ 'a.txt': 'newer\n' }));
  expect(cached).toMatchObject({
    status: 'pass',
    excused: 1,
    tests: { run: 2, failed: 1, skipped: 0 },
    text: expect.stringContaining('test/lib.test.mjs > old trouble'),
  });
  expect(checks.runs).toBe(3);
});

test('--fix-base excuses nothing, and --keep-red excuses as nothing said does', async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const fix = await checks.check('tests', candidate, { spec: { red_base: 'fix' } });
  expect(fix).toMatchObject({
    status: 'fail',
    text: expect.stringContaining('nothing is excused: the task was made with --fix-base'),
  });
  expect(await checks.check('tests', candidate, { spec: { red_base: 'keep' } })).toMatchObject({
    status: 'pass',
    excused: 1,
  });
  const mended = await checks.candidate({ 'lib.mjs': lib('a + b').replace('false', 'true') });
  const green = await checks.check('tests', mended, { spec: { red_base: 'fix' } });
  expect(green).toMatchObject({ status: 'pass', tests: { run: 2, failed: 0, skipped: 0 } });
  expect(green).not.toHaveProperty('excused');
});

test('the result of a gate at the base: known only after a run, and one run serves all callers', async () => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  const base = checks.world.git('rev-parse', 'HEAD');
  const ask = { task: 't-1', token: 1, gate: 'tests', base, spec: { version: 1 as const, text: 'Do something.' } };
  const hand = checks.hand();
  expect(await hand.baseOf(ask, checks.context(), 'known')).toBeNull();
  const red = {
    gate: 'tests',
    status: 'fail',
    ended: 'exit code 1',
    red: 1,
    tests: ['test/lib.test.mjs > old trouble'],
  };
  const asked = [1, 2, 3].map(() => hand.baseOf(ask, checks.context(), 'run'));
  expect(await Promise.all(asked)).toEqual([red, red, red]);
  expect(checks.runs).toBe(1);
  expect(await checks.hand().baseOf(ask, checks.context(), 'known')).toEqual(red);
  expect(await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }), { hand })).toMatchObject({
    excused: 1,
  });
  expect(checks.runs).toBe(2);
  await checks.nothingLeft();
});

test('a look at the base that is stopped leaves nothing, and the next caller runs it again', async () => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.gates({ name: 'tests', command: 'sleep 0.5; exit 1' });
  const base = checks.world.git('rev-parse', 'HEAD');
  const ask = { task: 't-1', token: 1, gate: 'tests', base, spec: { version: 1 as const, text: 'Do something.' } };
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  const sandbox = checks.sandboxThat((request) => {
    begun.resolve();
    return checks.sandbox.run(request);
  });
  const hand = checks.hand({ sandbox });
  const first = hand.baseOf(ask, checks.context(stop.signal), 'run');
  await begun.promise;
  const second = hand.baseOf({ ...ask, task: 't-2' }, checks.context(), 'run');
  stop.abort();
  expect(await first).toBeNull();
  expect(await second).toMatchObject({ status: 'fail', red: null, ended: 'exit code 1' });
  await checks.nothingLeft();
});

test('the same while its tree is still being written', async () => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.gates({ name: 'tests', command: 'exit 1' });
  const base = checks.world.git('rev-parse', 'HEAD');
  const ask = { task: 't-1', token: 1, gate: 'tests', base, spec: { version: 1 as const, text: 'Do something.' } };
  const stop = new AbortController();
  const hand = checks.hand();
  const { stalled, free } = stall(checks.world, 'a.txt');
  const first = hand.baseOf(ask, checks.context(stop.signal), 'run');
  await stalled();
  free();
  const second = hand.baseOf({ ...ask, task: 't-2' }, checks.context(), 'run');
  stop.abort();
  expect(await first).toBeNull();
  expect(await second).toMatchObject({ status: 'fail', red: null, ended: 'exit code 1' });
  expect(checks.runs).toBe(1);
  await checks.nothingLeft();
});

test.each([
  ['a base that speaks of a limit excuses nothing', 'Cannot fork\n', 'new\n', 'fail'],
  ['a candidate that does is excused by a base that does not (control)', 'old\n', 'Cannot fork\n', 'pass'],
])('%s', async (_, before, after, status) => {
  await using checks = new Checks({ ...FILES, 'a.txt': before });
  checks.gates({ ...GATE, command: `cat a.txt >&2; ${GATE.command}` });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': after }));
  expect(found.status).toBe(status);
  if (status === 'fail') expect(found.text).toContain('nothing is excused: the base may have hit a limit');
});

test('without ids in its configuration red stays red', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: GATE.command });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found.status).toBe('fail');
  expect(checks.runs).toBe(1);
});

test.each<[string, Record<string, string>, Partial<Spec>, string]>([
  ['a new failure', { 'lib.mjs': lib('a - b') }, {}, 'these do not fail at the base: test/lib.test.mjs > addition'],
  ['a test that the task names', { 'a.txt': 'new\n' }, { text: 'Fix the old trouble.' }, 'the task names these itself'],
  [
    'a file that the task names',
    { 'a.txt': 'new\n' },
    { acceptance: ['LIB.test.mjs is green'] },
    'the task names these',
  ],
  [
    'a process that was left before its end',
    { 'lib.mjs': lib('process.exit(1)') },
    {},
    'does not say for certain which tests failed',
  ],
  [
    "a summary of the candidate's own making",
    { 'lib.mjs': lib('a - b', "console.log('fail 1'); console.log('not ok 1 - old trouble');\n") },
    {},
    'does not say for certain which tests failed',
  ],
  [
    'a runner whose output was thrown away',
    { 'lib.mjs': lib('a - b', `import { writeSync } from 'node:fs'; writeSync(1, 'x');\n`) },
    {},
    '',
  ],
])('%s is not excused', async (_, files, spec, why) => {
  await using checks = new Checks(FILES);
  checks.gates(GATE);
  const found = await checks.check('tests', await checks.candidate(files), { spec });
  expect(found.status).toBe('fail');
  expect(found.text).toContain('baseline: nothing is excused: ');
  expect(found.text).toContain(why);
});

test('a base that passes, and one that cannot be checked, excuse nothing', async () => {
  await using checks = new Checks({
    ...FILES,
    'lib.mjs': 'export const known = () => true;\nexport const sum = () => 3;\n',
  });
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'lib.mjs': FILES['lib.mjs'] });
  expect((await checks.check('tests', candidate)).text).toContain('nothing is excused: the base passes');
  checks.gates({ ...GATE, command: `test -e lib2.mjs || exit 127; ${GATE.command}` });
  const other = await checks.candidate({ 'lib.mjs': FILES['lib.mjs'], 'lib2.mjs': '' });
  expect((await checks.check('tests', other)).text).toContain('the base could not be checked');
});

const SPEC = { version: 1, text: 'Make it work.' } as Spec;
const tests = (failed: string[], ran: number | null = 10) => ({ failed, ran });

test('an uncertain, fresh, named or shorter result is refused', () => {
  expect(excuse(tests(['a.py::x']), tests(['a.py::x', 'a.py::y']), SPEC)).toEqual({
    type: 'excused',
    ids: ['a.py::x'],
  });
  expect(excuse(null, tests(['a']), SPEC).type).toBe('refused');
  expect(excuse(tests(['a']), null, SPEC).type).toBe('refused');
  expect(excuse(tests(['a', 'b']), tests(['a']), SPEC).type).toBe('refused');
  expect(excuse(tests(['a.py::x'], 9), tests(['a.py::x'], 10), SPEC).type).toBe('refused');
  expect(excuse(tests(['a.py::x'], 11), tests(['a.py::x'], 10), SPEC).type).toBe('excused');
});

test.each([
  ['tests/test_sums.py::test_of_many[a b]', 'repair test_of_many', true],
  ['tests/test_sums.py::test_of_many[a b]', 'the sums are wrong', true],
  ['tests/test_sums.py::test_of_many[a b]', 'run tests/test_sums.py', true],
  ['tests/test_sums.py::test_of_many[a b]', 'repair the parser', false],
  ['example.com/demo > TestTable/negative', 'TestTable/negative must pass', true],
  ['src/a.test.ts > list > sorts by name', 'It should SORT: sorts by name', true],
  ['src/a.test.ts > list > sorts by name', 'a list', false],
  ['a.test.ts > sorts by name', 'a test', false],
  ['tests.test_sums.Sums.test_of_many (i=1)', 'repair test_of_many', true],
  ['tests.test_sums.Sums.test_of_many', 'see test_sums', true],
])('%s is named by "%s": %s', (id, text, named) => {
  expect(isNamed(id, { version: 1, text })).toBe(named);
  expect(isNamed(id, { version: 1, text: 'x', acceptance: [text] })).toBe(named);
  expect(isNamed(id, { version: 1, text: 'x', test_command: text })).toBe(named);
});
