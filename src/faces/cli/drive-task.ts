/** Sees one task through for a person at the terminal: progress while it lasts, the report at the end, the exit code. */
import { drive } from '../../app/drive.ts';
import type { Opened } from '../../app/open.ts';
import type { ProjectAt } from '../../app/open-store.ts';
import { viewTask } from '../../app/task-view.ts';
import { revive } from '../../engine/loading.ts';
import type { StoredEvent } from '../../engine/ports/store.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { Limits } from '../../mind/config/limits.ts';
import type { Command } from '../../mind/domain/commands.ts';
import { taskStream } from '../../mind/domain/project.ts';
import type { TaskStatus } from '../../mind/domain/values.ts';
import { eventText } from '../../mind/protocol/event-text.ts';
import { runReport } from '../../mind/protocol/run-report.ts';
import { type CommandContext, EXIT } from './command.ts';
import { printReport } from './report.ts';
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

export type Driven = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: Opened;
  readonly task: TaskId;
  readonly command: Command | null;
  readonly limits: Limits;
  readonly simulated: boolean;
};

export async function driveTask({
  context,
  project,
  opened,
  task,
  command,
  limits,
  simulated,
}: Driven): Promise<number> {
  const { out, environment } = context;
  const stop = onStop((name) => out.aside(`${name}: stopping; once more stops at once`));
  const stream = taskStream(task);
  const began = performance.now();
  let told = false;
  const progress = {
    events(events: readonly StoredEvent[]) {
      for (const event of events) {
        if (event.stream !== stream) continue;
        const { text, tone } = eventText(revive(event));
        out.entry(formatDuration(performance.now() - began).padStart(9), text, tone);
      }
    },
    following(owner: { pid: number } | null) {
      if (!told)
        out.line(
          `another supervisor (pid ${owner?.pid ?? 'unknown'}) works on this project: the task is handed to it; following`,
          'note',
        );
      told = true;
    },
    finishing(attempts: number) {
      out.line(
        `done; ${attempts} effect(s) of other tasks are still under way and finish first (Ctrl-C hands them over)`,
        'note',
      );
    },
  };
  try {
    const result = await drive({ environment, project, opened, task, command, limits, progress, signal: stop.signal });
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
    const report = { ...runReport(view.task, view.workflow, view.events), simulated };
    out.value(report);
    printReport(out, report);
    return EXIT_FOR[report.status as TaskStatus];
  } finally {
    stop.release();
  }
}

function interruptedText(task: TaskId, exists: boolean, handedIn: boolean): string {
  if (exists) return `stopped; nothing is lost. Go on with: supervisor resume ${task}`;
  if (handedIn)
    return `stopped following; task ${task} is handed in and will be taken on. To stop it: supervisor cancel ${task}`;
  return 'stopped before the task was taken on';
}
