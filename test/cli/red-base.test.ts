/**
 * A base with failing tests: reported before or during the work, never called verified, and landed only with a flag.
 */
import { expect, test } from 'vitest';
import { READING } from '../../src/faces/cli/silence.ts';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { ENV, type Plays, refused, script } from '../real/task.ts';
import { ENTRY, eventually, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';
import { released, UNTIL_RELEASED } from '../support/release.ts';

const FILES = {
  'stock.mjs': 'export const take = (have, want) => have - want;\n',
  'test/stock.test.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
import { take } from '../stock.mjs';
test('takes', () => assert.equal(take(3, 1), 2));
test('refuses to take more', () => assert.throws(() => take(1, 3)));
`,
};
/** Root has control groups; anybody else is told once what is not enforced without them. */
const NOT_ENFORCED = process.getuid?.() === 0 ? '' : /^sandbox: not enforced here: .*\n$/;
const NAME = 'test/stock.test.mjs > refuses to take more';
const RED = 'tests: 1 red, same as base';
/** Nothing but a comment, and the real thing. */
const commented = (text: string) => ({ files: { 'stock.mjs': `${FILES['stock.mjs']}// ${text}\n` } });
const COMMENT = commented('done');
/** The same one again would be sent to a person. */
const COMMENTS = [COMMENT, commented('done now'), commented('really done')];
const MENDED = {
  files: {
    'stock.mjs':
      'export const take = (have, want) => {\n  if (want > have) throw new RangeError();\n  return have - want;\n};\n',
  },
};
const GATE = { name: 'tests', command: 'node --test --test-reporter=tap test/*.test.mjs', ids: 'tap' };

function shop(gate: object = GATE): World {
  const world = new World();
  world.commit(FILES);
  world.userConfig(JSON.stringify({ gates: [gate] }));
  return world;
}
/** The words of the issue: the task names no test. */
const asked = (world: World, plays: Plays, more: readonly string[]) => [
  ...['run', 'Taking more than there is raises an error', '--script', script(world, plays), ...more],
];
const text = (world: World, plays: Plays, ...more: string[]) => world.run(asked(world, plays, more), ENV);
const json = (world: World, plays: Plays, ...more: string[]) =>
  world.json<RunReport & { commit: string; base: string }>(asked(world, plays, more), ENV);

test('a comment for a fix: accepted, exit 0, reported as red, not verified, and not landed without a flag', async () => {
  using world = shop();
  const { code, stdout, stderr } = await text(world, [COMMENT]);
  // A slow machine is told what it waits for.
  const told = stderr
    .replace(`${READING}\n`, '')
    .replace(/^ +[\d.]+ s implement: still waiting for .*\n/gm, '')
    .replace(NOT_ENFORCED, '');
  expect([code, told]).toEqual([0, '']);
  expect(stdout).toContain(`accepted: all steps are done; ${RED}`);
  expect(stdout).toContain(`· ${RED} (attempt 1)`);
  expect(stdout).toContain(`gate ${RED}`);
  expect(stdout).toContain(`NOT VERIFIED: ${RED}.`);
  expect(stdout).toContain(`    red ${NAME}`);
  expect(stdout).not.toMatch(/tests pass|gate tests passed/);
  const [, id = ''] = /^(t-\S+) {2}/m.exec(stdout) ?? [];
  expect(stdout).toContain(`supervisor land ${id} --unverified`);

  const shown = await world.json<RunReport & { commit: string }>(['show', id]);
  expect(shown).toMatchObject({
    status: 'accepted',
    verified: false,
    red: { count: 1, same_as_base: true, kept: false, gates: [{ gate: 'tests', count: 1 }], tests: [NAME] },
    steps: [
      {
        evidence: [
          { gate: 'tests', status: 'pass', excused: 1 },
          { gate: 'tests-canary', status: 'pass', excused: 0 },
        ],
      },
    ],
  });
  expect(world.git('log', '-1', '--format=%B', shown.commit)).toContain(`\n\n${RED}\n\nSupervisor-Task: ${id}`);
  const events = JSON.stringify(await world.events());
  expect(events).toContain('"excused":1');
  expect(events).not.toContain('refuses to take more');

  world.git('branch', 'release', 'main');
  const before = world.git('rev-parse', 'release');
  refused(await world.run(['land', id, '--onto', 'release'], ENV), 1, RED, NAME, '--unverified', '--keep-red');
  expect(world.git('rev-parse', 'release')).toBe(before);
  const landed = await world.json(['land', id, '--onto', 'release', '--unverified'], ENV);
  expect(landed).toMatchObject({ commit: shown.commit, red: { gates: [{ gate: 'tests', count: 1 }], tests: [NAME] } });
  expect(world.git('rev-parse', 'release')).toBe(shown.commit);
});

test('--keep-red is on record, and land names the red tests and asks for nothing more', async () => {
  using world = shop();
  const report = await json(world, [COMMENT], '--keep-red');
  expect(report).toMatchObject({ status: 'accepted', verified: false, red: { kept: true, tests: [NAME] } });
  expect(await world.json(['show', report.task_id])).toMatchObject({ spec: { red_base: 'keep' } });
  world.git('branch', 'release', 'main');
  const landed = await world.run(['land', report.task_id, '--onto', 'release'], ENV);
  expect([landed.code, landed.stdout], landed.stderr).toEqual([0, expect.stringContaining(`${RED}\n  red ${NAME}`)]);
  // Also where it is only told how to land.
  const told = await world.run(['land', report.task_id], ENV);
  expect([told.code, told.stdout, told.stderr]).toEqual([
    3,
    expect.stringContaining(`  red ${NAME}`),
    expect.stringContaining('git merge --ff-only'),
  ]);
});

test('--fix-base excuses nothing: the comment is sent back, the fix is accepted and verified', async () => {
  using world = shop();
  const report = await json(world, [COMMENT, MENDED], '--fix-base');
  expect(report).toMatchObject({ status: 'accepted', verified: true, red: null, steps: [{ attempts: 2 }] });
  expect(report.steps[0]?.evidence.map(({ gate, status }) => [gate, status])).toEqual([
    ['tests', 'fail'],
    ['tests', 'pass'],
    ['tests-canary', 'pass'],
  ]);
  const failed = await text(world, COMMENTS, '--fix-base');
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('failed: gate failed: tests')]);
});

