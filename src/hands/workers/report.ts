/** Makes the report of an attempt: parses the answer, compares its claims with the tree, and records everything. */
import { relative } from 'node:path';
import type { EgressReport } from '../../engine/ports/egress.ts';
import type { ReadyEnvironment } from '../../engine/ports/environments.ts';
import type { WorkerContext, WorkerReport } from '../../engine/ports/hands.ts';
import type { Captured } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import { handOverGaps, handOverText } from '../../mind/answers/hand-over.ts';
import type { ParsedAnswer } from '../../mind/answers/parse-answer.ts';
import type { Answer, AnswerKind } from '../../mind/answers/schemas.ts';
import type { PathChange } from '../../mind/candidates/change.ts';
import { claimMismatches, mismatchText, untrueClaims } from '../../mind/candidates/claims.ts';
import type { ErrorCategory } from '../../mind/domain/values.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { Role } from '../../mind/roles/role.ts';
import { categoryOf } from '../../mind/safeguards/category.ts';
import type { ClaimFacts } from '../../mind/verdict/check-claims.ts';
import type { Raised } from '../../mind/verdict/open-findings.ts';
import { plainPath, type ShownLines } from '../../mind/verdict/review-findings.ts';
import { findingsIn, readAnswer, withCounted } from '../../mind/workers/answer.ts';
import { badEnd, outcome as endedWith, goodEnd, type TreeCheck } from '../../mind/workers/outcome.ts';
import { contextFacts, recordText } from '../../mind/workers/record.ts';
import type { AnswerTurn } from './answer-turn.ts';
import type { WorkerOptions } from './options.ts';
import type { Packet } from './packet.ts';
import type { WrittenTranscript } from './transcript.ts';
import type { PlayedTurns, ReadyCommand } from './turns.ts';

export type JudgedAttempt = {
  readonly outcome: ReturnType<typeof goodEnd>;
  readonly taken: Captured | null;
  readonly check: TreeCheck | null;
  readonly parsed: ParsedAnswer<AnswerKind>;
  /** Claims of the answer that the tree contradicts. */
  readonly claims: readonly string[];
  /** Findings of a review that do not count. */
  readonly uncounted: readonly string[];
  readonly checked: readonly string[];
  readonly category: ErrorCategory | null;
};

/** After a failed run the answer is stored, but not parsed. */
const NOT_READ = { type: 'invalid', reason: '' } as const;

export const answerIn = (answerKind: AnswerKind, { told, listened }: PlayedTurns): ParsedAnswer<AnswerKind> =>
  badEnd(listened.result.end, listened.heard, told) === null ? readAnswer(answerKind, told.final) : NOT_READ;

/** The files that an answer says were changed. */
export function claimedIn(kind: AnswerKind, parsed: ParsedAnswer<AnswerKind>): readonly string[] {
  if (parsed.type !== 'answer' || (kind !== 'implementation' && kind !== 'test')) return [];
  const { files_created, files_modified, tests_written } = parsed.answer as Answer<'implementation' | 'test'>;
  return [...new Set([...files_created, ...files_modified, ...tests_written])];
}

/** The files that a review's findings name; null if the answer is no review. */
export function filesNamed(answerKind: AnswerKind, parsed: ParsedAnswer<AnswerKind>): readonly string[] | null {
  const findings = parsed.type === 'answer' ? findingsIn(answerKind, parsed.answer) : null;
  if (findings === null) return null;
  return [...new Set(findings.flatMap(({ file }) => (file === undefined ? [] : [plainPath(file)])))];
}

export type AttemptFacts = Pick<JudgedAttempt, 'taken' | 'check' | 'parsed'> & {
  /** The lines that the packet showed; null if unknown. */
  readonly shown: ShownLines | null;
  /** Open findings of earlier reviews, as the reviewer saw them. */
  readonly raised: readonly Raised[];
  readonly handOver: HandOver | null;
  /** Facts to check a review's claims against; absent if nothing is known of the tree. */
  readonly claimFacts?: ClaimFacts;
};

/** Decides the outcome from the end of the process, its final text and its tree. */
export function judgeAttempt(
  answerKind: AnswerKind,
  { told, listened }: PlayedTurns,
  { taken, check, parsed, shown, raised, handOver, claimFacts }: AttemptFacts,
): JudgedAttempt {
  const { result, heard } = listened;
  const review =
    parsed.type === 'answer' && shown !== null
      ? withCounted(answerKind, parsed.answer, shown, raised, claimFacts)
      : null;
  const counted = review !== null && parsed.type === 'answer' ? { ...parsed, answer: review.answer } : parsed;
  const gaps = handOver === null ? null : gapsOf(answerKind, { parsed, taken, check }, handOver);
  const outcome =
    badEnd(result.end, heard, told) ??
    goodEnd({ answerKind, parsed: counted, taken, check, heard, gaps, review: review?.said ?? null });
  const claims = claimsOf(answerKind, parsed, changedIn(taken));
  const refused = taken?.type === 'refused' || check?.ok === false;
  const category = categoryOf(outcome.class, {
    told: outcome.class === 'invalid' && refused && parsed.type === 'answer' ? 'validation' : null,
    status: told.failure?.status ?? null,
  });
  const { uncounted = [], checked = [] } = review?.said ?? {};
  return { outcome, taken, check, parsed, claims, uncounted, checked, category };
}

