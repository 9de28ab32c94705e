/** A project's whole state: small sub-states, each folded from its own streams, plus the index of what is held. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import { compileWorkflow, type Workflow } from '../workflows/workflow.ts';
import { type Board, EMPTY_BOARD, evolveBoard } from './board.ts';
import type {
  BoardEvent,
  GoalEvent,
  HostEvent,
  NewEvent,
  ProposalEvent,
  TaskEvent,
  WorkflowEvent,
} from './events/index.ts';
import { streamKind } from './events/index.ts';
import { evolveGoal, type Goal, NO_GOAL } from './goal.ts';
import { type Holds, NO_HOLDS, updateHolds } from './holds.ts';
import { EMPTY_HOST, evolveHost, type Host } from './host.ts';
import { evolveProposal, type Proposal } from './proposal.ts';
import { evolveTask, type Task } from './task.ts';

export type Project = {
  /** Live tasks, and closed ones that a command asked for. */
  readonly tasks: OrderedMap<Task>;
  readonly workflows: OrderedMap<Workflow>;
  readonly proposals: OrderedMap<Proposal>;
  readonly board: Board;
  readonly goal: Goal;
  readonly host: Host;
  readonly holds: Holds;
};

export const EMPTY_PROJECT: Project = {
  tasks: OrderedMap.empty(),
  workflows: OrderedMap.empty(),
  proposals: OrderedMap.empty(),
  board: EMPTY_BOARD,
  goal: NO_GOAL,
  host: EMPTY_HOST,
  holds: NO_HOLDS,
};

/** One event changes one sub-state: O(changed), whatever the size of the project. */
export function evolve(project: Project, event: NewEvent): Project {
  const kind = streamKind(event.stream);
  switch (kind) {
    case 'task': {
      const id = event.stream.slice('task/'.length) as TaskId;
      return withTask(project, evolveTask(project.tasks.get(id), event as TaskEvent, event.time));
    }
    case 'board':
      return { ...project, board: evolveBoard(project.board, event as BoardEvent) };
    case 'goal':
      return { ...project, goal: evolveGoal(project.goal, event as GoalEvent) };
    case 'workflow': {
      const { hash, definition } = (event as WorkflowEvent).data;
      return { ...project, workflows: project.workflows.set(hash, compileWorkflow(definition, hash)) };
    }
    case 'proposal': {
      const id = event.stream.slice('proposal/'.length);
      const proposal = evolveProposal(project.proposals.get(id), event as ProposalEvent);
      return {
        ...project,
        proposals: proposal.decided ? project.proposals.delete(id) : project.proposals.set(id, proposal),
      };
    }
    case 'host':
      return { ...project, host: evolveHost(project.host, event as HostEvent) };
    default:
      return assertNever(kind, 'stream kind');
  }
}

/** Puts a task in, or a newer state of it. */
export function withTask(project: Project, task: Task): Project {
  const before = project.tasks.get(task.id);
  return { ...project, tasks: project.tasks.set(task.id, task), holds: updateHolds(project.holds, before, task) };
}

/** Forgets a closed task: memory depends on what is live, not on history. Its stream stays in the log. */
export function withoutTask(project: Project, id: TaskId): Project {
  const before = project.tasks.get(id);
  return { ...project, tasks: project.tasks.delete(id), holds: updateHolds(project.holds, before, undefined) };
}

/**
 * Takes the state of one stream over from a project that it was folded in alone. Streams are not folded into a project
 * directly: on the way, a task would hold and release again what another one holds today.
 */
export function withStream(project: Project, stream: string, alone: Project): Project {
  const kind = streamKind(stream);
  switch (kind) {
    case 'task':
      return [...alone.tasks.values()].reduce(withTask, project);
    case 'board':
    case 'goal':
    case 'host':
      return { ...project, [kind]: alone[kind] };
    case 'workflow':
      return {
        ...project,
        workflows: [...alone.workflows].reduce((map, [key, one]) => map.set(key, one), project.workflows),
      };
    case 'proposal':
      return {
        ...project,
        proposals: [...alone.proposals].reduce((map, [key, one]) => map.set(key, one), project.proposals),
      };
    default:
      return assertNever(kind, 'stream kind');
  }
}

export const taskStream = (id: TaskId): string => `task/${id}`;

/** The task a stream belongs to, or null. */
export const taskOfStream = (stream: string): TaskId | null =>
  stream.startsWith('task/') ? (stream.slice('task/'.length) as TaskId) : null;
