/**
 * Decides the outcome of an attempt from everything that was seen: how the process ended, its output, its tree. The
 * order is the defence: a process that ended badly never succeeds, whatever it said and changed; a candidate is passed
 * on only if nothing speaks against it.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import { formatDuration } from '../../kernel/duration.ts';
import { terminalText } from '../../kernel/terminal-text.ts';
import type { ParsedAnswer } from '../answers/parse-answer.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import type { ChangeFacts } from '../domain/risk-facts.ts';
import { type AnswerFacts, type Candidate, type DiffFacts, MAX_LINE, type OutcomeClass } from '../domain/values.ts';
import { saysNo } from '../verdict/weigh.ts';
import type { CliFailure, CliResult } from './adapter.ts';
import { meaningOf, type ReviewSaid, saidOf } from './answer.ts';

export type RunEnd =
  | { readonly how: 'exit'; readonly code: number }
  | { readonly how: 'signal'; readonly signal: string }
  | { readonly how: 'limit'; readonly limit: 'memory' | 'processes' | 'disk' | 'output' | 'wall' | 'idle' }
  | { readonly how: 'aborted' };

/** The captured tree; null for an answer, whose tree is read-only. */
export type CapturedTree =
  | { readonly type: 'candidate'; readonly candidate: Candidate }
  | { readonly type: 'unchanged' }
  | { readonly type: 'refused'; readonly problems: readonly { readonly path: string; readonly problem: string }[] };

export type TreeCheck =
  /**
   * `own`: what this attempt itself changed, if its claims are about that. `facts`: facts about the change, if a policy
   * asks. `diff`: findings in its text, counted.
   */
  | {
      readonly ok: true;
      readonly notes: readonly string[];
      readonly own?: readonly OwnChange[];
      readonly facts?: ChangeFacts;
      readonly diff?: DiffFacts;
    }
  /** `paths`: protected ones, which the operator may allow. `unfit`: no worker could use such a tree. */
  | {
      readonly ok: false;
      readonly reason: string;
      readonly paths?: readonly string[];
      readonly unfit?: boolean;
      readonly diff?: DiffFacts;
    };

type OwnChange = { readonly path: string; readonly before: string | null; readonly after: string | null };

type JudgedOutcome = {
  readonly class: OutcomeClass;
  readonly reason: string;
  readonly candidate: Candidate | null;
  /** What its answer says; null if none can be parsed. */
  readonly said: AnswerFacts | null;
  /** When a quota resets, if that is known. */
  readonly reset_at: number | null;
};

export type Heard = {
  readonly limits: { readonly wallMs: number; readonly idleMs: number | null; readonly outputBytes: number };
  /** A last line without an end, as with a question; empty if there is none. */
  readonly unfinished: string;
  readonly stderr: string;
};

/** Returns null if the program ended by itself and reports success; then its answer and tree are read. */
export function badEnd(end: RunEnd, heard: Heard, told: Pick<CliResult, 'claims' | 'failure'>): JudgedOutcome | null {
  switch (end.how) {
    case 'exit':
      if (end.code === 0 && told.claims === 'success') return null;
      if (told.failure !== null) return failed(told.failure, heard);
      return end.code === 0
        ? outcome('unknown', `it ended without reporting a result${stderrOf(heard)}`)
        : outcome('crash', `it ended with exit code ${end.code}${stderrOf(heard)}`);
    case 'signal':
      return outcome('killed', `it was ended by ${end.signal}${stderrOf(heard)}`);
    case 'aborted':
      return outcome('interrupted', 'it was told to stop');
    case 'limit':
      // The CLI was still retrying, and the obstacle is known: that has to be waited for or repaired.
      if (isTime(end.limit) && told.failure !== null && told.failure.status !== null)
        return failed(told.failure, heard);
      return overLimit(end.limit, heard);
    default:
      return assertNever(end, 'end of a run');
  }
}

const isTime = (limit: string): boolean => limit === 'wall' || limit === 'idle';

function failed({ class: outcomeClass, reason, resetAt }: CliFailure, heard: Heard): JudgedOutcome {
  const words = reason.trim() === '' ? `it failed${stderrOf(heard)}` : terminalText(reason);
  return { ...outcome(outcomeClass, words), reset_at: resetAt };
}

