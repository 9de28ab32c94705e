/** Each real CLI does one task, as a person would have it: in the sandbox, through the proxy, checked, committed. */
import { expect, test } from 'vitest';
import { CLIS, KEY, Through, WRITES } from './through.ts';

test.each(CLIS)('%s: a task is accepted, and the key was only where it belongs', async (cli) => {
  await using through = await new Through(WRITES).open([cli]);
  const { code, stdout, stderr } = await through.run(cli);
  const report = JSON.parse(stdout);
  expect([code, report.status, report.verdict?.reasons], stderr + stdout).toEqual([0, 'accepted', expect.anything()]);
  expect(through.world.git('show', `${report.branch}:greeting.txt`)).toBe('hello');
  expect(new Set(through.standIn.mainRequests.map(({ key }) => key))).toEqual(new Set([KEY]));
  expect(stdout + stderr).not.toContain(KEY);
});
