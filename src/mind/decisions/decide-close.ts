/** Decisions about the end of a task: apply its candidate, or close it. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import type { Draft } from '../domain/draft.ts';
import { dayOf } from '../domain/host.ts';
import { BOARD, HOST, taskStream } from '../domain/stream-name.ts';
import type { Closed } from '../domain/taken.ts';
import { redText, type Task, underWay } from '../domain/task.ts';
import {
  type Candidate,
  type ClosedStatus,
  type Cost,
  type Estimated,
  MAX_LINE,
  type OutcomeClass,
  UNKNOWN_COST,
} from '../domain/values.ts';
import { estimatedFor, tokensOf } from '../safeguards/budget-count.ts';
import { taskIn } from './lookup.ts';

/** All steps are done: apply the candidate, or accept the task without one. */
export function finishIfDone(draft: Draft, id: TaskId): void {
  const task = taskIn(draft, id);
  if (task.open.length > 0 || task.closed !== null || task.applying !== null) return;
  const { candidate, committed } = task;
  if (candidate === null) acceptTask(draft, task, { commit: null, branch: null });
  else if (committed?.candidate.change_id === candidate.change_id) acceptTask(draft, task, committed);
  else apply(draft, task, { candidate });
}

/** Asks for the candidate to be put on the task's branch. */
export function apply(
  draft: Draft,
  task: Task,
  { candidate, step }: { readonly candidate: Candidate; readonly step?: StepId },
): void {
  const data = { token: task.token + 1, candidate, branch: branchOf(task), ...(step === undefined ? {} : { step }) };
  draft.emit(taskStream(task.id), { type: 'task.applying', data });
}

export function acceptTask(
  draft: Draft,
  { id, red = [] }: Task,
  { commit, branch }: Pick<Closed, 'commit' | 'branch'>,
): void {
  const reason = ['all steps are done', ...red.map(redText)].join('; ').slice(0, MAX_LINE);
  closeTask(draft, id, { status: 'accepted', reason, commit, branch });
}

/** `ai/t-1-fix-the-parser`: unique by the id, readable by the words. */
export function branchOf({ id, title, spec }: Pick<Task, 'id' | 'title'> & { readonly spec?: Task['spec'] }): string {
  let slug = '';
  for (const word of title.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    if (slug.length + word.length >= 40) break;
    slug += `-${word}`;
  }
  const pattern = spec?.git?.branch_pattern;
  if (pattern === undefined) return `ai/${id}${slug}`;
  const words = slug === '' ? 'task' : slug.slice(1);
  return pattern.replaceAll('{task_id}', id).replaceAll('{description}', words);
}

export function closeTask(
  draft: Draft,
  id: TaskId,
  end: { status: ClosedStatus; reason: string; commit?: string | null; branch?: string | null },
): void {
  const task = taskIn(draft, id);
  const estimated = chargeOpen(draft, task, task.open);
  const { status, reason, commit = null, branch = null } = end;
  const data: Closed = { status, reason, commit, branch };
  draft.emit(taskStream(id), { type: 'task.closed', data: { ...data, ...estimated } });
  if (status === 'escalated' || status === 'blocked') haltByPolicy(draft, task, `task ${id} is ${status}: ${reason}`);
}

/** The user's policy says that an incident halts the project. A simulated one halts nothing. */
export function haltByPolicy(draft: Draft, { spec }: Task, reason: string): void {
  if (spec.halt_on_incident !== true || spec.simulated === true || draft.project.board.halted !== undefined) return;
  draft.emit(BOARD, { type: 'board.halted', data: { by: 'policy', reason: reason.slice(0, MAX_LINE) } });
}

/**
 * Charges what running attempts have spent, even if their results are no longer needed. Returns the estimated part of
 * it.
 */
export function chargeOpen(draft: Draft, task: Task, steps: readonly StepId[]): { readonly estimated?: Estimated } {
  let sum: Estimated | null = null;
  for (const step of steps) {
    const place = underWay(task.steps.get(step));
    if (place === undefined || place.attempt.kind === 'gate') continue;
    const cost = place.at === 'checking' ? place.product.cost : UNKNOWN_COST;
    const { estimated } = charge(draft, task, { step, token: place.attempt.token, cost });
    if (estimated === undefined) continue;
    const before: Estimated = sum ?? { microusd: 0, tokens: 0 };
    sum = { microusd: before.microusd + estimated.microusd, tokens: before.tokens + estimated.tokens };
  }
  return sum === null ? {} : { estimated: sum };
}

/** With a budget, an unknown cost counts as the configured estimate. Returns what was estimated. */
export function charge(
  draft: Draft,
  task: Task,
  { step, token, cost, outcome = null }: Spent,
): { readonly estimated?: Estimated } {
  // A simulated cost was never spent: it counts in the task's own sum and in no budget.
  if (task.spec.simulated === true) return {};
  const estimated = estimateNow(draft, task, { cost, outcome });
  if (cost.microusd === null && estimated === null) return {};
  const { tokens_in, tokens_out } = cost;
  const microusd = (cost.microusd ?? 0) + (estimated?.microusd ?? 0);
  const tokens = tokensOf(cost) + (estimated?.tokens ?? 0);
  const counted = { microusd, ...(tokens === 0 ? {} : { tokens }) };
  const told = estimated === null ? {} : { estimated };
  draft.emit(BOARD, {
    type: 'board.charged',
    data: { task: task.id, step, token, ...counted, tokens_in, tokens_out, ...told },
  });
  if (microusd > 0 || tokens > 0)
    draft.emit(HOST, { type: 'host.charged', data: { day: dayOf(draft.envelope.at), ...counted } });
  return told;
}

/** The estimate that budgets add to reported costs. */
export function estimateNow(
  draft: Draft,
  { spec }: Task,
  { cost, outcome = null }: Pick<Spent, 'cost' | 'outcome'>,
): Estimated | null {
  return spec.simulated === true ? null : estimatedFor(draft.project.board.limits.budget, cost, outcome);
}

type Spent = {
  readonly step: StepId;
  readonly token: number;
  readonly cost: Cost;
  /** How the attempt ended; null if it has not. */
  readonly outcome?: OutcomeClass | null;
};
