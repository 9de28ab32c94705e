/** What hands are asked to do: effects and timers as data, and what becomes of an effect when its process dies. */
import type { BlobHash, StepId, TaskId } from '../../kernel/ids.ts';
import type { Degraded, Digest, RedGate } from './task.ts';
import type { Candidate, Spec } from './values.ts';
import type { WorkerRun } from './worker-run.ts';

/**
 * What the engine does with an effect whose start was logged by a dead process: `repeat` it, `probe` whether it
 * happened, abandon it for a `new-attempt`, or never do it again (`at-most-once`).
 */
export type Recovery = 'repeat' | 'probe' | 'new-attempt' | 'at-most-once';

export type GateRun = {
  readonly kind: 'gate.run';
  /** The number of the attempt; 0 for the tree that will land. */
  readonly attempt: number;
  readonly gate: string;
  readonly spec: Spec;
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
  /** Bypasses the cache: does a red gate stay red? */
  readonly fresh?: true;
  /** Keys of environments, beside the base's, that people allowed it to prepare. */
  readonly environments?: readonly string[];
};
export type Judged = {
  readonly decision: string;
  readonly score: number | null;
  /** The roles and CLIs that approved. */
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
  /** The worker's answer that came with the candidate. */
  readonly answer: BlobHash | null;
  /** Gates of the candidate that are red because the base is. */
  readonly red: readonly RedGate[];
  /** Steps whose change covers only a part of what was asked; absent if none. */
  readonly degraded?: readonly Degraded[];
  /** The commit of an earlier candidate of the task; the branch may move away from it. */
  readonly replaces?: string;
  /** The verdict on this change; absent if there is none. */
  readonly judged?: Judged;
  /** The task's own commit, which this one merges with the branch. */
  readonly merges?: string;
  /** The people who made a part of the change; absent if there are none. */
  readonly people?: readonly string[];
  /** The commit is refused while the change has no changelog entry. */
  readonly requireChangelog?: true;
};
export type NotifySend = {
  readonly kind: 'notify.send';
  readonly title: string;
  readonly spec: Spec;
  readonly status: string;
  /** The task waits for a person; absent if it has ended. */
  readonly asks?: true;
  /** Quiet hours are over: it is about these tasks, of which some wait for a person. */
  readonly digest?: Pick<Digest, 'asks' | 'ended'>;
};
/** Puts the change on top of a branch that has moved. */
export type LineIntegrate = {
  readonly kind: 'line.integrate';
  readonly spec: Spec;
  readonly onto: string;
  readonly candidate: Candidate;
  readonly head: string;
  /** The task's branch, for messages about a conflict. */
  readonly branch: string;
  /** The changes that are put on top of it, to be checked together. Absent: none. */
  readonly more?: readonly { readonly task: TaskId; readonly candidate: Candidate }[];
};
/** Moves the user's branch to the task's commit, or to a commit for its integrated change, which is made first. */
export type LineMove = {
  readonly kind: 'line.move';
  readonly spec: Spec;
  readonly onto: string;
  readonly moveCheckout: boolean;
  /** The accepted candidate; no other may reach the branch. */
  readonly candidate: Candidate;
  readonly commit: string;
  /** The task's own commit does not land as it is: its gates run again first. */
  readonly regate?: true;
  readonly integrated: Omit<CandidateApply, 'kind' | 'onto' | 'spec'> | null;
  /** The changes that land with it, each on top of the commit of the one before. Absent: none. */
  readonly more?: readonly LandsAlong[];
};
type LandsAlong = {
  readonly task: TaskId;
  readonly spec: Spec;
  readonly candidate: Candidate;
  /** Its base and branch follow from the commit below it. */
  readonly integrated: NonNullable<LineMove['integrated']>;
};
/** Reads where a branch is. */
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

/** A person's checkout is captured again: no attempt of theirs is lost with a process. */
export const recoveryOf = (work: Work): Recovery =>
  work.kind === 'worker.run' && work.given !== undefined ? 'repeat' : RECOVERY[work.kind];

export type Effect = {
  /** `(task, step, attempt, kind, part)`: doing the same key twice is harmless or refused. */
  readonly key: string;
  /** The stream that wants it. */
  readonly stream: string;
  readonly task: TaskId;
  readonly step: StepId | null;
  readonly token: number;
  /** Whether the log already says that it started. */
  readonly started: boolean;
  readonly work: Work;
};

export type Timer = {
  readonly key: string;
  readonly due: number;
  readonly task: TaskId;
  readonly timer: 'backoff' | 'deadline' | 'age' | 'landing' | 'approval' | 'quiet';
  readonly step: StepId | null;
  readonly token: number;
};

export type WantedWork = {
  readonly effects: readonly Effect[];
  readonly timers: readonly Timer[];
  /** The task is paused, or its project halted at once: these effects are interrupted and report it. */
  readonly interrupt?: 'paused' | 'halted';
};
