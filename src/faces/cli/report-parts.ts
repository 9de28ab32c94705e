/** The parts of a report beside a task's facts: an answer, what gates found, the worker's question, and obstacles. */
import type { TaskView } from '../../app/task-view.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { terminalText } from '../../kernel/terminal-text.ts';
import { lastJsonBlock, withoutJsonBlock } from '../../mind/answers/fence.ts';
import { readStrictJson } from '../../mind/answers/strict-json.ts';
import type { Guard } from '../../mind/domain/events/task.ts';
import { blockingSentBack } from '../../mind/domain/sent-back.ts';
import { gateText } from '../../mind/feedback/gate-text.ts';
import { failureIn } from '../../mind/gates/evidence.ts';
import type { RunReport } from '../../mind/protocol/run-report.ts';

export type ReportSection = { readonly title: string; readonly lines: readonly string[] };

/** An obstacle that the operator can do something about. */
export type Obstacle = {
  /** The outcome class of its last attempt; null if none has ended. */
  readonly outcome: string | null;
  readonly reason: string;
  readonly cli: string | null;
  /** The worker stopped with a question. */
  readonly asks: boolean;
  /** Protected paths that it changed without a grant. */
  readonly paths: readonly string[];
  /** The safeguard that stopped it. */
  readonly guard: Guard['name'] | null;
  /** Findings that refused its last change; a person may dismiss each. */
  readonly refusedBy?: readonly string[];
  /** An open step changes files, so a person can take it. */
  readonly takable: boolean;
};

/** A task without a change shows its answer; a failed one shows why it failed. */
export async function foundIn(report: RunReport, store: Store, view: TaskView): Promise<ReportSection[]> {
  if (report.waiting.some(({ asks }) => asks === 'finding')) return lastFindings(store, view);
  if (report.waiting.length > 0) {
    const isQuestion = report.waiting.some(({ asks }) => asks === 'question');
    return [...(isQuestion ? await question(store, view) : []), ...(await askedAbout(report, store))];
  }
  if (report.status !== 'accepted') return [...(await question(store, view)), ...(await lastFindings(store, view))];
  return report.candidate === null && !report.simulated ? lastAnswer(store, view) : [];
}

/** The answers that a person has to judge. */
async function askedAbout({ task_id: id, waiting }: RunReport, store: Store): Promise<ReportSection[]> {
  const found: ReportSection[] = [];
  for (const { about } of waiting) {
    if (about?.kind !== 'answer') continue;
    const answer = await textOf(store, about.id as BlobHash);
    if (answer !== null) found.push({ title: `The answer of ${about.step}:`, lines: shortened(id, linesOf(answer)) });
  }
  return found;
}

export async function obstacleOf(store: Store, { events, task, workflow }: TaskView): Promise<Obstacle> {
  const settled = lastSettled(events);
  const cli = events.findLast((event) => event.type === 'attempt.started')?.data.cli ?? null;
  const takable = task.open.some((id) => workflow.steps.get(id)?.kind === 'change');
  if (settled === null) return { outcome: null, reason: '', cli, asks: false, paths: [], guard: null, takable };
  const record = await textOf(store, settled.record);
  return {
    outcome: settled.class,
    reason: settled.reason,
    cli,
    asks: settled.class === 'waiting_for_input' || (settled.class === 'blocked' && settled.answer !== null),
    paths: refusedPaths(record),
    guard: settled.guard?.name ?? null,
    refusedBy: task.open.flatMap((id) => (blockingSentBack(task, task.steps.get(id) ?? {}) ?? []).map((one) => one.id)),
    takable,
  };
}

/** The paths refused in an attempt's record, which is JSON. */
function refusedPaths(record: string | null): string[] {
  try {
    const { refused_paths: paths } = JSON.parse(record ?? '{}') as { refused_paths?: unknown };
    return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
  } catch {
    return [];
  }
}

const QUESTION = 'The worker asks:';

/** Printed whole, because a person has to answer it. */
async function question(store: Store, { events }: TaskView): Promise<ReportSection[]> {
  const settled = lastSettled(events);
  if (settled?.class !== 'blocked') return [];
  const answer = await textOf(store, settled.answer);
  const { blockers, notes } = fieldsOf(answer ?? '');
  const asked = Array.isArray(blockers) && blockers.length > 0 ? blockers : [notes];
  const lines = asked.filter((one): one is string => typeof one === 'string' && one !== '').flatMap(linesOf);
  return lines.length === 0 ? [] : [{ title: QUESTION, lines }];
}

async function lastAnswer(store: Store, { task, events }: TaskView): Promise<ReportSection[]> {
  const answer = await textOf(store, lastSettled(events)?.answer ?? null);
  if (answer === null) return [];
  const { notes } = fieldsOf(answer);
  const said = withoutJsonBlock(answer).trim() || (typeof notes === 'string' ? notes : '');
  return [{ title: '', lines: shortened(task.id, linesOf(said === '' ? answer : said)) }];
}

function shortened(id: string, lines: readonly string[]): string[] {
  const more = lines.length - ANSWER_LINES;
  const told = more > 0 ? [`[…] ${more} more lines: supervisor show ${id} --said`] : [];
  return [...lines.slice(0, ANSWER_LINES), ...told];
}

const ANSWER_LINES = 200;

/** A few lines of each gate that did not pass in the last attempt. */
async function lastFindings(store: Store, { events }: TaskView): Promise<ReportSection[]> {
  const token = events.findLast((event) => event.type === 'attempt.started')?.data.token;
  const found: ReportSection[] = [];
  for (const event of events) {
    if (event.type !== 'gate.reported' || event.data.token !== token || event.data.status === 'pass') continue;
    const { gate, status, evidence } = event.data;
    const text = await textOf(store, evidence);
    if (text === null) continue;
    const lines = gateText({ gate, status, text }, 1_500).split('\n');
    // Shows the failure first; if none was recognised, the end says most.
    const hasFailure = failureIn(text).lines.length > 0;
    found.push({ title: '', lines: hasFailure ? lines.slice(0, FOUND_LINES) : lines.slice(-FOUND_LINES) });
  }
  return found;
}

const FOUND_LINES = 12;

/** The fields of the json block at the end; empty if there is none. */
function fieldsOf(answer: string): { readonly blockers?: unknown; readonly notes?: unknown } {
  const block = lastJsonBlock(answer);
  const read = block.type === 'block' ? readStrictJson(block.text) : null;
  return (read?.type === 'json' ? read.value : {}) as { blockers?: unknown; notes?: unknown };
}

function lastSettled(events: TaskView['events']) {
  const event = events.findLast(({ type }) => type === 'attempt.settled');
  return event?.type === 'attempt.settled' ? event.data : null;
}

async function textOf(store: Store, hash: BlobHash | null): Promise<string | null> {
  const blob = hash === null ? null : await store.blob(hash);
  return blob?.type === 'content' ? blob.content : null;
}

const linesOf = (text: string): string[] => terminalText(text).trimEnd().split('\n');