function overLimit(limit: Extract<RunEnd, { how: 'limit' }>['limit'], heard: Heard): JudgedOutcome {
  const { limits, unfinished } = heard;
  switch (limit) {
    case 'wall':
      return outcome(
        'timeout',
        `it was not done after ${formatDuration(limits.wallMs)}, its time for one attempt${stderrOf(heard)}`,
      );
    case 'idle': {
      const quiet = `it printed nothing for ${formatDuration(limits.idleMs ?? 0)}`;
      if (unfinished.trim() === '') return outcome('timeout', `${quiet}${stderrOf(heard)}`);
      return outcome('waiting_for_input', `${quiet} after asking: "${quote(unfinished)}"`);
    }
    case 'output':
      return outcome(
        'output_limit',
        `it printed more than ${limits.outputBytes >> 20} MiB; nothing after that was read`,
      );
    case 'memory':
    case 'processes':
    case 'disk':
      return outcome('resource_limit', `it used more ${WORDS[limit]} than it may${stderrOf(heard)}`);
    default:
      return assertNever(limit, 'limit');
  }
}

const WORDS = { memory: 'memory', processes: 'processes', disk: 'disk space' } as const;

export function goodEnd(seen: {
  readonly answerKind: AnswerKind;
  readonly parsed: ParsedAnswer<AnswerKind>;
  readonly taken: CapturedTree | null;
  readonly check: TreeCheck | null;
  readonly heard: Heard;
  /** Why the next step cannot build on it. Absent or null if nothing prevents it, or it was not checked. */
  readonly gaps?: string | null;
  /** The checked findings of a review; absent if not checked. */
  readonly review?: ReviewSaid | null;
}): JudgedOutcome {
  const { answerKind, parsed, taken, check, heard, gaps = null, review = null } = seen;
  const meaning = parsed.type === 'answer' ? meaningOf(answerKind, parsed.answer) : null;
  const said = parsed.type === 'answer' ? saidOf(answerKind, parsed.answer, review) : null;
  if (meaning?.type === 'blocked') return { ...outcome('blocked', meaning.reason), said };
  const problems = [
    ...(parsed.type === 'invalid' ? [`${parsed.reason}${stderrOf(heard)}`] : []),
    ...(meaning?.type === 'invalid' ? [meaning.reason] : []),
    ...(taken?.type === 'refused' ? [refusal(taken.problems)] : []),
    ...(check?.ok === false ? [check.reason] : []),
    ...(gaps === null ? [] : [gaps]),
    ...(review === null || review.owed.length === 0 ? [] : [owedText(review.owed)]),
  ];
  if (problems.length > 0) return { ...outcome('invalid', problems.join('; ')), said };
  if (taken?.type !== 'candidate')
    return { ...outcome('ok', `${meaning?.reason ?? ''}${uncountedNote(said, review?.uncounted ?? [])}`), said };
  // An unchecked candidate does not go on.
  if (check?.ok !== true) return outcome('blocked', 'the tree of the candidate was not checked');
  return { ...outcome('ok', meaning?.reason ?? ''), said, candidate: taken.candidate };
}

const owedText = (ids: readonly string[]): string =>
  `the answer approves the change, and does not say in \`earlier\` what became of ${ids.slice(0, 10).join(', ')}, with a reason`;

/** If none counts, a person has to decide and reads them all. */
function uncountedNote(said: AnswerFacts | null, uncounted: readonly string[]): string {
  if (said === null || uncounted.length === 0 || !saysNo(said)) return '';
  const counted = Object.values(said.findings ?? {}).some((count) => count > 0);
  return counted
    ? `; ${uncounted.length} more of its findings do not count: they name no line of the change, or are repeated`
    : `; none of its findings counts: ${quote(uncounted.join('; '))}`;
}

/** The reason is one line: a quoted worker must not be able to start another line. */
export const outcome = (outcomeClass: OutcomeClass, reason: string): JudgedOutcome => {
  const line = reason.replaceAll(/\s*\n\s*/g, ' ⏎ ');
  return {
    class: outcomeClass,
    reason: line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line,
    candidate: null,
    said: null,
    reset_at: null,
  };
};

const MAX_PROBLEMS = 10;

export function refusal(problems: readonly { readonly path: string; readonly problem: string }[]): string {
  const named = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, problem }) => (path === '' ? problem : `${path}: ${problem}`));
  const more = problems.length - named.length;
  return terminalText(`the tree cannot be taken: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
}

const MAX_STDERR = 600;

function stderrOf({ stderr }: Heard): string {
  const text = stderr.trim();
  return text === '' ? '' : `; the end of its stderr: "${quote(text)}"`;
}

const quote = (text: string): string => {
  const safe = terminalText(text.trim());
  return safe.length > MAX_STDERR ? `…${safe.slice(-MAX_STDERR)}` : safe;
};
