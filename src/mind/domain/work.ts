/** What hands are asked to do: effects and timers as data, and what becomes of an effect when a process dies with it. */
import type { BlobHash, StepId, TaskId } from '../../kernel/ids.ts';
import type { Degraded, RedGate } from './task.ts';
import type { Candidate, Spec } from './values.ts';
import type { WorkerRun } from './worker-run.ts';

/**
 * What the engine does with an effect whose start was logged by a process that is gone:
 * `repeat` it, `probe` whether it happened, give it up for a `new-attempt`, or never do it again (`at-most-once`).
 */
export type Recovery = 'repeat' | 'probe' | 'new-attempt' | 'at-most-once';

export type GateRun = {
  readonly kind: 'gate.run';
  /** The number of the attempt; 0: the tree that shall land. */
  readonly attempt: number;
  readonly gate: string;
  readonly spec: Spec;
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
  /** Not from the cache, and not into it: whether a red gate stays red. */
  readonly fresh?: true;
};
export type Judged = {
  readonly decision: string;
  readonly score: number | null;
  /** Those who approved. */
  readonly reviewers: readonly { readonly role: string; readonly cli: string }[];
};
export type CandidateApply = {
  readonly kind: 'candidate.apply';
  readonly candidate: Candidate;
  readonly onto: string;
  readonly branch: string;
  readonly title: string;
  readonly spec: Spec;
  readonly created: number;
  /** What the worker answered that made the candidate. */
  readonly answer: BlobHash | null;
  /** Gates of the candidate that are red as the base is. */
  readonly red: readonly RedGate[];
  /** Steps whose change is only a part of what was asked. Absent: none. */
  readonly degraded?: readonly Degraded[];
  /** The commit of an earlier candidate of the task, which the branch may move from. */
  readonly replaces?: string;
  /** What was said of this very change. Absent: nothing was. */
  readonly judged?: Judged;
  /** The task's own commit, which this one joins with the branch. */
  readonly merges?: string;
  /** It is refused while the change has no changelog entry. */
  readonly requireChangelog?: true;
};
export type NotifySend = {
  readonly kind: 'notify.send';
  readonly title: string;
  readonly spec: Spec;
  readonly status: string;
  /** It waits for a person. Absent: it has ended. */
  readonly asks?: true;
};
/** The change on top of a branch that has moved. */
export type LineIntegrate = {
  readonly kind: 'line.integrate';
  readonly spec: Spec;
  readonly onto: string;
  readonly candidate: Candidate;
  readonly head: string;
  /** The branch of the task, for the sentence about a conflict. */
  readonly branch: string;
};
/** The user's branch moves to the task's commit, or to one for its integrated change, which is made first. */
export type LineMove = {
  readonly kind: 'line.move';
  readonly spec: Spec;
  readonly onto: string;
  readonly moveCheckout: boolean;
  /** What was accepted; nothing else may reach the branch. */
  readonly candidate: Candidate;
  readonly commit: string;
  readonly integrated: Omit<CandidateApply, 'kind' | 'onto' | 'spec'> | null;
};
/** Where a branch is now. */
export type LineRead = { readonly kind: 'line.read'; readonly spec: Spec; readonly onto: string };
export type LineWork = LineIntegrate | LineMove | LineRead;
export type Work = WorkerRun | GateRun | CandidateApply | NotifySend | LineWork;
type WorkKind = Work['kind'];

export const RECOVERY: Readonly<Record<WorkKind, Recovery>> = {
  'worker.run': 'new-attempt',
  'gate.run': 'repeat',
  'candidate.apply': 'probe',
  'notify.send': 'at-most-once',
  'line.integrate': 'repeat',
  'line.move': 'probe',
  'line.read': 'repeat',
};

export type Effect = {
  /** `(task, step, attempt, kind, part)`: doing the same key twice is harmless or refused. */
  readonly key: string;
  /** The stream that wants it. */
  readonly stream: string;
  readonly task: TaskId;
  readonly step: StepId | null;
  readonly token: number;
  /** Whether the log already says that it began. */
  readonly started: boolean;
  readonly work: Work;
};

export type Timer = {
  readonly key: string;
  readonly due: number;
  readonly task: TaskId;
  readonly timer: 'backoff' | 'deadline' | 'age' | 'landing' | 'approval';
  readonly step: StepId | null;
  readonly token: number;
};

export type Wanted = {
  readonly effects: readonly Effect[];
  readonly timers: readonly Timer[];
  /** The task is paused, or its project halted at once: these effects are interrupted, and report that they were. */
  readonly interrupt?: 'paused' | 'halted';
};
