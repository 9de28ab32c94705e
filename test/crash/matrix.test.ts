/** OF-01: kill -9 at every failpoint of a real run on SQLite, then resume: nothing is lost, nothing happens twice. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { World } from '../support/cli.ts';
import { ALL } from '../support/effort.ts';
import { doubled } from '../support/log-checks.ts';
import { passedFailpoints } from './failpoints.ts';

const SCRIPT = `
ledger: LEDGER
notify: true
steps:
  implement:
    - {outcome: transient, reason: the network blinked}
    - {says: first, files: {a.txt: first}, gates: {tests: fail}, cost_usd: 0.01}
    - {says: second, files: {a.txt: second}, gates: {tests: pass}, cost_usd: 0.01}
  review:
    - {says: fine}
`;
/** Two reviewers, one of whom asks for changes once, and gates of their own. */
const PANEL = {
  name: 'panel',
  version: 1,
  steps: [
    { id: 'implement', kind: 'change' },
    { id: 'review', review: ['reviewer', 'security_auditor'], on_reject: 'implement' },
    { id: 'check', kind: 'gate', gates: ['tests'], on_fail: 'implement' },
  ],
};
/** Each round makes another change. An attempt that was lost uses up its play, so a review that is asked again may send nothing back. */
const PANEL_SCRIPT = `
ledger: LEDGER
steps:
  implement: [{says: done}]
  review-reviewer: [{review: CHANGES_REQUESTED}, {review: APPROVED}]
  review-security_auditor: [{review: APPROVED}]
`;
/** A person looks at what gates of two stages let pass; then it is committed, and summed up. */
const ASKING = {
  name: 'asking',
  version: 1,
  steps: [
    { id: 'implement', kind: 'change', gates: [{ name: 'slow', stage: 9 }, { name: 'tests' }] },
    { id: 'look', kind: 'human', on_reject: 'implement' },
    { id: 'save', kind: 'commit' },
    { id: 'sum', kind: 'answer', gates: [] },
  ],
};
const ASKING_SCRIPT = `
ledger: LEDGER
steps:
  implement: [{says: done}]
  sum: [{says: fine}]
`;
/** Backoff would only slow the matrix down. One at a time: side by side, failpoints would come in another order each time. */
const CONFIG = 'limits: {backoff: aggressive, jitter: 0, slots: {total: 1}}\n';

type Case = {
  readonly script: string;
  readonly workflow: (world: World) => string;
  readonly kinds: readonly string[];
  /** Steps whose workers review: none is asked again once its answer is on record. */
  readonly reviews: readonly string[];
  /** The run ends with a question; what is struck is `approve`. */
  readonly asks?: true;
  /** Absent: tests. */
  readonly gates?: readonly string[];
  readonly config?: string;
  /** What must hold of the log when the task is accepted. */
  readonly check: (events: readonly StoredEvent[]) => void;
};
const KINDS = ['append.before', 'append.inside', 'append.after', 'drain.before', 'drain.after', 'lease.after'];
const CASES: Readonly<Record<string, Case>> = {
  'a review behind a change': {
    script: SCRIPT,
    workflow: () => 'reviewed',
    kinds: [...KINDS, 'blob.before', 'blob.after', 'effect.before worker.run', 'effect.after candidate.apply'],
    reviews: ['review'],
    check: () => {},
  },
  'rework, a join and a gate step': {
    script: PANEL_SCRIPT,
    workflow: (world) => world.file('panel.yaml', JSON.stringify(PANEL)),
    kinds: [...KINDS, 'effect.after worker.run', 'effect.after gate.run'],
    reviews: ['review-reviewer', 'review-security_auditor'],
    check: joinedOnceARound,
  },
  'approve of a person, and a commit step behind it': {
    script: ASKING_SCRIPT,
    workflow: (world) => world.file('asking.yaml', JSON.stringify(ASKING)),
    kinds: [...KINDS, 'effect.before candidate.apply', 'effect.after candidate.apply', 'effect.after worker.run'],
    asks: true,
    reviews: [],
    gates: ['tests', 'slow'],
    check: answeredAndCommittedOnce,
  },
};

test('two reviewers side by side, killed while both work or when one has answered: the same verdict, none asked twice', {
  timeout: 400_000,
}, async () => {
  const played = {
    ...(CASES['rework, a join and a gate step'] as Case),
    config: CONFIG.replace('total: 1', 'total: 4'),
  };
  const reference = await faultFree(played);
  const failures: string[] = [];
  for (const point of [
    'effect.before worker.run#3',
    'effect.after worker.run#2',
    'effect.after worker.run#3',
    'append.after#8',
    'append.inside#9',
  ])
    await strike(played, point, reference).catch((error: Error) => failures.push(`${point}: ${error.message}`));
  expect(failures).toEqual([]);
});

