/** `take` and `give`: a person finishes what a worker almost did. Real git, real gates, a real sandbox. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { userName } from '../../src/os/machine/identity.ts';
import { ENV, refused, run, script } from '../real/task.ts';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=grep -q right a.txt'];
const PLAYS = [1, 2, 3].map((n) => ({ files: { 'a.txt': `wrong ${n}\n`, 'new.txt': 'new\n' } }));

type Taken = {
  task_id: string;
  step: string;
  by: string;
  dir: string;
  change_id: string | null;
  feedback_file: string;
  gates: { gate: string; status: string; command: string }[];
  already: boolean;
};

/** A task whose worker has failed its gate three times. */
async function failedTask(): Promise<World & { task: string }> {
  const world = new World();
  world.commit({ 'a.txt': 'one\n', 'test/a.test.js': 'ok\n', '.gitignore': 'tmp/\n' });
  const { code, stdout } = await run(world, PLAYS, GATE);
  const report = JSON.parse(stdout) as RunReport;
  expect([code, report.status, report.steps[0]?.attempts]).toEqual([1, 'failed', 3]);
  return Object.assign(world, { task: report.task_id });
}

const cli = (world: World, ...args: string[]) => world.run(args, ENV);
async function taken(world: World, task: string, ...more: string[]): Promise<Taken> {
  const { code, stdout, stderr } = await cli(world, 'take', task, ...more, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Taken;
}

async function given(world: World, ...args: string[]): Promise<{ code: number | null; report: RunReport }> {
  const { code, stdout, stderr } = await cli(world, 'give', ...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return { code, report: JSON.parse(stdout) as RunReport };
}

describe('a task whose worker failed its gate three times', () => {
  test('is not given while a merge in the checkout is in conflict, although its gate would pass', async () => {
    using world = await failedTask();
    const { dir } = await taken(world, world.task);
    const at = (...args: string[]) => world.git('-C', dir, ...args);
    at('commit', '-qm', 'mine');
    const mine = at('rev-parse', 'HEAD');
    at('checkout', '-q', 'HEAD~1');
    writeFileSync(join(dir, 'a.txt'), 'right\n');
    at('commit', '-qam', 'right');
    expect(() => at('merge', '-q', mine)).toThrow();
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toContain('<<<<<<<');
    expect((await given(world, world.task)).code).toBe(3);
    expect((await cli(world, 'show', world.task)).stdout).toContain('a.txt: is in conflict: resolve it');
    writeFileSync(join(dir, 'a.txt'), 'right\n');
    at('add', 'a.txt');
    expect((await given(world, world.task)).code).toBe(0);
  });

  test('is taken, mended, given, accepted and landed; the record says who did it', async () => {
    using world = await failedTask();
    const { task } = world;
    const shown = await cli(world, 'show', task);
    expect(shown.stdout).toContain(`supervisor take ${task}`);
    const before = world.git('status', '--porcelain');
    const mine = await taken(world, task);
    expect(mine).toMatchObject({ task_id: task, step: 'implement', by: userName(), already: false });
    expect(mine.dir).toBe(`${world.repository}-${task}`);
    // An ordinary checkout, in which the worker's change is staged; the operator's own is as it was.
    const at = (...args: string[]) => world.git('-C', mine.dir, ...args);
    expect(readFileSync(join(mine.dir, 'a.txt'), 'utf8')).toBe('wrong 3\n');
    expect(at('status', '--porcelain')).toBe('M  a.txt\nA  new.txt');
    expect(world.git('status', '--porcelain')).toBe(before);
    expect(mine.gates).toMatchObject([{ gate: 'tests', status: 'fail', command: 'grep -q right a.txt' }]);
    expect(readFileSync(mine.feedback_file, 'utf8')).toContain('grep -q right a.txt');
    expect(mine.feedback_file.startsWith(`${mine.dir}/`)).toBe(false);

    const status = await cli(world, 'status');
    expect(status.stdout).toContain(`${userName()} has task ${task} since`);
    expect(status.stdout).toContain(`supervisor take ${task} --drop`);
    expect((await cli(world, 'show', task)).stdout).toContain(`supervisor give ${task}`);

    writeFileSync(join(mine.dir, 'a.txt'), 'right\n');
    writeFileSync(join(mine.dir, 'mine.txt'), 'of a person\n');
    rmSync(join(mine.dir, 'new.txt'));
    mkdirSync(join(mine.dir, 'tmp'));
    writeFileSync(join(mine.dir, 'tmp', 'log'), 'ignored\n');
    // From within the checkout no task has to be named.
    const { code, report } = await given(world, '--project', mine.dir);
    expect([code, report.status, report.verified]).toEqual([0, 'accepted', true]);
    expect(report.taken).toBeUndefined();
    expect(report.steps[0]).toMatchObject({ attempts: 4 });
    expect(report.steps[0]?.history.at(-1)).toMatchObject({ attempt: 4, cli: '', by: userName(), class: 'ok' });
    expect(world.git('show', `${report.branch}:a.txt`)).toBe('right');
    expect(world.git('ls-tree', '-r', '--name-only', `${report.branch}`).split('\n')).toEqual([
      ...['.gitignore', 'README.md', 'a.txt', 'mine.txt', 'test/a.test.js'].filter((path) =>
        world.git('ls-tree', '-r', '--name-only', `${report.branch}`).includes(path),
      ),
    ]);
    const message = world.git('log', '-1', '--format=%B', `${report.branch}`);
    expect(message).toContain(`Supervisor-Made-by: ${userName()}`);
    expect(message).not.toContain('The worker says');
    expect((await cli(world, 'land', task, '--yes')).code).toBe(0);
    expect(world.git('show', 'main:a.txt')).toBe('right');
    const records = await cli(world, 'show', task, '--records');
    expect(records.stdout).toContain(`"by": "operator:${userName()}"`);
    expect((await cli(world, 'log', task)).stdout).toContain(`attempt 4 begins (by ${userName()})`);
    // Nothing is deleted: the checkout stays.
    expect(existsSync(join(mine.dir, 'mine.txt'))).toBe(true);
    refused(await cli(world, 'give', task), 1, 'is not taken');
  });

  test('a forbidden change is refused as a worker’s is, and stays with the person, who mends it', async () => {
    using world = await failedTask();
    const { dir } = await taken(world, world.task, join(world.dir, 'fix'));
    expect(dir).toBe(join(world.dir, 'fix'));
    writeFileSync(join(dir, 'a.txt'), 'right\n');
    writeFileSync(join(dir, 'test/a.test.js'), 'changed\n');
    const sent = await cli(world, 'give', world.task);
    expect(sent.code).toBe(3);
    expect(sent.stdout).toContain('test/a.test.js');
    const report = await world.json<RunReport>(['show', world.task]);
    expect(report).toMatchObject({ status: 'waiting', taken: { dir } });
    expect(report.steps[0]?.history.at(-1)).toMatchObject({ attempt: 4, class: 'invalid', category: 'validation' });
    expect(report.steps[0]?.history.at(-1)?.reason).toContain('test/a.test.js');
    // No worker goes on with it meanwhile.
    refused(await cli(world, 'resume', world.task), 1, 'has task', '--drop');
    refused(await cli(world, 'give', world.task), 1, 'nothing was changed');
    writeFileSync(join(dir, 'test/a.test.js'), 'ok\n');
    const { code, report: end } = await given(world, world.task);
    expect([code, end.status, end.steps[0]?.attempts]).toEqual([0, 'accepted', 5]);
  });

  test('a red gate sends it back to the person, not to a worker; `--drop` leaves it failed, and deletes nothing', async () => {
    using world = await failedTask();
    const { dir } = await taken(world, world.task);
    writeFileSync(join(dir, 'a.txt'), 'still wrong\n');
    const { code, report } = await given(world, world.task);
    expect([code, report.status, report.steps[0]?.attempts]).toEqual([3, 'waiting', 4]);
    const { stdout } = await cli(world, 'take', world.task, '--drop');
    expect(stdout).toContain(`it is failed`);
    expect(stdout).toContain(dir);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('still wrong\n');
    const after = await world.json<RunReport>(['show', world.task]);
    expect([after.status, after.taken, after.verdict.reasons]).toEqual([
      'failed',
      undefined,
      ['gate failed: tests; the same error 3 times'],
    ]);
    // It can be taken again, elsewhere.
    refused(await cli(world, 'take', world.task), 1, 'exists already');
    const again = await taken(world, world.task, join(world.dir, 'again'));
    expect(readFileSync(join(again.dir, 'a.txt'), 'utf8')).toBe('still wrong\n');
  });

  test('a step that cannot be given is refused in plain words', async () => {
    using world = await failedTask();
    const { task } = world;
    refused(await cli(world, 'give', task), 1, `task ${task} is not taken`);
    refused(await cli(world, 'take', task, world.repository), 1, 'exists already, and nothing is overwritten');
    refused(await cli(world, 'take', task, join(world.repository, 'sub')), 1, 'lies in your own checkout');
    expect(world.git('status', '--porcelain')).toBe('');
    refused(await cli(world, 'take', task, join(world.dir, 'no', 'such')), 1, 'cannot make a directory');
    refused(await cli(world, 'take', 't-nope'), 1, 'there is no task t-nope');
    refused(await cli(world, 'take'), 2, 'TASK is missing');
    refused(await cli(world, 'give'), 2, 'TASK is missing');
    refused(await cli(world, 'take', task, '--drop'), 1, 'is not taken');
    const { dir } = await taken(world, task);
    refused(await cli(world, 'give', task), 1, `nothing was changed in ${dir}`);
    expect((await taken(world, task)).already).toBe(true);
    refused(await cli(world, 'take', task, join(world.dir, 'other')), 1, `has task ${task} since`, dir);
    rmSync(dir, { recursive: true });
    refused(await cli(world, 'give', task), 1, `the checkout ${dir} is gone`);
    // Taken again, it is made once more.
    expect((await taken(world, task)).dir).toBe(dir);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('wrong 3\n');
  });

  test('two terminals: both take and both give at once; one checkout, one attempt', async () => {
    using world = await failedTask();
    const { task } = world;
    const takes = await Promise.all([cli(world, 'take', task), cli(world, 'take', task)]);
    expect(takes.some(({ code }) => code === 0)).toBe(true);
    const { dir } = await taken(world, task);
    writeFileSync(join(dir, 'a.txt'), 'right\n');
    const gives = await Promise.all([cli(world, 'give', task), cli(world, 'give', task)]);
    expect(gives.some(({ code }) => code === 0)).toBe(true);
    const events = await world.events();
    const byPeople = events.filter(({ type, data }) => type === 'attempt.started.2' && 'given' in (data as object));
    expect(byPeople).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'step.taken.1')).toHaveLength(1);
    expect(await world.json<RunReport>(['show', task])).toMatchObject({ status: 'accepted' });
  });
});

