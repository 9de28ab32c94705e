/** Carries out effects: starts what the state wants, stops what it no longer wants, reports what happened. */
import { assertNever } from '../kernel/assert-never.ts';
import type { BlobHash, TaskId } from '../kernel/ids.ts';
import type { CommandOf } from '../mind/domain/commands.ts';
import { type Effect, RECOVERY } from '../mind/domain/effects.ts';
import { UNKNOWN_COST } from '../mind/domain/values.ts';
import type { Report } from './door.ts';
import type { Around, HandContext, Hands } from './ports/hands.ts';
import type { AppLog, Failpoint } from './ports/surroundings.ts';

export type RunnerPorts = {
  readonly hands: Hands;
  readonly log: AppLog;
  readonly failpoint: Failpoint;
  keep(text: string): Promise<BlobHash>;
  read(hash: BlobHash): Promise<string | null>;
  around(task: TaskId): Promise<Around>;
  /** Resolves to false when the command was rejected: the effect is no longer wanted. */
  send(id: string, command: Report | CommandOf<'effect.start'>): Promise<boolean>;
  /** How many effects besides workers may run at once. */
  readonly parallel: number;
};

/** Why a hand was told to end; decides what its report means. */
type StopReason = 'unwanted' | 'interrupted';

type Running = { readonly effect: Effect; readonly abort: AbortController };

export class Runner {
  readonly #ports: RunnerPorts;
  readonly #running = new Map<string, Running>();
  readonly #byTask = new Map<string, Set<string>>();
  #queue: Effect[] = [];
  /** Effects whose start was logged by a process that is gone. */
  readonly #inherited = new Set<string>();
  #stopping = false;
  #whenIdle: (() => void)[] = [];

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /** Marks what an earlier process had begun; each is recovered the way its kind declares. */
  inherit(effects: readonly Effect[]): void {
    for (const effect of effects) if (effect.started) this.#inherited.add(effect.key);
  }

  /** From now on the task wants exactly these. */
  replace(task: TaskId, wanted: readonly Effect[]): void {
    const keys = new Set(wanted.map((effect) => effect.key));
    const known = this.#byTask.get(task) ?? new Set<string>();
    for (const key of known) if (!keys.has(key)) this.#drop(key);
    for (const effect of wanted) if (!known.has(effect.key) && !this.#stopping) this.#add(effect);
  }

  /** Ends everything politely and waits for it; no new effect starts. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue = [];
    for (const { effect, abort } of this.#running.values()) {
      // What can be done again is cut short. An apply or a message takes a moment, and its half is worse than the wait.
      const { kind } = effect.work;
      if (kind === 'worker.run' || kind === 'gate.run') abort.abort('interrupted' satisfies StopReason);
    }
    await this.idle();
  }

  /** Ends everything at once and waits for nothing: the lease is gone, nobody will hear the reports. */
  abandon(): void {
    this.#stopping = true;
    this.#queue = [];
    for (const { abort } of this.#running.values()) abort.abort('unwanted' satisfies StopReason);
  }

  /** Effects under way or waiting that belong to other tasks than this one. */
  busyBesides(task: TaskId): number {
    const others = [...this.#running.values()].filter(({ effect }) => effect.task !== task);
    return others.length + this.#queue.filter((effect) => effect.task !== task).length;
  }

  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #add(effect: Effect): void {
    const keys = this.#byTask.get(effect.task) ?? new Set<string>();
    this.#byTask.set(effect.task, keys.add(effect.key));
    this.#queue.push(effect);
    this.#pump();
  }

  #drop(key: string): void {
    this.#running.get(key)?.abort.abort('unwanted' satisfies StopReason);
    this.#queue = this.#queue.filter((effect) => effect.key !== key || !this.#forget(effect));
  }

  #forget(effect: Effect): true {
    const keys = this.#byTask.get(effect.task);
    keys?.delete(effect.key);
    if (keys?.size === 0) this.#byTask.delete(effect.task);
    return true;
  }

