/** `approve` and `reject`: a person answers a step that waits, and the task goes on. */
import { describe, expect, test } from 'vitest';
import { revive } from '../../src/engine/loading.ts';
import { ENTRY, eventually, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';

type Question = { step: string; text: string; about: { kind: string; id: string } | null; approve: string };
type Report = { task_id: string; status: string; waiting: Question[]; steps: { id: string; attempts: number }[] };

const LOOK = `version: 1
description: d
steps:
  implement: {role: implementer, next: look}
  look: {kind: human, text: "Is this\\nwhat was asked for", on_reject: implement, rounds: 3}
`;
const TWO = `version: 1
description: d
steps:
  implement: {role: implementer}
  one: {kind: human, needs: [implement], text: "The one?"}
  two: {kind: human, needs: [implement], text: "The other?"}
  slow: {role: implementer, needs: [implement]}
`;

/** In a simulation nobody but the person of this test answers. */
const played = (steps = '{}') => `steps: ${steps}\n`;

function args(world: World, workflow = LOOK, script = played()): string[] {
  const name = `w${Math.random().toString(36).slice(2, 8)}`;
  const [file, play] = [world.file(`${name}.yaml`, workflow), world.file(`${name}-play.yaml`, script)];
  return ['run', 'do it', '--simulate', '--workflow', file, '--script', play];
}

async function asked(world: World, workflow?: string, script?: string): Promise<Report> {
  const { code, stdout } = await world.run([...args(world, workflow, script), '--json']);
  expect(code, stdout).toBe(3);
  return JSON.parse(stdout) as Report;
}

/** What was said at events of a type, oldest first. */
const told = async (world: World, type: 'step.answered' | 'task.reworked') =>
  (await world.events()).map(revive).flatMap((event) => (event.type === type ? [event.data] : []));
const answers = (world: World) => told(world, 'step.answered');

describe('a step that asks', () => {
  test('ends `run` with exit 3, the question whole and the commands that answer it', async () => {
    using world = new World();
    const { code, stdout } = await world.run(args(world));
    expect(code).toBe(3);
    expect(stdout).toContain('A person is asked (look): Is this\n');
    expect(stdout).toContain('what was asked for');
    const [, approve] = /(supervisor approve t-\w+ look --of [0-9a-f]{12}) /.exec(stdout) ?? [];
    expect(approve, stdout).toBeDefined();
    expect(stdout).toMatch(/supervisor reject t-\w+ look --of [0-9a-f]{12} --reason "…"/);
    expect(stdout).not.toContain('supervisor resume');
    // What was printed can be typed.
    const then = await world.run((approve ?? '').split(' ').slice(1));
    expect(then.code, then.stdout + then.stderr).toBe(0);
    expect(then.stdout).toContain('accepted: all steps are done');
  });

  test('ends it on a terminal too, and leaves the terminal as it was', async () => {
    using world = new World();
    const env = { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state };
    const line = [process.execPath, ENTRY, ...args(world), '--project', world.repository];
    using pty = new Pty(line, { dir: world.dir, env });
    expect(await pty.done, pty.terminal.text).toBe(3);
    expect(pty.terminal.text).toContain('A person is asked (look)');
    expect(pty.terminal.cursorShown).toBe(true);
  });

  test('is shown by `show`, and `resume` asks again instead of waiting for ever', async () => {
    using world = new World();
    const { task_id: task, waiting } = await asked(world);
    const shown = await world.run(['show', task]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(waiting[0]?.approve ?? '')]);
    expect(shown.stdout).not.toContain('no process works on it');
    const resumed = await world.run(['resume', task]);
    expect([resumed.code, resumed.stdout]).toEqual([3, expect.stringContaining('A person is asked (look)')]);
    expect((await world.run(['attach', task])).code).toBe(3);
  });

  test('waits with its siblings: a worker beside it ends first', async () => {
    using world = new World();
    const { steps, waiting } = await asked(world, TWO, played('{slow: [{after: 700ms}]}'));
    expect(steps.find(({ id }) => id === 'slow')).toMatchObject({ status: 'done', attempts: 1 });
    expect(waiting.map(({ step }) => step)).toEqual(['one', 'two']);
  });
});

