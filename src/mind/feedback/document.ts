/**
 * Why an attempt was sent back, as data: what failed, starting with the first failure; what to do; what models say
 * about it; what limits the next attempt. Built from measurements. It decides nothing, and is bounded whatever gates
 * printed.
 */

import { terminalLine, terminalText } from '../../kernel/terminal-text.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import { ANALYSE, actionsFor } from './actions.ts';
import { type FailedGate, failedGate, type GateFinding } from './failed-gate.ts';
import { type FeedbackKind, feedbackKind } from './kind.ts';
import { joinIssues, type Opinion, opinionsIn, placeText, type ReviewIssue } from './opinions.ts';

export type FeedbackFacts = {
  readonly task: string;
  readonly step: string;
  readonly trace: string;
  /** The rejected change; null if none was captured. */
  readonly change: string | null;
  /** One sentence; null if unknown. */
  readonly reason: string | null;
  readonly kind?: FeedbackKind;
  /** The failure is the same as last time. */
  readonly repeated: boolean;
  /** The gates that it did not pass. */
  readonly gates: readonly GateFinding[];
  /** Answers that sent it back, or comment on it. */
  readonly answers: readonly {
    readonly by: string;
    readonly kind: AnswerKind;
    readonly text: string;
    /** `failure`: an analysis of why the gates failed, which decides nothing. Absent: it is about the change. */
    readonly about?: 'change' | 'failure';
  }[];
  /** Ids of their findings that a person dismissed: they need no fix. Absent if none. */
  readonly dismissed?: readonly string[];
  /** For the analyst of the failure; absent for the next attempt. */
  readonly asks?: 'analysis';
  /** `sent_back`: how many candidates of this round were rejected; `of`: how many the step may make. */
  readonly attempt: {
    readonly number: number;
    readonly sent_back: number;
    readonly of: number;
    /** Whether the task has ended: only a person starts the next attempt. */
    readonly ended?: true;
  };
  /** The time left for the task and for the next attempt; null if unknown. */
  readonly time: { readonly task_ms: number | null; readonly attempt_ms: number | null };
  /**
   * `only`: nothing else may be changed; if empty, everything that is not frozen. `except`: exceptions from what is
   * frozen.
   */
  readonly scope: {
    readonly only: readonly string[];
    readonly frozen: readonly string[];
    readonly except: readonly string[];
  };
  /** Where the tree of the next attempt comes from; null if it changes nothing. */
  readonly starts_from: 'last' | 'line' | null;
};

export type Feedback = Pick<
  FeedbackFacts,
  'task' | 'step' | 'trace' | 'change' | 'repeated' | 'attempt' | 'time' | 'scope' | 'starts_from'
> & {
  readonly decision: 'REJECT';
  readonly kind: FeedbackKind;
  readonly reason: string;
  /** What failed first: in a gate, else in a review, else the reason. */
  readonly first_failure: { readonly by: string; readonly at: string | null; readonly lines: readonly string[] };
  readonly failed_gates: readonly FailedGate[];
  readonly issues: readonly ReviewIssue[];
  /** What to do, in this order. At least one. */
  readonly actions: readonly string[];
  readonly opinions: readonly Opinion[];
};

const OUTPUT_ROOM = 16_000;
const MAX_ISSUES = 50;
const MAX_OPINIONS = 20;
const MAX_OPINION = 4_000;
const MAX_REASON = 2_000;
const MAX_PATTERNS = 60;

export function feedbackOf(facts: FeedbackFacts): Feedback {
  const { task, step, trace, change, repeated, attempt, time, scope, starts_from } = facts;
  const room = Math.floor(OUTPUT_ROOM / Math.max(1, facts.gates.length));
  const failed_gates = facts.gates
    .map((one) => failedGate({ ...one, text: one.text === null ? null : terminalText(one.text) }, room))
    .sort((a, b) => rankOf(a) - rankOf(b));
  const said = facts.answers.map((one) => opinionsIn(one, facts.dismissed ?? []));
  const issues = joinIssues(said.flatMap((one) => one.issues));
  const reason = terminalText(facts.reason ?? 'a check failed').slice(0, MAX_REASON);
  const kind = facts.kind ?? (issues.length > 0 ? 'rejection' : feedbackKind(facts.reason ?? '', failed_gates.length));
  return {
    task,
    step,
    trace,
    change,
    decision: 'REJECT',
    kind,
    reason,
    repeated,
    first_failure: firstFailure(failed_gates, issues, reason),
    failed_gates,
    issues: issues.slice(0, MAX_ISSUES).map((one) => ({ ...one, message: short(one.message) })),
    actions: facts.asks === 'analysis' ? ANALYSE : actionsFor(kind, failed_gates, repeated),
    opinions: said
      .flatMap((one) => one.opinions)
      .slice(0, MAX_OPINIONS)
      .map((one) => ({ ...one, text: short(one.text) })),
    attempt,
    time,
    starts_from,
    scope: {
      only: scope.only.slice(0, MAX_PATTERNS),
      frozen: scope.frozen.slice(0, MAX_PATTERNS),
      except: scope.except.slice(0, MAX_PATTERNS),
    },
  };
}

/** Blocking before advisory gates, and red before those that could not run. */
const rankOf = ({ blocking, status }: FailedGate): number => (blocking ? 0 : 2) + (status === 'fail' ? 0 : 1);

function firstFailure(
  gates: readonly FailedGate[],
  [issue]: readonly ReviewIssue[],
  reason: string,
): Feedback['first_failure'] {
  const [gate] = gates;
  if (gate !== undefined)
    return { by: `gate ${gate.gate}`, at: gate.at, lines: gate.failure.length === 0 ? [reason] : gate.failure };
  if (issue === undefined) return { by: 'Supervisor', at: null, lines: [reason] };
  const at = placeText(issue.file, issue.line).slice(0, -2);
  return {
    by: issue.by,
    at: at === '' ? null : terminalLine(at),
    lines: [terminalLine(`${issue.severity}: ${issue.message}`, 1_000)],
  };
}

function short(text: string): string {
  const plain = terminalText(text);
  return plain.length <= MAX_OPINION ? plain : `${plain.slice(0, MAX_OPINION - 1)}…`.toWellFormed();
}
