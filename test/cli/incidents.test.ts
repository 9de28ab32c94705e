/** Incidents: what stopped and needs a person is listed, kept as a file with all that is known of it, and resolved in four ways. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { ENV, script } from '../real/task.ts';
import { World } from '../support/cli.ts';

type View = {
  incident: string;
  severity: string;
  cause: string;
  task: string;
  status: string;
  file: string;
  suggested: string[];
  excerpts: { gate: string; text: string }[];
};

/** Its gate cannot run, so that a person has to look. */
async function escalated(world: World, told = ''): Promise<string> {
  const plays = script(world, [{ files: { 'a.txt': 'x\n' } }, { files: { 'a.txt': 'y\n' } }]);
  const args = [
    'run',
    'make it right',
    '--script',
    plays,
    '--gate',
    'tests=printf "AKIA%s\\n" IOSFODNN7EXAMPLQ; exit 127',
  ];
  const { code, stdout, stderr } = await world.run(args, ENV);
  expect(code, stderr + stdout).toBe(4);
  expect(stderr).toContain(told);
  expect(stdout).toMatch(/^incident .*incident_\d{8}_\d{6}\.json$/m);
  return (await world.tasks())[0]?.task_id ?? '';
}

const open = async (world: World) => (await world.json<{ incidents: View[] }>(['incidents'])).incidents;
const resolved = async (world: World) => (await world.events()).filter(({ type }) => type === 'incident.resolved.1');

describe('a task that is escalated', () => {
  test('is an incident: listed, shown, and a file with severity, cause, history, evidence, refs and what next', async () => {
    using world = new World();
    const task = await escalated(world);
    const [incident] = await open(world);
    expect(incident).toMatchObject({ task, severity: 'high', cause: 'gate_error', status: 'open' });
    expect(basename(incident?.file ?? '')).toBe(`${incident?.incident}.json`);
    expect(dirname(incident?.file ?? '')).toBe((await world.json<{ state_dir: string }>(['status'])).state_dir);
    const text = readFileSync(incident?.file ?? '', 'utf8');
    const file = JSON.parse(text) as View & { history: string[]; refs: { base: string; candidate: string } };
    expect(file).toEqual(await world.json(['incidents', 'show', incident?.incident ?? '']));
    expect(file.history.join()).toContain('gate tests could not run');
    expect(file.excerpts).toMatchObject([{ gate: 'tests' }]);
    expect(file.refs.base).toMatch(/^[0-9a-f]{40}$/);
    // What the gate printed is there, the secret in it is not.
    expect(file.excerpts[0]?.text).toContain('redacted');
    expect(text).not.toContain('AKIAIOSFODNN7EXAMPLQ');
    const shown = await world.run(['incidents', 'show', task]);
    expect(shown.stdout).toContain(`supervisor incidents resolve ${task} --skip`);
    expect(await resolved(world)).toEqual([]);
    // First in `status`, until it is resolved.
    expect(await world.json(['status'])).toMatchObject({
      asks: [{ task_id: task, text: 'it is escalated and needs you', answer: `supervisor incidents show ${task}` }],
    });
    expect((await world.run(['incidents', 'resolve', task, '--skip'])).code).toBe(0);
    expect(await world.json(['status'])).toMatchObject({ asks: [] });
  });

  test('is resolved once: skipped, it stays as it is and can still go on; abandoned, it cannot', async () => {
    using world = new World();
    const task = await escalated(world);
    expect((await world.run(['incidents', 'resolve', task])).code).toBe(2);
    expect((await world.run(['incidents', 'resolve', task, '--skip', '--abandon'])).code).toBe(2);
    expect((await world.run(['incidents', 'resolve', task, '--skip', '--notes', 'not worth it'])).code).toBe(0);
    expect(await open(world)).toEqual([]);
    expect(await world.json(['incidents', 'show', task])).toMatchObject({
      status: 'resolved',
      resolved: { how: 'skip', notes: 'not worth it' },
    });
    const again = await world.run(['incidents', 'resolve', task, '--abandon']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('was resolved by')]);
    expect(await resolved(world)).toHaveLength(1);
    // It stops again: a new incident.
    expect((await world.run(['resume', task], ENV)).code).toBe(4);
    const [second] = await open(world);
    expect(second).toMatchObject({ task, status: 'open' });
    expect((await world.run(['incidents', 'resolve', second?.task ?? '', '--abandon'])).code).toBe(0);
    expect((await world.tasks())[0]?.status).toBe('cancelled');
    expect((await world.run(['resume', task], ENV)).code).toBe(1);
    expect(await world.json(['verify'])).toMatchObject({ ok: true });
  });

  test('goes on with notes for the next worker, or with fresh attempts', async () => {
    using world = new World();
    const task = await escalated(world);
    const [first] = await open(world);
    expect((await world.run(['incidents', 'resolve', task, '--notes', 'the second way'], ENV)).code).toBe(4);
    // The file of the stop before says that it is over; the new one is open.
    expect(JSON.parse(readFileSync(first?.file ?? '', 'utf8'))).toMatchObject({ status: 'resolved' });
    const [second] = await open(world);
    expect(second).toMatchObject({ task, status: 'open' });
    // Both may have begun in the same second.
    expect(second?.file).not.toBe(first?.file);
    const packets = (await world.run(['show', task, '--packets'])).stdout;
    expect(packets).toContain('The operator adds:\nthe second way');
    const attempts = async () => (await world.events()).filter(({ type }) => type === 'attempt.started.2').length;
    const before = await attempts();
    expect((await world.run(['incidents', 'resolve', task, '--retry'], ENV)).code).toBe(4);
    expect(await attempts()).toBeGreaterThan(before);
  });

  test('halts the project if the person wants that', async () => {
    using world = new World();
    world.userConfig('on_incident: halt\n');
    const task = await escalated(world, 'the project is halted by');
    expect(await world.json(['status'])).toMatchObject({
      status: 'halted',
      halted: { by: 'policy', reason: expect.stringContaining(`task ${task} is escalated`) },
    });
    expect((await world.run(['resume', task], ENV)).code).toBe(4);
    expect((await world.run(['resume'])).code).toBe(0);
    expect(await world.json(['status'])).toMatchObject({ halted: null });
  });
});

