/** One task from the log, for the faces: its state, pinned workflow, and all events of its stream. */
import { loadStream, revive } from '../engine/loading.ts';
import { type RowCursor, type RowPage, type Store, THIS_HOST } from '../engine/ports/store.ts';
import type { BlobHash, ProjectId, TaskId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { NewEvent } from '../mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project, withTask } from '../mind/domain/project.ts';
import { BOARD, GOAL, HOST, lineStream, streamId, taskStream, workflowStream } from '../mind/domain/stream-name.ts';
import { evolve } from '../mind/domain/streams.ts';
import type { Task } from '../mind/domain/task.ts';
import type { TaskSummary } from '../mind/domain/task-summary.ts';
import type { TaskStatus } from '../mind/domain/values.ts';
import { redTestsIn } from '../mind/gates/evidence.ts';
import type { Workflow } from '../mind/workflows/workflow.ts';

export type TaskView = {
  /** The task, its workflow, and what it may wait for; not the whole project. */
  readonly project: Project;
  readonly task: Task;
  readonly workflow: Workflow;
  readonly events: readonly NewEvent[];
};

/** The names of its red tests, if their evidence still exists. */
export async function redTests(store: Pick<Store, 'blob'>, { task, events }: TaskView): Promise<string[]> {
  const newest = new Map<string, BlobHash | null>();
  for (const event of events)
    if (event.type === 'gate.reported' && (event.data.excused ?? 0) > 0)
      newest.set(event.data.gate, event.data.evidence);
  const names: string[] = [];
  for (const { gate } of task.red ?? []) {
    const evidence = newest.get(gate) ?? null;
    const blob = evidence === null ? null : await store.blob(evidence);
    if (blob?.type === 'content') names.push(...redTestsIn(blob.content));
  }
  return names;
}

/** Finds a task by its full id or a unique prefix. */
export async function findTask(store: Store, project: ProjectId, named: string): Promise<TaskId | Rejection> {
  if (named === '') return rejected('unknown_task', 'TASK is empty: name a task, `supervisor status` lists them');
  if ((await store.row(project, taskStream(named as TaskId))) !== null) return named as TaskId;
  const rows = await store.rowsNamed(project, { prefix: taskStream(named as TaskId), limit: MOST_NAMED + 1 });
  const matching = rows.map(({ stream }) => streamId(stream));
  if (matching.length === 1) return matching[0] as TaskId;
  if (matching.length > 1) {
    const count = matching.length > MOST_NAMED ? `more than ${MOST_NAMED}` : matching.length;
    const names = matching.slice(0, MOST_NAMED).join(', ');
    return rejected('ambiguous_task', `${named} is the beginning of ${count} tasks: ${names}`);
  }
  return rejected('unknown_task', `there is no task ${named} in this project; \`supervisor status\` lists them`);
}

/** How many candidates are listed if a prefix fits several tasks. */
const MOST_NAMED = 5;

/** The task that the user named, else the newest. */
export const chosenTask = (store: Store, project: ProjectId, named: string | undefined): Promise<TaskId | Rejection> =>
  named === undefined ? newestTask(store, project) : findTask(store, project, named);

/** Accepted tasks whose commit has not landed, oldest first. */
export async function tasksToLand(store: Store, project: ProjectId): Promise<readonly TaskId[]> {
  const found: TaskSummary[] = [];
  let after: RowCursor | null = null;
  do {
    const page: RowPage = await store.rows(project, { kind: 'task', status: ['accepted'], limit: MOST_HOLDERS, after });
    for (const { summary } of page.rows) found.push(summary as unknown as TaskSummary);
    after = page.next;
  } while (after !== null);
  const open = found.filter(({ landed, branch }) => landed === null && branch !== null);
  return open.sort((a, b) => a.created_at - b.created_at).map(({ task_id }) => task_id as TaskId);
}

/** The newest task; `unfinished` prefers tasks that are not done. */
export async function newestTask(
  store: Store,
  project: ProjectId,
  { unfinished: preferred = false }: { readonly unfinished?: boolean } = {},
): Promise<TaskId | Rejection> {
  const newest = async (status: readonly TaskStatus[] | undefined) => {
    const page = await store.rows(project, { kind: 'task', ...(status === undefined ? {} : { status }), limit: 1 });
    return page.rows[0];
  };
  const row = (preferred ? await newest(UNFINISHED) : undefined) ?? (await newest(undefined));
  return row === undefined ? NO_TASKS : (streamId(row.stream) as TaskId);
}

export const NO_TASKS: Rejection = rejected(
  'unknown_task',
  'this project has no tasks yet: `supervisor run` makes one',
);

const UNFINISHED: readonly TaskStatus[] = ['queued', 'running', 'waiting', 'paused'];

/** Reads the task's stream, and from other streams only what the task may wait for. */
export async function viewTask(store: Store, boundary: ProjectId, id: TaskId): Promise<TaskView> {
  // No snapshot has this reducer version, so the whole stream is read.
  const events = (await store.readStream(boundary, taskStream(id), 0)).events.map(revive);
  const alone = events.reduce(evolve, EMPTY_PROJECT);
  const task = alone.tasks.get(id);
  if (task === undefined) throw new Error(`task ${id} has no state in the log: see \`supervisor verify\``);
  let { project } = await loadStream(store, boundary, workflowStream(task.workflow), EMPTY_PROJECT);
  const workflow = project.workflows.get(task.workflow);
  if (workflow === undefined)
    throw new Error(`the workflow of task ${id} is not in the log: see \`supervisor verify\``);
  ({ project } = await loadStream(store, THIS_HOST, HOST, project));
  ({ project } = await loadStream(store, boundary, BOARD, project));
  ({ project } = await loadStream(store, boundary, GOAL, project));
  if (task.spec.queued === true) {
    ({ project } = await loadStream(store, boundary, lineStream(task.onto), project));
    const look = project.lines.get(task.onto)?.look;
    // Another task may have asked for the branch's head; this one waits for the same answer.
    if (look?.state === 'wanted') ({ project } = await loadStream(store, boundary, taskStream(look.by), project));
  }
  if (isReady(task))
    for (const other of await holders(store, boundary))
      ({ project } = await loadStream(store, boundary, other, project));
  return { project: withTask(project, task), task, workflow, events };
}

/** True if a step could start: only then it matters what other tasks hold. */
const isReady = (task: Task): boolean => task.open.some((id) => task.steps.get(id)?.place.at === 'ready');

/** How many tasks of each status are read, latest change first. */
const MOST_HOLDERS = 200;

/** Tasks that may hold a slot, money or locks: unfinished ones that had an attempt. */
async function holders(store: Store, boundary: ProjectId): Promise<readonly string[]> {
  const found: string[] = [];
  // An accepted task from a queue holds its files until it has landed.
  for (const status of [...UNFINISHED, 'accepted'] as const) {
    const query = { kind: 'task', status: [status], order: 'updated', limit: MOST_HOLDERS } as const;
    for (const { stream, summary, live } of (await store.rows(boundary, query)).rows)
      if (live && (summary as unknown as TaskSummary).attempts > 0) found.push(stream);
  }
  return found;
}
