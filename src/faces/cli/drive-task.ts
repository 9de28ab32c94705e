/** Follows one task for a person at the terminal: progress while it runs, then the report and the exit code. */
import { isPlainTerminal } from '../../app/config/terminal.ts';
import { drive, type SendCommand } from '../../app/drive.ts';
import type { ProjectOf } from '../../app/halt-request.ts';
import { incidentOfTask, settleFiles } from '../../app/incidents.ts';
import type { OpenedProject } from '../../app/open.ts';
import { locateProject, type ProjectAt } from '../../app/open-store.ts';
import { redTests, type TaskView, viewTask } from '../../app/task-view.ts';
import { lastLines, transcriptPath } from '../../app/transcripts.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { personOf } from '../../mind/approvals/people.ts';
import type { Halted } from '../../mind/domain/board.ts';
import type { Command } from '../../mind/domain/commands.ts';
import type { Limits } from '../../mind/domain/limits.ts';
import { taskStream } from '../../mind/domain/stream-name.ts';
import { statusOf, type Task } from '../../mind/domain/task.ts';
import type { Spec, TaskStatus } from '../../mind/domain/values.ts';
import { type LiveStep, type LiveView, liveView, watch } from '../../mind/protocol/live-view.ts';
import { pathOf } from '../../mind/protocol/path-text.ts';
import { type RunReport, runReport } from '../../mind/protocol/run-report.ts';
import { inWords } from '../../mind/workers/adapters/readable-events.ts';
import { compileWorkflow } from '../../mind/workflows/workflow.ts';
import { tryGit } from '../../os/git/git.ts';
import { ownerOf } from '../../os/git/owner.ts';
import { type CommandContext, EXIT } from './command.ts';
import { TaskProgress } from './live/progress.ts';
import { watchWaiting } from './live/waiting.ts';
import { BaseWatch } from './red-base.ts';
import { printReport } from './report.ts';
import { foundIn, obstacleOf } from './report-parts.ts';
import { onTaskStop } from './signals.ts';

const EXIT_FOR: Readonly<Record<TaskStatus, number>> = {
  accepted: EXIT.done,
  rejected: EXIT.failed,
  failed: EXIT.failed,
  cancelled: EXIT.failed,
  proposed: EXIT.waiting,
  waiting: EXIT.waiting,
  queued: EXIT.waiting,
  running: EXIT.waiting,
  blocked: EXIT.escalated,
  escalated: EXIT.escalated,
  paused: EXIT.waiting,
};

/** More than are shown, because empty lines are left out. */
const OUTPUT_LINES = 20;
/** Most events of a CLI mean nothing to a person. */
const LOOKED_AT = 400;

type Driven = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly task: TaskId;
  readonly command: Command | null;
  readonly limits: Limits;
  /** Gates whose state at the base was printed already. */
  readonly baseTold?: ReadonlySet<string>;
};

export async function driveTask(driven: Driven): Promise<number> {
  const { context, project, opened, task, command, limits } = driven;
  const { out, environment } = context;
  const stream = taskStream(task);
  const { view, spec } = await before(driven);
  const progress = new TaskProgress({
    out,
    stream,
    view,
    now: () => opened.deps.clock.now(),
    live: !out.json && process.stdout.isTTY === true && !isPlainTerminal(),
    output: (step) => outputOf(driven, step),
    hint: 'Ctrl-C pauses this task',
  });
  using _ = watchWaiting({
    store: opened.store,
    project: project.id,
    task,
    now: () => opened.deps.clock.now(),
    busy: () => progress.busy,
    tell: (text) => progress.waiting(text),
  });
  const stop = onTaskStop(progress);
  const { stops } = stop;
  let send: SendCommand | null = null;
  const base = new BaseWatch({
    out,
    spec,
    told: driven.baseTold ?? new Set(),
    tell: (text) => (out.json ? out.aside(text) : progress.waiting(text)),
    withTerminal: (question) => progress.withTerminal(question),
    answer: async (red_base) => (await send?.({ type: 'task.answer_base', task, red_base })) ?? null,
  });
  opened.watchBase((of, finding) => {
    if (of === task) base.found(finding);
  });
  for (const signal of [stops.pause, stops.stop])
    signal.addEventListener('abort', () => void base.end(), { once: true });
  try {
    const takeCommands = (sends: SendCommand) => {
      send = sends;
    };
    const ownLimits = context.flags['limit'] !== undefined;
    const driving = { environment, project, opened, task, command, limits, ownLimits, progress, stops };
    const result = await drive({ ...driving, takeCommands });
    await base.end();
    progress.close();
    if (result.type === 'rejected') {
      out.error(result.code, result.message);
      return EXIT.failed;
    }
    if (result.type === 'interrupted') {
      const exists = (await opened.store.row(project.id, stream)) !== null;
      const before = exists ? await viewTask(opened.store, project.id, task) : null;
      if (before?.task.paused === true) out.error('paused', pausedText(task, before.events));
      else out.error('interrupted', interruptedText(task, exists, result.handedIn));
      return EXIT.interrupted;
    }
    const view = await viewTask(opened.store, project.id, task);
    if (result.type === 'paused' && stops.pause.aborted) {
      out.error('paused', pausedText(task, view.events));
      return EXIT.interrupted;
    }
    return await reportEnd(context, opened.store, view, result.type === 'halted');
  } finally {
    await base.end();
    progress.close();
    stop.release();
  }
}

