/**
 * `supervisor take TASK [DIR]`: makes a checkout in which a person works on a step. `--drop` returns the step to the
 * workers.
 */
import { sendCommand } from '../../../app/drive.ts';
import { type OpenedProject, openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import { isCheckoutThere, placeFor, type TakeNote, takenAt } from '../../../app/take.ts';
import { findTask, NO_TASKS, viewTask } from '../../../app/task-view.ts';
import { workspacesFor } from '../../../app/workspaces.ts';
import { WorkspaceError } from '../../../engine/ports/workspace.ts';
import type { StepId, TaskId } from '../../../kernel/ids.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import type { Taken } from '../../../mind/domain/taken.ts';
import { statusOf } from '../../../mind/domain/task.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { userName } from '../../../os/machine/identity.ts';
import { type CommandContext, type CommandRun, EXIT, text, UsageError } from '../command.ts';
import { tellTaken } from '../show-taken.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async (context) => {
  const { args, flags, environment, out } = context;
  const within = takenAt(context.dir);
  const named = args[0] ?? within?.task;
  if (named === undefined)
    throw new UsageError(
      'TASK is missing: `supervisor status` lists tasks (in a checkout that was taken it may be left out)',
    );
  const isDrop = flags['drop'] === true;
  if (isDrop && args[1] !== undefined) throw new UsageError(`--drop takes no directory: leave out ${args[1]}`);
  if (!isDrop && flags['reason'] !== undefined) throw new UsageError('--reason belongs to --drop');
  const project = locateProject(context.dir);
  const top = within?.top ?? (await readRepository(context.dir)).top;
  const opened = await openEngineDeps(environment, project, { anyway: true });
  const stop = onStop(() => {});
  try {
    const task = (await opened.store.knows(project.id)) ? await findTask(opened.store, project.id, named) : NO_TASKS;
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    const of = { context: { ...context, dir: top }, project, opened, task, signal: stop.signal };
    const refusal = isDrop ? await drop(of) : await take(of);
    if (refusal === null) return EXIT.done;
    out.error(refusal.code, refusal.message);
    return refusal.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
  } finally {
    stop.release();
    await opened.close();
  }
};

type TakeContext = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly task: TaskId;
  readonly signal: AbortSignal;
};

/** The lease is logged before anything is made, so that a second terminal, or a restart after a crash, finds it. */
async function take(of: TakeContext): Promise<Rejection | null> {
  const { context, project, opened, task } = of;
  const { args, flags, environment } = context;
  const view = async () => viewTask(opened.store, project.id, task);
  const before = (await view()).task.taken;
  const isMine = before?.by === `operator:${userName()}`;
  const isAgain = isMine && (args[1] === undefined || placeIs(before.dir, args[1]));
  const dir = before !== undefined && isAgain ? before.dir : placeFor(task, context.dir, args[1]);
  // Checks ownership first: if the step is somebody else's, an existing directory does not matter.
  if (typeof dir !== 'string' && before === undefined) return dir;
  const step = text(flags['step']) as StepId | undefined;
  const wanted = typeof dir === 'string' ? dir : (args[1] ?? context.dir);
  const command = { type: 'step.take' as const, task, dir: wanted, ...(step === undefined ? {} : { step }) };
  const rejection = await sendCommand({ environment, project, opened, command, signal: of.signal });
  if (rejection !== null) return rejection;
  const { taken } = (await view()).task;
  if (taken === undefined) return rejected('not_taken', `task ${task} was dropped again meanwhile`);
  const already = isAgain && isCheckoutThere(taken.dir);
  const problem = await makeCheckout(of, taken);
  if (problem !== null) return problem;
  await tellTaken(context, opened.store, await view(), { taken, already });
  return null;
}

const placeIs = (dir: string, asked: string): boolean => {
  const wanted = placeFor('', '', asked);
  return typeof wanted === 'string' ? wanted === dir : wanted.message.startsWith(`${dir} `);
};

async function makeCheckout({ context, project, opened, task }: TakeContext, taken: Taken): Promise<Rejection | null> {
  const { environment } = context;
  const { log } = opened.deps;
  const workspaces = workspacesFor({ environment, project, failpoint: environment.failpoint, log });
  const { dir, base, on } = taken;
  const note = JSON.stringify({ task, top: context.dir } satisfies TakeNote);
  try {
    await workspaces.checkOut({ dir, base, tree: on?.tree ?? null, note });
    return null;
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const then = `you have the task: \`supervisor take ${task}\` tries again, \`supervisor take ${task} --drop\` leaves it`;
    return rejected('no_checkout', `${error.message}; ${then}`);
  } finally {
    await workspaces.close();
  }
}

async function drop({ context, project, opened, task, signal }: TakeContext): Promise<Rejection | null> {
  const { environment, flags, out } = context;
  const { taken } = (await viewTask(opened.store, project.id, task)).task;
  const command = { type: 'step.drop' as const, task, reason: text(flags['reason']) ?? '' };
  const rejection = await sendCommand({ environment, project, opened, command, signal });
  if (rejection !== null) return rejection;
  const now = (await viewTask(opened.store, project.id, task)).task;
  const kept = taken !== undefined && isCheckoutThere(taken.dir) ? taken.dir : null;
  out.value({ task_id: task, status: statusOf(now), dropped: true, kept });
  out.line(`${task} is left to the workers: it is ${statusOf(now)}`);
  if (kept !== null)
    out.line(
      `your checkout stays in ${kept}: \`git worktree remove --force ${kept}\` deletes it, with all that is not committed`,
    );
  return null;
}
