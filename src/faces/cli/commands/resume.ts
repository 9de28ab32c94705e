/** `supervisor resume TASK`: go on where it was left, whoever left it and how. */
import { loadLimits, loadScript } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { findTask, viewTask } from '../../../app/task-view.ts';
import type { Project } from '../../../mind/domain/project.ts';
import { statusOf, type Task } from '../../../mind/domain/task.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import { driveTask } from '../drive-task.ts';

export const run: CommandRun = async (context) => {
  const { environment, out } = context;
  const limits = loadLimits(environment);
  const script = loadScript(text(context.flags['script']));
  const project = locateProject(context.dir);
  const opened = await openEngineDeps(environment, project, script);
  try {
    if (!(await opened.store.knows(project.id))) {
      out.error('unknown_task', 'this project has no tasks yet: `supervisor run` makes one');
      return EXIT.failed;
    }
    const task = await findTask(opened.store, project.id, context.args[0] ?? '');
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    const { task: before, project: state } = await viewTask(opened.store, project.id, task);
    const reopen = before.closed !== null && ['failed', 'blocked', 'escalated'].includes(before.closed.status);
    out.entry('task', `${task}: ${before.title} (${statusOf(before)})`);
    const { expired } = await opened.store.lease(project.id);
    for (const line of goesOnWith(before, state, { reopen, cutOff: expired, now: opened.deps.clock.now() })) {
      out.entry('  goes on with', line);
    }
    const command = reopen ? { type: 'task.resume' as const, task, reason: 'by the operator' } : null;
    return await driveTask({ context, project, opened, task, command, limits, simulated: true });
  } finally {
    await opened.close();
  }
};

/** What will be done again, before it starts: a person may think better of it. */
function goesOnWith(
  task: Task,
  project: Project,
  { reopen, cutOff, now }: { readonly reopen: boolean; readonly cutOff: boolean; readonly now: number },
): string[] {
  if (reopen) return task.open.map((id) => `${id}: starts afresh`);
  return waitsFor(project, task, now).map((line, n) => {
    const place = task.steps.get(task.open[n] ?? '')?.place;
    return cutOff && place?.at === 'working'
      ? `${task.open[n]}: attempt ${place.attempt.number} was cut off and is made again`
      : line;
  });
}
