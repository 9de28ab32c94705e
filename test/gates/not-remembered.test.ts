/** What may have come from the machine and not from the tree is not remembered. */
import { expect, test } from 'vitest';
import { Checks } from './checks.ts';

test.each([
  ['a signal', 'kill -SEGV $$', 2],
  ['an exit code that a shell makes of a signal', 'sh -c "kill -KILL \\$\\$"; exit $?', 2],
  ['a plain exit code, which is (control)', 'exit 3', 1],
] as const)('%s', async (_, command, runs) => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.gates({ name: 'tests', command });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const statuses = [await checks.check('tests', candidate), await checks.check('tests', candidate)];
  expect(statuses.map(({ status }) => status)).toEqual(['fail', 'fail']);
  expect(checks.runs).toBe(runs);
});
