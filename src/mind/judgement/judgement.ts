/** The judgement of one change: the decision, and everything it is based on. */

import type { AnswerFacts, GateStatus, Measured } from '../domain/values.ts';
import type { RuleFinding } from '../findings/index.ts';
import type { ReviewFinding } from '../verdict/review-findings.ts';

/** `skipped`: a blocking gate of an earlier stage did not pass, or the operator skipped it. */
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
  /** The change rewrote existing tests, and their old versions fail on it. */
  readonly old_tests_red: boolean;
  /** How it ended, in a few words. */
  readonly ended: string;
  /** Its message for people; empty if it passed. */
  readonly text: string;
};

/** One reviewer's answer, as far as it counts. */
export type JudgedReview = {
  readonly role: string;
  readonly cli: string;
  readonly change_id: string;
  /** Null if it gave no opinion. */
  readonly said: AnswerFacts | null;
  readonly reason: string;
  readonly findings: readonly ReviewFinding[];
};

export type JudgeDecision = 'APPROVE' | 'REJECT' | 'ESCALATE';

export type Judgement = {
  readonly target: {
    readonly kind: 'commit' | 'range' | 'branch' | 'uncommitted';
    readonly name: string;
    readonly commit: string | null;
    readonly base: string;
    /** Null if nothing differs. */
    readonly tree: string | null;
    readonly change_id: string | null;
  };
  /** The source of the task's words. */
  readonly task: 'operator' | 'commits' | 'none';
  readonly artifacts: readonly { readonly path: string; readonly diff_hash: string }[];
  readonly decision: JudgeDecision;
  /** From 0 to 1; null if nothing was measured. */
  readonly score: number | null;
  readonly gates: readonly JudgedGate[];
  readonly findings: readonly RuleFinding[];
  /** Absent if none was requested. */
  readonly reviews?: readonly JudgedReview[];
  /** Sentences; empty if it is approved. */
  readonly reasons: readonly string[];
  /** The same as codes, with other facts for the reader. */
  readonly codes: readonly string[];
  readonly ms: number;
};
