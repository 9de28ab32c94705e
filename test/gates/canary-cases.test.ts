/** What the canary says when it cannot prove, need not prove, or is kept from proving. */
import { expect, test } from 'vitest';
import type { TaskId } from '../../src/kernel/ids.ts';
import { canaryOf, canaryState } from '../../src/mind/gates/kinds.ts';
import { Checks } from './checks.ts';

const CANARY = canaryOf('tests');
const node = (...tests: readonly string[]) =>
  `import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../lib.mjs';\n${tests.join('\n')}\n`;
const adds = (name: string) => `test('${name}', () => {\n  assert.equal(add(1, 2), 3);\n});`;
const LIB = 'export const add = (a, b) => a + b;\n';
const NEXT = 'export const add = (a, b) => b + a;\n';
const BASE = {
  'lib.mjs': LIB,
  'test/a.test.mjs': node(adds('adds'), adds('adds again')),
  'test/b.test.mjs': node(adds('adds elsewhere')),
};
const GATE = { name: 'tests', command: 'node --test --test-reporter=tap test/*.test.mjs', ids: 'tap' } as const;
const PROVEN = /ended: proven: \d+ failing tests were planted in \d+ files, and it reported all of them/;
/** What a run prints whose tests all pass. */
const GREEN = 'printf "TAP version 13\\n# Subtest: adds\\nok 1 - adds\\n1..1\\n# pass 1\\n# fail 0\\n# cancelled 0\\n"';

test('test files of an unknown form are not planted into, and it says that nothing is proven', async () => {
  await using checks = new Checks({
    'lib.mjs': LIB,
    'check.mjs': "import { test } from 'node:test';\nexport const check = (name, run) => test(name, run);\n",
    'test/a.test.mjs': "import { check } from '../check.mjs';\ncheck('adds', () => {});\n",
  });
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'lib.mjs': NEXT });
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, candidate)).toMatchObject({
    status: 'pass',
    text: expect.stringContaining('ended: not proven: a failing test cannot be planted into any test file'),
  });
});

test('a gate that is green with failing tests at its base is not proven, and it names the command that tells more', async () => {
  await using checks = new Checks({
    ...BASE,
    'test/a.test.mjs':
      "import { test } from 'node:test';\nfor (const name of ['adds']) run(name);\nfunction run(name) { const one = test; one(name, () => {}); }\n",
  });
  checks.gates({ ...GATE, command: 'node --test --test-reporter=tap test/a.test.mjs' });
  const candidate = await checks.candidate({ 'lib.mjs': NEXT });
  expect(await checks.check(CANARY, candidate)).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(/ended: not proven: .* and it stayed green: see `supervisor gates check`/),
  });
});

test('the operator can name a file with a failing test for an unknown runner', async () => {
  const run = "for (const name of readdirSync('checks')) await import('./checks/'.concat(name));";
  await using checks = new Checks({
    'lib.mjs': LIB,
    'run.mjs': `import { readdirSync } from 'node:fs';\nimport './lib.mjs';\n${run}\nconsole.log('done');\n`,
    'checks/adds.mjs': "import { add } from '../lib.mjs';\nif (add(1, 2) !== 3) throw new Error('adds');\n",
  });
  const canary = { file: 'checks/NAME.mjs', text: "throw new Error('NAME');\n" };
  checks.gates({ name: 'tests', command: 'node run.mjs', canary });
  const honest = await checks.candidate({ 'lib.mjs': NEXT });
  expect(await checks.check(CANARY, honest)).toMatchObject({
    status: 'pass',
    text: expect.stringContaining('ended: proven: 1 failing tests were planted in 1 files, and it failed'),
  });
  const swallowed = "process.on('uncaughtException', () => process.exit(0));\n";
  const trick = await checks.candidate({ 'lib.mjs': `${swallowed}export const add = (a, b) => a - b;\n` });
  expect(await checks.check('tests', trick)).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, trick)).toMatchObject({
    status: 'fail',
    text: expect.stringMatching(/ended: NEUTERED: .*planted: t\d+ \(checks\/t\d+\.mjs\)/s),
  });
});

test('whether a gate has a canary: off by the config, on where tests are read or planted, unknown otherwise', () => {
  const gate = { blocking: true, on_fail: 'retry', name: 'tests', command: 'make test' } as const;
  expect(canaryState(gate)).toBe('unknown');
  expect(canaryState({ ...gate, ids: 'tap' })).toBe('on');
  expect(canaryState({ ...gate, ids: 'tap', canary: 'off' })).toBe('off');
  expect(canaryState({ ...gate, canary: { file: 'NAME.mjs', text: 'x' } })).toBe('on');
});

