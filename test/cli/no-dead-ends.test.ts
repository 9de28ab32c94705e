/** When a task stops, the report says what to do, and doing that works. */
import { describe, expect, test } from 'vitest';
import { nextCommands } from '../../src/faces/cli/next-commands.ts';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { eventually, World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=true'];
const play = (world: World, ...plays: object[]) =>
  world.file(
    `script-${plays.length}-${process.hrtime.bigint()}.yaml`,
    `steps: {implement: ${JSON.stringify(plays)}}\n`,
  );
const answer = (value: object) => `I need to know something.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`;
const RIGHT = { files: { 'a.txt': 'right\n' } };

async function ended(world: World, script: string, ...flags: string[]) {
  const result = await world.run(['run', 'make it right', '--script', script, ...GATE, ...flags]);
  const [task] = await world.tasks();
  return { ...result, id: task?.task_id ?? '' };
}

describe('a worker that asks', () => {
  const long = `Which of the two formats? ${'The old one is used by 17 callers. '.repeat(40)}And who migrates them?`;
  const BLOCKED = {
    says: answer({ status: 'BLOCKED', action_taken: 'nothing', blockers: [long, 'Second question?'] }),
  };

  test('is quoted whole, with the command that answers; the answer reaches the next worker', async () => {
    using world = new World();
    world.commit({ 'a.txt': 'old\n' });
    const { code, stdout, id } = await ended(world, play(world, BLOCKED, RIGHT));
    expect(code).toBe(3);
    const text = stdout.replaceAll(/\s*\n\s*\|?\s*/g, ' ');
    expect(text).toContain('The worker asks:');
    expect(text).toContain(long);
    expect(text).toContain('Second question?');
    expect(stdout).toMatch(new RegExp(`What next\n  supervisor answer ${id} "…"  +answer it, and go on`));
    const shown = await world.run(['status']);
    expect(shown.stdout).toContain(`supervisor answer ${id} "…"`);
    const resumed = await world.run(['answer', id, 'The new one; I migrate them.']);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    const packets = (await world.run(['show', id, '--packets'])).stdout;
    expect(packets).toContain('The operator adds:\nThe new one; I migrate them.');
  });
});

test('a gate with a missing program: the report says where to look, and asks for no answer', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const says = answer({ status: 'SUCCESS', action_taken: 'made it right' });
  const { code, stdout, id } = await ended(
    world,
    play(world, { ...RIGHT, says }, RIGHT),
    '--gate',
    'lint=no-such-program',
  );
  expect([code, stdout]).toEqual([4, expect.stringContaining('gate could not run: lint')]);
  const next = stdout.slice(stdout.indexOf('What next')).replaceAll(/ +/g, ' ');
  expect(next).toMatch(
    new RegExp(
      `supervisor doctor what the gates need\n supervisor check .*\n supervisor resume ${id} then have its change checked again`,
    ),
  );
  expect(next).not.toContain('--say');
});

test('a gate that could not run and now can: resume has the same change checked, and no worker runs', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const gate = (command: string) => world.userConfig(JSON.stringify({ gates: [{ name: 'lint', command }] }));
  const scripted = play(world, RIGHT, { files: { 'a.txt': 'by a second worker\n' } });
  gate('if test -e a.txt; then no-such-program; fi');
  const first = await ended(world, scripted, '--gate', 'lint');
  expect([first.code, first.stdout]).toEqual([4, expect.stringContaining('then have its change checked again')]);
  gate('grep -q right a.txt');
  const { code, stdout } = await world.run(['resume', first.id]);
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('implement: its change is checked again, no worker runs');
  const { commit, steps } = await world.json<RunReport>(['show', first.id]);
  expect(world.git('show', `${commit}:a.txt`)).toBe('right');
  expect(steps[0]?.history.at(-1)?.cost).toMatchObject({ usd: 0 });
});

test('a protected path: the report names --allow PATH, and resume takes it', async () => {
  using world = new World();
  // A name with brackets, as routers have them.
  const path = 'test/[id].test.js';
  world.commit({ 'a.txt': 'old\n', [path]: 'old\n' });
  const wrong = { files: { [path]: 'new\n' } };
  const { code, stdout, id } = await ended(world, play(world, wrong, wrong, wrong, wrong));
  expect(code).toBe(1);
  expect(stdout).toContain(`supervisor resume ${id} --allow '${path}'`);
  const resumed = await world.run(['resume', id, '--allow', path]);
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
  expect(await world.json(['show', id])).toMatchObject({ status: 'accepted', spec: { allow: [path] } });
});

test('.supervisor/ is never offered: no grant covers it', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const wrong = { files: { '.supervisor/config.yaml': 'gates: []\n' } };
  const { stdout } = await ended(world, play(world, wrong, wrong, wrong));
  expect(stdout).not.toContain('--allow');
});

