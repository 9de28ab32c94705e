/** What carries out effects. A hand reports what happened; it never writes to the log and never decides. */

import type { BlobHash } from '../../kernel/ids.ts';
import type { CommandOf } from '../../mind/domain/commands.ts';
import type {
  CandidateApply,
  Effect,
  GateRun,
  LineIntegrate,
  LineMove,
  LineRead,
  NotifySend,
} from '../../mind/domain/work.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';

export type HandContext = {
  /** Aborted when the effect is no longer wanted or Supervisor stops: end at once, release everything. */
  readonly signal: AbortSignal;
  /** Keeps a text beside the log, secrets redacted; durable together with the report that names it. */
  keep(text: string): Promise<BlobHash>;
  /** A text that was kept earlier; null when it was deleted since. */
  read(hash: BlobHash): Promise<string | null>;
};

/** The goal, the titles of tasks that wait (oldest first) and of those that were accepted (newest first); a few of each. */
export type Around = {
  readonly goal: string | null;
  readonly queue: readonly string[];
  readonly history: readonly string[];
};
export type WorkerContext = HandContext & { around(): Promise<Around> };

type Told<T extends 'attempt.report' | 'gate.report' | 'apply.report' | 'notify.report'> = Omit<
  CommandOf<T>,
  'type' | 'task' | 'step' | 'token' | 'gate'
>;
export type WorkerReport = Pick<Told<'attempt.report'>, 'class'> & Partial<Told<'attempt.report'>>;
export type GateReport = Pick<Told<'gate.report'>, 'status'> & Partial<Told<'gate.report'>>;
export type ApplyReport = Pick<Told<'apply.report'>, 'status' | 'commit'> & Partial<Told<'apply.report'>>;
type NotifyReport = Told<'notify.report'>;
export type LineReport = Pick<CommandOf<'line.report'>, 'status'> &
  Partial<Omit<CommandOf<'line.report'>, 'type' | 'kind' | 'task' | 'token'>>;

export type Hands = {
  readonly worker: { run(effect: Effect, work: WorkerRun, context: WorkerContext): Promise<WorkerReport> };
  readonly gate: { run(effect: Effect, work: GateRun, context: HandContext): Promise<GateReport> };
  readonly applier: {
    /** Whether this very candidate was applied already; null when it was not. */
    probe(effect: Effect, work: CandidateApply, context: HandContext): Promise<ApplyReport | null>;
    run(effect: Effect, work: CandidateApply, context: HandContext): Promise<ApplyReport>;
  };
  /** Does what a line wants: all of it may be done again with the same result. */
  readonly lander: {
    integrate(effect: Effect, work: LineIntegrate, context: HandContext): Promise<LineReport>;
    /** Whether the branch holds this very commit already; null when it does not. */
    probe(effect: Effect, work: LineMove, context: HandContext): Promise<LineReport | null>;
    move(effect: Effect, work: LineMove, context: HandContext): Promise<LineReport>;
    read(effect: Effect, work: LineRead, context: HandContext): Promise<LineReport>;
  };
  readonly notifier: { run(effect: Effect, work: NotifySend, context: HandContext): Promise<NotifyReport> };
};
