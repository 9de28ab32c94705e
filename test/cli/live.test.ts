/** The live view in a real terminal: what it shows, what it leaves, and that a pipe sees nothing of it. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { locateProject } from '../../src/app/open-store.ts';
import { transcriptPath } from '../../src/app/transcripts.ts';
import { ENTRY, eventually, World } from '../support/cli.ts';
import { Pty, Terminal } from '../support/pty.ts';

const ENDING = fileURLToPath(new URL('../fixtures/programs/draw-and-end.ts', import.meta.url));
const HINT = 'Ctrl-C pauses this task';
const TITLE = 'a title that is longer than a narrow terminal is wide';

const TWICE = 'steps: {implement: [{after: 700ms, gates: {tests: fail}}, {after: 700ms}]}\n';
const SLOW = 'steps: {implement: [{after: 30m}]}\n';

const envOf = (world: World) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: world.home,
  SUPERVISOR_HOME: world.state,
});

function terminal(
  world: World,
  args: readonly string[],
  over: { env?: Record<string, string>; columns?: number; rows?: number } = {},
) {
  const { env = {}, ...size } = over;
  return new Pty([process.execPath, ENTRY, ...args, '--project', world.repository], {
    dir: world.dir,
    env: { ...envOf(world), ...env },
    ...size,
  });
}

const run = (world: World, script: string, ...more: string[]) => [
  ...['run', TITLE, '--simulate', '--script', world.file('play.yaml', script), ...more],
];

const running = (world: World) =>
  eventually(async () => (await world.tasks()).find((one) => one.status === 'running')?.task_id ?? null, 'a task runs');

function print(world: World, task: string, text: string): void {
  const environment = readEnvironment({ SUPERVISOR_HOME: world.state });
  const name = { task, step: 'implement', attempt: 1 };
  const path = transcriptPath(environment, locateProject(world.repository).id, name);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, text);
}

/** How often something stands on the screen or above it. */
const times = (pty: Pty, text: string) => pty.terminal.text.split(text).length - 1;

function leftAlone({ terminal: { cursorShown, wraps, overflow, text } }: Pty): void {
  expect({ cursorShown, wraps, overflow }).toEqual({ cursorShown: true, wraps: true, overflow: 0 });
  expect(text).not.toContain(HINT);
}

