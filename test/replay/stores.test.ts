/** State directories that earlier versions wrote: today's code opens them, goes on with what was open, and can prove the whole. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import type { World } from '../support/cli.ts';
import { restore, STORES } from './restore-store.ts';

type Status = { readonly tasks: readonly { readonly task_id: string; readonly title: string }[] };
type Verified = {
  readonly ok: boolean;
  readonly events: number;
  readonly anchors: readonly { readonly source: string; readonly seq: number }[];
};

async function shown(world: World): Promise<Map<string, RunReport>> {
  const { tasks } = await world.json<Status>(['status', '--all']);
  const reports = tasks.map(async ({ task_id }) => world.json<RunReport>(['show', task_id]));
  return new Map((await Promise.all(reports)).map((report) => [report.title, report]));
}

const landed = (world: World) => ({ onto: 'main', commit: world.git('rev-parse', 'main') });

describe.each(readdirSync(STORES))('a state directory of %s', (version) => {
  test('is read as it was written', async () => {
    using world = restore(version);
    const verified = await world.json<Verified>(['verify']);
    expect(verified).toMatchObject({ ok: true, anchors: [{ source: 'sidecar' }, { source: 'git ref' }] });
    // The sidecar is written with every append, the ref when a task ends: the last one was killed.
    expect(verified.anchors[0]?.seq).toBe(verified.events);
    const tasks = await shown(world);
    const short = [...tasks].map(([title, { status, verdict }]) => [title, status, verdict.decision]);
    expect(short.sort()).toEqual([
      ['ask', 'escalated', 'ESCALATE'],
      ['die while it is committed', 'waiting', null],
      ['fail', 'failed', 'REJECT'],
      ['keep this on its branch', 'accepted', 'APPROVE'],
      ['land this', 'accepted', 'APPROVE'],
      ['pause in the review', 'paused', null],
    ]);
    expect(tasks.get('land this')).toMatchObject({
      ...{ landed: landed(world), verified: true, workflow: 'default' },
      steps: [
        {
          ...{ id: 'implement', attempts: 2, cli: 'scripted', history: [{ class: 'invalid' }, { class: 'ok' }] },
          evidence: [
            { gate: 'tests', status: 'fail', attempt: 1 },
            { gate: 'tests', status: 'pass', attempt: 2 },
          ],
        },
      ],
    });
    expect(tasks.get('pause in the review')).toMatchObject({
      workflow: 'reviewed',
      steps: [
        { id: 'implement', status: 'done' },
        { id: 'review', attempts: 1, history: [{ class: 'interrupted' }] },
      ],
    });
    const said = await world.run(['show', tasks.get('ask')?.task_id ?? '', '--said']);
    expect(said.stdout).toContain('Which of the two?');
  });

  test('continues to the end of the open tasks, and proves all of it', async () => {
    using world = restore(version);
    const tasks = await shown(world);
    const id = (title: string) => tasks.get(title)?.task_id ?? '';
    const before = await world.events();
    const resume = (title: string, ...more: string[]) => world.json<RunReport>(['resume', id(title), ...more]);
    expect(await resume('die while it is committed')).toMatchObject({ status: 'accepted', verified: true });
    expect(await resume('pause in the review')).toMatchObject({
      status: 'accepted',
      steps: [{ attempts: 2 }, { attempts: 2 }],
    });
    expect(await resume('ask', '--say', 'the second')).toMatchObject({ status: 'accepted' });
    // The worker makes the same change again. After `resume` it is judged once more; the next attempt starts from it and
    // adds nothing; the one after that makes it again from the start, and a person has to look.
    expect(await resume('fail', '--cli', 'scripted')).toMatchObject({ status: 'escalated', steps: [{ attempts: 6 }] });
    expect((await world.run(['land', id('pause in the review'), '--yes'])).code).toBe(0);

    const after = await world.events();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(await world.json<Verified>(['verify'])).toMatchObject({ ok: true, events: after.length });
    expect(await world.json<Verified>(['verify', '--rebuild'])).toMatchObject({ ok: true });
    const branches = world.git('branch', '--list', '--format=%(refname:short)', 'ai/*').split('\n');
    expect(branches).toHaveLength(5);
    expect(world.git('show', 'main:d.txt')).toBe('d');
    world.git('fsck', '--strict');
  });

  test('is found out when it was changed after it was written', async () => {
    using world = restore(version);
    using log = new DatabaseSync(join(world.state, 'log.db'));
    log.exec('UPDATE event SET data = replace(data, \'"failed"\', \'"accepted"\')');
    expect((await world.run(['verify'])).code).toBe(1);
  });
});
