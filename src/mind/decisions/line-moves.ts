/** What a line does with a landing in its queue: move the branch for it, or drop it. */
import type { TaskId } from '../../kernel/ids.ts';
import { type AskToLand, askToLand, LANDING } from '../approvals/landing-approval.ts';
import type { Draft } from '../domain/draft.ts';
import type { Stacked } from '../domain/line.ts';
import { lineStream, taskStream } from '../domain/stream-name.ts';
import type { Evidence, Task } from '../domain/task.ts';
import type { Candidate } from '../domain/values.ts';
import type { Effect } from '../domain/work.ts';
import { endBatchBefore } from './landing-batch.ts';
import { type LandingOnLine, landingOf, nextToken, workflowOf } from './lookup.ts';

/** `evidence`: of the gates on this candidate. */
export function moveBranch(
  draft: Draft,
  task: Task,
  found: LandingOnLine,
  { candidate, evidence = [] }: { readonly candidate: Candidate; readonly evidence?: readonly Evidence[] },
): void {
  const { line, landing } = found;
  const { place } = landing;
  const stack = place.at === 'gating' || place.at === 'rechecking' ? place.stack : undefined;
  const own = stack?.[0];
  const lands = own === undefined ? candidate : { base: candidate.base, tree: own.tree, change_id: own.change_id };
  const unasked = firstUnasked(draft, found, { lands, stack, evidence });
  if (unasked !== null) {
    leaveUnasked(draft, found, unasked);
    return;
  }
  draft.emit(lineStream(line.name), {
    type: 'line.moving',
    data: {
      task: task.id,
      token: nextToken(draft, line.name),
      candidate: lands,
      ...(stack === undefined ? {} : { stack: [...stack] }),
    },
  });
}

type AboutToLand = {
  readonly lands: Candidate;
  readonly stack?: readonly Stacked[] | undefined;
  readonly evidence?: readonly Evidence[];
};

type Unasked = { readonly task: Task; readonly ask: AskToLand };

/** The first task of what is about to land that people have to be asked about. */
function firstUnasked(
  draft: Draft,
  { landing }: LandingOnLine,
  { lands, stack, evidence = [] }: AboutToLand,
): Unasked | null {
  for (const { task: id, ...change } of stack ?? [{ task: landing.task, ...lands }]) {
    const task = draft.project.tasks.get(id);
    if (task === undefined) continue;
    const on = { base: lands.base, tree: change.tree, change_id: change.change_id };
    const ask = askToLand(task, workflowOf(draft, task), on, { now: draft.envelope.at, evidence });
    if (ask !== null) return { task, ask };
  }
  return null;
}

/** The task leaves the queue, or the batch ends before the task that people are asked about. */
function leaveUnasked(draft: Draft, found: LandingOnLine, { task, ask }: Unasked): void {
  if (task.id === found.landing.task) leaveQueue(draft, task, found, needsApproval(task.id, ask));
  else endBatchBefore(draft, found.line, task.id);
}

/**
 * Whether the branch must not move because an approval has expired in the queue. The task leaves the queue, and people
 * are asked again.
 */
export function leavesUnapproved(draft: Draft, { task: id, key, token, started }: Effect): boolean {
  const task = draft.project.tasks.get(id);
  const found = task === undefined ? null : landingOf(draft, task);
  if (task === undefined || found?.landing.place.at !== 'moving') return false;
  const { candidate, stack } = found.landing.place;
  const lands = candidate ?? task.candidate;
  const unasked = lands === null ? null : firstUnasked(draft, found, { lands, stack });
  if (unasked === null) return false;
  if (started)
    draft.emit(taskStream(id), { type: 'effect.settled', data: { key, kind: 'line.move', token, result: 'expired' } });
  leaveUnasked(draft, found, unasked);
  return true;
}

/** The message for people who have to approve a landing. */
export const needsApproval = (task: TaskId, ask: AskToLand) => ({
  code: 'needs_approval',
  reason: `${ask.why}; nothing was landed. Read it with \`supervisor diff ${task} --landing\`, then \`supervisor approve ${task} ${LANDING} --of ${ask.on.change_id.slice(0, 12)}\`, and land again`,
  unapproved: ask,
});

type MoveReason = {
  readonly code: string;
  readonly reason: string;
  readonly path?: string;
  readonly with?: TaskId[];
  readonly unapproved?: AskToLand;
};

export function leaveQueue(draft: Draft, task: Task, { line, landing }: LandingOnLine, why: MoveReason): void {
  const { code, reason } = why;
  draft.emit(lineStream(line.name), {
    type: 'line.left',
    data: { task: task.id, token: landing.token, code, reason },
  });
  draft.emit(taskStream(task.id), { type: 'task.not_landed', data: { onto: line.name, ...why } });
  // The task's change is part of what is being checked.
  endBatchBefore(draft, line, task.id);
}
