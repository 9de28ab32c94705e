/** `supervisor log`: every fact in order, for all tasks or one; `--follow` goes on with new ones. */
import { followLog } from '../../../app/follow.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { findTask } from '../../../app/task-view.ts';
import { revive } from '../../../engine/loading.ts';
import type { StoredEvent } from '../../../engine/ports/store.ts';
import { taskStream } from '../../../mind/domain/project.ts';
import { eventText } from '../../../mind/protocol/event-text.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const stop = onStop(() => {});
  let store = await openToRead(environment, project);
  // With --follow: somebody may write the first event at any time.
  while (store === null && flags['follow'] === true && !stop.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    store = await openToRead(environment, project);
  }
  if (store === null) {
    stop.release();
    out.line('the log is empty');
    return EXIT.done;
  }
  try {
    let stream: string | null = null;
    if (args[0] !== undefined) {
      const id = await findTask(store, project.id, args[0]);
      if (typeof id !== 'string') {
        out.error(id.code, id.message);
        return EXIT.failed;
      }
      stream = taskStream(id);
    }
    const print = (events: readonly StoredEvent[]) => {
      for (const event of events) {
        if (stream !== null && event.stream !== stream) continue;
        out.value(event, 'line');
        const { text, tone } = eventText(revive(event));
        out.entry(`${String(event.seq).padStart(6)} ${new Date(event.time).toISOString()} ${event.stream}`, text, tone);
      }
    };
    let seen = 0;
    for (
      let page = await store.readLog(project.id, seen, 500);
      page.length > 0;
      page = await store.readLog(project.id, seen, 500)
    ) {
      print(page);
      seen = page.at(-1)?.seq ?? seen;
    }
    while (flags['follow'] === true && !stop.signal.aborted) {
      const ended = await followLog(
        store,
        project.id,
        seen,
        (events) => {
          print(events);
          seen = events.at(-1)?.seq ?? seen;
          return 'go on';
        },
        stop.signal,
      );
      // Nobody drives at present; somebody may start at any time.
      if (ended === 'leaderless') await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return EXIT.done;
  } finally {
    stop.release();
    await store.close();
  }
};