const changedIn = (taken: Captured | null): readonly PathChange[] => (taken?.type === 'candidate' ? taken.changed : []);

function claimsOf(kind: AnswerKind, parsed: ParsedAnswer<AnswerKind>, changed: readonly PathChange[]): string[] {
  if (parsed.type !== 'answer' || (kind !== 'implementation' && kind !== 'test')) return [];
  const claims = parsed.answer as Answer<'implementation' | 'test'>;
  return claimMismatches(claims, changed).map(({ path, mismatch }) => `${mismatch}: ${path}`);
}

/** What the answer has to fit: the documents whose criteria a plan covers. */
export type HandOver = { readonly documents: readonly Answer<'document'>[] };

function gapsOf(
  kind: AnswerKind,
  { parsed, taken, check }: Pick<JudgedAttempt, 'parsed' | 'taken' | 'check'>,
  { documents }: HandOver,
): string | null {
  if (parsed.type !== 'answer') return null;
  const own = check?.ok === true ? check.own : undefined;
  const wrong =
    own === undefined || (kind !== 'implementation' && kind !== 'test')
      ? []
      : untrueClaims(parsed.answer as Answer<'implementation' | 'test'>, changedIn(taken), own);
  return handOverText([...handOverGaps(kind, parsed.answer, documents), ...wrong.map(mismatchText)]);
}

/** How an attempt was started. */
export type Started = {
  readonly cli: string;
  readonly role: Role;
  readonly packet: Packet;
  readonly command: ReadyCommand;
  readonly environment: ReadyEnvironment | null;
};

/** The rest of its run, besides the tree. */
export type Traces = {
  /** Where the packet is stored. */
  readonly packet: string;
  readonly transcript: WrittenTranscript;
  readonly stateDir: string;
  /** What the proxy saw; null if the attempt had no network access. */
  readonly egress: EgressReport | null;
  /** The second request for the answer; null if there was none. */
  readonly answerTurn: AnswerTurn | null;
};

/** The record of an attempt, as text. It may still hold secrets. */
export function recordOf(
  started: Started,
  traces: Traces,
  { told, listened, turns }: PlayedTurns,
  judged: JudgedAttempt,
): string {
  const { cli, role, packet, command, environment } = started;
  const { result } = listened;
  const { taken, check, parsed, claims, uncounted, checked, category } = judged;
  return recordText({
    model: told.model,
    session: told.session,
    turns,
    answer_turn: traces.answerTurn,
    cost: told.cost,
    failure: told.failure,
    egress: traces.egress,
    category,
    cli,
    role: role.name,
    packet: traces.packet,
    packet_sha256: sha256(packet.text),
    context: packet.context === null ? null : contextFacts(packet.context),
    command: command.shown,
    environment: environment?.key ?? null,
    end: result.end,
    ms: result.ms,
    leftovers: result.leftovers,
    forced: result.forced,
    transcript: { ...traces.transcript, path: relative(traces.stateDir, traces.transcript.path) },
    tree: taken?.type ?? 'not taken',
    changed: changedIn(taken).map(({ path }) => path),
    ignored: taken === null || taken.type === 'refused' ? [] : taken.ignored,
    claims,
    uncounted,
    checked,
    other_blocks: parsed.type === 'answer' ? parsed.others : 0,
    malformed_lines: told.final.type === 'text' ? told.final.malformed : 0,
    foreign_lines: told.foreign ?? 0,
    refused_paths: check?.ok === false ? (check.paths ?? []) : [],
    notes: check?.ok === true ? check.notes : [],
  });
}

const DISMISSED = 'taken as it was: a person dismissed what refused it';
const UNCHECKED = 'taken as it was: its gates could not run';
/** No worker ran, so nothing was spent: this is known, not unknown. */
const FREE = { microusd: 0, tokens_in: 0, tokens_out: 0 };

/** Without a worker: findings on the change were dismissed, or its gates could not run. The captured candidate is checked once more. */
export async function takenAsItIs(
  { check, workspaces }: Pick<WorkerOptions, 'check' | 'workspaces'>,
  work: WorkerRun,
  { keep }: Pick<WorkerContext, 'keep'>,
): Promise<WorkerReport> {
  const { start: candidate, input } = work;
  const base = input?.base ?? work.base;
  if (candidate === null || base === null) return endedWith('blocked', 'there is no change that was sent back');
  const changed = await workspaces.changes(candidate);
  const checked = await check({ type: 'candidate', candidate, changed, ignored: [] }, base, work, []);
  const { diff } = checked;
  const seen = { cost: FREE, answer: null, ...(diff === undefined ? {} : { diff }) };
  if (!checked.ok) return { ...endedWith('invalid', checked.reason), ...seen, sent_back: candidate };
  const record = { tree: 'candidate', changed: changed.map(({ path }) => path), notes: checked.notes };
  return {
    ...endedWith('ok', work.asItIs === 'unchecked' ? UNCHECKED : DISMISSED),
    ...seen,
    candidate,
    record: await keep(JSON.stringify(record)),
    ...(checked.facts === undefined ? {} : { facts: checked.facts }),
  };
}
