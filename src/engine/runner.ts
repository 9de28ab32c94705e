/** Carries out effects: starts those that the state wants, stops the others, and reports what happened. */
import { assertNever } from '../kernel/assert-never.ts';
import type { BlobHash, TaskId } from '../kernel/ids.ts';
import type { CommandOf } from '../mind/domain/commands.ts';
import { NOT_MEASURED, UNKNOWN_COST } from '../mind/domain/values.ts';
import {
  type Effect,
  type LineWork,
  type NotifySend,
  type Recovery,
  recoveryOf,
  type WantedWork,
} from '../mind/domain/work.ts';
import type { WorkerRun } from '../mind/domain/worker-run.ts';
import type { OutcomeReport } from './incoming.ts';
import type { HandContext, Hands, LineReport, ProjectBacklog } from './ports/hands.ts';
import type { AppLog, Failpoint } from './ports/surroundings.ts';

type RunnerPorts = {
  readonly hands: Hands;
  readonly log: AppLog;
  readonly failpoint: Failpoint;
  keep(text: string): Promise<BlobHash>;
  read(hash: BlobHash): Promise<string | null>;
  around(task: TaskId): Promise<ProjectBacklog>;
  /** Resolves to false if the command was rejected because the effect is no longer wanted. */
  send(id: string, command: OutcomeReport | CommandOf<'effect.start'>): Promise<boolean>;
  /** How many effects besides workers may run at once. */
  readonly parallel: number;
};

/** Why a hand was told to stop; decides what its report means. */
type StopReason = 'unwanted' | 'stopped' | NonNullable<WantedWork['interrupt']>;

/** The reason that an interrupted attempt is logged with. */
const INTERRUPTED: Readonly<Record<string, string>> = {
  stopped: 'Supervisor was stopped',
  paused: 'the task was paused',
  halted: 'the project was halted',
};

type RunningEffect = { readonly effect: Effect; readonly abort: AbortController };

export class Runner {
  readonly #ports: RunnerPorts;
  readonly #running = new Map<string, RunningEffect>();
  readonly #byStream = new Map<string, Set<string>>();
  /** What each stream wants now. */
  readonly #wanted = new Map<string, readonly Effect[]>();
  #queue: Effect[] = [];
  /** Effects that a dead process had logged as started. */
  readonly #inherited = new Set<string>();
  #stopping = false;
  #whenIdle: (() => void)[] = [];

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /** Marks effects that an earlier process began; each is recovered by the rule of its kind. */
  inherit(effects: readonly Effect[]): void {
    for (const effect of effects) if (effect.started) this.#inherited.add(effect.key);
  }

