/** The scheduler: grants free slots to ready steps, by rank, if locks, breakers and budgets allow. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import type { Draft } from '../domain/draft.ts';
import { lockHolder, type QueueEntry } from '../domain/holds.ts';
import type { Project } from '../domain/project.ts';
import { analysedChange } from '../domain/sent-back.ts';
import { countedAs } from '../domain/simulated-names.ts';
import { lineStream, taskStream } from '../domain/stream-name.ts';
import type { Step, Task } from '../domain/task.ts';
import { taskStep } from '../domain/task-step.ts';
import { type AttemptKind, MAX_LINE, type Spec } from '../domain/values.ts';
import { type BudgetObstacle, budgetObstacle, usedUpReason } from '../safeguards/budget.ts';
import { reserveOf } from '../safeguards/budget-count.ts';
import { pressedText } from '../safeguards/memory.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { pickCli } from './chain.ts';

/** Entries examined after a locked one in the same queue: limits a decision when thousands wait for one file. */
const LOOK_AHEAD = 256;

/** `stop` ends a task that no budget covers any more. */
export function grantReady(draft: Draft, stop: (draft: Draft, id: TaskId, reason: string) => void): null {
  if (draft.project.board.halted !== undefined) return null;
  while (hasFreeSlot(draft.project)) {
    const { at } = draft.envelope;
    const chosen = choose(draft.project, at);
    if (chosen === null) return null;
    const { task, noBudget, without } = chosen;
    if (without !== null) skipAnalysis(draft, task, chosen.definition.id, `goes on without it: ${without}`);
    else if (noBudget !== null) stop(draft, task.id, usedUpReason(noBudget, task.id, at));
    else if (based(draft, task)) start(draft, chosen);
  }
  return null;
}

/**
 * Real and simulated tasks have separate slots; without this check, a full board would be searched at every decision.
 */
const hasFreeSlot = ({ holds, board }: Project): boolean =>
  Math.min(holds.busy, holds.busyPlayed) < board.limits.slots.total;

type StartableStep = {
  readonly rank: string;
  readonly task: Task;
  readonly step: Step;
  readonly definition: WorkflowStep;
  readonly cli: string;
  readonly chain: number;
  /** A budget is used up: the task ends instead. */
  readonly noBudget: BudgetObstacle | null;
  /** Why the task goes on without an analysis; null if the analysis is granted, or the step is none. */
  readonly without: string | null;
};

function choose(project: Project, now: number): StartableStep | null {
  let best: StartableStep | null = null;
  for (const waiting of project.holds.ready.values()) {
    const found = firstFree(project, waiting, now);
    if (found !== null && (best === null || found.rank < best.rank)) best = found;
  }
  return best;
}

function firstFree(
  project: Project,
  queue: Iterable<readonly [string, QueueEntry]>,
  now: number,
): StartableStep | null {
  let looked = 0;
  for (const [rank, { task: taskId, step: stepId }] of queue) {
    const task = project.tasks.get(taskId) as Task;
    const step = task.steps.get(stepId) as Step;
    const definition = taskStep(project, task, stepId);
    if (definition === undefined)
      throw new Error(`task ${taskId} waits at ${stepId}, which its workflow does not have`);
    // One commit is made at a time; the other commit steps are ready and wait for no worker.
    if (workKind(definition) === null) return null;
    const picked = pickCli(project, definition, standsAt(step), task.spec, now);
    const without = analysisObstacle(project, task, definition, picked, now);
    if (without !== null) return { rank, task, step, definition, cli: '', chain: 0, noBudget: null, without };
    if (picked.type === 'wait') return null;
    const { cli, chain } = picked;
    if (laneObstacle(project, { cli, spec: task.spec }) !== null) return null;
    const free = lockObstacle(project, task) === null && lineObstacle(project, task) === null;
    const noBudget = free ? budgetObstacle(project, task, definition, now) : null;
    if (free && noBudget?.type !== 'wait') return { rank, task, step, definition, cli, chain, noBudget, without };
    looked += 1;
    if (looked > LOOK_AHEAD) return null;
  }
  return null;
}

/** An analysis waits only for a slot: for lack of an opinion no step is held up and no task ended. */
function analysisObstacle(
  project: Project,
  task: Task,
  definition: WorkflowStep,
  picked: ReturnType<typeof pickCli>,
  now: number,
): string | null {
  if (definition.analyses === null) return null;
  if (picked.type === 'wait') return picked.why;
  if (project.board.limits.slots.per_cli[picked.cli] === 0) return `${picked.cli} has no slot`;
  const then = taskStep(project, task, definition.analyses) ?? null;
  return budgetObstacle(project, task, definition, now, then)?.why ?? null;
}

