/** IF-23 and OF-01 for messages: the person's own config alone says where they go, and each goes out at most once, also over kill -9. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENV, script } from '../real/task.ts';
import { World } from '../support/cli.ts';

async function hook(world: World, more = '') {
  const got: { task: string; status: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      got.push(JSON.parse(body) as { task: string; status: string });
      response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  world.userConfig(`notify: [{kind: webhook, url: "http://127.0.0.1:${port}/secret-place", private: true${more}}]\n`);
  return {
    got,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const RUN = (world: World, answer: string) => [
  ...['run', 'make it right', '--gate', 'tests=true', '--script'],
  script(world, [{ says: answer }, { files: { 'a.txt': 'x\n' } }]),
];
const SAID = { status: 'BLOCKED', action_taken: 'nothing', blockers: ['which format?'] };
const ASKS = `I ask.\n\n\`\`\`json\n${JSON.stringify(SAID)}\n\`\`\`\n`;

const settled = async (world: World) =>
  (await world.events()).flatMap(({ type, data }) =>
    type === 'effect.settled.2' && (data as { kind: string }).kind === 'notify.send'
      ? [(data as { result: string }).result]
      : [],
  );

test('a person is notified of a question once, and of the end once; the record has no address', async () => {
  using world = new World();
  await using server = await hook(world);
  const asked = await world.run(RUN(world, ASKS), ENV);
  expect(asked.code, asked.stderr + asked.stdout).toBe(3);
  const [task] = await world.tasks();
  const id = task?.task_id ?? '';
  expect(server.got).toMatchObject([{ task: id, status: 'waiting' }]);
  // Looked at again by another process: nobody is told twice.
  expect((await world.run(['resume', id], ENV)).code).toBe(3);
  expect(server.got).toHaveLength(1);
  const answered = await world.run(['answer', id, 'the old one'], ENV);
  expect(answered.code, answered.stderr + answered.stdout).toBe(0);
  expect(server.got).toMatchObject([{ status: 'waiting' }, { task: id, status: 'accepted' }]);
  expect(await settled(world)).toEqual(Array(2).fill('written to the application log; webhook: sent'));
  expect(JSON.stringify(await world.events())).not.toContain('secret-place');
});

test.each([
  ['effect.before notify.send#1', 0],
  ['effect.after notify.send#1', 1],
])('killed at %s: notified %i times, never again, and the task goes on', async (failpoint, times) => {
  using world = new World();
  await using server = await hook(world);
  const killed = await world.run(RUN(world, ASKS), { ...ENV, SUPERVISOR_FAILPOINT: failpoint });
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
  const [task] = await world.tasks();
  expect((await world.run(['resume', task?.task_id ?? ''], ENV)).code).toBe(3);
  expect(server.got.filter(({ status }) => status === 'waiting')).toHaveLength(times);
  expect(await settled(world)).toEqual(['unknown: Supervisor stopped while sending']);
  expect((await world.run(['answer', task?.task_id ?? '', 'the old one'], ENV)).code).toBe(0);
  expect(server.got.filter(({ status }) => status === 'accepted')).toHaveLength(1);
});

test('a config that breaks while the task runs: the record says so, and quotes no part of it', async () => {
  using world = new World();
  await using server = await hook(world);
  const broken = 'notify: [{kind: webhook, url: "https://hooks.example/secret-place, }]\n';
  const gate = `tests=printf '%s' '${broken.replaceAll('"', '\\042').replace('\n', '')}' > ${world.home}/.supervisor/config.yaml`;
  const plays = script(world, [{ files: { 'a.txt': 'x\n' } }]);
  const ended = await world.run(
    ['run', 'make it right', '--unsafe-no-sandbox', '--gate', gate, '--script', plays],
    ENV,
  );
  expect(ended.code, ended.stderr + ended.stdout).toBe(0);
  expect(server.got).toEqual([]);
  expect(await settled(world)).toEqual(['written to the application log; failed: your config cannot be read']);
  const sent = (await world.events()).filter(({ data }) => (data as { kind?: string }).kind === 'notify.send');
  expect(JSON.stringify(sent)).not.toContain('secret-place');
});

test('a project cannot say where messages go: its config is refused, and nothing is sent', async () => {
  using world = new World();
  await using server = await hook(world);
  const folder = join(world.repository, '.supervisor');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.yaml'), 'notify: [{kind: webhook, url: "http://169.254.169.254/"}]\n');
  const { code, stderr } = await world.run(['trust', '--yes'], ENV);
  expect([code, stderr]).toEqual([2, expect.stringContaining('a project may not set where messages go')]);
  expect((await world.run(RUN(world, ASKS), ENV)).code).toBe(2);
  expect(server.got).toEqual([]);
});

test('without a channel, there is no message in the log', async () => {
  using world = new World();
  expect((await world.run(RUN(world, ASKS), ENV)).code).toBe(3);
  expect(await settled(world)).toEqual([]);
});