  /** Sets the effects that the stream wants now. */
  replace(stream: string, { effects, interrupt }: Pick<WantedWork, 'effects' | 'interrupt'>): void {
    const keys = new Set(effects.map((effect) => effect.key));
    if (effects.length === 0) this.#wanted.delete(stream);
    else this.#wanted.set(stream, effects);
    const known = this.#byStream.get(stream) ?? new Set<string>();
    for (const key of known) if (!keys.has(key)) this.#drop(key);
    for (const effect of effects) if (!known.has(effect.key) && !this.#stopping) this.#add(effect);
    if (interrupt === undefined) return;
    // Only workers: a message that is on its way meanwhile is sent.
    for (const { key, work } of effects)
      if (work.kind === 'worker.run') this.#running.get(key)?.abort.abort(interrupt satisfies StopReason);
  }

  /** Stops everything politely and waits for it; starts nothing new. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue = [];
    for (const { effect, abort } of this.#running.values()) {
      // Repeatable work is cut short. An apply or a message takes a moment, and cutting it in half is worse than
      // waiting.
      const { kind } = effect.work;
      if (kind === 'worker.run' || kind === 'gate.run') abort.abort('stopped' satisfies StopReason);
    }
    await this.idle();
  }

  /** Ends everything at once and waits for nothing: the lease is gone, so reports would be refused. */
  abandon(): void {
    this.#stopping = true;
    this.#queue = [];
    for (const { abort } of this.#running.values()) abort.abort('unwanted' satisfies StopReason);
  }

  /** Other tasks with effects that run or wait. */
  busyBesides(task: TaskId): TaskId[] {
    const all = [...[...this.#running.values()].map(({ effect }) => effect), ...this.#queue];
    return [...new Set(all.map((effect) => effect.task))].filter((other) => other !== task);
  }

  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #add(effect: Effect): void {
    const keys = this.#byStream.get(effect.stream) ?? new Set<string>();
    this.#byStream.set(effect.stream, keys.add(effect.key));
    this.#queue.push(effect);
    this.#pump();
  }

  #drop(key: string): void {
    this.#running.get(key)?.abort.abort('unwanted' satisfies StopReason);
    this.#queue = this.#queue.filter((effect) => effect.key !== key || !this.#forget(effect));
  }

  #forget(effect: Effect): true {
    const keys = this.#byStream.get(effect.stream);
    keys?.delete(effect.key);
    if (keys?.size === 0) this.#byStream.delete(effect.stream);
    return true;
  }

  /** Workers have a slot from the scheduler; all other effects share the limit of parallel work. */
  #next(): Effect | undefined {
    const others = [...this.#running.values()].filter(({ effect }) => effect.work.kind !== 'worker.run').length;
    const index = this.#queue.findIndex((effect) => effect.work.kind === 'worker.run' || others < this.#ports.parallel);
    return index < 0 ? undefined : this.#queue.splice(index, 1)[0];
  }

  #pump(): void {
    for (let effect = this.#next(); effect !== undefined; effect = this.#next()) this.#begin(effect);
  }

  #begin(effect: Effect): void {
    const running = { effect, abort: new AbortController() };
    const begun = performance.now();
    this.#running.set(effect.key, running);
    this.#ports.log('debug', 'effect begins', { effect: effect.key });
    void this.#carryOut(running).finally(() => {
      const ms = Math.round(performance.now() - begun);
      this.#ports.log('debug', 'effect ended', { effect: effect.key, ms, told: running.abort.signal.reason ?? null });
      this.#running.delete(effect.key);
      this.#forget(effect);
      // The effect was dropped and is wanted again, such as the gate of a task that was paused and resumed before the
      // gate ended.
      const again = this.#wanted.get(effect.stream)?.find(({ key }) => key === effect.key);
      if (running.abort.signal.reason === 'unwanted' && again !== undefined && !this.#stopping) this.#add(again);
      this.#pump();
      if (this.#running.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    });
  }

  async #carryOut({ effect, abort }: RunningEffect): Promise<void> {
    const { log, failpoint, send } = this.#ports;
    try {
      const { kind } = effect.work;
      const recovery = recoveryOf(effect.work);
      const isIntended = recovery === 'probe' || recovery === 'at-most-once';
      // Begun by an earlier process, or begun here and dropped, for example because its task was paused.
      const isBegun = this.#inherited.delete(effect.key) || (isIntended && effect.started);
      if (isIntended && !effect.started) {
        const { key, task, stream } = effect;
        if (!(await send(`${key}/start`, { type: 'effect.start', task, stream, key }))) return;
      }
      await failpoint(`effect.before ${kind}`);
      if (abort.signal.reason === 'unwanted') return;
      const report = await this.#report(effect, isBegun ? recovery : 'repeat', abort.signal);
      await failpoint(`effect.after ${kind}`);
      // A sent message is recorded, even if its task no longer wants it.
      const isWanted = abort.signal.reason !== 'unwanted' || recovery === 'at-most-once';
      if (report !== null && isWanted) await send(effect.key, report);
    } catch (error) {
      log('error', 'effect failed outside its hand', { effect: effect.key, error: String(error) });
    }
  }

  async #report(effect: Effect, recovery: Recovery, signal: AbortSignal): Promise<OutcomeReport | null> {
    const { hands, keep, read } = this.#ports;
    const context: HandContext = { signal, keep, read };
    const { task, step, token, work } = effect;
    switch (work.kind) {
      case 'worker.run':
        return this.#workerReport(effect, work, context, recovery === 'new-attempt');
      case 'gate.run': {
        if (signal.aborted) return null;
        const told = await settled(
          () => hands.gate.run(effect, work, context),
          () => ({ status: 'error' as const }),
        );
        // An interrupted gate says nothing about the code, so it runs again.
        if (signal.aborted) return null;
        return {
          type: 'gate.report',
          task,
          step,
          token,
          gate: work.gate,
          evidence: null,
          ms: null,
          excused: 0,
          cached: false,
          ...NOT_MEASURED,
          ...told,
        };
      }
      case 'candidate.apply': {
        const failed = (why: string) => ({ status: 'error' as const, commit: null, reason: why });
        const before =
          recovery === 'probe' ? await settled(() => hands.applier.probe(effect, work, context), failed) : null;
        if (before === null && signal.aborted) return null;
        const told = before ?? (await settled(() => hands.applier.run(effect, work, context), failed));
        return { type: 'apply.report', task, token, reason: '', branch: null, ...told };
      }
      case 'line.integrate':
      case 'line.move':
      case 'line.read':
        return this.#lineReport(effect, work, { recovery, context });
      case 'notify.send': {
        if (recovery === 'at-most-once')
          return {
            type: 'notify.report',
            task,
            token,
            ...about(work),
            result: 'unknown: Supervisor stopped while sending',
          };
        const told = await settled(
          () => hands.notifier.run(effect, work, context),
          (why) => ({ result: `failed: ${why}` }),
        );
        return { type: 'notify.report', task, token, ...about(work), ...told };
      }
      default:
        return assertNever(work, 'effect');
    }
  }

