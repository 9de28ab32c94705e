/** How a task ended, and its step that a person works on. */
import type { StepId } from '../../kernel/ids.ts';
import type { Candidate, ClosedStatus } from './values.ts';

export type Closed = {
  readonly status: ClosedStatus;
  readonly reason: string;
  readonly commit: string | null;
  readonly branch: string | null;
};

/** A step that a person works on. It stays theirs until their result is accepted or they drop it. */
export type Taken = {
  readonly step: StepId;
  readonly by: string;
  readonly at: number;
  /** Their checkout, and the change it started from; null for the base. */
  readonly dir: string;
  readonly base: string;
  readonly on: Candidate | null;
  /**
   * The state of the task before the person gave something, which a drop restores. Absent if nothing has to be
   * restored.
   */
  readonly before?: 'paused' | Closed;
};
