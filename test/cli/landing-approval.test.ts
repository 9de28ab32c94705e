/** OF-19: an approval holds for one change; when landing makes it another one, or it has expired, people are asked again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENV } from '../real/task.ts';
import { World } from '../support/cli.ts';

const ME = userInfo().username;
const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const CHANGED = text(['right', ...LINES.slice(1)]);

/** An accepted change of a.txt that `approvers` had to approve; null: nobody was asked. */
async function approvedTask(approvers: readonly string[] | null, expires = '7d'): Promise<World & { task: string }> {
  const world = new World();
  world.commit({ 'a.txt': text(LINES), 'b.txt': 'two\n' });
  if (approvers !== null) {
    const file = join(world.home, '.supervisor', 'approvals.yaml');
    mkdirSync(join(world.home, '.supervisor'), { recursive: true });
    const rule = `{conditions: [file_count > 0], action: require_approval, approvers: [leads]}`;
    writeFileSync(
      file,
      `approval_gates:\n  high_risk: ${rule}\ngroups: {leads: [${approvers.join(', ')}]}\nexpires: ${expires}\n`,
    );
  }
  world.file('script.yaml', JSON.stringify({ steps: { implement: [{ files: { 'a.txt': CHANGED } }] } }));
  const script = join(world.dir, 'script.yaml');
  const gate = ['--gate', 'tests=grep -qx right a.txt'];
  const ran = await world.run(['run', 'do it', '--script', script, ...gate, '--json'], ENV);
  const { task_id: task } = JSON.parse(ran.stdout) as { task_id: string };
  if (approvers !== null) {
    const approved = await world.run(['approve', task], ENV);
    expect(approved.code, approved.stderr).toBe(0);
  }
  return Object.assign(world, { task });
}

describe('the branch went on', () => {
  test('beside the change: the approval still holds', async () => {
    using world = await approvedTask([ME]);
    world.commit({ 'b.txt': 'of somebody else\n' });
    const landed = await world.run(['land', world.task, '--yes'], ENV);
    expect(landed.code, landed.stderr).toBe(0);
  });

  test('in a file of the change: nothing lands until the new change is read and approved', async () => {
    using world = await approvedTask([ME]);
    world.commit({ 'a.txt': text([...LINES.slice(0, 3), 'FOUR', ...LINES.slice(4)]) });
    const tip = world.git('rev-parse', 'main');
    const refused = await world.run(['land', world.task, '--yes'], ENV);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/needs_approval|it is another change than the one that was approved/),
    ]);
    expect(refused.stderr).toContain(`supervisor diff ${world.task} --landing`);
    expect(world.git('rev-parse', 'main')).toBe(tip);
    const shown = await world.json(['show', world.task]);
    expect(shown).toMatchObject({ status: 'accepted', waiting: [{ step: 'land', asks: 'landing' }] });
    const diff = await world.run(['diff', world.task, '--landing'], ENV);
    expect(diff.stdout).toMatch(/-one\n\+right[\s\S]* FOUR/);
    const stale = await world.run(['approve', world.task, 'land', '--of', '0123456789ab'], ENV);
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('waits for an answer about')]);
    const approved = await world.run(['approve', world.task, 'land'], ENV);
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining(`supervisor land ${world.task}`)]);
    const landed = await world.run(['land', world.task, '--yes'], ENV);
    expect(landed.code, landed.stderr).toBe(0);
    expect(world.git('show', 'main:a.txt')).toBe(
      text(['right', ...LINES.slice(1, 3), 'FOUR', ...LINES.slice(4)]).trimEnd(),
    );
  });

  test('and again after that approval: it is asked about once more', async () => {
    using world = await approvedTask([ME]);
    world.commit({ 'a.txt': text([...LINES.slice(0, 7), 'EIGHT']) });
    expect((await world.run(['land', world.task, '--yes'], ENV)).code).toBe(3);
    expect((await world.run(['approve', world.task, 'land'], ENV)).code).toBe(0);
    world.commit({ 'a.txt': text([...LINES.slice(0, 6), 'SEVEN', 'EIGHT']) });
    expect((await world.run(['land', world.task, '--yes'], ENV)).code).toBe(3);
  });

  test('control: a change without a review or an approval lands without a question', async () => {
    using world = await approvedTask(null);
    world.commit({ 'a.txt': text([...LINES.slice(0, 7), 'EIGHT']) });
    const landed = await world.run(['land', world.task, '--yes'], ENV);
    expect(landed.code, landed.stderr).toBe(0);
  });
});

test('an approval that has expired is asked for again, and the branch stays', async () => {
  using world = await approvedTask([ME], '1s');
  await expect
    .poll(async () => (await world.run(['land', world.task, '--yes'], ENV)).code, { timeout: 20_000 })
    .toBe(3);
  const refused = await world.run(['land', world.task, '--yes'], ENV);
  expect(refused.stderr).toContain('its approval has expired');
});
