/** `proposals`: what a model may not do by itself waits for the operator, who sees what it would do before a yes. */
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { locateProject, openStore } from '../../src/app/open-store.ts';
import type { Json } from '../../src/kernel/json.ts';
import { World } from '../support/cli.ts';

type View = { proposal: string; by: string; text: string; would: string[]; stale: string | null };

/** As a planner's process would: into the inbox. The next command of anybody drains it. */
async function propose(world: World, ...commands: Json[]): Promise<View[]> {
  expect((await world.run(['resume'])).code).toBe(0);
  const store = await openStore(readEnvironment({ SUPERVISOR_HOME: world.state }), { readOnly: false });
  const { id } = locateProject(world.repository);
  await store.submit(
    id,
    commands.map((command, n) => ({ id: `plan-${n}`, actor: 'planner:claude', command })),
  );
  await store.close();
  expect((await world.run(['halt'])).code).toBe(0);
  expect((await world.run(['resume'])).code).toBe(0);
  return (await world.json<{ proposals: View[] }>(['proposals'])).proposals;
}

const GOAL = { type: 'goal.set', text: 'ship it' };

/** It is open, and nobody works on it. */
async function task(world: World): Promise<string> {
  expect((await world.run(['halt'])).code).toBe(0);
  expect((await world.run(['run', 'x', '--simulate'])).code).toBe(4);
  return (await world.tasks())[0]?.task_id ?? '';
}

describe('a proposal', () => {
  test('is listed, shown with what it would do, first in `status`, and done when it is accepted', async () => {
    using world = new World();
    const [proposal] = await propose(world, GOAL);
    const id = proposal?.proposal ?? '';
    expect(proposal).toMatchObject({
      by: 'planner:claude',
      text: 'set the goal: ship it',
      would: ['goal: ship it'],
      stale: null,
    });
    const shown = await world.run(['proposals', 'show', id.slice(0, 6)]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('  would do goal: ship it\n')]);
    const status = await world.run(['status']);
    expect(status.stdout).toContain(
      `planner:claude proposes to set the goal: ship it\n      answer supervisor proposals show ${id}`,
    );
    expect(await world.json(['proposals', 'accept', id, '--reason', 'good'])).toEqual({
      proposal: id,
      status: 'accepted',
      did: ['goal: ship it'],
    });
    expect(await world.json(['status'])).toMatchObject({ goal: 'ship it', asks: [] });
    expect(await world.json(['proposals'])).toEqual({ proposals: [] });
  });

  test('that is rejected does nothing; a second answer hears who gave the first', async () => {
    using world = new World();
    const [proposal] = await propose(world, GOAL);
    const id = proposal?.proposal ?? '';
    expect((await world.run(['proposals', 'reject', id, '--reason', 'too early'])).code).toBe(0);
    expect(await world.json(['status'])).toMatchObject({ goal: null });
    for (const verb of ['accept', 'reject', 'show']) {
      const { code, stderr } = await world.run(['proposals', verb, id]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/was rejected by .* at .*Z \(too early\)/)]);
    }
    expect((await world.events()).filter(({ type }) => type === 'proposal.decided.1')).toHaveLength(1);
  });

  test('two terminals at once: one yes counts, and the other hears of it', async () => {
    using world = new World();
    const [proposal] = await propose(world, GOAL);
    const id = proposal?.proposal ?? '';
    const both = await Promise.all([
      world.run(['proposals', 'accept', id]),
      world.run(['proposals', 'reject', id, '--reason', 'no']),
    ]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(both.find(({ code }) => code === 1)?.stderr).toMatch(/was (accepted|rejected) by .* at /);
    expect((await world.events()).filter(({ type }) => type === 'proposal.decided.1')).toHaveLength(1);
  });

  test('that has become stale says why, changes nothing when it is accepted, and can be rejected', async () => {
    using world = new World();
    const target = await task(world);
    const [proposal] = await propose(world, { type: 'task.cancel', task: target, reason: 'not needed' });
    expect(proposal).toMatchObject({
      text: `cancel task ${target}`,
      would: ['task cancelled: not needed'],
      stale: null,
    });
    expect((await world.run(['cancel', target])).code).toBe(0);
    const id = proposal?.proposal ?? '';
    const shown = await world.json<View>(['proposals', 'show', id]);
    expect(shown).toMatchObject({ would: [], stale: expect.stringContaining('is cancelled already') });
    const { code, stderr } = await world.run(['proposals', 'accept', id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be carried out')]);
    expect((await world.json<{ proposals: View[] }>(['proposals'])).proposals).toHaveLength(1);
    expect((await world.run(['proposals', 'reject', id])).code).toBe(0);
  });
});

test.each([
  [['proposals', 'burn'], 2, 'say list, show, accept or reject'],
  [['proposals', 'accept'], 2, 'ID is missing'],
  [['proposals', 'show', 'p-none'], 1, 'there is no proposal p-none'],
])('%j is refused in a sentence', async (args, code, why) => {
  using world = new World();
  const refused = await world.run(args);
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(why)]);
});
