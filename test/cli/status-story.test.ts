/** `status` tells the story of a night: what waits for a person, and why tasks ended badly. */
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const LOOK = `version: 1
description: d
steps:
  implement: {role: implementer, next: look}
  look: {kind: human, text: Is it right?}
`;
const RED = 'steps: {implement: [{files: {a.txt: "1\\n"}}, {files: {a.txt: "2\\n"}}, {files: {a.txt: "3\\n"}}]}\n';

test('a task that failed says why; nothing is called stopped that only waits for an answer', async () => {
  using world = new World();
  world.commit({ 'a.txt': '0\n' });
  const failed = await world.run(['run', 'x', '--script', world.file('red.yaml', RED), '--gate', 'tests=false']);
  expect(failed.code, failed.stderr).toBe(1);
  const ask = ['run', 'y', '--simulate', '--workflow', world.file('look.yaml', LOOK)];
  expect((await world.run([...ask, '--script', world.file('play.yaml', 'steps: {}\n')])).code).toBe(3);
  const { stdout } = await world.run(['status']);
  expect(stdout).toMatch(/^stopped: what is left waits for an answer\nwaits for you\n/);
  expect(stdout).toMatch(/ failed +x {2}\(3 attempts\)\n +why gate failed: tests; the same error 3 times\n/);
  expect(stdout.match(/ why /g)).toHaveLength(1);
});

test('a task whose process was killed is stopped, also beside one that waits for an answer', async () => {
  using world = new World();
  const ask = ['run', 'y', '--simulate', '--workflow', world.file('look.yaml', LOOK)];
  expect((await world.run([...ask, '--script', world.file('play.yaml', 'steps: {}\n')])).code).toBe(3);
  await world.run(['run', 'z', '--simulate'], { SUPERVISOR_FAILPOINT: 'append.after#2' });
  const { stdout } = await world.run(['status']);
  expect(stdout).toMatch(/^stopped: .*\nwaits for you\n/);
});
