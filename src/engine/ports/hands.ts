/** The code that carries out effects. A hand reports what happened; it never writes to the log and never decides. */
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
  /** Aborted when the effect is no longer wanted or Supervisor stops: end at once and release everything. */
  readonly signal: AbortSignal;
  /** Stores a redacted text beside the log; it becomes durable together with the report that names it. */
  keep(text: string): Promise<BlobHash>;
  /** A stored text; null if it was deleted since. */
  read(hash: BlobHash): Promise<string | null>;
};

/** The goal, and the titles of a few waiting tasks (oldest first) and accepted ones (newest first). */
export type ProjectBacklog = {
  readonly goal: string | null;
  readonly queue: readonly string[];
  readonly history: readonly string[];
};
export type WorkerContext = HandContext & { around(): Promise<ProjectBacklog> };

type ReportOf<T extends 'attempt.report' | 'gate.report' | 'apply.report' | 'notify.report'> = Omit<
  CommandOf<T>,
  'type' | 'task' | 'step' | 'token' | 'gate'
>;
export type WorkerReport = Pick<ReportOf<'attempt.report'>, 'class'> & Partial<ReportOf<'attempt.report'>>;
export type GateReport = Pick<ReportOf<'gate.report'>, 'status'> & Partial<ReportOf<'gate.report'>>;
export type ApplyReport = Pick<ReportOf<'apply.report'>, 'status' | 'commit'> & Partial<ReportOf<'apply.report'>>;
export type LineReport = Pick<CommandOf<'line.report'>, 'status'> &
  Partial<Omit<CommandOf<'line.report'>, 'type' | 'kind' | 'task' | 'token'>>;

export type Hands = {
  readonly worker: { run(effect: Effect, work: WorkerRun, context: WorkerContext): Promise<WorkerReport> };
  readonly gate: { run(effect: Effect, work: GateRun, context: HandContext): Promise<GateReport> };
  readonly applier: {
    /** Returns the result if this candidate was applied already, else null. */
    probe(effect: Effect, work: CandidateApply, context: HandContext): Promise<ApplyReport | null>;
    run(effect: Effect, work: CandidateApply, context: HandContext): Promise<ApplyReport>;
  };
  /** Does what a line wants. Repeating any of it gives the same result. */
  readonly lander: {
    integrate(effect: Effect, work: LineIntegrate, context: HandContext): Promise<LineReport>;
    /** Returns the result if the branch holds this commit already, else null. */
    probe(effect: Effect, work: LineMove, context: HandContext): Promise<LineReport | null>;
    move(effect: Effect, work: LineMove, context: HandContext): Promise<LineReport>;
    read(effect: Effect, work: LineRead, context: HandContext): Promise<LineReport>;
  };
  readonly notifier: {
    run(effect: Effect, work: NotifySend, context: HandContext): Promise<ReportOf<'notify.report'>>;
  };
};
