/** The canary: a gate that a change has neutered is green on any change; failing tests planted on the candidate show it. */
import { expect, test } from 'vitest';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { Checks } from './checks.ts';

const node = (text: string) => `import { test } from 'node:test';\nimport assert from 'node:assert';\n${text}\n`;
const LIB = 'export const add = (a, b) => a + b;\n';
const BASE = {
  'lib.mjs': LIB,
  'test/a.test.mjs': node(
    "import { add } from '../lib.mjs';\ntest('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\ntest('adds nothing', () => {\n  assert.equal(add(1, 0), 1);\n});",
  ),
  'test/b.test.mjs': node("test('stands alone', () => {\n  assert.ok(true);\n});"),
};
const GATE = { name: 'tests', command: 'node --test --test-reporter=tap test/*.test.mjs', ids: 'tap' } as const;

async function both(checks: Checks, change: Readonly<Record<string, string>>) {
  const candidate = await checks.candidate(change);
  return [await checks.check('tests', candidate), await checks.check(canaryOf('tests'), candidate)] as const;
}

test('an honest change is proven: all that was planted is reported', async () => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const [gate, canary] = await both(checks, { 'lib.mjs': 'export const add = (a, b) => b + a;\n' });
  expect(gate.status).toBe('pass');
  expect(canary).toMatchObject({ status: 'pass', text: expect.stringContaining('it reported all of them') });
});

test.each([
  [
    'an assert library that does nothing any more',
    { 'lib.mjs': `import assert from 'node:assert';\nassert.equal = () => {};\nassert.ok = () => {};\n${LIB}` },
  ],
  [
    'an end with exit code 0 as soon as something fails',
    {
      'lib.mjs': `process.on('exit', () => { process.exitCode = 0; });\nconst write = process.stdout.write.bind(process.stdout);\n${LIB}`,
      'test/c.test.mjs': node(
        "process.on('exit', () => { process.exitCode = 0; });\ntest('new', () => {\n  assert.ok(true);\n});",
      ),
    },
  ],
])('%s', async (_, change) => {
  await using checks = new Checks(BASE);
  checks.gates(GATE);
  const [gate, canary] = await both(checks, change as unknown as Record<string, string>);
  console.log(gate.status, canary.status, canary.text.slice(0, 1500));
});