test('a task that landed green on a line that is red by now needs the same word', async () => {
  using world = new World();
  world.commit({ ...FILES, ...MENDED.files });
  world.userConfig(JSON.stringify({ gates: [GATE] }));
  const report = await json(world, [{ files: { 'more.txt': 'more\n' } }]);
  expect(report).toMatchObject({ status: 'accepted', verified: true });
  world.git('checkout', '-q', '-b', 'broken');
  world.commit(FILES);
  world.git('checkout', '-q', 'main');
  refused(await world.run(['land', report.task_id, '--onto', 'broken'], ENV), 1, RED, NAME, '--unverified');
  const landed = await world.run(['land', report.task_id, '--onto', 'broken', '--unverified'], ENV);
  expect([landed.code, landed.stdout], landed.stderr).toEqual([0, expect.stringContaining(`  red ${NAME}`)]);
  expect(world.git('log', '-1', '--format=%B', 'broken')).toContain(`\n\n${RED}\n\n`);
});

test('a red base is reported while the worker still works, as soon as it is known', async () => {
  using world = shop();
  const slow = world.start(asked(world, [{ ...COMMENT, run: 'sleep 600' }], []), ENV);
  await eventually(() => slow.output().includes('the base is red'), 'the base is told');
  expect(slow.output()).toContain(`the base is red: gate tests has 1 failed test there: ${NAME}`);
  expect(slow.output()).not.toMatch(/gates run|accepted/);
  slow.child.kill('SIGINT');
  expect((await slow.done).code).toBe(130);
  expect((await world.run(['cancel', (await world.tasks())[0]?.task_id ?? ''], ENV)).code).toBe(0);
  expect(slow.output()).toContain('(`land` then needs --unverified): `run --fix-base` requires');
  const plain = await text(world, [COMMENT]);
  expect([plain.code, plain.stdout]).toEqual([0, expect.not.stringContaining('the base is red')]);
  const again = await world.run(asked(world, [COMMENT], ['--json']), ENV);
  expect(again.code).toBe(0);
  expect(again.stderr).toContain(`the base is red: gate tests has 1 failed test there: ${NAME}`);
  expect(again.stderr).toContain('`run --fix-base` requires them to pass');
  expect(JSON.parse(again.stdout)).toMatchObject({ verified: false });
});

test('a gate without test names: its red base is reported, and nothing is excused', async () => {
  using world = shop({ name: 'tests', command: GATE.command });
  const slow = world.start(asked(world, [{ ...COMMENT, run: 'sleep 600' }], []), ENV);
  await eventually(
    () => slow.output().includes('gate tests fails there (exit code 1); nothing is excused'),
    'it is told',
  );
  slow.child.kill('SIGINT');
  expect((await slow.done).code).toBe(130);
  expect((await world.run(['cancel', (await world.tasks())[0]?.task_id ?? ''], ENV)).code).toBe(0);
  expect(await json(world, [COMMENT, MENDED])).toMatchObject({ verified: true, red: null, steps: [{ attempts: 2 }] });
});

