/** The projection row of a stream: a function of state alone, so the log can always give it again. */
import type { TaskId } from '../kernel/ids.ts';
import type { Json } from '../kernel/json.ts';
import { streamKind } from '../mind/domain/events/index.ts';
import type { Project } from '../mind/domain/project.ts';
import { summaryOf } from '../mind/protocol/task-summary.ts';
import type { StreamRow } from './ports/store.ts';

export function streamRow(project: Project, stream: string, version: number): StreamRow {
  if (streamKind(stream) === 'task') {
    const task = project.tasks.get(stream.slice('task/'.length) as TaskId);
    if (task === undefined) throw new Error(`stream ${stream} was written and has no task`);
    const name = project.workflows.get(task.workflow)?.name ?? '';
    return {
      stream,
      version,
      live: task.closed === null || task.notify,
      summary: summaryOf(task, name) as unknown as Json,
    };
  }
  const live = streamKind(stream) !== 'proposal' || project.proposals.has(stream.slice('proposal/'.length));
  return { stream, version, live, summary: summaryFor(project, stream) };
}

/** What `status` reads without a reducer; null where there is nothing to tell. */
function summaryFor({ goal, board, host }: Project, stream: string): Json {
  switch (streamKind(stream)) {
    case 'goal':
      return { ...goal };
    case 'board': {
      const breakers = [...board.breakers].flatMap(([lane, { open }]) => (open ? [lane] : []));
      return breakers.length === 0 ? null : { breakers };
    }
    case 'host': {
      const parked = [...host.parked].map(([cli, { until, told }]) => ({ cli, until, told }));
      return parked.length === 0 ? null : { parked };
    }
    default:
      return null;
  }
}
