/**
 * One preparation per key and machine. The lock only saves work: if two processes hold it anyway, both make a complete
 * environment and the second is thrown away.
 */
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '../../engine/ports/store.ts';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';
import { readOwner } from './shelf.ts';

const POLL_MS = 100;

/** Waits for the lock; null if aborted. `chance` makes the names of this call unique. */
export async function takeLock(
  path: string,
  chance: string,
  told: { readonly signal: AbortSignal; waiting(owner: ProcessIdentity): void },
): Promise<Disposable | null> {
  const mine = `${path}.${chance}`;
  writeFileSync(mine, JSON.stringify(thisProcess()), { mode: 0o600 });
  try {
    for (let waited = false; ; waited = true) {
      if (told.signal.aborted) return null;
      try {
        // Complete from the first moment, unlike a file that is created and then written.
        linkSync(mine, path);
        return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const owner = readOwner(path);
      if (owner === null || !isAlive(owner)) takeAway(path, `${mine}.dead`);
      else {
        if (!waited) told.waiting(owner);
        await sleep(POLL_MS, null, { signal: told.signal }).catch(() => null);
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Removes the lock of a dead process. */
function takeAway(path: string, aside: string): void {
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  rmSync(aside, { force: true });
}
