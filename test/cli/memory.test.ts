/** The brake of memory through the command line: on any machine more than a hundredth of the memory is in use. */
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';

test('a task waits while too much memory is in use, says so, and goes on under another limit', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' }, 'begin');
  const script = world.file('s.yaml', JSON.stringify({ steps: { implement: [{ files: { 'a.txt': 'new\n' } }] } }));
  const run = world.start(['run', 'do it', '--script', script, '--gate', 'tests=true', '--limit', 'memory_share=0.01']);
  await eventually(
    async () => (await world.events()).some(({ type }) => type.startsWith('board.pressed')),
    'the log to say that memory is short',
  );
  const [task] = await world.tasks();
  const id = task?.task_id ?? '';
  const { waits_for } = await world.json<{ waits_for: string[] }>(['show', id]);
  expect(waits_for.join()).toContain('no worker is started from 1 % on (limits.memory_share)');
  expect((await world.events()).filter(({ type }) => type.startsWith('attempt.started'))).toEqual([]);
  run.child.kill('SIGKILL');
  await run.done;

  // The control: the same task under a limit that is not reached.
  const went = await world.json<{ status: string }>(['resume', id, '--limit', 'memory_share=1']);
  expect(went.status).toBe('accepted');
  expect((await world.events()).some(({ type }) => type.startsWith('board.eased'))).toBe(true);
});
