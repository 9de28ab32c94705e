/** Where tests can be planted at a base is found out once, also by processes that come and go. */
import { expect, test } from 'vitest';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { Checks } from './checks.ts';

const SUM = 'export const sum = (a, b) => a + b;\n';
const TEST =
  "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../sum.mjs';\ntest('adds', () => {\n  assert.equal(sum(1, 2), 3);\n});\n";

test('another process tries the candidate, and not the base again; another base is tried', async () => {
  await using checks = new Checks({ 'sum.mjs': SUM, 'test/sum.test.mjs': TEST, 'package.json': '{}' });
  checks.gates({ name: 'tests', command: ['node', '--test', '--test-reporter=tap'], ids: 'tap' });
  const proof = async (text: string): Promise<number> => {
    const candidate = await checks.candidate({ 'sum.mjs': text });
    const before = checks.runs;
    // A hand of its own knows nothing but what is on the disk.
    const { status, score } = await checks.check(canaryOf('tests'), candidate, { hand: checks.hand() });
    expect([status, score]).toEqual(['pass', 1]);
    return checks.runs - before;
  };
  const first = await proof(SUM.replace('a + b', 'b + a'));
  expect(await proof(SUM.replace('a + b', '0 + a + b'))).toBe(first - 1);
  checks.world.git('commit', '-q', '--allow-empty', '-m', 'another base');
  expect(await proof(SUM.replace('a + b', 'b + a + 0'))).toBe(first);
});
