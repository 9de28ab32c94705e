/** Kill -9 with budgets: every attempt that began is charged once, nothing stays set aside, no budget is overdrawn, and the end is the same. */
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { World } from '../support/cli.ts';
import { ALL } from '../support/effort.ts';
import { doubled } from '../support/log-checks.ts';
import { passedFailpoints } from './failpoints.ts';
import { inLanes } from './real-kills.ts';

const ESTIMATE = 100_000;
const TOKENS = 1_000;
const WORKFLOW = `
steps:
  implement: {role: implementer, gates: [tests], attempts: 4, analyses: [investigator]}
  review: {review: [reviewer, security_auditor], on_reject: implement}
`;
/** No play tells a cost: each attempt is charged the estimate. */
const SCRIPT = `
steps:
  implement:
    - {files: {a.txt: "wrong\\n"}}
    - {files: {a.txt: "right\\n"}}
`;
/** Attempts of a run without a fault: two changes, one analysis, two reviews. */
const FAULT_FREE = 5;
const config = (usd: number) => `
limits:
  slots: {total: 3}
  budget: {task_usd: ${usd}, project_usd: ${usd}, day_usd: ${usd}, task_tokens: 1000000, estimate_usd: 0.1, estimate_tokens: ${TOKENS}}
`;

type Report = {
  readonly task_id: string;
  readonly status: string;
  readonly candidate: string | null;
  readonly cost: {
    readonly usd: number | null;
    readonly estimated?: { readonly usd: number; readonly tokens: number };
  };
};
type Amounts = { readonly task: string; readonly token: number; readonly microusd: number; readonly tokens?: number };
type Started = { readonly kind: string; readonly token: number; readonly reserve: number };

class Work implements Disposable {
  readonly world = new World();
  readonly run: readonly string[];