export function skipAnalysis(draft: Draft, task: Task, step: StepId, why: string): void {
  const reason = why.slice(0, MAX_LINE);
  const data = { step, token: task.token + 1, decision: 'APPROVE' as const, reason, on: null, opens: [] };
  draft.emit(taskStream(task.id), { type: 'step.joined', data });
}

const standsAt = (step: Step): number => (step.place.at === 'ready' ? step.place.cli : 0);

/** What keeps every step of a queue from starting, in words, or null. */
export function laneObstacle(
  project: Project,
  { cli, spec }: { readonly cli: string; readonly spec: Spec },
): string | null {
  const { board, holds } = project;
  const { slots } = board.limits;
  if (board.pressed !== undefined && spec.simulated !== true) return pressedText(board.pressed);
  const busy = spec.simulated === true ? holds.busyPlayed : holds.busy;
  if (busy >= slots.total) return `a free slot (${busy} of ${slots.total} busy)`;
  const busyCli = holds.busyCli.get(countedAs(cli, spec)) ?? 0;
  const maxCli = slots.per_cli[cli] ?? slots.total;
  if (busyCli >= maxCli) return `a free slot for ${cli} (${busyCli} of ${maxCli} busy)`;
  return null;
}

/**
 * The lock that another task holds, in words, or null. A task takes all its locks at once, so no two can wait for each
 * other.
 */
export function lockObstacle(project: Project, task: Task): string | null {
  if (task.locks.length > 0) return null;
  for (const lock of wantedLocks(task)) {
    const holder = lockHolder(project.holds, lock, task);
    if (holder !== null) return `${lock}, held by task ${holder}`;
  }
  return null;
}

/** A task from a queue builds on the current head of its line. Returns whether its base is known now. */
function based(draft: Draft, task: Task): boolean {
  if (!needsBase(task)) return true;
  const { id, onto } = task;
  const line = draft.project.lines.get(onto);
  if (line?.look.state === 'fresh' && line.head !== null) {
    draft.emit(lineStream(onto), { type: 'line.used', data: { task: id, base: line.head } });
    draft.emit(taskStream(id), { type: 'task.based', data: { base: line.head } });
    return true;
  }
  draft.emit(lineStream(onto), {
    type: 'line.wanted',
    data: { line: onto, task: id, token: (line?.token ?? 0) + 1 },
  });
  return false;
}

/** A simulated task has no base: what it reads of a line must never become the base of a real one. */
const needsBase = ({ base, spec }: Task): boolean => base === null && spec.queued === true && spec.simulated !== true;

/** What a task from a queue waits for before its base is known, in words, or null. */
export function lineObstacle({ lines, tasks }: Project, task: Task): string | null {
  if (!needsBase(task)) return null;
  const { onto } = task;
  const look = lines.get(onto)?.look;
  // If the reading task was cancelled meanwhile, this one reads.
  return look?.state === 'wanted' && tasks.get(look.by)?.closed === null ? `a look at branch ${onto}` : null;
}

/** Locks for its next attempt: all of them, or none if it holds them already. */
export const locksToTake = (task: Task): string[] => (task.locks.length > 0 ? [] : wantedLocks(task));

function wantedLocks(task: Task): string[] {
  return [
    ...(task.spec.files ?? []).map((path) => `file:${plainPath(path)}`),
    ...(task.spec.interfaces ?? []).map((name) => `interface:${name}`),
  ];
}

/** One spelling per file: `./src//a` is `src/a`. A slash at the end stays: it means the whole directory. */
function plainPath(path: string): string {
  const parts = path.split('/').filter((part, n, all) => (part !== '' || n === all.length - 1) && part !== '.');
  return parts.join('/');
}

function start(draft: Draft, { task, step, definition, cli, chain }: StartableStep): void {
  const { at } = draft.envelope;
  const kind = workKind(definition);
  if (kind === null) throw new Error(`step ${definition.id} is of kind ${definition.kind}, which no worker does`);
  const reserve = reserveOf(draft.project.board.limits.budget, definition, task.spec);
  draft.emit(taskStream(task.id), {
    type: 'attempt.started',
    data: {
      step: definition.id,
      attempt: step.attempts + 1,
      token: task.token + 1,
      kind,
      round: step.round,
      on: definition.analyses === null ? task.candidate : analysedChange(task, definition.id),
      cli,
      ...(chain === standsAt(step) ? {} : { chain }),
      reserve: reserve.microusd,
      ...(reserve.tokens === 0 ? {} : { reserve_tokens: reserve.tokens }),
      locks: locksToTake(task),
      deadline: at + Math.min(draft.project.board.limits.wall_ms, definition.wallMs ?? Number.POSITIVE_INFINITY),
    },
  });
}

/** Returns null for a step without a worker; it needs no slot. */
const workKind = ({ kind }: WorkflowStep): AttemptKind | null => (kind === 'change' || kind === 'answer' ? kind : null);
