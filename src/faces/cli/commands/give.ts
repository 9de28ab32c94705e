/**
 * `supervisor give [TASK]`: hands in a person's work as the next attempt of the step they took; it is checked like any
 * other.
 */
import { loadSettings } from '../../../app/config/files.ts';
import { type OpenedProject, openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import { isCheckoutThere, lastSeen, takenAt } from '../../../app/take.ts';
import { findTask, NO_TASKS, type TaskView, viewTask } from '../../../app/task-view.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { statusOf } from '../../../mind/domain/task.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { userName } from '../../../os/machine/identity.ts';
import { type CommandContext, type CommandRun, EXIT, UsageError } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { makeReady } from '../make-ready.ts';
import { tellTaken } from '../show-taken.ts';
import { ignoreHangup } from '../signals.ts';

export const run: CommandRun = async (asked) => {
  const within = takenAt(asked.dir);
  const named = asked.args[0] ?? within?.task;
  if (named === undefined)
    throw new UsageError(
      'TASK is missing: name it, or call `supervisor give` in the checkout that `supervisor take` made',
    );
  const hangup = ignoreHangup();
  const project = locateProject(asked.dir);
  // The config is that of the operator's checkout, whatever the taken checkout holds.
  const top = within?.top ?? (await readRepository(asked.dir)).top;
  const context: CommandContext = { ...asked, dir: top };
  const { environment, out, flags } = context;
  const loaded = () => loadSettings(environment, { id: project.id, top });
  let own: TaskId | null = null;
  const opened = await openEngineDeps(environment, project, {
    own: (one) => one === own,
    real: { loaded, network: flags['network'] === true, checkout: top },
  });
  const refused = ({ code, message }: Rejection): number => {
    out.error(code, message);
    return EXIT.failed;
  };
  try {
    const task = (await opened.store.knows(project.id)) ? await findTask(opened.store, project.id, named) : NO_TASKS;
    if (typeof task !== 'string') return refused(task);
    own = task;
    const view = await viewTask(opened.store, project.id, task);
    const refusal = await whyNot(view, opened);
    if (refusal !== null) return refused(refusal);
    return await hand({ context, project, opened, view, limits: loaded().limits });
  } finally {
    hangup.release();
    await opened.close();
  }
};

/** Problems that only the checkout shows. The log decides whose task it is and whether it may go on. */
async function whyNot({ task }: TaskView, opened: OpenedProject): Promise<Rejection | null> {
  const { id, taken } = task;
  if (taken?.by !== `operator:${userName()}`) return null;
  const { dir } = taken;
  if (!isCheckoutThere(dir))
    return rejected('gone', `the checkout ${dir} is gone: \`supervisor take ${id} --drop\`, then take it again`);
  const place = task.steps.get(taken.step)?.place.at;
  if (place === 'working' || place === 'checking') return null;
  const { workspaces } = await opened.real();
  const changed = await workspaces.differing(dir, lastSeen(task, taken));
  if (changed?.length !== 0) return null;
  return rejected('no_change', `nothing was changed in ${dir} since the last feedback: change it first`);
}

async function hand(of: {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly view: TaskView;
  readonly limits: ReturnType<typeof loadSettings>['limits'];
}): Promise<number> {
  const { context, project, opened, limits } = of;
  const { task } = of.view;
  const { id, taken, spec, base } = task;
  const attempt = (taken === undefined ? 0 : (task.steps.get(taken.step)?.attempts ?? 0)) + 1;
  const unsafe = spec.unsafe_no_sandbox === true;
  if (taken !== undefined) {
    context.out.entry('task', `${id}: ${task.title} (${statusOf(task)})`);
    await makeReady(context, await opened.real(), { clis: [], base: base ?? '', unsafe });
  }
  const command = { type: 'step.give' as const, task: id, attempt };
  const code = await driveTask({ context, project, opened, task: id, command, limits });
  const after = await viewTask(opened.store, project.id, id);
  const still = after.task.taken;
  // The work was sent back, so the feedback is written where the person looks.
  if (still !== undefined && code === EXIT.waiting)
    await tellTaken(context, opened.store, after, { taken: still, already: true, quiet: context.out.json });
  return code;
}