type Report = { status: string; candidate: string | null; verdict: unknown; steps: { id: string; status: string }[] };

test.each(Object.entries(CASES))(
  '%s: kill -9 at every failpoint (every tenth one in make test), resume, same end; nothing lost, doubled or left',
  {
    timeout: 400_000,
  },
  async (_, played) => {
    const reference = await faultFree(played);
    const failures: string[] = [];
    const names = new Map<string, number>();
    const points = chosen(reference.names);
    let next = 0;
    const worker = async () => {
      for (let n = points[next++]; n !== undefined; n = points[next++]) {
        try {
          const name = await strike(played, n, reference);
          names.set(name, (names.get(name) ?? 0) + 1);
        } catch (error) {
          failures.push(`failpoint ${n}: ${(error as Error).message}`);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
    console.log(
      `crash matrix: ${points.length} of ${reference.names.length} points: ${[...names].map(([name, count]) => `${name} x${count}`).join(', ')}`,
    );
    expect(failures).toEqual([]);
    expect(reference.names.length).toBeGreaterThan(played.asks === true ? 30 : 60);
    for (const kind of played.kinds) {
      // On a busy machine the points come in another order, so that a number may have struck another kind.
      if (!names.has(kind)) expect(await strike(played, `${kind}#1`, reference)).toBe(kind);
    }
  },
);

/** All of them; or every tenth one, and the last of each kind. */
function chosen(names: readonly string[]): number[] {
  const last = new Set(new Map(names.map((name, n) => [name, n + 1])).values());
  return names.map((_, n) => n + 1).filter((n) => ALL || n % 10 === 0 || last.has(n));
}

type Reference = {
  readonly names: readonly string[];
  readonly end: ReturnType<typeof endOf>;
  /** What `implement` made in each round: the work of the first one is accepted where the play that says no was lost. */
  readonly made: readonly string[];
};

async function faultFree(played: Case): Promise<Reference> {
  using world = prepared(played);
  const { code, stdout, stderr } = await world.run([...(await struckArgs(world, played)), '--json'], {
    SUPERVISOR_FAILPOINT: '-1',
  });
  expect(code, stderr).toBe(0);
  const events = await world.events();
  played.check(events);
  const ledger = readFileSync(world.ledger, 'utf8').trim().split('\n');
  expect([asked(ledger, played.reviews), askedAgain(events, played.reviews)]).toEqual([
    ...[ended(events, played.reviews, 'ok'), []],
  ]);
  const names = passedFailpoints(stderr);
  const end = endOf(JSON.parse(stdout) as Report);
  const made = madeIn(events);
  expect(new Set(made).size).toBe(made.length);
  expect(made.at(-1)).toBe(end.candidate);
  return { names, end, made };
}

async function strike(played: Case, n: number | string, { end, made }: Reference): Promise<string> {
  using world = prepared(played);
  const run = await struckArgs(world, played);
  const killed = await world.run([...run, '--json'], { SUPERVISOR_FAILPOINT: String(n) });
  expect(killed.signal).toBe('SIGKILL');
  const before = await world.events();
  const [task] = await world.tasks();
  // Killed before the task, or the answer, was durable: nothing was promised, so the person simply asks again.
  const isTaken = played.asks === true ? before.some(({ type }) => type === 'step.answered.1') : task !== undefined;
  const again = task === undefined || !isTaken ? run : ['resume', task.task_id];
  const report = await world.json<Report>(again);
  const after = await world.events();
  const rounds = after.filter(({ type }) => type === 'task.reworked.1').length + 1;
  expect(endOf(report)).toEqual({ ...end, candidate: made[rounds - 1] });
  expect(after.slice(0, before.length)).toEqual(before);
  expect(doubled(after)).toEqual([]);
  played.check(after);
  const ledger = readFileSync(world.ledger, 'utf8').trim().split('\n');
  // A kill costs only answers that were not on record yet: those that were under way are lost, and asked again once.
  const lost = ended(after, played.reviews, 'lost');
  expect(askedAgain(after, played.reviews)).toEqual([]);
  expect(asked(ledger, played.reviews)).toBeLessThanOrEqual(ended(after, played.reviews, 'ok') + lost);
  expect(lost).toBeLessThanOrEqual(played.config === undefined ? 1 : played.reviews.length);
  expect(ledger.filter((line) => line.startsWith('candidate.apply'))).toHaveLength(1);
  expect(ledger.filter((line) => line.startsWith('notify.send')).length).toBeLessThanOrEqual(1);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  return /failpoint \d+: (.+)/.exec(killed.stderr)?.[1] ?? 'unnamed';
}

function prepared({ config = CONFIG }: Case): World {
  const world = new World();
  world.userConfig(config);
  return world;
}

function runArgs(world: World, { script, workflow, gates = ['tests'] }: Case): string[] {
  const path = world.file('script.yaml', script.replace('LEDGER', world.ledger));
  const asked = gates.flatMap((gate) => ['--gate', `${gate}=true`]);
  return ['run', 'a task', '--simulate', '--workflow', workflow(world), ...asked, '--script', path];
}

/** The command that is struck: the run, or the answer to what the run asks. */
async function struckArgs(world: World, played: Case): Promise<string[]> {
  const run = runArgs(world, played);
  if (played.asks !== true) return run;
  const asked = await world.run([...run, '--json']);
  expect(asked.code, asked.stderr).toBe(3);
  const [task] = await world.tasks();
  return ['approve', task?.task_id ?? '', 'look', '--reason', 'it is good'];
}

function answeredAndCommittedOnce(events: readonly StoredEvent[]): void {
  const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data as object);
  expect(of('step.answered.1')).toMatchObject([{ step: 'look', decision: 'APPROVE', reason: 'it is good' }]);
  expect(of('task.applying.1')).toMatchObject([{ step: 'save' }]);
  expect(of('step.committed.1')).toMatchObject([{ step: 'save', opens: ['sum'] }]);
  expect(of('effect.started.2')).toHaveLength(of('effect.settled.2').length);
  // The gate of the second stage reports after the one of the first.
  const gates = of('gate.reported.2').map((data) => (data as { gate: string }).gate);
  expect(gates).toEqual(['tests', 'slow']);
}

/** A join is decided with the last of its inputs, once in each round; only a review that said no sends the task back. */
function joinedOnceARound(events: readonly StoredEvent[]): void {
  const of = (type: string) => events.filter((event) => event.type === type);
  const joins = of('step.joined.1');
  const decisions = joins.map(({ data }) => (data as { decision: string }).decision);
  const noes = of('attempt.settled.2').filter(
    ({ data }) => (data as { said: { status: string } | null }).said?.status === 'CHANGES_REQUESTED',
  );
  expect(decisions).toEqual([...noes.map(() => 'REJECT'), 'APPROVE']);
  expect(of('task.reworked.1')).toHaveLength(noes.length);
  for (const { seq, cause } of joins)
    expect(events.slice(seq - 3, seq - 1)).toMatchObject([
      { type: 'attempt.settled.2', cause },
      { type: 'verdict.given.1', cause },
    ]);
}

type OfStep = { readonly step: string; readonly round?: number; readonly token: number; readonly class?: string };
const of = (events: readonly StoredEvent[], type: string, reviews: readonly string[]) =>
  events.flatMap((event) => {
    const data = event.data as OfStep;
    return event.type === type && reviews.includes(data.step) ? [{ ...data, seq: event.seq }] : [];
  });
const ended = (events: readonly StoredEvent[], reviews: readonly string[], outcome: string): number =>
  of(events, 'attempt.settled.2', reviews).filter((one) => one.class === outcome).length;
/** How often a worker really reviewed, by its own book. */
const asked = (ledger: readonly string[], reviews: readonly string[]): number =>
  ledger.filter((line) => line.startsWith('worker.run') && reviews.some((step) => line.includes(`/${step}/`))).length;

/** Reviews that began in a round in which their step had answered already. */
function askedAgain(events: readonly StoredEvent[], reviews: readonly string[]): string[] {
  const started = of(events, 'attempt.started.2', reviews);
  return of(events, 'attempt.settled.2', reviews).flatMap(({ step, token, seq, class: outcome }) => {
    const round = started.find((one) => one.token === token)?.round;
    const again = started.filter((one) => one.step === step && one.round === round && one.seq > seq);
    return outcome === 'ok' ? again.map((one) => `${step}, round ${one.round}`) : [];
  });
}

function madeIn(events: readonly StoredEvent[]): string[] {
  type Settled = { step: string; candidate: { tree: string } | null; next: { do: string } };
  const settled = events.filter(({ type }) => type === 'attempt.settled.2').map(({ data }) => data as Settled);
  return settled.flatMap(({ step, candidate, next }) =>
    step === 'implement' && candidate !== null && next.do === 'complete' ? [candidate.tree] : [],
  );
}

/** What must be the same however often it crashed: not how many attempts were lost on the way. */
const endOf = ({ status, candidate, verdict, steps }: Report) => ({
  status,
  candidate,
  verdict,
  steps: steps.map(({ id, status: at }) => ({ id, at })),
});
