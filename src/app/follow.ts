/** Follows a task without the lease: prints new events until the task is closed or its driver is gone. */
import type { Store, StoredEvent } from '../engine/ports/store.ts';
import type { ProjectId } from '../kernel/ids.ts';

/** How often to check the lease while nothing is written. */
const LEASE_CHECK_MS = 250;

type AfterTurn = 'go on' | 'done';
type Followed = 'done' | 'leaderless' | 'aborted';

export async function followLog(
  store: Store,
  project: ProjectId,
  after: number,
  onEvents: (events: readonly StoredEvent[]) => AfterTurn | Promise<AfterTurn>,
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
        if ((await onEvents(page)) === 'done') return 'done';
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
