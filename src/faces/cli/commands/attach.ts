/** `supervisor attach [TASK]`: watches a task that another process drives. Leaving does not stop the task. */
import { loadSettings } from '../../../app/config/files.ts';
import { isPlainTerminal } from '../../../app/config/terminal.ts';
import { followLog } from '../../../app/follow.ts';
import { locateProject, openToRead, type ProjectAt } from '../../../app/open-store.ts';
import { endNow } from '../../../app/task-end.ts';
import { findTask, NO_TASKS, newestTask, viewTask } from '../../../app/task-view.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { BOARD, taskStream } from '../../../mind/domain/stream-name.ts';
import { statusOf } from '../../../mind/domain/task.ts';
import { liveView, watch } from '../../../mind/protocol/live-view.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { systemClock } from '../../../os/machine/clock.ts';
import { type CommandContext, type CommandRun, EXIT } from '../command.ts';
import { outputOf, reportEnd } from '../drive-task.ts';
import { TaskProgress } from '../live/progress.ts';
import { onStop } from '../signals.ts';

/** A handover between two drivers takes less; after this time the task has no driver. */
const LEADERLESS_MS = 3_000;

export const run: CommandRun = async (context) => {
  const { args, out, environment, dir } = context;
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) {
    out.error(NO_TASKS.code, NO_TASKS.message);
    return EXIT.failed;
  }
  try {
    const task =
      args[0] === undefined
        ? await newestTask(store, project.id, { unfinished: true })
        : await findTask(store, project.id, args[0]);
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    return await attach(context, { project, store, task });
  } finally {
    await store.close();
  }
};

type Attached = { readonly project: ProjectAt; readonly store: Store; readonly task: TaskId };

async function attach(context: CommandContext, { project, store, task }: Attached): Promise<number> {
  const { out, environment, dir } = context;
  const clock = systemClock();
  const { limits } = loadSettings(environment, { id: project.id, top: (await readRepository(dir)).top });
  let seen = (await store.head(project.id)).seq;
  const before = await viewTask(store, project.id, task);
  out.entry('task', `${task}: ${before.task.title} (${statusOf(before.task)})`);
  const stream = taskStream(task);
  const progress = new TaskProgress({
    out,
    stream,
    view: before.events.reduce(watch, liveView(before.task.title, before.workflow, limits.attempts)),
    now: () => clock.now(),
    live: !out.json && process.stdout.isTTY === true && !isPlainTerminal(),
    output: (step) => outputOf({ context, project, task }, step),
    hint: 'Ctrl-C leaves this view; the task goes on',
  });
  const stop = onStop(() => {});
  let end = await endNow(store, project.id, task);
  let idleSince: number | null = null;
  try {
    while (end === null && !stop.signal.aborted) {
      const look = async (events: Parameters<TaskProgress['events']>[0]) => {
        seen = events.at(-1)?.seq ?? seen;
        idleSince = null;
        progress.events(events);
        // A halted project starts nothing, so its tasks stay as they are.
        if (events.some((event) => event.stream === stream || event.stream === BOARD))
          end = await endNow(store, project.id, task);
        return end === null ? 'go on' : 'done';
      };
      const followed = await followLog(store, project.id, seen, look, stop.signal);
      if (followed !== 'leaderless') continue;
      idleSince ??= performance.now();
      if (performance.now() - idleSince > LEADERLESS_MS) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    progress.close();
    if (stop.signal.aborted) {
      out.aside(`left the view; task ${task} goes on. \`supervisor pause ${task}\` stops it`);
      return EXIT.done;
    }
    if (end === null) {
      out.error('nobody_drives', `no process works on task ${task}: \`supervisor resume ${task}\` goes on with it`);
      return EXIT.waiting;
    }
    return await reportEnd(context, store, await viewTask(store, project.id, task), end === 'halted');
  } finally {
    progress.close();
    stop.release();
  }
}