describe('an answer', () => {
  test('is about what the person has seen: a stale one is refused in a sentence, the beginning of the id is enough', async () => {
    using world = new World();
    const { task_id: task, waiting } = await asked(world);
    const id = waiting[0]?.about?.id ?? '';
    const other = id.startsWith('0') ? `1${id.slice(1, 12)}` : `0${id.slice(1, 12)}`;
    const stale = await world.run(['approve', task, 'look', '--of', other]);
    expect([stale.code, stale.stderr]).toEqual([
      1,
      expect.stringContaining(`waits for an answer about ${id.slice(0, 12)}, and not about ${other} any more`),
    ]);
    const short = await world.run(['approve', task, '--of', id.slice(0, 4)]);
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('at least 7 characters')]);
    expect(await answers(world)).toEqual([]);
    expect((await world.run(['approve', task, 'look', '--of', id.slice(0, 7)])).code).toBe(0);
    expect(await answers(world)).toMatchObject([{ step: 'look', decision: 'APPROVE', about: id }]);
  });

  test('no leads back with its reason; after that the id from before is stale', async () => {
    using world = new World();
    const { task_id: task, waiting } = await asked(world);
    const before = waiting[0]?.about?.id ?? '';
    const silent = await world.run(['reject', task]);
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining('--reason is missing')]);
    const { code, stdout } = await world.run(['reject', task, '--reason', 'the name is wrong', '--json']);
    expect(code).toBe(3);
    const report = JSON.parse(stdout) as Report;
    expect(report.steps.find(({ id }) => id === 'implement')).toMatchObject({ attempts: 2 });
    expect(report.waiting[0]?.about?.id).not.toBe(before);
    const back = { from: 'look', to: 'implement', reason: 'the name is wrong' };
    expect(await told(world, 'task.reworked')).toMatchObject([back]);
    expect((await world.run(['approve', task, '--of', before])).code).toBe(1);
    expect(await world.run(['approve', task, '--reason', 'now it is'])).toMatchObject({ code: 0 });
    expect((await answers(world)).at(-1)).toMatchObject({ decision: 'APPROVE', reason: 'now it is' });
  });

  test('names its step where several are asked about; no question is asked twice', async () => {
    using world = new World();
    const { task_id: task } = await asked(world, TWO);
    const which = await world.run(['approve', task]);
    expect([which.code, which.stderr]).toEqual([1, expect.stringContaining('asks about several steps')]);
    expect(which.stderr).toContain('The one? Answer: `supervisor approve');
    const slip = await world.run(['approve', task, 'on']);
    expect([slip.code, slip.stderr]).toEqual([1, expect.stringContaining('did you mean one?')]);
    const first = await world.run(['approve', task, 'one']);
    expect([first.code, first.stdout]).toEqual([3, expect.stringContaining('A person is asked (two)')]);
    const again = await world.run(['approve', task, 'one']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('step one of task')]);
    expect((await world.run(['approve', task])).code).toBe(0);
    const over = await world.run(['approve', task]);
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('has no open question: it is accepted')]);
    expect(await answers(world)).toHaveLength(2);
  });

  test('when two terminals answer at once, one counts and the other hears of it', async () => {
    using world = new World();
    const { task_id: task } = await asked(world);
    const both = await Promise.all([world.run(['approve', task]), world.run(['approve', task])]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await answers(world)).toHaveLength(1);
  });

  test('counts beside a running driver, and both leave when their tasks are over', async () => {
    using world = new World();
    const { task_id: task } = await asked(world);
    const driver = world.start([...args(world, LOOK, played('{implement: [{after: 3s}]}')), '--json']);
    await eventually(async () => (await world.tasks()).find(({ status }) => status === 'running') ?? null, 'it drives');
    // Handed to the driver, by another task too: it asks, and its follower leaves.
    const follower = await world.run(args(world));
    expect([follower.code, follower.stdout]).toEqual([3, expect.stringContaining('A person is asked (look)')]);
    const approved = await world.run(['approve', task]);
    expect(approved.code, approved.stdout + approved.stderr).toBe(0);
    expect(approved.stdout).toContain('works on this project');
    expect((await driver.done).code).toBe(3);
  });

  test('that was given before a kill is not asked for again', async () => {
    using world = new World();
    const { task_id: task } = await asked(world, TWO, played('{slow: [{after: 1ms}, {after: 1ms}]}'));
    await world.run(['approve', task, 'one', '--json']);
    const killed = world.start(['approve', task, 'two'], { SUPERVISOR_FAILPOINT: 'append.after#1' });
    await killed.done;
    expect(await answers(world)).toHaveLength(2);
    expect((await world.run(['resume', task])).code).toBe(0);
  });
});