  constructor(usd: number) {
    const { world } = this;
    world.userConfig(config(usd));
    world.commit({ 'a.txt': 'one\n' });
    const [script, workflow] = [world.file('script.yaml', SCRIPT), world.file('w.yaml', WORKFLOW)];
    const gate = 'tests=grep -q right a.txt';
    this.run = ['run', 'make it right', '--workflow', workflow, '--script', script, '--gate', gate, '--json'];
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

const of = <T>(events: readonly StoredEvent[], type: string): T[] =>
  events.filter((event) => event.type.startsWith(type)).map(({ data }) => data as T);

/** Counted from the log alone. Returns how many attempts began. */
function checkedMoney(events: readonly StoredEvent[], host: readonly StoredEvent[], most: number): number {
  const started = of<Started>(events, 'attempt.started.').filter(({ kind }) => kind !== 'gate');
  const charged = of<Amounts>(events, 'board.charged.');
  const byToken = (tokens: readonly { readonly token: number }[]) =>
    tokens.map(({ token }) => token).toSorted((a, b) => a - b);
  // One charge for each attempt that began, lost ones included, and none besides.
  expect(byToken(charged)).toEqual(byToken(started));
  for (const { microusd, tokens } of charged)
    expect({ microusd, tokens }).toEqual({ microusd: ESTIMATE, tokens: TOKENS });
  const sums = (all: readonly Pick<Amounts, 'microusd' | 'tokens'>[]) => ({
    microusd: all.reduce((sum, one) => sum + one.microusd, 0),
    tokens: all.reduce((sum, one) => sum + (one.tokens ?? 0), 0),
  });
  expect(sums(of<Amounts>(host, 'host.charged.'))).toEqual(sums(charged));
  expect(overdrawn(events, most)).toEqual([]);
  return started.length;
}

/** Every attempt that began although what was charged and set aside by then left too little for it. */
function overdrawn(events: readonly StoredEvent[], most: number): number[] {
  const found: number[] = [];
  const reserved = new Map<number, number>();
  let spent = 0;
  for (const { type, data } of events) {
    if (type.startsWith('board.charged.')) {
      const { token, microusd } = data as Amounts;
      spent += microusd;
      reserved.delete(token);
    }
    if (!type.startsWith('attempt.started.')) continue;
    const { token, reserve } = data as Started;
    reserved.set(token, reserve);
    if (spent + [...reserved.values()].reduce((sum, one) => sum + one, 0) > most) found.push(token);
  }
  return found;
}

async function faultFree(usd: number) {
  using work = new Work(usd);
  const { code, stdout, stderr } = await work.world.run(work.run, { SUPERVISOR_FAILPOINT: '-1' });
  expect(code, stderr).toBe(0);
  const attempts = checkedMoney(await work.world.events(), await work.world.events('host'), usd * 1e6);
  expect(attempts).toBe(FAULT_FREE);
  const names = passedFailpoints(stderr);
  return { names, candidate: (JSON.parse(stdout) as Report).candidate };
}

/** The middle one of each kind that has to do with attempts and what is written of them, and the last worker. */
function chosen(names: readonly string[]): string[] {
  const kinds = [...new Set(names)].filter((name) => /^(?:effect|append)\./.test(name));
  return kinds.flatMap((kind) => {
    const many = names.filter((name) => name === kind).length;
    const places = ALL
      ? Array.from({ length: many }, (_, n) => n + 1)
      : [Math.ceil(many / 2), ...(/worker/.test(kind) ? [many] : [])];
    return [...new Set(places)].map((n) => `${kind}#${n}`);
  });
}

type End = { readonly report: Report; readonly code: number | null; readonly attempts: number };

/** Null if this point did not come: side by side, the order differs each time. */
async function strike(work: Work, place: string, most: number): Promise<End | null> {
  const { world, run } = work;
  const killed = await world.run(run, { SUPERVISOR_FAILPOINT: place });
  if (killed.signal === null) return null;
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
  const before = await world.events();
  const [task] = await world.tasks();
  const again = await world.run(task === undefined ? run : ['resume', task.task_id, '--json']);
  const after = await world.events();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(doubled(after)).toEqual([]);
  const attempts = checkedMoney(after, await world.events('host'), most);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  const report = JSON.parse(again.stdout) as Report;
  expect(report.cost.estimated, again.stderr).toEqual({ usd: attempts / 10, tokens: attempts * TOKENS });
  return { report, code: again.code, attempts };
}

async function strikeAll(
  points: readonly string[],
  usd: number,
  look: (end: End, work: Work) => Promise<void>,
): Promise<number> {
  const failures: string[] = [];
  let struck = 0;
  await inLanes(points, async (place) => {
    using work = new Work(usd);
    try {
      const end = await strike(work, place, usd * 1e6);
      if (end === null) return;
      struck += 1;
      await look(end, work);
    } catch (error) {
      failures.push(`failpoint ${place}: ${(error as Error).message}`);
    }
  });
  console.log(`budget matrix: ${struck} of ${points.length} points struck, budget ${usd}`);
  expect(failures).toEqual([]);
  return struck;
}

test('kill -9 with budgets that suffice: the same end, each attempt charged once, nothing left set aside', {
  timeout: 600_000,
}, async () => {
  const { names, candidate } = await faultFree(2);
  const points = chosen(names);
  let extra = 0;
  const struck = await strikeAll(points, 2, async ({ report, attempts }, { world }) => {
    expect({ status: report.status, candidate: report.candidate }).toEqual({ status: 'accepted', candidate });
    if (attempts > FAULT_FREE) extra += 1;
    // What is left covers exactly so many more attempts: nothing is held back by what was killed.
    const rest = `budget.project_usd=${(attempts + 1) / 10}`;
    const ask = ['--workflow', 'ask', '--script', world.file('ask.yaml', 'steps: {}'), '--limit', rest, '--json'];
    const one = await world.run(['run', 'one more', ...ask]);
    expect(one.code, one.stderr + one.stdout).toBe(0);
    const two = await world.run(['run', 'and another', ...ask]);
    expect(two.code, two.stdout).toBe(4);
  });
  expect(struck).toBeGreaterThan(points.length * 0.7);
  // The control: some kills cost an attempt.
  expect(extra).toBeGreaterThan(0);
});

test('kill -9 with a budget for the run and no more: what a kill cost is missing, never overdrawn, and more money ends it', {
  timeout: 600_000,
}, async () => {
  const usd = FAULT_FREE / 10;
  const { names, candidate } = await faultFree(usd);
  const points = chosen(names).filter((place) => ALL || /worker\.run|inside/.test(place));
  let short = 0;
  const struck = await strikeAll(points, usd, async ({ report, code }, { world }) => {
    if (report.status !== 'accepted') {
      short += 1;
      expect({ code, status: report.status }).toEqual({ code: 4, status: 'escalated' });
      const more = ['task_usd', 'project_usd', 'day_usd'].flatMap((key) => ['--limit', `budget.${key}=9`]);
      const richer = await world.json<Report>(['resume', report.task_id, ...more]);
      expect(richer.status).toBe('accepted');
    }
    const [task] = await world.tasks();
    expect((await world.json<Report>(['show', task?.task_id ?? ''])).candidate).toBe(candidate);
    checkedMoney(await world.events(), await world.events('host'), 9e6);
  });
  expect(struck).toBeGreaterThan(points.length * 0.6);
  expect(short).toBeGreaterThan(0);
});

test('the control: an attempt that no budget covered is seen', () => {
  const event = (type: string, data: object) => ({ type, data }) as unknown as StoredEvent;
  const begins = (token: number) => event('attempt.started.2', { kind: 'change', token, reserve: 10 });
  const paid = (token: number) => event('board.charged.1', { token, microusd: 10 });
  expect(overdrawn([begins(1), paid(1), begins(2)], 20)).toEqual([]);
  expect(overdrawn([begins(1), begins(2)], 20)).toEqual([]);
  expect(overdrawn([begins(1), paid(1), begins(2), begins(3)], 20)).toEqual([3]);
});
