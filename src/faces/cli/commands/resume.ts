/**
 * `supervisor resume TASK`: continues a task that was paused, stopped, failed or escalated. Without TASK: the project.
 */
import { type LoadedConfig, loadLimits, loadScript, loadSettings } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { checkClis, grantOf } from '../../../app/request.ts';
import { findTask, NO_TASKS, type TaskView, viewTask } from '../../../app/task-view.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import type { CommandOf } from '../../../mind/domain/commands.ts';
import { wantsWorker } from '../../../mind/domain/evolve-back.ts';
import type { Project } from '../../../mind/domain/project.ts';
import { statusOf, type Task } from '../../../mind/domain/task.ts';
import { takenAsItIs } from '../../../mind/domain/worker-run.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';
import type { Script } from '../../../mind/workers/script.ts';
import { scriptOf } from '../../../mind/workers/task-script.ts';
import type { Workflow } from '../../../mind/workflows/workflow.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, list, text, UsageError } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { limitsOf } from '../limit-flag.ts';
import { makeReady } from '../make-ready.ts';
import { sendToProject } from '../send-to-project.ts';
import { ignoreHangup } from '../signals.ts';
import { READING, tellSilence } from '../silence.ts';

export const run: CommandRun = (context) => (context.args.length === 0 ? resumeProject(context) : resumeTask(context));

/** Resumes a halted project. It drives nothing itself: the processes that work on the project go on. */
function resumeProject(context: CommandContext): Promise<number> {
  const { out, flags } = context;
  const flag = TASK_FLAGS.find((name) => flags[name] !== undefined);
  if (flag !== undefined)
    throw new UsageError(`--${flag} is about one task: name it, \`supervisor status\` lists them`);
  return sendToProject(context, { type: 'board.resume', reason: '' }, () => {
    out.value({ status: 'running' });
    out.line('the project runs: `supervisor resume TASK` goes on with a task that no process works on');
  });
}

const TASK_FLAGS = ['script', 'say', 'allow', 'cli', 'from', 'limit', 'dismiss', 'reason', 'network'];

const resumeTask: CommandRun = async (context) => {
  const { environment, out } = context;
  const said = limitsOf(context.flags['limit']);
  const hangup = ignoreHangup();
  const script = context.flags['script'] === undefined ? undefined : loadScript(text(context.flags['script']));
  using silence = tellSilence(out, READING);
  const project = locateProject(context.dir);
  const place = { id: project.id, top: (await readRepository(context.dir)).top };
  const loaded = () => loadSettings(environment, place);
  const network = context.flags['network'] === true;
  const real = { loaded, network, checkout: place.top };
  let own: TaskId | null = null;
  const opened = await openEngineDeps(environment, project, { script, real, own: (one) => one === own });
  try {
    if (!(await opened.store.knows(project.id))) {
      out.error(NO_TASKS.code, NO_TASKS.message);
      return EXIT.failed;
    }
    const task = await findTask(opened.store, project.id, context.args[0] ?? '');
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    own = task;
    const view = await viewTask(opened.store, project.id, task);
    const { task: before, project: state } = view;
    const reopen = before.closed !== null && ['failed', 'blocked', 'escalated'].includes(before.closed.status);
    const { paused, ...unpaused } = before;
    const added = additionOf(context, place.top);
    const dismissed = dismissalOf(context);
    silence.end();
    out.entry('task', `${task}: ${before.title} (${statusOf(before)})`);
    const { expired } = await opened.store.lease(project.id);
    for (const line of goesOnWith(unpaused, state, {
      reopen,
      anew: wantsWorker(added),
      cutOff: expired,
      now: opened.deps.clock.now(),
    })) {
      out.entry('  goes on with', line);
    }
    const simulated = before.spec.simulated === true;
    // Also for a finished task, to clean up what a killed process left.
    const made = simulated ? null : await opened.real();
    if (made !== null && before.closed?.status !== 'accepted') {
      if (added.cli !== undefined) checkChosen(added.cli, view, loaded(), script ?? scriptOfTask(before));
      await makeReady(context, made, {
        base: before.base ?? '',
        unsafe: before.spec.unsafe_no_sandbox === true,
        clis: added.cli ?? before.cli?.chain ?? clisOf(view.workflow, before),
      });
    }
    const { limits } = simulated ? loadLimits(environment, said) : loadSettings(environment, place, said);
    const isMore = Object.keys(added).length > 0 || dismissed !== null;
    const command =
      reopen || paused === true || isMore || before.taken !== undefined || before.closed?.status === 'cancelled'
        ? { type: 'task.resume' as const, task, reason: 'by the operator', ...added, ...dismissed }
        : context.flags['wake'] === true
          ? { type: 'task.resume' as const, task, reason: 'by the operator', wake: true as const }
          : null;
    return await driveTask({ context, project, opened, task, command, limits });
  } finally {
    hangup.release();
    await opened.close();
  }
};

