/** One stream's state as text and back. A snapshot by an older reducer is not used: the stream is folded from its events. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import { BOARD_REDUCER, type Board, type Breaker } from './board.ts';
import { streamKind } from './events/index.ts';
import { GOAL_REDUCER, type Goal } from './goal.ts';
import { HOST_REDUCER, type Host, type Parked } from './host.ts';
import { type Project, withTask } from './project.ts';
import { PROPOSAL_REDUCER } from './proposal.ts';
import { type Step, TASK_REDUCER, type Task } from './task.ts';

/** Which reducer folds a stream, and its version. Workflow streams have one event and are never cut short. */
export function reducerOf(stream: string): number {
  const kind = streamKind(stream);
  switch (kind) {
    case 'task':
      return TASK_REDUCER;
    case 'board':
      return BOARD_REDUCER;
    case 'goal':
      return GOAL_REDUCER;
    case 'host':
      return HOST_REDUCER;
    case 'proposal':
    case 'workflow':
      return PROPOSAL_REDUCER;
    default:
      return assertNever(kind, 'stream kind');
  }
}

/** The state to keep, or null for streams too short to be worth it. */
export function snapshotOf(project: Project, stream: string): string | null {
  const kind = streamKind(stream);
  if (kind === 'task') return JSON.stringify(project.tasks.get(stream.slice('task/'.length) as TaskId) ?? null);
  if (kind === 'board' || kind === 'goal' || kind === 'host') return JSON.stringify(project[kind]);
  return null;
}

/** A map is kept as the list of its entries. Only fields known to be maps are read as such: a spec may hold anything. */
type Stored<T, Field extends keyof T, V> = Omit<T, Field> & {
  readonly [F in Field]: readonly (readonly [string, V])[];
};

export function restoreStream(project: Project, stream: string, text: string): Project {
  const state: unknown = JSON.parse(text);
  const kind = streamKind(stream);
  switch (kind) {
    case 'task': {
      const task = state as Stored<Task, 'steps', Step>;
      return withTask(project, { ...task, steps: OrderedMap.from(task.steps) });
    }
    case 'board': {
      const board = state as Stored<Board, 'breakers', Breaker>;
      return { ...project, board: { ...board, breakers: OrderedMap.from(board.breakers) } };
    }
    case 'goal':
      return { ...project, goal: state as Goal };
    case 'host': {
      const host = state as Stored<Host, 'parked', Parked>;
      return { ...project, host: { ...host, parked: OrderedMap.from(host.parked) } };
    }
    case 'proposal':
    case 'workflow':
      throw new Error(`stream ${stream} keeps no snapshots`);
    default:
      return assertNever(kind, 'stream kind');
  }
}