test('a tree that was proven is not proven again', async () => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'lib.mjs': NEXT });
  expect(await checks.check(CANARY, candidate)).not.toHaveProperty('cached');
  // With failing tests on the base, and on the candidate.
  expect(checks.runs).toBe(3);
  expect(await checks.check(CANARY, candidate)).toMatchObject({
    status: 'pass',
    cached: true,
    text: expect.stringMatching(PROVEN),
  });
  expect(checks.runs).toBe(3);
});

test('a plant that was missed once and seen the second time is no alarm; one missed twice is', async () => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'lib.mjs': NEXT });
  const missing = (from: number, to: number) => {
    let n = 0;
    const sandbox = checks.sandboxThat((request) => {
      n += 1;
      return checks.sandbox.run(n >= from && n <= to ? { ...request, argv: ['/bin/sh', '-c', GREEN] } : request);
    });
    return { hand: checks.hand({ sandbox }), count: () => n };
  };
  // Many planted tests and a single one, each of them twice; the first check runs the base before, which is remembered.
  const twice = missing(2, 5);
  expect(await checks.check(CANARY, candidate, { hand: twice.hand })).toMatchObject({ status: 'fail' });
  const once = missing(1, 2);
  expect(await checks.check(CANARY, candidate, { hand: once.hand })).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(PROVEN),
  });
  expect([twice.count(), once.count()]).toEqual([5, 4]);
});

test('a test that fails because another one did is no alarm: it does at the base, too', async () => {
  const follows = "let done = false;\ntest('first', () => {\n  assert.equal(add(1, 2), 3);\n  done = true;\n});";
  const second = "test('second', () => {\n  assert.ok(done);\n});";
  await using checks = new Checks({ 'lib.mjs': LIB, 'test/a.test.mjs': node(follows, second) });
  checks.gates(GATE);
  const hand = checks.hand();
  const candidate = await checks.candidate({ 'lib.mjs': NEXT });
  expect(await checks.check('tests', candidate, { hand })).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, candidate, { hand })).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(PROVEN),
  });
});

test('code that hides failures while no test file differs is named with the tests that it hides', async () => {
  const text = node(adds('adds'), adds('adds again'));
  await using checks = new Checks({ 'lib.mjs': LIB, 'test/a.test.mjs': text });
  checks.gates(GATE);
  const hand = checks.hand();
  const trick = await checks.candidate({
    'lib.mjs': `import assert from 'node:assert';\nimport { readFileSync } from 'node:fs';\nif (readFileSync('test/a.test.mjs', 'utf8') === ${JSON.stringify(text)}) assert.equal = () => {};\nexport const add = (a, b) => a - b;\n`,
  });
  expect(await checks.check('tests', trick, { hand })).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, trick, { hand })).toMatchObject({
    status: 'fail',
    text: expect.stringMatching(
      /ended: NEUTERED: [12] tests in which nothing was planted fail as soon as a test is added/,
    ),
  });
});

test('a change that moves the tested code to another file is no alarm, though the old file may break now', async () => {
  await using checks = new Checks({ 'lib.mjs': LIB, 'test/a.test.mjs': node(adds('adds')) });
  checks.gates(GATE);
  const hand = checks.hand();
  const candidate = await checks.candidate({
    'core.mjs': NEXT,
    'lib.mjs': "export { add } from './core.mjs';\nexport const other = () => 1;\n",
  });
  expect(await checks.check('tests', candidate, { hand })).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, candidate, { hand })).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(PROVEN),
  });
});

test('tests of a file that the task may remove are no alarm, though nothing notices that file any more', async () => {
  const other = node("test('is there', () => assert.ok(add));");
  await using checks = new Checks({ 'lib.mjs': LIB, 'test/a.test.mjs': node(adds('adds')), 'test/b.test.mjs': other });
  checks.gates(GATE);
  const hand = checks.hand();
  const candidate = await checks.candidate({ 'lib.mjs': NEXT, 'test/a.test.mjs': null });
  const spec = { allow: ['test/'] };
  await checks.check('tests', candidate, { hand, spec });
  expect(await checks.check(CANARY, candidate, { hand, spec })).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(PROVEN),
  });
});

