/** `supervisor status`: reads the projection only, so it is quick and never in anybody's way. */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import type { StreamRow } from '../../../engine/ports/store.ts';
import type { TaskSummary } from '../../../mind/protocol/task-summary.ts';
import { type CommandRun, EXIT } from '../command.ts';

const CLOSED = new Set(['accepted', 'rejected', 'failed', 'cancelled']);
/** How many closed tasks are shown without --all. */
const NEWEST = 10;

export const run: CommandRun = async ({ flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) {
    out.value({ project: project.id, status: 'empty', goal: null, tasks: [] });
    out.line('nothing here yet: `supervisor run --simulate "…"` starts a first task');
    return EXIT.done;
  }
  try {
    const tasks = (await store.streams(project.id, 'task/'))
      .map((row) => row.summary as unknown as TaskSummary)
      .sort((a, b) => a.created_at - b.created_at);
    const goal = goalOf(await store.streams(project.id, 'goal'));
    const { owner, expired } = await store.lease(project.id);
    const running = owner !== null && !expired;
    out.value({
      project: project.id,
      status: running ? 'running' : 'idle',
      goal,
      tasks: tasks.map(({ created_at: _, ...task }) => task),
    });
    out.heading(running ? `running (pid ${owner.pid})` : 'idle');
    if (goal !== null) out.entry('goal', goal);
    const closed = tasks.filter((task) => CLOSED.has(task.status));
    const hidden = flags['all'] === true ? [] : closed.slice(0, Math.max(0, closed.length - NEWEST));
    for (const task of tasks) {
      if (hidden.includes(task)) continue;
      const tone =
        task.status === 'accepted' ? 'good' : CLOSED.has(task.status) || task.status === 'escalated' ? 'bad' : 'note';
      out.entry(
        `  ${task.task_id}  ${task.status.padEnd(9)}`,
        `${task.title}  (${task.attempts} attempt${task.attempts === 1 ? '' : 's'})`,
        tone,
      );
    }
    if (tasks.length === 0) out.line('  no tasks');
    if (hidden.length > 0) out.line(`  and ${hidden.length} older closed ones (--all)`);
    return EXIT.done;
  } finally {
    await store.close();
  }
};

function goalOf(rows: readonly StreamRow[]): string | null {
  const summary = rows[0]?.summary as { text?: string | null } | null | undefined;
  return summary?.text ?? null;
}