  /** Workers have a slot already, which the scheduler gave them; everything else shares what may run at once. */
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
    this.#running.set(effect.key, running);
    void this.#carryOut(running).finally(() => {
      this.#running.delete(effect.key);
      this.#forget(effect);
      this.#pump();
      if (this.#running.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    });
  }

  async #carryOut({ effect, abort }: Running): Promise<void> {
    const { log, failpoint, send } = this.#ports;
    try {
      const { kind } = effect.work;
      const recovery = RECOVERY[kind];
      const inherited = this.#inherited.delete(effect.key);
      if (!effect.started && (recovery === 'probe' || recovery === 'at-most-once')) {
        if (
          !(await send(`${effect.key}/start`, { type: 'effect.start', task: effect.task, kind, token: effect.token }))
        )
          return;
      }
      await failpoint(`effect.before ${kind}`);
      if (abort.signal.reason === 'unwanted') return;
      const report = await this.#report(effect, inherited ? recovery : 'repeat', abort.signal);
      await failpoint(`effect.after ${kind}`);
      if (report !== null && abort.signal.reason !== 'unwanted') await send(effect.key, report);
    } catch (error) {
      log('error', 'effect failed outside its hand', { effect: effect.key, error: String(error) });
    }
  }

  async #report(
    effect: Effect,
    recovery: 'repeat' | 'probe' | 'new-attempt' | 'at-most-once',
    signal: AbortSignal,
  ): Promise<Report | null> {
    const { hands, keep, read } = this.#ports;
    const context: HandContext = { signal, keep, read };
    const { task, step, token, work } = effect;
    switch (work.kind) {
      case 'worker.run': {
        if (step === null) throw new Error('a worker belongs to a step');
        const run = () =>
          settled(
            () => hands.worker.run(effect, work, { ...context, around: () => this.#ports.around(task) }),
            (why) => ({ class: 'crash' as const, reason: why }),
          );
        const told = recovery === 'new-attempt' || signal.aborted ? LOST : await run();
        const outcome =
          signal.reason === 'interrupted'
            ? { ...told, class: 'interrupted' as const, reason: 'Supervisor was stopped' }
            : told;
        return {
          type: 'attempt.report',
          task,
          step,
          token,
          reason: '',
          candidate: null,
          answer: null,
          record: null,
          cost: UNKNOWN_COST,
          reset_at: null,
          ...outcome,
        };
      }
      case 'gate.run': {
        if (step === null) throw new Error('a gate belongs to a step');
        if (signal.aborted) return null;
        const told = await settled(
          () => hands.gate.run(effect, work, context),
          () => ({ status: 'error' as const }),
        );
        // An interrupted gate says nothing about the code; it is simply run again.
        if (signal.aborted) return null;
        return { type: 'gate.report', task, step, token, gate: work.gate, evidence: null, ms: null, ...told };
      }
      case 'candidate.apply': {
        const failed = (why: string) => ({ status: 'error' as const, commit: null, reason: why });
        const before =
          recovery === 'probe' ? await settled(() => hands.applier.probe(effect, work, context), failed) : null;
        if (before === null && signal.aborted) return null;
        const told = before ?? (await settled(() => hands.applier.run(effect, work, context), failed));
        return { type: 'apply.report', task, token, reason: '', branch: null, ...told };
      }
      case 'notify.send': {
        if (recovery === 'at-most-once')
          return { type: 'notify.report', task, token, result: 'unknown: Supervisor stopped while sending' };
        const told = await settled(
          () => hands.notifier.run(effect, work, context),
          (why) => ({ result: `failed: ${why}` }),
        );
        return { type: 'notify.report', task, token, ...told };
      }
      default:
        return assertNever(work, 'effect');
    }
  }
}

const LOST = { class: 'lost', reason: 'Supervisor ended while the attempt was under way' } as const;

/** A hand that throws has a defect or a broken machine under it; that is an outcome too. */
async function settled<T, F>(work: () => Promise<T>, failed: (why: string) => F): Promise<T | F> {
  try {
    return await work();
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}