test.each([
  ['no change', [{}, {}, {}], GATE, /show t-\w+ --said[\s\S]*resume t-\w+ --say/],
  [
    'a red gate',
    ['one', 'two', 'three'].map((text) => ({ files: { 'a.txt': text } })),
    ['--gate', 'tests=false'],
    /^What next\n.*show t-\w+ --evidence.*\n.*diff t-\w+ .*\n.*resume t-\w+ --say "…" .*\n.*take t-\w+ .*\n$/,
  ],
  [
    'the same change again after a red gate',
    [RIGHT, RIGHT, RIGHT],
    ['--gate', 'tests=false'],
    /^What next\n.*show t-\w+ --evidence.*\n.*diff t-\w+ .*\n.*resume t-\w+ --say "…" .*\n.*take t-\w+ .*\n$/,
  ],
])('what next fits what happened: %s', async (_, plays, gate, next) => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const { stdout } = await world.run(['run', 'x', '--script', play(world, ...plays), ...gate]);
  expect(stdout.slice(stdout.indexOf('What next'))).toMatch(next);
});

test.each([
  ['401', 'auth', /^What next\n.*supervisor doctor +what claude needs\n.*resume t-\w+ +then go on.*\n.*--cli OTHER/],
  ['offline', 'transient', /^What next\n.*resume t-\w+ +when the server can be reached again\n.*--cli OTHER/],
])('next commands on the command line: %s, and following them continues the task', async (_, outcome, next) => {
  using world = new World();
  world.userConfig('limits: {backoff: {tries: 1, first: 10ms, factor: 1, max: 10ms}}\n');
  const played = play(world, { outcome }, { outcome });
  const { stdout } = await world.run(['run', 'x', '--simulate', '--cli', 'claude', '--script', played]);
  expect(stdout.slice(stdout.indexOf('What next'))).toMatch(next);
  const id = (await world.tasks())[0]?.task_id ?? '';
  expect((await world.run(['show', id])).stdout).toMatch(new RegExp(next.source.slice(1)));
  const resumed = await world.run(['resume', id, '--cli', 'codex', '--script', play(world, {}, {}, {})]);
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
});

test('next commands while a quota is used up: another CLI, and following them continues the task', async () => {
  using world = new World();
  const out = play(world, { outcome: 'quota' }, {});
  const run = world.start(['run', 'x', '--simulate', '--cli', 'claude', '--script', out]);
  const isOut = async () => (await world.events('host')).some(({ type }) => type.startsWith('cli.parked'));
  await eventually(isOut, 'the quota is used up');
  const { stdout } = await world.run(['show']);
  expect(stdout).toMatch(/waits for +implement: claude quota, (?:resets|next try) \d\d:\d\d UTC/);
  const [, both] =
    /^ {2}(supervisor pause .* && .*) --cli OTHER +go on with another CLI than claude$/m.exec(stdout) ?? [];
  const id = (await world.tasks())[0]?.task_id ?? '';
  expect(both, stdout).toBe(`supervisor pause ${id} && supervisor resume ${id}`);
  expect((await world.run(['pause', id])).code).toBe(0);
  expect((await run.done).code).toBe(3);
  expect((await world.run(['show'])).stdout).toContain(`  supervisor resume ${id} --cli OTHER`);
  const resumed = await world.run(['resume', id, '--cli', 'codex', '--script', play(world, {}, {})]);
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
});

test.each([
  ['auth', /^supervisor doctor.*then go on with it/],
  ['transient', /when the server can be reached again.*--cli OTHER/],
  ['quota', /when the quota resets.*--cli OTHER/],
  ['timeout', /^supervisor show t-1 --transcript all that the worker printed.*fresh attempts$/],
  ['crash', /--transcript.*fresh attempts.*--cli OTHER/],
  ['resource_limit', /--transcript.*fresh attempts/],
])('next commands fit an attempt that ended with %s', (outcome, next) => {
  const report = { status: 'escalated', task_id: 't-1' } as RunReport;
  const obstacle = { outcome, reason: '', cli: 'claude', asks: false, paths: [], guard: null, takable: false };
  expect(
    nextCommands(report, obstacle)
      .map(({ command, does }) => `${command} ${does}`)
      .join('; '),
  ).toMatch(next);
});

test('what next fits a task whose budget is used up: a larger one, by its key', () => {
  const reason = "the task's budget is used up: $1.00 of $1.00 (limits.budget.task_usd); raise limits.budget.task_usd";
  const report = { status: 'escalated', task_id: 't-1', incident: { reason } } as RunReport;
  expect(nextCommands(report, null).map(({ command }) => command)).toEqual([
    'supervisor limits',
    'supervisor resume t-1 --limit budget.task_usd=AMOUNT',
  ]);
});

test('to take it is offered only where a step that changes files is open', () => {
  const report = { status: 'failed', task_id: 't-1' } as RunReport;
  const obstacle = { outcome: 'invalid', reason: 'gate failed: a', cli: 'x', asks: false, paths: [], guard: null };
  const offered = (takable: boolean) => nextCommands(report, { ...obstacle, takable }).map(({ command }) => command);
  expect(offered(true)).toContain('supervisor take t-1');
  expect(offered(false)).not.toContain('supervisor take t-1');
});

