/** Commands that mean the newest task when none is named; the author of commits. */
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const SCRIPT = 'steps: {implement: [{files: {a.txt: "two\\n"}}]}\n';

test('diff, show and land take the newest task; diff shows its change', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const script = world.file('s.yaml', SCRIPT);
  const run = (title: string) =>
    world.json<{ task_id: string }>(['run', title, '--script', script, '--gate', 'tests=true']);
  await run('older');
  const { task_id } = await run('newer');
  const { code, stdout } = await world.run(['diff']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('-one\n+two\n')]);
  expect((await world.run(['diff', '--stat'])).stdout).toContain('a.txt | 2 +-');
  expect(await world.json(['diff'])).toMatchObject({ task_id });
  expect(await world.json(['show'])).toMatchObject({ task_id, title: 'newer' });
  world.git('branch', 'release', 'main');
  expect(await world.json(['land', '--onto', 'release'])).toMatchObject({ task_id, onto: 'release' });
});

test('diff names files in their own letters', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const script = world.file('s.yaml', 'steps: {implement: [{files: {größe 😀.txt: "two\\n"}}]}\n');
  await world.run(['run', 'x', '--script', script, '--gate', 'tests=true']);
  expect((await world.run(['diff'])).stdout).toContain('+++ b/größe 😀.txt');
  expect((await world.run(['diff', '--stat'])).stdout).toContain(' größe 😀.txt | 1 +');
});

test('diff of a failed task shows its last candidate; of one that changed nothing, it says so', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const wrong = world.file(
    'w.yaml',
    'steps: {implement: [{files: {a.txt: "two\\n"}}, {files: {a.txt: "three\\n"}}, {files: {a.txt: "four\\n"}}]}\n',
  );
  const failed = await world.run(['run', 'x', '--script', wrong, '--gate', 'tests=false']);
  expect(failed.code).toBe(1);
  expect((await world.run(['diff'])).stdout).toContain('-one\n+four');
  const nothing = world.file('n.yaml', 'steps: {implement: [{files: {}}]}\n');
  await world.run(['run', 'y', '--script', nothing, '--gate', 'tests=true']);
  const { code, stderr } = await world.run(['diff']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('has changed nothing')]);
});

test('git.author is the author of commits; Supervisor stays the committer, and the body says what was asked', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  world.userConfig('git: {author: "Ana Example <ana@example.com>"}\n');
  const { branch } = await world.json<{ branch: string }>([
    ...['run', 'make it two\n\nbecause one is not enough', '--script', world.file('s.yaml', SCRIPT)],
    ...['--gate', 'tests=true'],
  ]);
  expect(world.git('log', '-1', '--format=%an <%ae>|%cn|%B', branch)).toMatch(
    /^Ana Example <ana@example\.com>\|Supervisor\|make it two\n\nmake it two\n\nbecause one is not enough\n/,
  );
  world.userConfig('git: {author: nobody}\n');
  const refused = await world.run(['run', 'x', '--simulate']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('must be written as `Name <mail@example.com>`'),
  ]);
});
