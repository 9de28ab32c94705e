/** What a person reads: help by -h, lines that break at words in a narrow terminal, and the debug log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/faces/cli/table.ts';
import { ENTRY, PATH, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';

test('-h shows the help of every command', async () => {
  using world = new World();
  const helped = COMMANDS.map(async ({ name, summary }) => ({ name, summary, ...(await world.run([name, '-h'])) }));
  for (const { name, summary, code, stdout, stderr } of await Promise.all(helped)) {
    expect([code, stderr], name).toEqual([0, '']);
    expect(stdout).toContain(`supervisor ${name}: ${summary}\n\nusage: supervisor ${name}`);
  }
  expect((await world.run(['status', '-h'])).stdout).toContain('-h, --help');
});

test.each([[['run', '--help']], [['--help']]])('in 60 columns no word of %j is broken', async (args) => {
  using world = new World();
  using pty = new Pty([process.execPath, ENTRY, ...args], {
    dir: world.repository,
    columns: 60,
    env: { HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
  });
  expect(await pty.done).toBe(0);
  const wide = (await world.run(args)).stdout;
  const words = new Set(wide.split(/\s+/));
  const odd = pty.terminal.text.split(/\s+/).filter((word) => word !== '' && !words.has(word));
  expect(odd).toEqual([]);
});

test('in 60 columns a report and doctor lose no word', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  world.userConfig('limits: {attempts: 1}\n');
  const script = world.file('s.yaml', 'steps: {implement: [{files: {a.txt: "new\\n"}}]}\n');
  const gates = ['--gate', 'tests=false', '--gate', 'further-tests-of-it=false'];
  const title = 'a task with a title that is longer than the sixty columns of the terminal that shows it';
  await world.run(['run', title, '--script', script, ...gates]);
  await world.run(['run', title, '--script', script, '--gate', 'tests=true']);
  const [{ task_id: accepted = '' } = {}, { task_id: failed = '' } = {}] = await world.tasks();
  for (const args of [['show', accepted], ['show', failed], ['doctor']]) {
    const wide = (await world.run(args)).stdout.split(/\s+/);
    using pty = new Pty([process.execPath, ENTRY, ...args], {
      dir: world.repository,
      columns: 60,
      env: { PATH, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
    });
    await pty.done;
    const narrow = pty.raw.split(/\s+/);
    // A path of this test may be longer than any terminal; all else fits.
    const long = pty.raw.split(/\r?\n/).filter((line) => line.length > 60 && !/^\s*\S+$/.test(line));
    expect(long.filter((line) => !line.includes('/'))).toEqual([]);
    expect(pty.raw).not.toMatch(/^ {2}branch .{60}/m);
    expect(wide.filter((word) => /[a-z]{4}/.test(word) && !narrow.includes(word))).toEqual([]);
  }
});

test('SUPERVISOR_LOG=debug tells every start, end, decision and wait with ids', async () => {
  using world = new World();
  const script = world.file('script.yaml', 'steps: {implement: [{outcome: transient}, {}]}\n');
  expect((await world.run(['run', 'x', '--simulate', '--script', script], { SUPERVISOR_LOG: 'debug' })).code).toBe(0);
  const task = (await world.tasks())[0]?.task_id ?? '';
  const lines = readFileSync(join(world.state, 'logs', 'supervisor.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const said = (message: string) => lines.filter((line) => line['message'] === message);
  const run = `${task}/implement/1/1/worker.run`;
  expect(said('effect begins')).toContainEqual(expect.objectContaining({ effect: run }));
  expect(said('effect ended')).toContainEqual(expect.objectContaining({ effect: run, ms: expect.any(Number) }));
  expect(said('decided')).toContainEqual(expect.objectContaining({ command: 'task.create', refused: null }));
  expect(said('event')).toContainEqual(
    expect.objectContaining({ type: 'attempt.started.2', stream: `task/${task}`, step: 'implement', attempt: 1 }),
  );
  expect(said('waits')).toContainEqual(expect.objectContaining({ timer: expect.stringContaining('/backoff/') }));
});