test.each([
  ['keep', { verified: false, red: { kept: true } }],
  ['fix', { status: 'failed', verified: false }],
] as const)(
  'on a terminal the operator is asked what is to become of a base that is known to be red: %s',
  async (answer, report) => {
    using world = shop();
    const before = await json(world, [COMMENT]);
    const env = { ...ENV, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' };
    const args = asked(world, COMMENTS, ['--project', world.repository]);
    using pty = new Pty([process.execPath, ENTRY, ...args], { dir: world.dir, env });
    await pty.shows('[fix/keep]');
    pty.type(`what\n${answer}\n`);
    await pty.done;
    const { task_id } = (await world.tasks()).find((one) => one.task_id !== before.task_id) ?? { task_id: '' };
    expect(await world.json(['show', task_id])).toMatchObject({ ...report, spec: { red_base: answer } });
  },
);

test.each([
  ['keep', { status: 'accepted', verified: false, red: { kept: true } }],
  ['fix', { status: 'accepted', verified: true, red: null, steps: [{ attempts: 2 }] }],
] as const)(
  'on a terminal the operator is asked while the worker works, and the answer counts for it: %s',
  async (answer, report) => {
    using world = shop();
    const env = { ...ENV, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' };
    const plays = [{ ...COMMENT, run: UNTIL_RELEASED }, MENDED];
    const args = asked(world, plays, ['--project', world.repository]);
    using pty = new Pty([process.execPath, ENTRY, ...args], { dir: world.dir, env });
    await pty.shows('the base is red: gate tests has 1 failed test');
    await pty.shows('[fix/keep]');
    pty.type('what\n');
    await eventually(() => pty.terminal.text.split('[fix/keep]').length === 3, 'it is asked again');
    // The block is not drawn over what somebody types.
    expect(pty.terminal.cursorShown).toBe(true);
    expect(pty.terminal.text).not.toContain('Ctrl-C pauses');
    pty.type(`${answer}\n`);
    await pty.shows(answer === 'fix' ? 'red tests of the base must be fixed' : 'red tests of the base may stay red');
    await pty.shows('Ctrl-C pauses this task');
    await released(world);
    expect(await pty.done).toBe(0);
    const { task_id } = (await world.tasks())[0] ?? { task_id: '' };
    expect(await world.json(['show', task_id])).toMatchObject({ ...report, spec: { red_base: answer } });
  },
);

test('an unanswered question delays nothing: the task ends as without a terminal', async () => {
  using world = shop();
  const env = { ...ENV, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' };
  const args = asked(world, [{ ...COMMENT, run: UNTIL_RELEASED }], ['--project', world.repository]);
  using pty = new Pty([process.execPath, ENTRY, ...args], { dir: world.dir, env });
  await pty.shows('[fix/keep]');
  await released(world);
  expect(await pty.done).toBe(0);
  const shown = pty.terminal.text;
  expect(shown.replaceAll(/\s+/g, ' ')).toContain('`land` then needs --unverified');
  expect(shown).toContain(`NOT VERIFIED: ${RED}.`);
  const { task_id } = (await world.tasks())[0] ?? { task_id: '' };
  const report = await world.json<RunReport & { spec: object }>(['show', task_id]);
  expect(report).toMatchObject({ status: 'accepted', verified: false, red: { kept: false } });
  expect(report.spec).not.toHaveProperty('red_base');
});

test('tests that the task names are never excused: there is no question about them', async () => {
  using world = shop();
  const env = { ...ENV, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' };
  const plays = script(world, [{ ...MENDED, run: UNTIL_RELEASED }]);
  const args = ['run', 'mend the stock', '--script', plays, '--project', world.repository];
  using pty = new Pty([process.execPath, ENTRY, ...args], { dir: world.dir, env });
  await pty.shows('the base is red');
  await released(world);
  expect(await pty.done).toBe(0);
  expect(pty.raw).not.toContain('[fix/keep]');
});

test('flags that contradict each other, and those that come too late', async () => {
  using world = shop();
  const both = await world.run(['run', 'x', '--fix-base', '--keep-red'], ENV);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('contradict each other')]);
  const none = await world.run(['run', 'x', '--keep-red', '--no-gates'], ENV);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--no-gates runs no test')]);
  const late = await world.run(['resume', 't-1', '--keep-red'], ENV);
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('--keep-red')]);
  const { stdout } = await world.run(['resume', '--help'], ENV);
  expect(stdout).toContain('are flags of `run`');
});
