/** One stream's state as text and back. A snapshot by an older reducer is not used: the stream is folded from its events. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { reviveMaps } from '../../kernel/ordered-map.ts';
import { BOARD_REDUCER, type Board } from './board.ts';
import { streamKind } from './events/index.ts';
import { GOAL_REDUCER, type Goal } from './goal.ts';
import { HOST_REDUCER, type Host } from './host.ts';
import { type Project, withTask } from './project.ts';
import { PROPOSAL_REDUCER } from './proposal.ts';
import { TASK_REDUCER, type Task } from './task.ts';

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

export function restoreStream(project: Project, stream: string, text: string): Project {
  const state: unknown = JSON.parse(text, reviveMaps);
  const kind = streamKind(stream);
  switch (kind) {
    case 'task':
      return withTask(project, state as Task);
    case 'board':
      return { ...project, board: state as Board };
    case 'goal':
      return { ...project, goal: state as Goal };
    case 'host':
      return { ...project, host: state as Host };
    case 'proposal':
    case 'workflow':
      throw new Error(`stream ${stream} keeps no snapshots`);
    default:
      return assertNever(kind, 'stream kind');
  }
}
