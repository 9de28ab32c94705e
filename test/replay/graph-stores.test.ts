/** State directories with plans, people, reviews, commits and landings in the middle: today's code goes on with all of them. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import type { World } from '../support/cli.ts';
import { GRAPH_STORES, restore } from './restore-store.ts';

type Asked = { readonly task_id: string; readonly step: string };
type Status = { readonly asks: readonly Asked[]; readonly tasks: readonly { task_id: string; title: string }[] };
type Verified = { readonly ok: boolean; readonly events: number };

async function shown(world: World): Promise<Map<string, RunReport>> {
  const { tasks } = await world.json<Status>(['status', '--all']);
  const reports = tasks.map(async ({ task_id }) => world.json<RunReport>(['show', task_id]));
  return new Map((await Promise.all(reports)).map((report) => [report.title, report]));
}

describe.each(readdirSync(GRAPH_STORES))('a state directory with graphs of %s', (version) => {
  test('is read as it was written', async () => {
    using world = restore(version, GRAPH_STORES);
    expect(await world.json<Verified>(['verify'])).toMatchObject({ ok: true });
    const tasks = await shown(world);
    expect([...tasks].map(([title, { status }]) => [title, status]).sort()).toEqual([
      ['a change waits', 'waiting'],
      ['a landing waits', 'accepted'],
      ['a plan waits', 'waiting'],
      ['all of it', 'accepted'],
      ['die in a commit', 'waiting'],
    ]);
    const whole = tasks.get('all of it');
    expect(whole).toMatchObject({ landed: { onto: 'main' }, verified: true });
    expect(whole?.steps.map(({ id, attempts }) => [id, attempts])).toEqual([
      ...[
        ['plan', 2],
        ['agree', 0],
        ['implement', 3],
      ],
      ...[
        ['review-reviewer', 3],
        ['review-security_auditor', 3],
        ['review', 0],
        ['save', 0],
        ['look', 0],
      ],
    ]);
    const { asks } = await world.json<Status>(['status']);
    const titles = new Map([...tasks].map(([title, { task_id }]) => [task_id, title]));
    expect(asks.map(({ task_id, step }) => [titles.get(task_id), step])).toEqual([
      ['a plan waits', 'agree'],
      ['a change waits', 'look'],
      ['a landing waits', 'land'],
    ]);
  });

  test('continues to the end of the open tasks, and proves all of it', async () => {
    using world = restore(version, GRAPH_STORES);
    const tasks = await shown(world);
    const before = await world.events();
    const id = (title: string) => tasks.get(title)?.task_id ?? '';
    const done = (...args: string[]) => world.json<RunReport>(args);
    const ends = async (code: number, ...args: string[]) => {
      const result = await world.run(args);
      expect(result.code, result.stdout + result.stderr).toBe(code);
    };

    await ends(3, 'approve', id('a plan waits'), 'agree');
    expect(await done('approve', id('a plan waits'), 'look')).toMatchObject({ status: 'accepted' });
    expect(await done('approve', id('a change waits'), 'look')).toMatchObject({ status: 'accepted', verified: true });
    await ends(0, 'approve', id('a landing waits'), 'land');
    await ends(0, 'land', id('a landing waits'), '--yes');
    expect(world.git('show', 'main:b.txt')).toBe('zero\n\n\n\ntwo\nand three');
    await ends(3, 'resume', id('die in a commit'));
    expect(await done('approve', id('die in a commit'), 'look')).toMatchObject({ status: 'accepted' });

    const after = await world.events();
    expect(after.slice(0, before.length)).toEqual(before);
    const commits = after.filter(
      ({ type, stream }) => type === 'step.committed.1' && stream.endsWith(id('die in a commit')),
    );
    expect(commits).toHaveLength(1);
    expect(await world.json<Verified>(['verify', '--rebuild'])).toMatchObject({ ok: true, events: after.length });
    world.git('fsck', '--strict');
  });
});
