/** Sees one task through for a person at the terminal: progress while it lasts, the report at the end, the exit code. */
import { isPlainTerminal } from '../../app/config/terminal.ts';
import { drive } from '../../app/drive.ts';
import type { Opened } from '../../app/open.ts';
import type { ProjectAt } from '../../app/open-store.ts';
import { type TaskView, viewTask } from '../../app/task-view.ts';
import { lastLines, transcriptPath } from '../../app/transcripts.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { terminalText } from '../../kernel/terminal-text.ts';
import type { Limits } from '../../mind/config/limits.ts';
import type { Command } from '../../mind/domain/commands.ts';
import { taskStream } from '../../mind/domain/project.ts';
import type { TaskStatus } from '../../mind/domain/values.ts';
import { gateFeedback } from '../../mind/gates/feedback.ts';
import { type LiveStep, type LiveView, liveView, watch } from '../../mind/protocol/live-view.ts';
import { type RunReport, runReport } from '../../mind/protocol/run-report.ts';
import { inWords } from '../../mind/workers/adapters/in-words.ts';
import { compileWorkflow } from '../../mind/workflows/workflow.ts';
import { tryGit } from '../../os/git/git.ts';
import { ownerOf } from '../../os/git/owner.ts';
import { type CommandContext, EXIT } from './command.ts';
import { TaskProgress } from './live/progress.ts';
import { watchWaiting } from './live/waiting.ts';
import { type Found, printReport } from './report.ts';
import { onStop } from './signals.ts';

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
};

/** More than are shown: empty ones are left out. */
const OUTPUT_LINES = 20;
/** Most events of a CLI say nothing to a person. */
const LOOKED_AT = 400;

export type Driven = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: Opened;
  readonly task: TaskId;
  readonly command: Command | null;
  readonly limits: Limits;
};

export async function driveTask(driven: Driven): Promise<number> {
  const { context, project, opened, task, command, limits } = driven;
  const { out, environment } = context;
  const stream = taskStream(task);
  const progress = new TaskProgress({
    ...{ out, stream, view: await viewBefore(driven), now: () => opened.deps.clock.now() },
    live: !out.json && process.stdout.isTTY === true && !isPlainTerminal(),
    output: (step) => outputOf(driven, step),
  });
  using _ = watchWaiting({
    ...{ store: opened.store, project: project.id, task, now: () => opened.deps.clock.now() },
    busy: () => progress.busy,
    tell: (text) => progress.waiting(text),
  });
  const stop = onStop((name) => progress.stopping(name));
  try {
    const result = await drive({ environment, project, opened, task, command, limits, progress, signal: stop.signal });
    progress.close();
    if (result.type === 'rejected') {
      out.error(result.code, result.message);
      return EXIT.failed;
    }
    if (result.type === 'interrupted') {
      const exists = (await opened.store.streams(project.id, stream)).some((row) => row.stream === stream);
      out.error('interrupted', interruptedText(task, exists, result.handedIn));
      return EXIT.interrupted;
    }
    const view = await viewTask(opened.store, project.id, task);
    const report = runReport(view.task, view.workflow, view.events);
    out.value(report);
    printReport(out, report, {
      filesChanged: out.json ? null : await countChanges(context.dir, report),
      hints: context.hints ?? true,
      found: out.json ? [] : await foundIn(report, opened.store, view),
    });
    return EXIT_FOR[report.status as TaskStatus];
  } finally {
    progress.close();
    stop.release();
  }
}

/** A new task is known by the command that makes it, any other by its log. */
async function viewBefore({ command, opened, project, task, limits }: Driven): Promise<LiveView> {
  if (command?.type === 'task.create')
    return liveView(command.title, compileWorkflow(command.workflow), limits.attempts);
  const before = await viewTask(opened.store, project.id, task);
  const seen = before.events.reduce(watch, liveView(before.task.title, before.workflow, limits.attempts));
  // The time that counts is this command's: the task may be days old.
  return { ...seen, began: opened.deps.clock.now() };
}

function outputOf({ context, project, task }: Driven, { id, attempt }: LiveStep): string[] {
  try {
    const path = transcriptPath(context.environment, project.id, { task, step: id, attempt });
    return lastLines(path, LOOKED_AT)
      .flatMap((line) => inWords(line) ?? [])
      .slice(-OUTPUT_LINES);
  } catch {
    // Whoever only looks must not stop the work: a transcript that can not be read is one not shown.
    return [];
  }
}

/** An answer is all there is of a task that changes nothing; of one that failed, why. */
async function foundIn(report: RunReport, store: Store, view: TaskView): Promise<Found[]> {
  if (report.status !== 'accepted') return lastFindings(store, view);
  return report.candidate === null && !report.simulated ? lastAnswer(store, view) : [];
}

async function lastAnswer(store: Store, { events }: TaskView): Promise<Found[]> {
  const settled = events.findLast((event) => event.type === 'attempt.settled');
  const { answer = null } = settled?.type === 'attempt.settled' ? settled.data : {};
  const blob = answer === null ? null : await store.blob(answer);
  if (blob?.type !== 'content') return [];
  const lines = terminalText(blob.content).trimEnd().split('\n');
  const more = lines.length - ANSWER_LINES;
  const told = more > 0 ? [`[…] ${more} more lines: supervisor show ${settled?.stream.split('/')[1]} --said`] : [];
  return [{ gate: '', lines: [...lines.slice(0, ANSWER_LINES), ...told] }];
}

const ANSWER_LINES = 200;

/** What the gates of the last attempt that did not pass had to say, in a few lines each. */
async function lastFindings(store: Store, { events }: TaskView): Promise<Found[]> {
  const token = events.findLast((event) => event.type === 'attempt.started')?.data.token;
  const found: Found[] = [];
  for (const event of events) {
    if (event.type !== 'gate.reported' || event.data.token !== token || event.data.status === 'pass') continue;
    const { gate, status, evidence } = event.data;
    const blob = evidence === null ? null : await store.blob(evidence);
    if (blob?.type !== 'content') continue;
    found.push({
      gate,
      lines: gateFeedback([{ gate, status, text: blob.content }], 1_500)
        .split('\n')
        .slice(-FOUND_LINES),
    });
  }
  return found;
}

const FOUND_LINES = 12;

/** Null when git does not tell: the report is complete without it. */
async function countChanges(dir: string, { base, commit }: RunReport): Promise<number | null> {
  if (base === null || commit === null) return null;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, commit, '--'];
  const told = await tryGit(args, { dir, owner: ownerOf(dir) }).catch(() => null);
  return told?.code === 0 ? told.stdout.split('\0').length - 1 : null;
}

function interruptedText(task: TaskId, exists: boolean, handedIn: boolean): string {
  if (exists)
    return `stopped; nothing is lost. Go on with: supervisor resume ${task} (the next run goes on with it too; supervisor cancel ${task} stops it for good)`;
  if (handedIn)
    return `stopped following; task ${task} is handed in and will be taken on. To stop it: supervisor cancel ${task}`;
  return 'stopped before the task was taken on';
}