test('a task whose process was killed with its worker is paused, taken and given: nothing waits for the dead worker', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const plays = script(world, [{ run: 'sleep 300', files: { 'a.txt': 'wrong\n' } }]);
  const work = world.start(['run', 'make it right', '--script', plays, ...GATE, '--json'], ENV);
  const begun = async () => (await world.events()).some(({ type }) => type === 'attempt.started.2');
  await expect.poll(begun, { timeout: 60_000 }).toBe(true);
  work.child.kill('SIGKILL');
  await work.done;
  const [task] = await world.tasks();
  const id = task?.task_id ?? '';
  refused(await cli(world, 'take', id), 1, `task ${id} is running: \`supervisor pause ${id}\` first`);
  expect((await cli(world, 'pause', id)).code).toBe(0);
  const { dir, change_id } = await taken(world, id);
  expect([change_id, readFileSync(join(dir, 'a.txt'), 'utf8')]).toEqual([null, 'one\n']);
  writeFileSync(join(dir, 'a.txt'), 'right\n');
  const { code, report } = await given(world, id);
  expect([code, report.status]).toEqual([0, 'accepted']);
  expect(report.steps[0]?.history.map(({ by, class: end }) => [by, end])).toEqual([
    [undefined, 'interrupted'],
    [userName(), 'ok'],
  ]);
});
