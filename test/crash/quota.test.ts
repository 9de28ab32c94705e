/** A used-up quota, and kill -9 around it: who comes next waits for the same reset, and what was spent is on record. */
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { sendCommand } from '../../src/app/drive.ts';
import { openEngineDeps } from '../../src/app/open.ts';
import { locateProject, openToRead } from '../../src/app/open-store.ts';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { eventually, World } from '../support/cli.ts';

const PLAYED = ['--simulate', '--script'];
const SHORT_LEASE = { SUPERVISOR_LEASE_MS: '600' };
/** A third of it is more than a test may take: whom nothing else wakes than a sign of life is not awake in time. */
const LONG_LEASE = { SUPERVISOR_LEASE_MS: '3600000' };

type Parked = { readonly cli: string; readonly until: number };
type Status = { readonly parked: readonly Parked[]; readonly tasks: readonly { waits_for: readonly string[] }[] };

const parkedIn = async (world: World): Promise<Parked | null> =>
  (await world.json<Status>(['status'])).parked[0] ?? null;

/** When each attempt began, from the log in the file. */
async function beginnings(repository: string, state: string): Promise<number[]> {
  const project = locateProject(repository);
  const store = await openToRead(readEnvironment({ SUPERVISOR_HOME: state }), project);
  if (store === null) return [];
  const events: readonly StoredEvent[] = await store.readLog(project.id, 0, 10_000);
  await store.close();
  return events.filter(({ type }) => type === 'attempt.started.2').map(({ time }) => time);
}

test('kill -9 while a task waits for a quota: after resume the CLI gets nothing before its reset', async () => {
  using world = new World();
  const script = 'steps: {implement: [{outcome: quota, resets: 20s, cost_usd: 0.01}, {cost_usd: 0.02}]}\n';
  const first = world.start(['run', 'x', ...PLAYED, world.file('script.yaml', script)], SHORT_LEASE);
  const parked = await eventually(() => parkedIn(world), 'the CLI is parked');
  const { tasks } = await world.json<Status>(['status']);
  expect(tasks[0]?.waits_for).toEqual([
    expect.stringMatching(/^implement: scripted quota, (?:resets|next try) \S.* UTC$/),
  ]);
  first.child.kill('SIGKILL');
  await first.done;
  expect(await parkedIn(world)).toEqual(parked);
  const [task] = await world.tasks();
  const report = await world.json<RunReport>(['resume', task?.task_id ?? ''], SHORT_LEASE);
  expect(report.status).toBe('accepted');
  const [, second = 0] = await beginnings(world.repository, world.state);
  expect(second).toBeGreaterThanOrEqual(parked.until);
  expect(report.steps[0]?.history.map((one) => [one.class, one.category, one.cost.usd])).toEqual([
    ['quota', 'resource', 0.01],
    ['ok', null, 0.02],
  ]);
  expect(await parkedIn(world)).toBeNull();
});

test('another project of the same machine waits for the same quota', async () => {
  using one = new World();
  using two = new World();
  const quota = 'steps: {implement: [{outcome: quota, resets: 5s}, {}]}\n';
  const first = one.start(['run', 'x', ...PLAYED, one.file('script.yaml', quota)]);
  const parked = await eventually(() => parkedIn(one), 'the CLI is parked');
  const shared = { SUPERVISOR_HOME: one.state, ...LONG_LEASE };
  const other = await two.run(['run', 'y', '--simulate'], shared);
  expect(other.code, other.stderr).toBe(0);
  const [began = 0] = await beginnings(two.repository, one.state);
  expect(began).toBeGreaterThanOrEqual(parked.until);
  expect((await first.done).code).toBe(0);
});

test('`reset` in one project lets a task of another continue at once', async () => {
  using one = new World();
  using two = new World();
  const quota = 'steps: {implement: [{outcome: quota, resets: 1h}, {}]}\n';
  const first = one.start(['run', 'x', ...PLAYED, one.file('script.yaml', quota)]);
  await eventually(() => parkedIn(one), 'the CLI is parked');
  const shared = { SUPERVISOR_HOME: one.state, ...LONG_LEASE };
  const second = two.start(['run', 'y', '--simulate'], shared);
  await eventually(() => second.output().includes('task created'), 'the other project has its task');
  expect(await beginnings(two.repository, one.state)).toEqual([]);
  const environment = readEnvironment({ SUPERVISOR_HOME: one.state });
  const project = locateProject(one.repository);
  const opened = await openEngineDeps(environment, project);
  const command = { type: 'cli.reset' as const, cli: 'scripted' };
  const { signal } = new AbortController();
  expect(await sendCommand({ environment, project, opened, signal, command })).toBeNull();
  await opened.close();
  expect([(await second.done).code, (await first.done).code]).toEqual([0, 0]);
});

test('kill -9 while a worker is at work: the attempt is done once more, and the costs of both are on record', async () => {
  using world = new World();
  const script = 'steps: {implement: [{after: 1h, cost_usd: 9}, {cost_usd: 0.02}]}\n';
  const first = world.start(['run', 'x', ...PLAYED, world.file('script.yaml', script)], SHORT_LEASE);
  const task = await eventually(
    async () => (await world.tasks()).find(({ status }) => status === 'running')?.task_id ?? null,
    'the worker is at work',
  );
  first.child.kill('SIGKILL');
  await first.done;
  const report = await world.json<RunReport>(['resume', task], SHORT_LEASE);
  expect(report.steps[0]?.history).toMatchObject([
    { attempt: 1, cli: 'scripted', class: 'lost', category: 'resource', cost: { usd: null } },
    { attempt: 2, cli: 'scripted', class: 'ok', category: null, cost: { usd: 0.02 } },
  ]);
  expect(report.cost).toEqual({ usd: 0.02, tokens_in: null, tokens_out: null, unpriced_attempts: 1 });
});
