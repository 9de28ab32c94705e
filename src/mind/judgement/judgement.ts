/** What `judge` says of one change: the decision, and everything it rests on. */

import type { GateStatus, Measured, Said } from '../domain/values.ts';
import type { RuleFinding } from '../findings/index.ts';
import type { ReviewFinding } from '../verdict/review-findings.ts';

/** `skipped`: a blocking gate of an earlier stage did not pass, or the operator said so. */
export type JudgedGate = Measured & {
  readonly name: string;
  readonly kind: string;
  readonly stage: number;
  readonly weight: number;
  readonly blocking: boolean;
  readonly status: GateStatus | 'skipped';
  /** For a canary: the gate that it proves. */
  readonly proves: string | null;
  readonly ms: number | null;
  readonly cached: boolean;
  /** Red tests that the base has too. */
  readonly excused: number;
  /** The change rewrote existing tests, and as they were they fail on it. */
  readonly old_tests_red: boolean;
  /** How it ended, in a few words. */
  readonly ended: string;
  /** What it has to say, for people; empty when it passed. */
  readonly text: string;
};

/** What one reviewer said, in the words of its answer as far as they count. */
export type JudgedReview = {
  readonly role: string;
  readonly cli: string;
  readonly change_id: string;
  /** Is null if it gave no opinion. */
  readonly said: Said | null;
  readonly reason: string;
  readonly findings: readonly ReviewFinding[];
};

export type Decision = 'APPROVE' | 'REJECT' | 'ESCALATE';

export type Judgement = {
  readonly target: {
    readonly kind: 'commit' | 'range' | 'branch' | 'uncommitted';
    readonly name: string;
    readonly commit: string | null;
    readonly base: string;
    /** Is null if nothing differs. */
    readonly tree: string | null;
    readonly change_id: string | null;
  };
  /** Where the words of the task came from. */
  readonly task: 'operator' | 'commits' | 'none';
  readonly artifacts: readonly { readonly path: string; readonly diff_hash: string }[];
  readonly decision: Decision;
  /** From 0 to 1; null: nothing was measured. */
  readonly score: number | null;
  readonly gates: readonly JudgedGate[];
  readonly findings: readonly RuleFinding[];
  /** Absent: none was asked. */
  readonly reviews?: readonly JudgedReview[];
  /** Sentences; empty when it is approved. */
  readonly reasons: readonly string[];
  /** The same as codes, with what else a reader should know. */
  readonly codes: readonly string[];
  readonly ms: number;
};