/**
 * Prints how the task stands and returns the exit code. `byHalt`: the task was left because the project is halted. What
 * ended a task may have halted the project as well.
 */
export async function reportEnd(
  context: CommandContext,
  store: Store,
  view: TaskView,
  byHalt: boolean,
): Promise<number> {
  const { halted } = view.project.board;
  const code = await printEnd(byHalt ? { ...context, hints: false } : context, store, view);
  if (byHalt || halted !== undefined) context.out.aside(haltedText(view.task, halted));
  return byHalt ? EXIT.escalated : code;
}

async function printEnd(context: CommandContext, store: Store, view: TaskView): Promise<number> {
  const { out } = context;
  await keepIncident(context, store, view.task);
  const report = runReport(view.task, view.workflow, view.events, await redTests(store, view));
  out.value(report);
  printReport(out, report, {
    filesChanged: out.json ? null : await countChanges(context.dir, report),
    hints: context.hints ?? true,
    path: pathOf(view.events),
    cost: context.environment.inSelfTest !== true,
    ...(out.json ? {} : { found: await foundIn(report, store, view), obstacle: await obstacleOf(store, view) }),
  });
  return EXIT_FOR[report.status as TaskStatus];
}

/**
 * Writes the incident file when the task stops. If the directory is not writable, the command goes on without the file.
 */
async function keepIncident({ environment, dir, out }: CommandContext, store: Store, task: Task): Promise<void> {
  const status = statusOf(task);
  if (task.spec.simulated === true) return;
  const of = { environment, project: locateProject(dir) };
  const stopped = status === 'escalated' || status === 'blocked' || status === 'waiting';
  const kept = stopped ? await incidentOfTask(store, of, task.id).catch(() => null) : null;
  if (kept === null) settleQuietly(of, task.id);
  if (kept !== null && kept.resolved === null) out.entry('incident', kept.file, 'bad');
}

function settleQuietly(of: ProjectOf, task: TaskId): void {
  try {
    settleFiles(of, task, null);
  } catch {
    // The log is what counts.
  }
}

/** The state before this command: a new task is known from its command, any other from its log. */
async function before({
  command,
  opened,
  project,
  task,
  limits,
}: Driven): Promise<{ readonly view: LiveView; readonly spec: Spec }> {
  if (command?.type === 'task.create') {
    const view = liveView(command.title, compileWorkflow(command.workflow), limits.attempts);
    return { view, spec: command.spec };
  }
  const before = await viewTask(opened.store, project.id, task);
  const seen = before.events.reduce(watch, liveView(before.task.title, before.workflow, limits.attempts));
  // Counts the time of this command only: the task may be days old.
  return { view: { ...seen, began: opened.deps.clock.now() }, spec: before.task.spec };
}

export function outputOf(
  { context, project, task }: Pick<Driven, 'context' | 'project' | 'task'>,
  { id, attempt }: LiveStep,
): string[] {
  try {
    const path = transcriptPath(context.environment, project.id, { task, step: id, attempt });
    return lastLines(path, LOOKED_AT)
      .flatMap((line) => inWords(line) ?? [])
      .slice(-OUTPUT_LINES);
  } catch {
    // Display must not stop the work, so an unreadable transcript is skipped.
    return [];
  }
}

/** Returns null if git does not answer: the report is complete without it. */
async function countChanges(dir: string, { base, commit }: RunReport): Promise<number | null> {
  if (base === null || commit === null) return null;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, commit, '--'];
  const told = await tryGit(args, { dir, owner: ownerOf(dir) }).catch(() => null);
  return told?.code === 0 ? told.stdout.split('\0').length - 1 : null;
}

function haltedText(task: Task, halted: Halted | undefined): string {
  const by =
    halted === undefined ? '' : ` by ${personOf(halted.by)}${halted.reason === '' ? '' : ` (${halted.reason})`}`;
  const status = statusOf(task);
  const over = status === 'accepted' || status === 'rejected' || status === 'cancelled';
  const then = over ? '' : `, then \`supervisor resume ${task.id}\` goes on`;
  return `the project is halted${by}, so nothing starts. \`supervisor resume\` lets it run again${then}`;
}

function pausedText(task: TaskId, events: TaskView['events']): string {
  const last = events.findLast(({ type }) => type === 'attempt.started' || type === 'attempt.settled');
  const cut =
    last?.type === 'attempt.started' || (last?.type === 'attempt.settled' && last.data.class === 'interrupted');
  const then = cut ? ': the attempt that was cut starts again, and costs again' : '';
  return `task ${task} is paused. \`supervisor resume ${task}\` goes on with it${then}. \`supervisor cancel ${task}\` stops it for good`;
}

function interruptedText(task: TaskId, exists: boolean, handedIn: boolean): string {
  if (exists)
    return `stopped; task ${task} is unfinished. \`supervisor resume ${task}\` goes on with it, and so does the next \`supervisor run\`; an attempt that was cut starts again and costs again. \`supervisor cancel ${task}\` stops it for good`;
  if (handedIn) return `stopped following; task ${task} is queued and will run. To stop it: supervisor cancel ${task}`;
  return 'stopped before the task was queued';
}
