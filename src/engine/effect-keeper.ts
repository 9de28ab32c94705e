/** Matches effects and timers to the state: the runner does the effects, and timers fire when due. */
import { sha256 } from '../kernel/hash.ts';
import type { BlobHash, ProjectId, TaskId } from '../kernel/ids.ts';
import type { CommandOf } from '../mind/domain/commands.ts';
import { wantedBy, wantingStreams } from '../mind/domain/effects.ts';
import type { Timer } from '../mind/domain/work.ts';
import type { Drain } from './drain.ts';
import { aroundOf, contentOf } from './hand-lookups.ts';
import { boundedReport, hasFreeText, type OutcomeReport, redacted } from './incoming.ts';
import type { LiveState } from './live-state.ts';
import type { Hands } from './ports/hands.ts';
import type { Store } from './ports/store.ts';
import type { AppLog, Clock, Failpoint, Redact } from './ports/surroundings.ts';
import { Runner } from './runner.ts';
import { Timers } from './timers.ts';

type EffectDeps = {
  readonly project: ProjectId;
  readonly store: Store;
  readonly live: LiveState;
  /** Decides the reports of the hands and of the clock. */
  readonly drain: Drain;
  readonly hands: Hands;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly failpoint: Failpoint;
  readonly log: AppLog;
  /** How many effects besides workers may run at once. */
  readonly parallel: number;
};

export class EffectKeeper {
  readonly #deps: EffectDeps;
  readonly #runner: Runner;
  readonly #timers: Timers<Timer>;

  constructor(deps: EffectDeps) {
    this.#deps = deps;
    const { project, store, live, hands, clock, failpoint, log, parallel } = deps;
    this.#runner = new Runner({
      hands,
      log,
      failpoint,
      parallel,
      keep: (text) => this.#keep(text),
      read: async (hash) => live.kept(hash) ?? (await contentOf(store, hash)),
      around: (task) => aroundOf(store, project, task, live.project.goal),
      send: (id, command) => this.#send(id, command),
    });
    this.#timers = new Timers(clock, log, (timer) => this.#ring(timer));
  }

  /** Starts what the loaded state wants. Recovers what an earlier process began, by the rule of its kind. */
  begin(): void {
    const { project } = this.#deps.live;
    const streams = wantingStreams(project);
    for (const stream of streams) this.#runner.inherit(wantedBy(project, stream).effects);
    for (const stream of streams) this.follow(stream);
  }

  /** Starts and stops effects and timers of a changed stream. */
  follow(stream: string): void {
    const wanted = wantedBy(this.#deps.live.project, stream);
    this.#runner.replace(stream, wanted);
    this.#timers.replace(stream, wanted.timers);
  }

  /** Other tasks with effects under way. */
  busyBesides(task: TaskId): TaskId[] {
    return this.#runner.busyBesides(task);
  }

  /** Resolves when no effect is under way. */
  idle(): Promise<void> {
    return this.#runner.idle();
  }

  stopTimers(): void {
    this.#timers.stop();
  }

  /** Tells the hands to stop, and waits for their reports. */
  stop(): Promise<void> {
    return this.#runner.stop();
  }

  /** Ends everything at once and ignores further reports. */
  abandon(): void {
    this.#timers.stop();
    this.#runner.abandon();
  }

  /** Redacts a text and stores it with the next append, whose event names it. */
  async #keep(text: string): Promise<BlobHash> {
    const { failpoint, redact, live } = this.#deps;
    await failpoint('blob.before');
    const [clean = ''] = await redact([text]);
    const hash = sha256(clean) as BlobHash;
    live.keep(hash, clean);
    await failpoint('blob.after');
    return hash;
  }

  async #send(id: string, command: OutcomeReport | CommandOf<'effect.start'>): Promise<boolean> {
    const { redact, drain } = this.#deps;
    const clean = hasFreeText(command) ? await redacted(command, redact) : command;
    const sane = clean.type === 'effect.start' ? clean : boundedReport(clean);
    return (await drain.enqueue({ id, actor: { kind: 'hand', name: '' }, command: sane, kept: false })) === null;
  }

  #ring({ key, task, timer, step, token }: Timer): void {
    const command = { type: 'timer.fire', task, timer, step, token } as const;
    void this.#deps.drain.enqueue({ id: `${key}/fire`, actor: { kind: 'clock', name: '' }, command, kept: false });
  }
}
