/** `supervisor resume TASK`: go on where it was left, whoever left it and how. */
import { loadLimits, loadScript, loadSettings } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { realHands } from '../../../app/real.ts';
import { findTask, viewTask } from '../../../app/task-view.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import type { Project } from '../../../mind/domain/project.ts';
import { statusOf, type Task } from '../../../mind/domain/task.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';
import type { Workflow } from '../../../mind/workflows/workflow.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { makeReady } from '../make-ready.ts';

export const run: CommandRun = async (context) => {
  const { environment, out } = context;
  const script = context.flags['script'] === undefined ? undefined : loadScript(text(context.flags['script']));
  const project = locateProject(context.dir);
  const place = { id: project.id, top: (await readRepository(context.dir)).top };
  const loaded = () => loadSettings(environment, place);
  const network = context.flags['network'] === true;
  const real = realHands({ environment, project, loaded, network, checkout: place.top });
  let own: TaskId | null = null;
  const opened = await openEngineDeps(environment, project, { script, real, own: () => own });
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
    own = task;
    const { task: before, project: state, workflow } = await viewTask(opened.store, project.id, task);
    const reopen = before.closed !== null && ['failed', 'blocked', 'escalated'].includes(before.closed.status);
    out.entry('task', `${task}: ${before.title} (${statusOf(before)})`);
    const { expired } = await opened.store.lease(project.id);
    for (const line of goesOnWith(before, state, { reopen, cutOff: expired, now: opened.deps.clock.now() })) {
      out.entry('  goes on with', line);
    }
    const simulated = before.spec.simulated === true;
    // Also for a task that is done: what a killed process left is cleared up.
    const made = simulated ? null : await opened.real();
    if (made !== null && before.closed?.status !== 'accepted') {
      const needs = { base: before.base ?? '', unsafe: before.spec.unsafe_no_sandbox === true };
      await makeReady(context, made, { ...needs, clis: clisOf(workflow, before) });
    }
    const limits = simulated ? loadLimits(environment) : loadSettings(environment, place).limits;
    const command = reopen ? { type: 'task.resume' as const, task, reason: 'by the operator' } : null;
    return await driveTask({ context, project, opened, task, command, limits });
  } finally {
    await opened.close();
  }
};

/** Who the steps that are still open may need. */
const clisOf = (workflow: Workflow, task: Task): string[] =>
  task.open.flatMap((id) => [...(workflow.steps.get(id)?.cli ?? [])]);

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