describe('on a terminal', () => {
  test('a block shows the step, the attempt and the time; what matters stays above it, and the report takes its place', async () => {
    using world = new World();
    using pty = terminal(world, run(world, TWICE));
    await pty.showed(HINT);
    await pty.showed(/implement {2}attempt 1 of 3 · scripted · \d+ s/);
    await pty.showed('attempt 2 of 3 · scripted');
    expect(await pty.done, pty.terminal.text).toBe(0);
    leftAlone(pty);
    expect(times(pty, 'gate tests failed')).toBe(1);
    expect(times(pty, 'implement: tests failed; attempt 2 of 3 is told what failed')).toBe(1);
    expect(times(pty, 'gate tests passed')).toBe(1);
    expect(pty.terminal.text).toContain('accepted: all steps are done');
    expect(pty.terminal.text).not.toContain('attempt 2 of 3 · scripted');
  });

  test('the view is drawn at most ten times a second, and only where it has changed', async () => {
    using world = new World();
    using pty = terminal(world, run(world, SLOW));
    await pty.shows(HINT);
    expect(pty.terminal.cursorShown).toBe(false);
    // By its own clock, which it shows: a machine that stands still stops that too.
    const secondIn = ({ text }: { text: string }) => Number(/scripted · (\d+) s/.exec(text)?.[1] ?? 0);
    const last = await eventually(
      () => pty.pictures.findIndex((one) => secondIn(one) > 3) + 1 || null,
      'seconds have passed',
    );
    const first = pty.pictures.findIndex((one) => secondIn(one) > 0);
    const pictures = pty.pictures.slice(first, last - 1);
    const seconds = Map.groupBy(pictures, secondIn);
    expect(pictures.length).toBeGreaterThan(2);
    for (const each of seconds.values()) expect(each.length).toBeLessThanOrEqual(11);
    expect(pty.raw.slice(pty.pictures[first]?.sent, pictures.at(-1)?.sent)).not.toContain(HINT);
  });

  test('the end of the worker’s output is in it, harmless whatever it is', async () => {
    using world = new World();
    using pty = terminal(world, run(world, SLOW));
    const task = await running(world);
    print(world, task, '| first\n| reading src/parser.ts\n');
    await pty.shows('| reading src/parser.ts');
    // The terminal of this test throws at every one of these that gets through.
    print(
      world,
      task,
      `| \x1b[2J\x1b[H\x1b]0;title\x07 \x9b5A\r${'x'.repeat(500)}\n| \x1b[?1049h\u202efed\n| last of all\n`,
    );
    await pty.shows('| last of all');
    await pty.shows('| \\u001b[?1049h\\u202efed');
    expect(pty.terminal.overflow).toBe(0);
    expect(times(pty, HINT)).toBe(1);
  });

  test.each(['\x1b[2J', '\x1b]0;title\x07', '\x9b5A', '\b', '\x1b[?1049h'])(
    'and the terminal of these tests minds %j',
    (text) => {
      expect(() => new Terminal(80, 24).write(text)).toThrow('was sent');
    },
  );

  test('Ctrl-C stops politely, twice at once; either way the cursor comes back', async () => {
    using world = new World();
    for (const keys of ['\x03', '\x03\x03']) {
      using pty = terminal(world, run(world, SLOW));
      await pty.shows(HINT);
      await running(world);
      pty.type(keys);
      expect(await pty.done).toBe(130);
      leftAlone(pty);
      if (keys.length === 1) expect(pty.terminal.text).toMatch(/is paused\. `supervisor resume t-/);
    }
  });

  test('the view follows the size of the terminal, and loses nothing above it', async () => {
    using world = new World();
    using pty = terminal(world, run(world, SLOW));
    await pty.shows(HINT);
    const task = await running(world);
    print(world, task, `| ${'many words '.repeat(20)}\n`);
    await pty.shows('| many words');
    for (const columns of [40, 120, 60]) {
      pty.resize(columns, 24);
      await eventually(() => pty.terminal.columns === columns, 'it is drawn for the new size');
      await pty.shows('| many words');
      expect(pty.terminal.overflow).toBe(0);
      for (const once of [' implement ', '| many words', HINT, `task ${task}`])
        expect({ columns, once, times: times(pty, once) }).toEqual({ columns, once, times: 1 });
    }
    pty.type('\x03');
    expect(await pty.done).toBe(130);
    leftAlone(pty);
  });

  test('in a tiny terminal it is tiny', async () => {
    using world = new World();
    using pty = terminal(world, run(world, SLOW), { columns: 24, rows: 3 });
    await pty.shows(' implement  attempt');
    expect(pty.terminal.overflow).toBe(0);
    expect(times(pty, HINT)).toBe(0);
  });

  test('colours unless NO_COLOR', async () => {
    using world = new World();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what this is about
    const colours = /\x1b\[[\d;]*m/;
    using plain = terminal(world, run(world, TWICE), { env: { NO_COLOR: '1' } });
    expect(await plain.done).toBe(0);
    expect(plain.raw).not.toMatch(colours);
    using colourful = terminal(world, run(world, TWICE));
    expect(await colourful.done).toBe(0);
    expect(colourful.raw).toMatch(colours);
  });

  test('a follower of another process sees the same', async () => {
    using world = new World();
    const driver = world.start(run(world, SLOW));
    const task = await running(world);
    using pty = terminal(world, ['resume', task]);
    await pty.shows('another supervisor');
    await pty.shows('implement  attempt 1 of 3 · scripted');
    print(world, task, '| printed by the worker of another process\n');
    await pty.shows('| printed by the worker of another process');
    await world.run(['cancel', task]);
    expect(await pty.done, pty.terminal.text).toBe(1);
    leftAlone(pty);
    await driver.done;
  });
});

describe('the cursor comes back', () => {
  test.each(['throw', 'exit', 'SIGQUIT'])('after %s', async (how) => {
    using world = new World();
    using pty = new Pty([process.execPath, ENDING, how], { dir: world.dir, env: envOf(world) });
    expect(await pty.done).not.toBe(0);
    expect(pty.raw).toContain('\x1b[?25l');
    expect(pty.terminal.cursorShown).toBe(true);
    expect(pty.terminal.text).not.toContain('a block');
  });

  test('but not after SIGKILL, which cannot be caught: so these tests can fail', async () => {
    using world = new World();
    using pty = new Pty([process.execPath, ENDING, 'SIGKILL'], { dir: world.dir, env: envOf(world) });
    await pty.done;
    expect(pty.terminal.cursorShown).toBe(false);
    expect(pty.terminal.text).toContain('a block');
  });
});

describe('elsewhere', () => {
  test('through a pipe: a line for every event of the task, and no escape', async () => {
    using world = new World();
    const { code, stdout, stderr } = await world.run(run(world, TWICE), { NO_COLOR: '' });
    expect(code, stderr).toBe(0);
    expect(stdout + stderr).not.toContain('\x1b');
    const facts = (await world.events()).filter((event) => event.stream.startsWith('task/'));
    expect(stdout.split('\n').filter((line) => /^ *[\d.]+ m?s /.test(line))).toHaveLength(facts.length);
    expect(stdout).toContain('implement: tests failed; attempt 2 of 3 is told what failed');
  });

  test('on a terminal that is dumb: the same lines', async () => {
    using world = new World();
    using pty = terminal(world, run(world, TWICE), { env: { TERM: 'dumb' } });
    expect(await pty.done).toBe(0);
    expect(pty.raw).not.toContain('\x1b');
    expect(pty.terminal.text).toContain('implement: attempt 2 of 3 begins (scripted)');
  });

  test('with --json: the document and nothing else', async () => {
    using world = new World();
    using pty = terminal(world, run(world, TWICE, '--json'));
    expect(await pty.done).toBe(0);
    expect(JSON.parse(pty.raw)).toMatchObject({ status: 'accepted', simulated: true });
  });
});