  async #lineReport(
    effect: Effect,
    work: LineWork,
    { recovery, context }: { recovery: Recovery; context: HandContext },
  ): Promise<OutcomeReport | null> {
    const { lander } = this.#ports.hands;
    const { task, token } = effect;
    const failed = (reason: string): LineReport => ({ status: 'error', reason });
    const run = async (): Promise<LineReport | null> => {
      if (work.kind === 'line.integrate') return lander.integrate(effect, work, context);
      if (work.kind === 'line.read') return lander.read(effect, work, context);
      const before = recovery === 'probe' ? await lander.probe(effect, work, context) : null;
      if (before !== null) return before;
      // A dead process decided this; an approval may have expired since.
      const { key, stream } = effect;
      const again = { type: 'effect.start', task, stream, key, again: true } as const;
      if (recovery === 'probe' && !(await this.#ports.send(`${key}/again`, again))) return null;
      // The lease may have been lost while the branch was read; then another process moves it.
      return context.signal.aborted ? null : lander.move(effect, work, context);
    };
    const told = await settled(run, failed);
    if (told === null) return null;
    return {
      type: 'line.report',
      kind: work.kind,
      task,
      token,
      reason: '',
      commit: null,
      candidate: null,
      path: null,
      ...told,
    };
  }

  /** `lost`: an earlier process began the attempt and is gone. */
  async #workerReport(
    effect: Effect,
    work: WorkerRun,
    context: HandContext,
    lost: boolean,
  ): Promise<OutcomeReport | null> {
    const { task, step, token } = effect;
    const { signal } = context;
    if (step === null) throw new Error('a worker belongs to a step');
    const run = () =>
      settled(
        () => this.#ports.hands.worker.run(effect, work, { ...context, around: () => this.#ports.around(task) }),
        (why) => ({ class: 'crash' as const, reason: why }),
      );
    // A person's work is captured again, so that they need not give it twice.
    if (work.given !== undefined && signal.aborted) return null;
    const told = lost || signal.aborted ? LOST : await run();
    if (work.given !== undefined && signal.aborted && told.class !== 'ok') return null;
    const why = INTERRUPTED[String(signal.reason)];
    // A worker that had finished before it was stopped has done its work: it counts and is not paid twice.
    const outcome =
      why === undefined || told.class === 'ok' ? told : { ...told, class: 'interrupted' as const, reason: why };
    return {
      type: 'attempt.report',
      task,
      step,
      token,
      reason: '',
      candidate: null,
      answer: null,
      record: null,
      said: null,
      cost: UNKNOWN_COST,
      reset_at: null,
      ...outcome,
    };
  }
}

const about = ({ asks, digest }: NotifySend): Pick<CommandOf<'notify.report'>, 'asks' | 'digest'> => ({
  ...(asks === true ? { asks } : {}),
  ...(digest === undefined ? {} : { digest: true }),
});

const LOST = { class: 'lost', reason: 'Supervisor ended while the attempt was under way' } as const;

/** If a hand throws, it has a bug or the machine is broken; that is an outcome, too. */
async function settled<T, F>(work: () => Promise<T>, failed: (why: string) => F): Promise<T | F> {
  try {
    return await work();
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}
