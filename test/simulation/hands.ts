/** Simulated hands: slow, broken, deaf to being told to stop; and the world outside, which counts what they really did. */
import type { GateReport, HandContext, Hands, WorkerReport } from '../../src/engine/ports/hands.ts';
import type { Head } from '../../src/engine/ports/store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { Command } from '../../src/mind/domain/commands.ts';
import type { ChangeFacts } from '../../src/mind/domain/risk-facts.ts';
import type { Candidate, Cost, GateStatus, OutcomeClass } from '../../src/mind/domain/values.ts';
import { type AnswerFacts, type Findings, NOT_MEASURED, UNKNOWN_COST } from '../../src/mind/domain/values.ts';
import type { Effect, LineMove } from '../../src/mind/domain/work.ts';
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import type { Happened, SimProcess } from './process.ts';

/** What outlives every process: branches, sent messages, and what hands said, also when nobody listened. */
export class Outside {
  /** How hands behave: anything goes, or they do their work in reasonable time. */
  wild = true;
  readonly branches = new Map<string, string>();
  /** Where each log ended, as somebody wrote it down last. */
  readonly anchors = new Map<string, Head>();
  /** Real applications per task and commit: how often the task's branch was really moved to it. */
  readonly applications = new Map<string, number>();
  /** The commits of each line of the user, oldest first, and how often each was put there by a landing. */
  readonly lines = new Map<string, string[]>();
  readonly landings = new Map<string, number>();
  /** Messages sent, per effect. */
  readonly sends = new Map<string, number>();
  /** Workers started, per effect. */
  readonly runs = new Map<string, number>();
  /** Which attempt made a tree, and what a gate said about an attempt. */
  readonly made = new Map<string, string>();
  readonly verdicts = new Map<string, Set<GateStatus>>();
  /** Every report a hand ever gave, for those who bring them again, late. */
  readonly told: Command[] = [];
  /** Which tree each tree was made from. */
  readonly inputs = new Map<string, string | null>();
  line(name: string): string[] {
    const line = this.lines.get(name) ?? [];
    this.lines.set(name, line);
    return line;
  }
  /** Called when a hand really begins. */
  began: (process: SimProcess, effect: Effect, signal: AbortSignal) => void = () => {};
}

export const attemptKey = (task: string, step: string, token: number): string => `${task}/${step}/${token}`;
/** So many files a tree's change is about. */
export const fileCountOf = (tree: string): number => Number.parseInt(sha256(tree).slice(0, 4), 16) % 7;
export const applicationKey = (task: string, commit: string): string => `${task} ${commit}`;
export const commitOf = (candidate: Candidate): string => sha256(candidate.tree).slice(0, 40);

/** The commits that a landing makes, in order; none where the task's own lands. */
const commitsOf = ({ integrated, more = [] }: LineMove): string[] =>
  integrated === null
    ? []
    : [integrated, ...more.map((one) => one.integrated)].map(({ candidate }) => commitOf(candidate));

const OUTCOMES: Readonly<Record<OutcomeClass | 'throws', number>> = {
  ...{ ok: 60, invalid: 8, transient: 6, quota: 8, crash: 4, timeout: 2, killed: 1, unknown: 2, auth: 1, blocked: 1 },
  ...{ missing_cli: 1, wrong_version: 1 },
  ...{ output_limit: 1, resource_limit: 1, waiting_for_input: 1, lost: 0, interrupted: 0, throws: 4 },
};
/** Longer than a line may be, all the more when secrets are taken out of it. */
const LONG = 'a secret '.repeat(220);

/** Only being told to stop ends it. */
const FOR_EVER = 1e9;
/** A checkout of a person is read: it may hold what is refused, or be gone. */
const GIVEN: Readonly<Record<'ok' | 'invalid' | 'transient' | 'blocked' | 'throws', number>> = {
  ok: 80,
  invalid: 10,
  transient: 4,
  blocked: 3,
  throws: 3,
};
const MILD = { ...OUTCOMES, ok: 300 };

