/** `supervisor approvals`: a list for programs, and a screen on a real terminal; by keyboard only. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENV } from '../real/task.ts';
import { ENTRY, eventually, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';

const POLICY = `approval_gates:
  low_risk: {conditions: [no_security_sensitive_files], action: require_approval}
  high_risk: {conditions: [changes_auth_code], action: require_approval, approvers: [leads]}
groups: {leads: [${userInfo().username}]}
`;

/** Tasks that wait for an approval: the second one touches logins. */
async function waiting(): Promise<World & { tasks: string[] }> {
  const world = new World();
  world.commit({ 'a.txt': 'old\n' });
  mkdirSync(join(world.home, '.supervisor'), { recursive: true });
  writeFileSync(join(world.home, '.supervisor', 'approvals.yaml'), POLICY);
  const tasks: string[] = [];
  for (const path of ['b.txt', 'src/login.js']) {
    const files = { 'a.txt': 'right\n', [path]: 'new\n' };
    const script = world.file(`script-${tasks.length}.yaml`, JSON.stringify({ steps: { implement: [{ files }] } }));
    const args = ['run', `change ${path}`, '--script', script, '--gate', 'tests=grep -q right a.txt', '--json'];
    const { code, stdout, stderr } = await world.run(args, ENV);
    expect(code, stderr).toBe(3);
    tasks.push((JSON.parse(stdout) as { task_id: string }).task_id);
  }
  return Object.assign(world, { tasks });
}

const screen = (world: World, size: { columns?: number; rows?: number } = {}) =>
  new Pty([process.execPath, ENTRY, 'approvals', '--project', world.repository], {
    dir: world.dir,
    env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state },
    ...size,
  });

/** Kills the one process that shows the screen of this repository. */
function killedProgram(repository: string): boolean {
  const own = readdirSync('/proc').find((pid) => {
    try {
      const words = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0');
      return words[0] === process.execPath && words.includes('approvals') && words.includes(repository);
    } catch {
      return false;
    }
  });
  if (own !== undefined) process.kill(Number(own), 'SIGKILL');
  return own !== undefined;
}

const statusOf = async (world: World, task: string): Promise<unknown> =>
  (await world.json<{ waiting: unknown[] }>(['show', task])).waiting.length === 0 ? 'answered' : 'asked';

/** As a person types: one key after the other, each when the one before was seen. */
async function typeWord(pty: Pty, word: string): Promise<void> {
  for (const [n, char] of [...word].entries()) {
    pty.type(char);
    await pty.shows(`> ${word.slice(0, n + 1)}`.trimEnd());
  }
  pty.type('\r');
}

test('without a terminal it lists what waits, with the facts and both answers, and ends with 3', async () => {
  using world = await waiting();
  const { code, stdout } = await world.run(['approvals', '--json']);
  const [low, high] = world.tasks;
  expect([code, JSON.parse(stdout)]).toMatchObject([
    3,
    {
      approvals: [
        { task_id: low, step: 'approval', level: 'low_risk', files: [{ path: 'a.txt', added: 1, removed: 1 }, {}] },
        { task_id: high, level: 'high_risk', checks: [{ name: 'tests', good: true }], approve: expect.any(String) },
      ],
    },
  ]);
  const said = await world.run(['approvals']);
  expect(said.stdout).toMatch(
    new RegExp(`${low}  change b.txt[\\s\\S]*yes +supervisor approve ${low}[\\s\\S]*${high}`),
  );
});

