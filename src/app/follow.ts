/** Follows a task without holding the lease: new events as they come, until the task is closed or its driver is gone. */
import { revive } from '../engine/loading.ts';
import type { Store, StoredEvent } from '../engine/ports/store.ts';
import type { ProjectId } from '../kernel/ids.ts';
import type { NewEvent } from '../mind/domain/events/index.ts';

/** How often the lease is looked at when nothing is written. */
const LEASE_CHECK_MS = 250;

type Followed = 'done' | 'leaderless' | 'aborted';

export async function followLog(
  store: Store,
  project: ProjectId,
  after: number,
  onEvents: (events: readonly StoredEvent[]) => 'go on' | 'done',
  signal: AbortSignal,
): Promise<Followed> {
  let seen = after;
  let wake = () => {};
  const watcher = store.watch(() => wake());
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      if (signal.aborted) return 'aborted';
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (
        let page = await store.readLog(project, seen, 500);
        page.length > 0;
        page = await store.readLog(project, seen, 500)
      ) {
        seen = page.at(-1)?.seq ?? seen;
        if (onEvents(page) === 'done') return 'done';
      }
      if ((await store.lease(project)).expired) return 'leaderless';
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([changed, new Promise((resolve) => (timer = setTimeout(resolve, LEASE_CHECK_MS)))]);
      clearTimeout(timer);
    }
  } finally {
    watcher.close();
    signal.removeEventListener('abort', onAbort);
  }
}

/** How the task stands after these events, if they end it or stop it. */
export function endIn(events: readonly StoredEvent[], stream: string, purpose?: 'landed'): 'closed' | 'paused' | null {
  let end: 'closed' | 'paused' | null = null;
  for (const event of events) {
    if (event.stream !== stream) continue;
    const { type } = revive(event) as NewEvent;
    if (purpose === 'landed') {
      if (type === 'task.landed' || type === 'task.not_landed') end = 'closed';
      continue;
    }
    if (type === 'task.closed') end = 'closed';
    if (type === 'task.paused') end = 'paused';
    if (type === 'task.resumed' || type === 'task.reopened') end = null;
  }
  return end;
}
