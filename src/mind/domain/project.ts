/** A project's whole state: small sub-states, each folded from its own streams, plus the index of what is held. */
import type { TaskId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { type Board, EMPTY_BOARD } from './board.ts';
import { type Goal, NO_GOAL } from './goal.ts';
import { type Holds, NO_HOLDS, updateHolds } from './holds.ts';
import { EMPTY_HOST, type Host } from './host.ts';
import type { Line } from './line.ts';
import type { Proposal } from './proposal.ts';
import type { Task } from './task.ts';

export type Project = {
  /** Live tasks, and closed ones that a command named. */
  readonly tasks: OrderedMap<Task>;
  readonly workflows: OrderedMap<Workflow>;
  readonly proposals: OrderedMap<Proposal>;
  readonly lines: OrderedMap<Line>;
  readonly board: Board;
  readonly goal: Goal;
  readonly host: Host;
  readonly holds: Holds;
};

export const EMPTY_PROJECT: Project = {
  tasks: OrderedMap.empty(),
  workflows: OrderedMap.empty(),
  proposals: OrderedMap.empty(),
  lines: OrderedMap.empty(),
  board: EMPTY_BOARD,
  goal: NO_GOAL,
  host: EMPTY_HOST,
  holds: NO_HOLDS,
};

/** Adds a task, or its newer state. */
export function withTask(project: Project, task: Task): Project {
  const before = project.tasks.get(task.id);
  return { ...project, tasks: project.tasks.set(task.id, task), holds: updateHolds(project.holds, before, task) };
}

/** Forgets a closed task: memory depends on what is live, not on history. Its stream stays in the log. */
export function withoutTask(project: Project, id: TaskId): Project {
  const before = project.tasks.get(id);
  return { ...project, tasks: project.tasks.delete(id), holds: updateHolds(project.holds, before, undefined) };
}
