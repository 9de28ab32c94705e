/** What a worker may do with the operator's key: ask its model, and nothing else that the key would open. */
import { expect, test } from 'vitest';
import { BRIDGE_URL } from '../../src/mind/workers/bridge.ts';
import { Through, WRITES } from './through.ts';

test('a worker that asks for files of the account with the key of the operator is refused, and it is written down', async () => {
  const asks = ['-X DELETE', '-X GET'].map(
    (method) => `curl -s -o /dev/null -w '%{http_code} ' ${method} ${BRIDGE_URL}/v1/files/file_1 >> asked.txt`,
  );
  await using through = await new Through([{ run: asks.join('; ') }, ...WRITES]).open(['claude']);
  const { code, stdout, stderr } = await through.run('claude');
  const report = JSON.parse(stdout || '{}');
  expect([code, report.status], stdout + stderr).toEqual([0, 'accepted']);
  expect(through.world.git('show', `${report.branch}:asked.txt`).trim()).toBe('403 403');
  expect(new Set(through.standIn.requests.map(({ path }) => path))).toEqual(new Set(['/v1/messages']));
  const record = (await through.world.run(['show', report.task_id, '--records'])).stdout;
  const { decisions } = JSON.parse(record.slice(record.indexOf('{'))).egress;
  const refused = decisions.filter(({ allowed }: { allowed: boolean }) => !allowed);
  expect(refused.map(({ reason }: { reason: string }) => reason)).toEqual([
    'DELETE /v1/files/file_1 is not a model call',
    'GET /v1/files/file_1 is not a model call',
  ]);
});
