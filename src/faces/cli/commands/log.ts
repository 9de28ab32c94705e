/** `supervisor log`: every event in order, of all tasks or one; `--follow` continues with new ones. */
import { followLog } from '../../../app/follow.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { findTask } from '../../../app/task-view.ts';
import { revive } from '../../../engine/loading.ts';
import type { Store, StoredEvent } from '../../../engine/ports/store.ts';
import type { ProjectId } from '../../../kernel/ids.ts';
import { taskStream } from '../../../mind/domain/stream-name.ts';
import { eventText } from '../../../mind/protocol/event-text.ts';
import { type CommandRun, EXIT, text, UsageError, wholeNumber } from '../command.ts';
import { onStop } from '../signals.ts';

/** How many events are read at once. */
const PAGE = 500;

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  const part = { limit: wholeNumber('-n', flags['limit']), after: afterOf(text(flags['after'])) };
  const project = locateProject(dir);
  const stop = onStop(() => {});
  let store = await openToRead(environment, project);
  // With --follow, the first event may come at any time.
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
    const print = (event: StoredEvent) => {
      out.value(event, 'line');
      const { text: said, tone } = eventText(revive(event));
      out.entry(`${String(event.seq).padStart(6)} ${new Date(event.time).toISOString()} ${event.stream}`, said, tone);
    };
    let seen = (await store.head(project.id)).seq;
    for await (const event of facts(store, project.id, { ...part, stream, head: seen })) print(event);
    while (flags['follow'] === true && !stop.signal.aborted) {
      const ended = await followLog(
        store,
        project.id,
        seen,
        (events) => {
          for (const event of events) if (stream === null || event.stream === stream) print(event);
          seen = events.at(-1)?.seq ?? seen;
          return 'go on';
        },
        stop.signal,
      );
      // No process drives at present; one may start at any time.
      if (ended === 'leaderless') await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return EXIT.done;
  } finally {
    stop.release();
    await store.close();
  }
};

function afterOf(said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  if (/^\d{1,15}$/.test(said)) return Number(said);
  throw new UsageError(`--after ${said}: needs the number of an event, as \`supervisor log\` prints it`);
}

type LogRange = {
  /** Only events of this stream; null for all. */
  readonly stream: string | null;
  /** The end of the log when reading began. */
  readonly head: number;
  readonly limit: number | undefined;
  readonly after: number | undefined;
};

/**
 * The wanted part of the log, read by index page by page, so that the end of a long log costs no more than that of a
 * short one.
 */
async function* facts(store: Store, project: ProjectId, part: LogRange): AsyncGenerator<StoredEvent> {
  const { stream, head, limit = Number.POSITIVE_INFINITY, after } = part;
  // Places are numbers in the log, or versions in one task's stream.
  const end = stream === null ? head : ((await store.row(project, stream))?.version ?? 0);
  const read = (place: number, count: number) =>
    stream === null ? store.readLog(project, place, count) : store.readEvents(project, stream, place, count);
  let place = after === undefined ? Math.max(0, end - limit) : stream === null ? after : 0;
  for (let left = limit; left > 0; ) {
    const page = await read(place, Math.min(PAGE, left));
    for (const event of page) {
      if (event.seq > head || left === 0) return;
      if (event.seq <= (after ?? 0)) continue;
      yield event;
      left -= 1;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    place = stream === null ? last.seq : last.version;
  }
}