test('a file of an incident that cannot be read is left out, and stops nothing', async () => {
  using world = new World();
  const { state_dir } = await world.json<{ state_dir: string }>(['status']);
  mkdirSync(state_dir, { recursive: true });
  for (const name of ['incident_20260101_000000.json', 'incident_20260101_000000_log.json'])
    writeFileSync(join(state_dir, name), '{"task": "t-1", "status": "op');
  const task = await escalated(world);
  expect(await open(world)).toMatchObject([{ task }]);
  expect((await world.run(['incidents', 'resolve', task, '--abandon'])).code).toBe(0);
});

test('a damaged log is an incident, until the log is whole again', async () => {
  using world = new World();
  world.userConfig('on_incident: halt\n');
  expect((await world.run(['run', 'x', '--simulate'])).code).toBe(0);
  const file = `${world.state}/log.db`;
  const change = (from: string, to: string) => {
    using db = new DatabaseSync(file);
    db.prepare('UPDATE event SET data = replace(data, ?, ?)').run(from, to);
  };
  change('"title":"x"', '"title":"z"');
  const found = await world.run(['verify']);
  expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(/This is incident_\d{8}_\d{6}/)]);
  // Halted once for this damage: a person may set the project running in spite of it.
  const request = join((await world.json<{ state_dir: string }>(['status'])).state_dir, 'PAUSE_REQUESTED');
  expect(existsSync(request)).toBe(true);
  rmSync(request);
  await world.run(['verify']);
  expect(existsSync(request)).toBe(false);
  type Damage = { incident: string; file: string };
  const damages = async () => (await world.json<{ damages: Damage[] }>(['incidents'])).damages;
  const [damage, second] = await damages();
  expect(second).toBeUndefined();
  expect(existsSync(damage?.file ?? '')).toBe(true);
  const still = await world.run(['incidents', 'resolve', damage?.incident ?? '']);
  expect([still.code, still.stderr]).toEqual([1, expect.stringContaining('the log is still damaged')]);
  change('"title":"z"', '"title":"x"');
  expect((await world.run(['incidents', 'resolve', damage?.incident ?? ''])).code).toBe(0);
  expect(await damages()).toEqual([]);
});

test.each([
  [['incidents', 'burn'], 2, 'say list, show or resolve'],
  [['incidents', 'show'], 2, 'ID is missing'],
  [['incidents', 'show', 'incident_20260101_000000'], 1, 'there is no incident'],
])('%j is refused in a sentence', async (args, code, why) => {
  using world = new World();
  const refused = await world.run(args);
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(why)]);
});