export function simulatedHands(process: SimProcess, outside: Outside, happened: Happened): Hands {
  const { random, world } = process;
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

  /** Waits as long as the work takes; tells whether it was told to stop and obeyed. Some never hear it. */
  function work(context: HandContext, what: string): Promise<'done' | 'stopped'> {
    const length = outside.wild
      ? random.weighted({ quick: 60, usual: 30, slow: 6, hangs: 2 })
      : random.weighted({ quick: 60, usual: 38, hangs: what === 'worker' ? 2 : 0 });
    const span = {
      quick: [0, 200],
      usual: [200, 5_000],
      slow: [5_000, 50_000],
      hangs: [600_000, outside.wild ? 600_000 : FOR_EVER],
    }[length] as [number, number];
    const deaf = outside.wild && random.chance(0.25);
    if (length === 'hangs') happened(`${what} hangs`);
    return new Promise((resolve) => {
      world.schedule(length === 'hangs' ? span[1] : random.int(...span), () => {
        if (context.signal.aborted && deaf) happened(`${what} ends after it was told to stop`);
        resolve('done');
      });
      const stop = () => world.schedule(random.int(0, 100), () => resolve('stopped'));
      if (deaf) return;
      if (context.signal.aborted) stop();
      else context.signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** A short while, in which much can happen. */
  const moment = () =>
    new Promise<void>((resolve) =>
      world.schedule(random.chance(0.8) ? random.int(0, 300) : random.int(300, 10_000), resolve),
    );

  /** The answer reaches the engine only if its process still listens; the hand said it all the same. */
  const heard = <T>(value: T): Promise<T> => new Promise((resolve) => process.hears(() => resolve(value)));
  const thrown = (why: string): Promise<never> =>
    new Promise((_, reject) => process.hears(() => reject(new Error(why))));

  async function reportOf(
    effect: Effect,
    run: WorkerRun,
    outcome: OutcomeClass,
    context: HandContext,
  ): Promise<WorkerReport> {
    const cost = costOf();
    const reason = random.chance(0.02) ? LONG : `the worker says ${outcome}`;
    if (outcome === 'quota') {
      const reset_at = random.chance(0.3)
        ? null
        : Math.max(0, process.clock.now() + random.int(-5_000, random.chance(0.3) ? 3_600_000 : 120_000));
      return { class: outcome, reason, cost, reset_at };
    }
    if (outcome !== 'ok') return { class: outcome, reason, cost };
    const answer =
      random.chance(0.3) && process.state === 'running' ? await context.keep(`answer of ${effect.key}`) : null;
    const status = random.weighted({ APPROVED: 70, CHANGES_REQUESTED: 15, REJECTED: 10, SUCCESS: 5 });
    const unread: AnswerFacts = { status, confidence: null, findings: null, vetoes: null, dismissed: null };
    // Nobody here answers for a no without a finding that counts. An approval with one is a no, too.
    const high = status !== 'APPROVED' || effect.token % 2 === 0 ? 1 : 0;
    const critical = effect.token % 12 === 0 ? [{ id: `r-${effect.token}`, severity: 'critical' as const }] : [];
    const found = { ...findingsOf(high), critical: critical.length };
    const looked = { ...unread, findings: found, uncounted: 1, ...(critical.length === 0 ? {} : { open: critical }) };
    const said = effect.token % 3 === 0 ? looked : unread;
    if (random.chance(run.attempt.kind === 'change' ? 0.05 : 0.9))
      return { class: outcome, reason, cost, answer, ...(run.attempt.kind === 'answer' ? { said } : {}) };
    const tree = `tree of ${effect.key}`;
    outside.inputs.set(tree, run.input?.tree ?? null);
    outside.made.set(tree, attemptKey(effect.task, effect.step as string, effect.token));
    return {
      class: outcome,
      reason,
      cost,
      answer,
      candidate: { base: run.base ?? 'root', tree, change_id: sha256(tree) },
      ...(run.classes === undefined ? {} : { facts: factsOf(tree) }),
    };
  }

  const factsOf = (tree: string): ChangeFacts => ({
    file_count: fileCountOf(tree),
    lines_added: 1,
    lines_removed: null,
    new_dependencies: 0,
    lock_file: false,
    breaking: null,
    classes: [],
  });
  const findingsOf = (high: number): Findings => ({ critical: 0, high, medium: 0, low: 0, info: 0 });

  function costOf(): Cost {
    if (random.chance(0.02)) return { microusd: Number.NaN, tokens_in: -1, tokens_out: 1e300 };
    if (random.chance(0.25)) return UNKNOWN_COST;
    return { microusd: random.chance(0.2) ? 0 : random.int(1, 3_000), tokens_in: random.int(0, 900), tokens_out: null };
  }

  return {
    worker: {
      async run(effect, run, context) {
        outside.began(process, effect, context.signal);
        const isGiven = run.given !== undefined;
        if (isGiven) happened(outside.runs.has(effect.key) ? 'given change read again' : 'given change read');
        add(outside.runs, effect.key);
        const outcome = random.weighted(isGiven ? GIVEN : outside.wild ? OUTCOMES : MILD);
        const ended = await (isGiven ? moment().then(() => 'done' as const) : work(context, 'worker'));
        if (ended === 'stopped') return heard({ class: 'killed', reason: 'told to stop', cost: costOf() });
        if (outcome === 'throws') return thrown('the worker could not be started');
        const report = await reportOf(effect, run, outcome, context);
        const { task, step, token } = effect;
        const full = {
          reason: '',
          candidate: null,
          answer: null,
          record: null,
          said: null,
          cost: UNKNOWN_COST,
          reset_at: null,
          ...report,
        };
        // What it kept went with the process; a copy of the report does not bring it along.
        outside.told.push({
          type: 'attempt.report',
          task,
          step: step as NonNullable<typeof step>,
          token,
          ...full,
          answer: null,
        });
        return heard(report);
      },
    },
    gate: {
      async run(effect, { gate }, context) {
        outside.began(process, effect, context.signal);
        const { task, step, token } = effect;
        const key = `${attemptKey(task, step as string, token)}/${gate}`;
        const said = outside.verdicts.get(key) ?? new Set<GateStatus>();
        outside.verdicts.set(key, said);
        const status = random.weighted({ pass: 85, fail: 10, error: 3, throws: 2 });
        await work(context, 'gate');
        said.add(status === 'throws' ? 'error' : status);
        if (status === 'throws') return thrown('the gate could not be started');
        const evidence = process.state === 'running' ? await context.keep(`evidence of ${key}`) : null;
        outside.told.push({
          type: 'gate.report',
          task,
          step,
          token,
          gate,
          status,
          evidence: null,
          ms: 5,
          excused: 0,
          cached: false,
          ...NOT_MEASURED,
        });
        // Now and then a pass of which the verdict makes a rejection; without chance, so that old seeds play as they did.
        const score = sha256(key) < '2' ? 0.6 : null;
        // Now and then it is red for a finding that a person can take back.
        const found: Partial<GateReport> =
          status === 'fail' && step !== null && sha256(key) > 'a'
            ? {
                findings: { ...findingsOf(0), critical: 1 },
                blocked_by: [{ id: sha256(key).slice(0, 8), severity: 'critical' }],
              }
            : {};
        return heard({ status, evidence, ms: 5, score, ...found });
      },
    },
    applier: {
      probe: (_, { branch, candidate }) =>
        process.call(async () => {
          if (outside.branches.get(branch) !== commitOf(candidate)) return null;
          happened('probe finds the application');
          return { status: 'applied', commit: commitOf(candidate), branch };
        }),
      run: (effect, { branch, candidate, replaces, requireChangelog }, context) => {
        outside.began(process, effect, context.signal);
        return process.call(async () => {
          await moment();
          if (requireChangelog && random.chance(0.3))
            return { status: 'refused', commit: null, reason: 'no entry in the changelog' };
          const fate = outside.wild
            ? random.weighted({ lands: 90, conflict: 3, 'fails before': 3, 'fails after': 4 })
            : 'lands';
          if (fate === 'fails before') throw new Error('the disk is full');
          if (fate === 'conflict') return { status: 'conflict', commit: null, reason: LONG };
          const commit = commitOf(candidate);
          const there = outside.branches.get(branch);
          // A commit of the same task may follow on one that the log knows.
          const moves = there === undefined || (there === replaces && there !== commit);
          if (moves) {
            outside.branches.set(branch, commit);
            add(outside.applications, applicationKey(effect.task, commit));
          }
          if (fate === 'fails after') throw new Error('killed while cleaning up');
          outside.told.push({
            type: 'apply.report',
            task: effect.task,
            token: effect.token,
            status: 'applied',
            commit,
            branch,
            reason: '',
          });
          await moment();
          return moves || there === commit
            ? { status: 'applied', commit, branch }
            : { status: 'conflict', commit: null };
        });
      },
    },
    lander: {
      read: (_, { onto }) =>
        process.call(async () => ({ status: 'seen', commit: outside.line(onto).at(-1) ?? 'root' })),
      integrate: (_, { onto, candidate, head, more = [] }) =>
        process.call(async () => {
          await moment();
          if (outside.wild && random.chance(0.05)) throw new Error('the disk is full');
          if (random.chance(0.05)) return { status: 'conflict', reason: `${onto} conflicts` };
          const on = (own: string, below: string) => ({
            tree: `${own} on ${below}`,
            change_id: sha256(`${own} on ${below}`),
          });
          const stack = [on(candidate.tree, head)];
          for (const one of more) {
            if (random.chance(0.05)) break;
            stack.push(on(one.candidate.tree, stack.at(-1)?.tree ?? head));
          }
          const whole = { base: head, ...(stack.at(-1) ?? on(candidate.tree, head)) };
          return { status: 'integrated', candidate: whole, ...(stack.length < 2 ? {} : { stack }) };
        }),
      probe: (_, work) =>
        process.call(async () => {
          const commits = commitsOf(work);
          const wanted = commits.at(-1) ?? work.commit;
          if (!outside.line(work.onto).includes(wanted)) return null;
          happened('probe finds the landing');
          return { status: 'landed', commit: wanted, ...(commits.length < 2 ? {} : { commits }) };
        }),
      move: (effect, work, context) => {
        const { onto, integrated } = work;
        outside.began(process, effect, context.signal);
        return process.call(async () => {
          await moment();
          const line = outside.line(onto);
          if (outside.wild && random.chance(0.1)) line.push(`somebody's commit ${line.length}`);
          if (outside.wild && random.chance(0.03)) throw new Error('the disk is full');
          const commits = commitsOf(work);
          const wanted = commits.at(-1) ?? work.commit;
          const base = integrated?.candidate.base ?? 'root';
          if (!line.includes(wanted)) {
            const head = line.at(-1) ?? 'root';
            if (head !== base) return { status: 'moved', commit: head };
            for (const one of commits.length === 0 ? [wanted] : commits) {
              line.push(one);
              add(outside.landings, `${onto} ${one}`);
            }
          }
          if (outside.wild && random.chance(0.04)) throw new Error('killed while cleaning up');
          await moment();
          return { status: 'landed', commit: wanted, ...(commits.length < 2 ? {} : { commits }) };
        });
      },
    },
    notifier: {
      run: (effect, work, context) => {
        outside.began(process, effect, context.signal);
        return process.call(async () => {
          await moment();
          if (random.chance(0.05)) throw new Error('no network');
          const about = {
            ...(work.asks === true ? { asks: work.asks } : {}),
            ...(work.digest === undefined ? {} : { digest: true as const }),
          };
          if (outside.wild && random.chance(0.25))
            return { result: 'held in quiet hours', quiet_ms: random.int(1, 40 * 60_000) };
          add(outside.sends, effect.key);
          outside.told.push({
            type: 'notify.report',
            task: effect.task,
            token: effect.token,
            ...about,
            result: 'sent',
          });
          if (random.chance(0.05)) throw new Error('the connection broke');
          return { result: random.chance(0.1) ? LONG : 'sent' };
        });
      },
    },
  };
}