describe('on a terminal', () => {
  test('A approves what is of low risk; high risk wants a typed word, and pasted text approves nothing', async () => {
    using world = await waiting();
    const [low = '', high = ''] = world.tasks;
    using pty = screen(world);
    await pty.shows('Approval required (1 of 2, 2 open)');
    pty.type('\u001b[200~a\r\u001b[201~');
    await pty.shows('pasted text approves nothing');
    pty.type('a');
    await pty.shows('Risk  HIGH (changes_auth_code)');
    pty.type('a');
    await pty.shows('type: approve');
    pty.type('approve');
    await pty.shows('pasted text approves nothing');
    expect(await statusOf(world, high)).toBe('asked');
    await typeWord(pty, 'approve');
    expect(await pty.done, pty.terminal.text).toBe(0);
    expect(pty.terminal.text).toMatch(/approved: .*\napproved: .*\n2 of 2 answered/);
    expect([await statusOf(world, low), await statusOf(world, high)]).toEqual(['answered', 'answered']);
  });

  test('R sends it back with the reason; S skips; what is left still waits', async () => {
    using world = await waiting();
    const [low = '', high = ''] = world.tasks;
    using pty = screen(world, { columns: 60, rows: 20 });
    await pty.shows('(1 of 2');
    pty.type('d');
    await pty.shows('diff --git a/a.txt');
    pty.type('d');
    await pty.shows('[R]eject');
    pty.type('r');
    await pty.shows('What is wrong?');
    await typeWord(pty, 'too large');
    await pty.shows('(2 of 2');
    pty.type('s');
    expect(await pty.done, pty.terminal.text).toBe(3);
    const { events } = { events: await world.events() };
    const said = events.filter(({ type }) => type === 'step.answered.1').map(({ data }) => data);
    expect(said).toMatchObject([{ decision: 'REJECT', reason: 'too large' }]);
    expect([await statusOf(world, low), await statusOf(world, high)]).toEqual(['answered', 'asked']);
  });

  test.each(['q', '\u0003', 'SIGTERM'])(
    '%j ends it, nothing is answered, and the terminal is as it was',
    async (how) => {
      using world = await waiting();
      using pty = screen(world);
      await pty.shows('(1 of 2');
      if (how === 'SIGTERM') process.kill(pty.pid, 'SIGTERM');
      else pty.type(how);
      expect(await pty.done).toBe(3);
      expect([
        pty.terminal.cursorShown,
        pty.raw.lastIndexOf('\u001b[?2004l') > pty.raw.lastIndexOf('\u001b[?2004h'),
      ]).toEqual([true, true]);
      for (const task of world.tasks) expect(await statusOf(world, task)).toBe('asked');
    },
  );

  test('after kill -9 the terminal is as it was, also where the shell does not care', async () => {
    using world = await waiting();
    const program = `"${process.execPath}" "${ENTRY}" approvals --project "${world.repository}"`;
    // Without somebody who restores it, this loop would not end.
    const shell = `before=$(stty -g); ${program}; until test "$(stty -g)" = "$before"; do sleep 0.01; done; echo restored`;
    using pty = new Pty(['/bin/sh', '-c', shell], {
      dir: world.dir,
      env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state },
    });
    await pty.shows('(1 of 2');
    expect(pty.terminal.cursorShown).toBe(false);
    await eventually(() => killedProgram(world.repository), 'the program is killed');
    await pty.shows('restored');
    await eventually(
      () => pty.terminal.cursorShown && pty.raw.lastIndexOf('\u001b[?2004l') > pty.raw.lastIndexOf('\u001b[?2004h'),
      'the cursor is back, and pastes are not marked',
    );
    for (const task of world.tasks) expect(await statusOf(world, task)).toBe('asked');
  });

  test.each([
    [120, 40],
    [80, 24],
    [60, 20],
  ])('at %ix%i all of it is done by keyboard, and nothing is drawn beside the screen', async (columns, rows) => {
    using world = await waiting();
    const [low = '', high = ''] = world.tasks;
    using pty = screen(world, { columns, rows });
    await pty.shows('(1 of 2');
    expect(pty.terminal.screen.join('\n')).toMatch(/Risk {2}LOW[\s\S]*b\.txt[\s\S]*tests[\s\S]*\[A\]pprove/);
    pty.type('d');
    await pty.shows('diff --git a/a.txt');
    pty.type('d');
    await pty.shows('[S]kip');
    pty.type('c');
    await pty.shows('Comment, such as');
    await typeWord(pty, 'a.txt is fine');
    await pty.shows('the comment goes with your answer');
    pty.type('a');
    await pty.shows('(2 of 2');
    pty.type('a');
    await pty.shows('type: approve');
    await typeWord(pty, 'approve');
    expect(await pty.done, pty.terminal.text).toBe(0);
    expect([pty.terminal.overflow, pty.terminal.cursorShown]).toEqual([0, true]);
    expect([await statusOf(world, low), await statusOf(world, high)]).toEqual(['answered', 'answered']);
  });

  test('IF-20: the end of a paste inside a paste, a screen of one cell and a storm of sizes approve nothing', async () => {
    using world = await waiting();
    using tiny = screen(world, { columns: 1, rows: 1 });
    await eventually(() => tiny.raw.includes('\u001b[?2004h') && tiny.pictures.length > 1, 'something is drawn');
    tiny.type('q');
    expect(await tiny.done).toBe(3);
    using pty = screen(world);
    await pty.shows('(1 of 2');
    pty.type('\u001b[200~x\u001b[201~a\r');
    await pty.shows('pasted text approves nothing');
    pty.type('\u001b[200~');
    pty.type('a\r');
    pty.type('\u001b[201~');
    for (let n = 0; n < 30; n++) pty.resize(20 + ((n * 37) % 100), 5 + ((n * 7) % 30));
    pty.resize(80, 24);
    await pty.shows('(1 of 2');
    for (const task of world.tasks) expect(await statusOf(world, task)).toBe('asked');
    // Control: the same letter as a key counts.
    pty.type('a');
    await pty.shows('(2 of 2');
    expect(await statusOf(world, world.tasks[0] ?? '')).toBe('answered');
    pty.type('q');
    expect(await pty.done).toBe(3);
  });

  test('IF-20: TERM=dumb gets the list, and no control character', async () => {
    using world = await waiting();
    using pty = new Pty([process.execPath, ENTRY, 'approvals', '--project', world.repository], {
      dir: world.dir,
      env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state, TERM: 'dumb' },
    });
    expect(await pty.done).toBe(3);
    expect(pty.raw).not.toContain('\u001b');
    expect(pty.terminal.text).toContain(`supervisor approve ${world.tasks[0]}`);
  });
});
