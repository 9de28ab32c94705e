/**
 * Every kind of stream, declared once: how its events fold, how a snapshot stores its state, what lists show of it. A
 * new kind is one declaration here, its events, and its part of the project's state.
 */
import type { TaskId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import { compileWorkflow, type Workflow } from '../workflows/workflow.ts';
import { BOARD_REDUCER, type Board, type Breaker, evolveBoard } from './board.ts';
import type { StreamKind } from './events/define.ts';
import type { EventIn, NewEvent } from './events/index.ts';
import { evolveTask, TASK_REDUCER } from './evolve-task.ts';
import { evolveGoal, GOAL_REDUCER, type Goal } from './goal.ts';
import { evolveHost, HOST_REDUCER, type Host, type Parked } from './host.ts';
import { evolveLine, LINE_REDUCER, type Line, newLine } from './line.ts';
import { EMPTY_PROJECT, type Project, withTask } from './project.ts';
import { evolveProposal, PROPOSAL_REDUCER, type Proposal } from './proposal.ts';
import { streamId, streamKind } from './stream-name.ts';
import { asksPerson, isLive, type Step, statusOf, type Task } from './task.ts';
import { shortened, summaryOf } from './task-summary.ts';

/**
 * What lists read without a reducer: indexed columns, and a summary that stays small however large the state is.
 * Changing the content of rows requires raising SCHEMA_VERSION of the stores, so that older rows are made again.
 */
type SummaryRow = {
  /** Live streams are loaded at start. */
  readonly live: boolean;
  readonly status: string;
  /** The id of its parent. */
  readonly parent: string | null;
  /** The branch that it will land on. */
  readonly line: string | null;
  /** True if it asks a person something. */
  readonly asks: boolean;
  readonly updated: number;
  /** Its place among streams of its kind. */
  readonly rank: number;
  readonly summary: unknown;
};

/** The row of a kind that has one stream, or that nothing lists. */
const unlisted = (summary: unknown, live = true): SummaryRow => ({
  live,
  status: '',
  parent: null,
  line: null,
  asks: false,
  updated: 0,
  rank: 0,
  summary,
});

/** How much of a goal, and how many breakers or parked CLIs, a row holds. */
const MAX_GOAL = 2_000;
const MAX_LISTED = 50;

type Declaration<K extends StreamKind, S> = {
  readonly kind: K;
  /** The version of the fold. Raised with every change of the state's shape: older snapshots are then ignored. */
  readonly reducer: number;
  /** The stream's state in a project, if it has any. */
  get(project: Project, id: string): S | undefined;
  put(project: Project, id: string, state: S): Project;
  evolve(state: S | undefined, event: EventIn<K>, time: number): S;
  /** Reads a state from the JSON of a snapshot; null if such streams are too short for snapshots. */
  readonly restore: ((json: unknown) => S) | null;
  row(state: S | undefined, project: Project): SummaryRow;
};

/** A declaration as all other code uses it: the type of the state is hidden. */
type Stream = {
  readonly reducer: number;
  fold(project: Project, id: string, event: NewEvent): Project;
  take(into: Project, from: Project, id: string): Project;
  save(project: Project, id: string): string | null;
  restore(project: Project, id: string, text: string): Project;
  row(project: Project, id: string): SummaryRow;
};

function defineStream<K extends StreamKind, S>(declared: Declaration<K, S>): Stream {
  const { kind, get, put, evolve, restore, row, reducer } = declared;
  return {
    reducer,
    fold: (project, id, event) =>
      put(project, id, evolve(get(project, id), event as unknown as EventIn<K>, event.time)),
    take(into, from, id) {
      const state = get(from, id);
      return state === undefined ? into : put(into, id, state);
    },
    save: (project, id) => (restore === null ? null : JSON.stringify(get(project, id) ?? null)),
    restore(project, id, text) {
      if (restore === null) throw new Error(`streams of kind ${kind} keep no snapshots`);
      return put(project, id, restore(JSON.parse(text)));
    },
    row: (project, id) => row(get(project, id), project),
  };
}

/**
 * A map is stored as the list of its entries. Only fields known to be maps are read that way: a spec may hold anything.
 */
type Stored<T, Field extends keyof T, V> = Omit<T, Field> & {
  readonly [F in Field]: readonly (readonly [string, V])[];
};

const STREAMS: Readonly<Record<StreamKind, Stream>> = {
  task: defineStream<'task', Task>({
    kind: 'task',
    reducer: TASK_REDUCER,
    get: (project, id) => project.tasks.get(id as TaskId),
    put: (project, _, task) => withTask(project, task),
    evolve: evolveTask,
    restore(json) {
      const task = json as Stored<Task, 'steps', Step>;
      return { ...task, steps: OrderedMap.from(task.steps) };
    },
    row(task, project) {
      if (task === undefined) throw new Error('a stream of a task was written and has no task');
      const workflow = project.workflows.get(task.workflow)?.name ?? '';
      const { onto: line, updated, created: rank } = task;
      return {
        live: isLive(task),
        status: statusOf(task),
        parent: null,
        line,
        asks: asksPerson(task),
        updated,
        rank,
        summary: summaryOf(task, workflow),
      };
    },
  }),
  board: defineStream<'board', Board>({
    kind: 'board',
    reducer: BOARD_REDUCER,
    get: (project) => project.board,
    put: (project, _, board) => ({ ...project, board }),
    evolve: (board = EMPTY_PROJECT.board, event, time) => evolveBoard(board, event, time),
    restore(json) {
      const board = json as Stored<Board, 'breakers', Breaker>;
      return { ...board, breakers: OrderedMap.from(board.breakers) };
    },
    row(board) {
      const breakers = [...(board?.breakers ?? [])].flatMap(([lane, { open }]) => (open ? [lane] : []));
      const halted = board?.halted === undefined ? {} : { halted: board.halted };
      if (breakers.length === 0 && board?.halted === undefined) return unlisted(null);
      return unlisted({ ...(breakers.length === 0 ? {} : { breakers: breakers.slice(0, MAX_LISTED) }), ...halted });
    },
  }),
  goal: defineStream<'goal', Goal>({
    kind: 'goal',
    reducer: GOAL_REDUCER,
    get: (project) => project.goal,
    put: (project, _, goal) => ({ ...project, goal }),
    evolve: (goal = EMPTY_PROJECT.goal, event) => evolveGoal(goal, event),
    restore: (json) => json as Goal,
    row: (goal = EMPTY_PROJECT.goal) =>
      unlisted({ ...goal, text: goal.text === null ? null : shortened(goal.text, MAX_GOAL) }),
  }),
  workflow: defineStream<'workflow', Workflow>({
    kind: 'workflow',
    reducer: 1,
    // The stream's name has the first digits of the hash, the state all of them.
    get(project, id) {
      const [first] = project.workflows.entries(id);
      return first?.[0].startsWith(id) === true ? first[1] : undefined;
    },
    put: (project, _, workflow) => ({ ...project, workflows: project.workflows.set(workflow.hash, workflow) }),
    evolve: (_, event) => compileWorkflow(event.data.definition, event.data.hash),
    restore: null,
    row: () => unlisted(null),
  }),
  proposal: defineStream<'proposal', Proposal>({
    kind: 'proposal',
    reducer: PROPOSAL_REDUCER,
    get: (project, id) => project.proposals.get(id),
    // A decided proposal is no longer needed.
    put: (project, id, proposal) => ({
      ...project,
      proposals: proposal.decided ? project.proposals.delete(id) : project.proposals.set(id, proposal),
    }),
    evolve: evolveProposal,
    restore: null,
    row: (proposal) => unlisted(null, proposal !== undefined),
  }),
  line: defineStream<'line', Line>({
    kind: 'line',
    reducer: LINE_REDUCER,
    get: (project, id) => project.lines.get(id),
    put: (project, id, line) => ({ ...project, lines: project.lines.set(id, line) }),
    evolve(line, event, time) {
      if (line !== undefined) return evolveLine(line, event, time);
      if (event.type === 'line.queued' || event.type === 'line.wanted')
        return evolveLine(newLine(event.data.line), event, time);
      throw new Error(`${event.type} on a stream without a line`);
    },
    restore: (json) => json as Line,
    row(line) {
      if (line === undefined) throw new Error('a stream of a line was written and has no line');
      const { name, head, queue, updated } = line;
      const waiting = queue
        .slice(0, MAX_LISTED)
        .map(({ task, place }, n) => ({ task, at: n === 0 ? place.at : 'waiting' }));
      return {
        live: true,
        status: waiting[0]?.at ?? 'idle',
        parent: null,
        line: name,
        asks: false,
        updated,
        rank: 0,
        summary: { head, queued: queue.length, queue: waiting },
      };
    },
  }),
  host: defineStream<'host', Host>({
    kind: 'host',
    reducer: HOST_REDUCER,
    get: (project) => project.host,
    put: (project, _, host) => ({ ...project, host }),
    evolve: (host = EMPTY_PROJECT.host, event) => evolveHost(host, event),
    restore(json) {
      const host = json as Stored<Host, 'parked', Parked>;
      return { ...host, parked: OrderedMap.from(host.parked) };
    },
    row(host) {
      const parked = [...(host?.parked ?? [])].map(([cli, { until, told }]) => ({ cli, until, told }));
      return unlisted(parked.length === 0 ? null : { parked: parked.slice(0, MAX_LISTED) });
    },
  }),
};

function declarationOf(stream: string): Stream {
  const kind = streamKind(stream);
  if (!Object.hasOwn(STREAMS, kind)) throw new Error(`no kind of stream ${JSON.stringify(kind)} is declared`);
  return STREAMS[kind];
}

/** One event changes one sub-state: O(changed), whatever the size of the project. */
export const evolve = (project: Project, event: NewEvent): Project =>
  declarationOf(event.stream).fold(project, streamId(event.stream), event);

export const reducerOf = (stream: string): number => declarationOf(stream).reducer;

/** The state to store, or null if such streams are too short for snapshots. */
export const snapshotOf = (project: Project, stream: string): string | null =>
  declarationOf(stream).save(project, streamId(stream));

/** A snapshot of an older reducer is ignored: the stream is folded from its events. */
export const restoreStream = (project: Project, stream: string, text: string): Project =>
  declarationOf(stream).restore(project, streamId(stream), text);

/**
 * Copies the state of one stream from a project in which it was folded alone. Streams are not folded into a project
 * directly: on the way, a task would hold and release what another one holds today.
 */
export const withStream = (project: Project, stream: string, alone: Project): Project =>
  declarationOf(stream).take(project, alone, streamId(stream));

export const rowOf = (project: Project, stream: string): SummaryRow =>
  declarationOf(stream).row(project, streamId(stream));
