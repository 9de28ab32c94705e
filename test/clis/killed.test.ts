/** Kill -9 of Supervisor while a real CLI is at work or must not be: nothing is done twice, nothing is forgotten. */
import { expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { eventually, type Result } from '../support/cli.ts';
import { ALL } from '../support/effort.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { settled } from '../support/traces.ts';
import { type Cli, Through, WRITES } from './through.ts';

type Turns = ScenarioInput['turns'];
type Status = {
  readonly parked: readonly { readonly cli: string; readonly until: number; readonly told: boolean }[];
  readonly breakers: readonly string[];
  readonly tasks: readonly {
    readonly task_id: string;
    readonly status: string;
    readonly waits_for: readonly string[];
  }[];
};

const status = ({ world }: Through): Promise<Status> => world.json<Status>(['status']);
const reportOf = ({ stdout, stderr }: Result): RunReport => {
  if (stdout === '') throw new Error(`no report: ${stderr}`);
  return JSON.parse(stdout) as RunReport;
};
const history = ({ steps }: RunReport) => steps.flatMap((step) => step.history);
const classes = (report: RunReport) => history(report).map((one) => `${one.cli} ${one.class}`);

async function kill(running: ReturnType<Through['start']>): Promise<void> {
  running.child.kill('SIGKILL');
  expect((await running.done).signal).toBe('SIGKILL');
}

test.each(['claude', 'codex'] as const)(
  '%s: kill -9 in the middle of its work, then resume: done again once, and the cost of both is on record',
  async (cli) => {
    const [write, ...rest] = WRITES;
    const silent: Turns = [{ text: 'never said', delay: '1h' }];
    await using through = await new Through([write as Turns[number], ...silent, ...WRITES]).open([cli]);
    const { world, standIn } = through;
    const first = through.start(cli);
    // Its file is written, and it has asked how to go on.
    await eventually(() => standIn.mainRequests.length === 1 + silent.length, 'the model keeps it waiting', 40_000);
    await kill(first);
    const before = await world.events();
    const [task] = await world.tasks();
    const second = await world.run(['resume', task?.task_id ?? '', '--json'], through.env());
    expect(second.code, second.stderr + second.stdout).toBe(0);
    expect(standIn.mainRequests).toHaveLength(1 + silent.length + 1 + rest.length);

    const report = reportOf(second);
    expect(report.status).toBe('accepted');
    expect(history(report)).toMatchObject([
      { attempt: 1, cli, class: 'lost', category: 'resource', cost: { usd: null, tokens_in: null, tokens_out: null } },
      { attempt: 2, cli, class: 'ok', category: null, cost: { tokens_in: 230, tokens_out: 60 } },
    ]);
    expect(report.cost).toMatchObject({ tokens_in: 230, tokens_out: 60, unpriced_attempts: cli === 'claude' ? 1 : 2 });
    const { steps, cost } = await world.json<RunReport>(['show', task?.task_id ?? '']);
    expect({ steps, cost }).toEqual({ steps: report.steps, cost: report.cost });

    const commits = world.git('rev-list', '--branches', '--not', 'refs/heads/main').split('\n');
    expect(commits).toEqual([report.commit]);
    expect(world.git('show', `${report.branch}:greeting.txt`)).toBe('hello');
    const after = await world.events();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(doubled(after)).toEqual([]);
    expect(await world.health()).toEqual({ findings: [], leased: false });
    expect(await settled(() => leftOver(world))).toEqual([]);
  },
);

/** A CLI takes no work, killed or not: nobody asks its model, another is given the work at once, one word lets it go on. */
async function staysAway(through: Through, cli: Cli, next: Cli, held: (now: Status) => unknown): Promise<void> {
  const { world, standIn } = through;
  const first = through.start(cli);
  const told = await eventually(async () => held(await status(through)) ?? null, `${cli} takes no work`);
  await kill(first);
  expect(held(await status(through))).toEqual(told);

  const asked = standIn.count;
  const second = through.start(cli);
  const [one, two] = await eventually(async () => {
    const { tasks } = await status(through);
    return tasks.length === 2 && tasks.every(({ waits_for }) => waits_for.length === 1) ? tasks : null;
  }, 'both tasks wait');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await kill(second);
  expect(standIn.count).toBe(asked);
  expect(held(await status(through))).toEqual(told);

  const elsewhere = reportOf(await through.run(`${cli},${next}`));
  expect([elsewhere.status, ...classes(elsewhere)]).toEqual(['accepted', `${next} ok`]);
  expect(held(await status(through))).toEqual(told);

  // One is enough: whoever resumes it would do the other beside it.
  expect((await world.run(['cancel', two?.task_id ?? ''])).code).toBe(0);
  const reset = await world.run(['reset', cli]);
  expect([reset.code, held(await status(through))], reset.stderr).toEqual([0, null]);
  const report = reportOf(await world.run(['resume', one?.task_id ?? '', '--json'], through.env()));
  expect([report.status, classes(report).at(-1)]).toEqual(['accepted', `${cli} ok`]);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  expect(await settled(() => leftOver(world))).toEqual([]);
}

const only = (turns: Turns, protocol: 'anthropic' | 'responses'): Turns =>
  turns.map((turn) => ({ ...turn, for: { protocol } }));

// Six runs of real programs, one after the other.
const PATIENT = { timeout: 600_000 };

test(
  'a used-up quota outlives kill -9: no task asks before its time, others work, `reset` lets it go on',
  PATIENT,
  async () => {
    const spent: Turns = [{ status: 429, retry_after: 7200 }];
    const turns = [...only([...spent, ...WRITES], 'anthropic'), ...only(WRITES, 'responses')];
    await using through = await new Through(turns).open(['claude', 'codex']);
    const began = Date.now();
    await staysAway(through, 'claude', 'codex', ({ parked, tasks }) => {
      const [one] = parked;
      if (one === undefined) return null;
      expect(one).toMatchObject({ cli: 'claude', told: true });
      // From some moment of this test on.
      expect(one.until).toBeGreaterThanOrEqual(began + 7_200_000);
      expect(one.until).toBeLessThanOrEqual(Date.now() + 7_200_000);
      expect(tasks[0]?.waits_for[0]).toMatch(/^implement: claude quota, (?:resets|next try) \S.* UTC$/);
      return parked;
    });
  },
);

// Five failures take their time.
if (ALL) {
  test('an open breaker outlives kill -9 in the same way', PATIENT, async () => {
    const broken: Turns = [{ status: 500, times: 5 }];
    const turns = [...only([...broken, ...WRITES], 'responses'), ...only(WRITES, 'anthropic')];
    const limits = 'limits:\n  backoff: aggressive\n  jitter: 0\n';
    await using through = await new Through(turns).open(['claude', 'codex'], limits);
    await staysAway(through, 'codex', 'claude', ({ breakers, tasks }) => {
      const waits = /^implement: breaker implementer\/codex, open .*`supervisor reset codex`/;
      return breakers.length > 0 && waits.test(tasks[0]?.waits_for[0] ?? '') ? breakers : null;
    });
  });
}
