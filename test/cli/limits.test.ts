/** `limits.yaml` beside either config, and `supervisor limits`, which says who set each number. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

type Limit = { key: string; value: unknown; unit: string; text: string; from: string };

function put(folder: string, name: string, text: string): string {
  const file = join(folder, '.supervisor', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const limitsIn = async (world: World, ...more: string[]) => {
  const { limits } = (await world.json(['limits', ...more])) as { limits: Limit[] };
  return (key: string) => limits.find((one) => one.key === key);
};

test('each limit is shown with its value, its unit and who set it: the tighter of two files, by line', async () => {
  using world = new World();
  const mine = put(world.home, 'limits.yaml', '# mine\nattempts: 4\nwall: 10m\nbudget:\n  day_usd: 5\n');
  const theirs = put(world.repository, 'limits.yaml', 'attempts: 2\nwall: 1h\n');
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
  const limit = await limitsIn(world, '--limit', 'max_steps=7');
  expect(limit('attempts')).toMatchObject({ value: 2, text: '2 attempts', from: `${theirs}:1` });
  expect(limit('wall')).toMatchObject({ value: 600, unit: 'seconds', text: '10 m 0 s', from: `${mine}:3` });
  expect(limit('budget.day_usd')).toMatchObject({ value: 5, text: '$5.00', from: `${mine}:5` });
  expect(limit('max_steps')).toMatchObject({ value: 7, from: 'command line' });
  expect(limit('same_errors')).toMatchObject({ value: 3, text: '3 times', from: 'default' });
  const { stdout } = await world.run(['limits']);
  expect(stdout).toMatch(/^wall +10 m 0 s +.*limits\.yaml:3 {2}\(one attempt\)$/m);
});

test('a run is bound by limits.yaml: a project that allows one attempt gets one', async () => {
  using world = new World();
  put(world.repository, 'limits.yaml', 'attempts: 1\n');
  const script = world.file('script.yaml', 'steps: {implement: [{outcome: invalid, reason: no}, {}]}\n');
  await world.run(['trust', '--yes']);
  expect((await world.run(['run', 'x', '--simulate', '--script', script])).code).toBe(1);
  // The control: the operator's word on the command line allows the second one.
  expect((await world.run(['run', 'x', '--simulate', '--script', script, '--limit', 'attempts=2'])).code).toBe(0);
});

test('limits.yaml of a project is shown by `trust`, and nothing runs before', async () => {
  using world = new World();
  put(world.repository, 'limits.yaml', 'attempts: 1\nbudget: {estimate_usd: 0}\n');
  expect((await world.run(['run', 'x', '--simulate'])).code).toBe(3);
  const { asks } = (await world.json(['trust', '--yes'])) as { asks: unknown };
  expect(asks).toEqual([
    {
      ...{ kind: 'limits', name: 'budget.estimate_usd', text: '0' },
      note: 'ignored: it is not tighter than the limit in force',
    },
    { kind: 'limits', name: 'attempts', text: '1', note: null },
  ]);
});

describe('what is wrong is told with file and line, exit 2', () => {
  test.each(['repository', 'home'] as const)('limits in both files of one place (%s)', async (place) => {
    using world = new World();
    const folder = place === 'home' ? world.home : world.repository;
    const config = put(folder, 'config.yaml', 'gates: []\nlimits:\n  attempts: 2\n');
    const own = put(folder, 'limits.yaml', 'attempts: 2\n');
    const { code, stderr } = await world.run(['run', 'x', '--simulate']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${config}:3:3: limits: are in ${own} too`)]);
    // The control: one of the two alone is fine.
    rmSync(own);
    expect((await world.run(['limits'])).code).toBe(place === 'home' ? 0 : 3);
  });

  test.each([
    ['atempts: 2\n', ':1:1: unknown key `atempts`, did you mean `attempts`?'],
    ['wall: soon\n', ':1:7: wall: must be a duration'],
    ['limits:\n  attempts: 2\n', ':1:1: limits: is not a key here: write what is below it at the top of the file'],
    ['step_max_retries: 3\n', ':1:19: step_max_retries: is not a key here: write `attempts`'],
  ])('%j', async (text, words) => {
    using world = new World();
    const file = put(world.home, 'limits.yaml', text);
    const { code, stderr } = await world.run(['limits']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(file + words)]);
  });

  test('a limits.yml, which is not read', async () => {
    using world = new World();
    const file = put(world.repository, 'limits.yml', 'attempts: 2\n');
    expect((await world.run(['limits'])).stderr).toContain(`${file}: is ignored; rename it to limits.yaml`);
  });
});

describe('a budget of one cent and a worker that tells no cost', () => {
  const LIMITS = ['attempts=9', 'budget.estimate_usd=0.004'].flatMap((one) => ['--limit', one]);
  /** Never right, and never twice the same. */
  const files = (n: number) => ({ files: { 'a.txt': `${'x'.repeat(n)}\n` } });
  const script = JSON.stringify({ steps: { implement: [1, 2, 3, 4].map(files) } });
  const RUN = ['run', 'write a.txt', '--cli', 'scripted', '--gate', 'tests=cat a.txt; exit 1'];
  type Report = { status: string; cost: unknown; steps: { attempts: number }[]; incident: { reason: string } | null };

  test.each([
    ['dollars', '0.01', 'budget.task_usd', { usd: 0.008, tokens: 0 }],
    ['tokens', '250000', 'budget.task_tokens', { usd: 0, tokens: 200_000 }],
  ])('stops after two attempts, in one sentence, exit 4 (%s)', async (_, amount, key, estimated) => {
    using world = new World();
    const run = [...RUN, '--script', world.file('script.yaml', script), ...LIMITS, '--limit', `${key}=${amount}`];
    const { code, stdout } = await world.run([...run, '--json']);
    const report = JSON.parse(stdout) as Report;
    expect([code, report.status, report.steps[0]?.attempts]).toEqual([4, 'escalated', 2]);
    expect(report.incident?.reason).toContain(`the task's budget does not cover another attempt`);
    expect(report.incident?.reason).toContain(`raise limits.${key}, then \`supervisor resume`);
    // What it cost is unknown, and stays so.
    expect(report.cost).toMatchObject({ usd: null, unpriced_attempts: 2, estimated });
  });

  test('goes on until another limit stops it where the budget is larger: the control', async () => {
    using world = new World();
    const run = [...RUN, '--script', world.file('script.yaml', script), ...LIMITS];
    const { code, stdout } = await world.run([
      ...run,
      '--limit',
      'attempts=3',
      '--limit',
      'budget.task_usd=1',
      '--json',
    ]);
    const report = JSON.parse(stdout) as Report;
    expect([code, report.steps[0]?.attempts]).toEqual([1, 3]);
  });
});
