/** Batches from the command line: what lands together, what a person is asked in the middle of one, evidence and undo of its members. */
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepted, ENV, run } from '../real/task.ts';
import { World } from '../support/cli.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

let world: World;
beforeEach(() => {
  world = new World();
  world.commit({ 'a.txt': text(LINES), 'b.txt': 'two\n' });
  world.userConfig(
    JSON.stringify({ gates: [{ name: 'tests', command: '! grep -q broken b.txt' }], limits: { landing_batch: 4 } }),
  );
});
afterEach(() => world[Symbol.dispose]());

const make = async (files: Readonly<Record<string, string>>) => (await accepted(world, [{ files }], [])).task_id;
/** The line goes on, and is checked out nowhere. */
function moveOn(files: Readonly<Record<string, string>>): void {
  world.commit(files, 'by hand');
  world.git('checkout', '-q', '-b', 'aside');
}
const landAll = () => world.run(['land', '--all', '--json'], ENV);
const landedIn = (stdout: string) =>
  (JSON.parse(stdout) as { landed: { task_id: string }[] }).landed.map(({ task_id }) => task_id);

test('three changes land with one run of their gates and one move of the branch; each is undone and proven by itself', async () => {
  const tasks = [await make({ 'x.txt': 'x\n' }), await make({ 'y.txt': 'y\n' }), await make({ 'z.txt': 'z\n' })];
  moveOn({ 'b.txt': 'moved\n' });
  const tip = world.git('rev-parse', 'main');
  const { code, stdout, stderr } = await landAll();
  expect(code, stderr).toBe(0);
  expect(landedIn(stdout)).toEqual(tasks);
  expect((await world.events()).filter(({ type }) => type === 'line.gated.1')).toHaveLength(1);
  expect(world.git('reflog', 'show', '--format=%H', 'main').split('\n')[1]).toBe(tip);
  const trailers = world.git('log', '--reverse', '--format=%(trailers:key=Supervisor-Task,valueonly)', `${tip}..main`);
  expect(trailers.split('\n').filter(Boolean)).toEqual(tasks);

  for (const [n, task] of tasks.entries()) {
    const bundle = join(world.dir, `${n}.bundle`);
    expect((await world.run(['export', task, '--out', bundle], ENV)).code).toBe(0);
    const verified = await world.run(['verify', bundle], ENV);
    expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    const isLast = n === tasks.length - 1;
    expect(verified.stdout.includes('with further changes that landed at the same time')).toBe(!isLast);
  }
  const undone = await world.json<{ task_id: string }>(['undo', tasks[1] ?? '']);
  expect((await world.run(['land', undone.task_id], ENV)).code).toBe(0);
  expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'b.txt', 'x.txt', 'z.txt']);
});

test('a change in the middle that needs an approval stays behind; the others land, and it lands after a yes', async () => {
  writeFileSync(
    join(world.home, '.supervisor', 'approvals.yaml'),
    `approval_gates:\n  high_risk: {conditions: [changes_money], action: require_approval, approvers: [leads]}\ngroups: {leads: [${userInfo().username}]}\npaths: {money: [a.txt]}\n`,
  );
  const first = await make({ 'x.txt': 'x\n' });
  const asked = await run(world, [{ files: { 'a.txt': text(['right', ...LINES.slice(1)]) } }], []);
  const { task_id: middle } = JSON.parse(asked.stdout) as { task_id: string };
  expect((await world.run(['approve', middle], ENV)).code).toBe(0);
  const last = await make({ 'z.txt': 'z\n' });
  moveOn({ 'a.txt': text([...LINES.slice(0, 7), 'EIGHT']) });
  const { stdout, stderr, code } = await landAll();
  expect(code, stderr).toBe(3);
  expect(landedIn(stdout)).toEqual([first, last]);
  expect(JSON.parse(stdout)).toMatchObject({ not_landed: [{ task_id: middle, code: 'needs_approval' }] });
  expect(world.git('show', 'main:a.txt')).not.toContain('right');
  expect((await world.run(['approve', middle, 'land'], ENV)).code).toBe(0);
  expect((await world.run(['land', middle], ENV)).code).toBe(0);
  expect(world.git('show', 'main:a.txt')).toBe(text(['right', ...LINES.slice(1, 7), 'EIGHT']).trimEnd());
});