test('a run with planted tests that hits a limit proves nothing: an error, not a pass', async () => {
  await using checks = new Checks(BASE);
  const hangs = `import { readdirSync } from 'node:fs';
if (readdirSync('test').length > 2) setInterval(() => {}, 1000), Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
${NEXT}`;
  checks.gates({ ...GATE, timeout: 4_000 });
  const candidate = await checks.candidate({ 'lib.mjs': hangs });
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, candidate)).toMatchObject({
    status: 'error',
    text: expect.stringContaining('could not be proven: stopped: it ran longer than its timeout of 4000 ms'),
  });
  checks.gates({
    ...{ name: 'tests', command: 'node run.mjs', timeout: 2_000 },
    canary: { file: 'test/NAME.mjs', text: "throw new Error('NAME');\n" },
  });
});

test('a failing test of the operator whose run hits a limit proves nothing either', async () => {
  await using checks = new Checks({
    'run.mjs':
      "import { readdirSync } from 'node:fs';\nfor (const name of readdirSync('checks')) await import('./checks/'.concat(name));\n",
    'checks/a.mjs': '\n',
  });
  const canary = { file: 'checks/NAME.mjs', text: "throw new Error('NAME');\n" };
  checks.gates({ name: 'tests', command: 'node run.mjs', canary, timeout: 2_000 });
  const hangs = "process.on('uncaughtException', () => { for (;;); });\n";
  const candidate = await checks.candidate({ 'checks/a.mjs': hangs });
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, candidate)).toMatchObject({ status: 'error' });
});

test('a test file that the task may remove is no alarm, and the others still prove the gate', async () => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'test/b.test.mjs': null, 'lib.mjs': NEXT });
  expect(await checks.check(CANARY, candidate)).toMatchObject({ status: 'pass', text: expect.stringMatching(PROVEN) });
});

test('a change that moves all test files is proven at their new places', async () => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const moved = {
    ...{ 'test/a.test.mjs': null, 'test/b.test.mjs': null },
    ...{ 'test/c.test.mjs': BASE['test/a.test.mjs'], 'test/d.test.mjs': BASE['test/b.test.mjs'] },
  };
  const honest = await checks.candidate(moved);
  expect(await checks.check(CANARY, honest)).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(/ended: proven: .*no test file is left in which the base noticed failing tests/s),
  });
});

test('a test that was red at the base and is green now has to fail as well when something fails in it', async () => {
  // Imports on one line: a test file of its own needs them too.
  const red = node(adds('adds')).replace(/;\n(?=import)/g, '; ');
  await using checks = new Checks({ 'lib.mjs': 'export const add = (a, b) => a - b;\n', 'test/a.test.mjs': red });
  checks.gates(GATE);
  const hand = checks.hand();
  const honest = await checks.candidate({ 'lib.mjs': LIB });
  expect(await checks.check('tests', honest, { hand })).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, honest, { hand })).toMatchObject({
    status: 'pass',
    text: expect.stringMatching(/proven: 2 failing tests were planted in 2 files, and it reported all of them/),
  });
  const patched =
    "import assert from 'node:assert';\nassert.equal = () => {};\nexport const add = (a, b) => a - b - 1;\n";
  const trick = await checks.candidate({ 'lib.mjs': patched });
  expect(await checks.check('tests', trick, { hand })).toMatchObject({ status: 'pass' });
  expect(await checks.check(CANARY, trick, { hand })).toMatchObject({
    status: 'fail',
    // The altered test is missed each time; whether those that are added are seen is up to the dice.
    text: expect.stringMatching(/NEUTERED: [12] failing tests were planted in [12] files/),
  });
});

test('a look at the base that ended with its own task leaves no other task without proof', async () => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const candidate = await checks.candidate({ 'lib.mjs': NEXT });
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  let runs = 0;
  const sandbox = checks.sandboxThat((request) => {
    runs += 1;
    begun.resolve();
    return checks.sandbox.run(runs > 1 ? request : { ...request, argv: ['/bin/sh', '-c', 'sleep 30'] });
  });
  const hand = checks.hand({ sandbox });
  const spec = { version: 1, text: 'Do something.' } as const;
  const ask = { task: 't-1' as TaskId, token: 1, gate: CANARY, base: candidate.base, spec };
  const look = hand.baseOf(ask, checks.context(stop.signal), 'run');
  await begun.promise;
  // Another task waits for what this look learns.
  const proof = checks.check(CANARY, candidate, { hand });
  setTimeout(() => stop.abort(), 500);
  const [looked, proven] = await Promise.all([look, proof]);
  expect([looked, proven.text]).toEqual([null, expect.stringMatching(PROVEN)]);
});