/** What the operator adds to the task's text. */
function additionOf(
  { flags }: CommandContext,
  top: string,
): Pick<CommandOf<'task.resume'>, 'say' | 'allow' | 'cli' | 'from'> {
  const say = text(flags['say'])?.trim();
  const allow = list(flags['allow'])?.map((pattern) => grantOf(pattern, top));
  const cli = list(flags['cli']);
  const from = text(flags['from']);
  if (from !== undefined && from !== 'last' && from !== 'line')
    throw new UsageError(`--from ${from}: say last (the change that was sent back) or line (where the step began)`);
  return {
    ...(say ? { say } : {}),
    ...(allow === undefined ? {} : { allow }),
    ...(cli === null ? {} : { cli }),
    ...(from === undefined ? {} : { from }),
  };
}

/** The reason is recorded: without it, the dismissal could not be understood later. */
function dismissalOf({ flags }: CommandContext): Required<Pick<CommandOf<'task.resume'>, 'dismiss' | 'reason'>> | null {
  const dismiss = list(flags['dismiss']);
  const reason = text(flags['reason'])?.trim() ?? '';
  if (dismiss === null) {
    if (reason !== '') throw new UsageError('--reason needs --dismiss: name the finding');
    return null;
  }
  if (reason === '') throw new UsageError('--reason is missing: say why the finding does not count');
  return { dismiss, reason };
}

const scriptOfTask = ({ spec }: Task): Script | null => (spec.script === undefined ? null : scriptOf(spec));

/** Refuses a CLI that an open step cannot use. */
function checkChosen(
  clis: readonly string[],
  { task, workflow }: Pick<TaskView, 'task' | 'workflow'>,
  { settings, told }: Pick<LoadedConfig, 'settings' | 'told'>,
  script: Script | null,
): void {
  for (const step of task.open.flatMap((id) => workflow.steps.get(id) ?? []))
    checkClis(step, told.roles.get(step.role), clis, { script }, { settings });
}

/** The CLIs that open steps may need. */
const clisOf = (workflow: Workflow, task: Task): string[] =>
  task.open.flatMap((id) => [...(workflow.steps.get(id)?.cli ?? [])]);

/** Shows what will be repeated, before it starts, so that the user can change their mind. */
function goesOnWith(
  task: Task,
  project: Project,
  {
    reopen,
    anew,
    cutOff,
    now,
  }: { readonly reopen: boolean; readonly anew: boolean; readonly cutOff: boolean; readonly now: number },
): string[] {
  const workflow = project.workflows.get(task.workflow);
  if (reopen)
    return task.open.map((id) => {
      const step = task.steps.get(id);
      const isChecked = step !== undefined && takenAsItIs(task, step, workflow?.steps.get(id)).asItIs !== undefined;
      return isChecked && !anew ? `${id}: its change is checked again, no worker runs` : `${id}: starts afresh`;
    });
  return waitsFor(project, task, now).map((line, n) => {
    const place = task.steps.get(task.open[n] ?? '')?.place;
    return cutOff && place?.at === 'working'
      ? `${task.open[n]}: attempt ${place.attempt.number} was cut off and is made again`
      : line;
  });
}