test('next commands fit a task on a detached HEAD, and one that a process works on', () => {
  const detached = { status: 'accepted', task_id: 't-1', onto: 'HEAD', branch: 'ai/t-1', commit: 'c', landed: null };
  expect(
    nextCommands({ ...detached, verified: true, waiting: [] as RunReport['waiting'] } as RunReport, null).at(-1)
      ?.command,
  ).toBe('supervisor land t-1 --onto BRANCH');
  const running = { status: 'running', task_id: 't-1' } as RunReport;
  const offered = (driven: boolean | null) => nextCommands(running, null, driven).map(({ command }) => command);
  expect(offered(true)).toEqual(['supervisor attach t-1', 'supervisor pause t-1', 'supervisor cancel t-1']);
  expect(offered(false)).toEqual(['supervisor resume t-1', 'supervisor cancel t-1']);
  expect(offered(null)).toEqual(['supervisor attach t-1', 'supervisor resume t-1']);
});

test('without a task, or with nothing recorded, every command says what to do', async () => {
  using world = new World();
  for (const command of ['show', 'diff', 'land', 'attach', 'pause x', 'resume x', 'cancel x'])
    expect((await world.run(command.split(' '))).stderr, command).toContain('no tasks yet: `supervisor run` makes one');
  for (const command of ['pause', 'cancel'])
    expect((await world.run([command])).stderr).toContain('TASK is missing: `supervisor status` lists tasks');
  expect((await world.run(['gc'])).stdout).toBe('nothing to tidy\n');
  await world.run(['run', 'x', '--simulate']);
  expect((await world.run(['show', '--transcript'])).stdout).toMatch(/nothing of that kind is recorded for t-/);
});

test('resume of a cancelled task says why not', async () => {
  using world = new World();
  const run = world.start(['run', 'x', '--simulate', '--script', play(world, { after: '30m' })]);
  const id = await eventually(async () => (await world.tasks())[0]?.task_id ?? null, 'the task is there');
  await world.run(['cancel', id]);
  await run.done;
  const { code, stderr } = await world.run(['resume', id]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`task ${id} was cancelled, which is for good`)]);
});

test('show prints nothing after What next', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const { id } = await ended(world, play(world, RIGHT, RIGHT, RIGHT), '--gate', 'more=false');
  const shown = (await world.run(['show', id])).stdout.trimEnd().split('\n');
  expect(shown).toContain('What next');
  expect(shown.slice(shown.indexOf('What next') + 1).every((line) => /^ {2}supervisor /.test(line))).toBe(true);
});

test('after kill -9 nothing is called running, and only what is possible is offered', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const killed = await world.run(['run', 'x', '--script', play(world, RIGHT), ...GATE], {
    SUPERVISOR_FAILPOINT: 'effect.after worker.run#1',
  });
  expect(killed.signal).toBe('SIGKILL');
  const [task] = await world.tasks();
  const id = task?.task_id ?? '';
  expect((await world.run(['status'])).stdout).toMatch(/^stopped: .*\n.*waiting {3}x /);
  expect(await world.json(['status'])).toMatchObject({ counts: { waiting: 1 } });
  const { stdout } = await world.run(['show']);
  expect(stdout).toMatch(/^waiting\n {2}implement +interrupted · 1 attempt/m);
  expect(stdout).not.toMatch(/running|working|attach|: attempt 1 by/);
  expect(stdout).toContain(`What next\n  supervisor resume ${id}  go on with it`);
  expect((await world.run(['land'])).stderr).toContain(`task ${id} has not ended`);
  const resumed = await world.run(['resume', id]);
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
  // `show` does not suggest itself.
  expect((await world.run(['show'])).stdout).not.toContain(`supervisor show ${id}  `);
});

test('resume --cli continues with another CLI, and refuses one that does not exist', async () => {
  using world = new World();
  const crash = { outcome: 'crash' };
  await world.run(['run', 'x', '--simulate', '--cli', 'claude', '--script', play(world, ...Array(9).fill(crash))]);
  const [task] = await world.tasks();
  const id = task?.task_id ?? '';
  expect(task?.status).toBe('failed');
  const resumed = await world.run([
    'resume',
    id,
    '--cli',
    'codex',
    '--script',
    play(world, {}, {}, {}, {}, {}, {}, {}, {}, {}),
  ]);
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
  const { steps } = await world.json<{ steps: { history: { cli: string }[] }[] }>(['show', id]);
  expect(steps[0]?.history.at(-1)?.cli).toBe('codex');
});

test('the answer of `--workflow ask` is printed without its json block', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'old\n' });
  const script = world.file(
    'ask.yaml',
    `steps: {answer: [{says: ${JSON.stringify(answer({ status: 'SUCCESS', notes: 'n' }))}}]}\n`,
  );
  const { code, stdout, stderr } = await world.run(['run', 'why?', '--workflow', 'ask', '--script', script]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('| I need to know something.');
  expect(stdout).not.toContain('```');
  expect(stdout).not.toContain('"status"');
});
