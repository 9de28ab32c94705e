/**
 * Trees that are made before anybody asks for them: a candidate that was just captured is next checked by a gate, which
 * needs a fresh tree of it. To write that while the candidate is transferred, pinned and looked at costs nobody any time.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Trash } from './trash.ts';

/** More attempts than that seldom come to their end at once. */
const MOST = 4;
/** Whoever wants one asks sooner: it is in the way of a disk that may be full. */
const UNUSED_MS = 60_000;

type Waiting = {
  /** The name of its directory. */
  readonly place: string;
  /** False: it could not be made. */
  readonly made: Promise<boolean>;
  readonly timer: NodeJS.Timeout;
  /** Stops the making. */
  readonly stop: AbortController;
};

export class Ahead {
  readonly #dir: string;
  readonly #trash: Trash;
  readonly #waiting = new Map<string, Waiting>();

  /** `dir`: where the directories of all workspaces are. */
  constructor(dir: string, trash: Trash) {
    this.#dir = dir;
    this.#trash = trash;
  }

  /** Resolves, whatever happens, when the making is over: what goes wrong here, the one who needs the tree says better. */
  async begin(tree: string, place: string, make: (place: string, signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#waiting.has(tree)) return;
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size < MOST) break;
      this.drop(oldest);
    }
    const stop = new AbortController();
    const made = make(place, stop.signal).then(
      () => true,
      () => false,
    );
    const timer = setTimeout(() => this.drop(tree), UNUSED_MS).unref();
    this.#waiting.set(tree, { place, made, timer, stop });
    if (!(await made)) this.drop(tree);
  }

  /** Whether the directory `place` holds it now; it is given away once. */
  async take(tree: string, place: string): Promise<boolean> {
    const found = this.#forget(tree);
    if (found === null || !(await found.made)) return false;
    try {
      renameSync(join(this.#dir, found.place), join(this.#dir, place));
      return true;
    } catch (error) {
      // Somebody swept it away meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  drop(tree: string): void {
    const found = this.#forget(tree);
    found?.stop.abort();
    // What can not be moved away stays for the next sweep.
    found?.made.then(() => this.#trash.dispose(join(this.#dir, found.place))).catch(() => {});
  }

  async dropAll(): Promise<void> {
    const all = [...this.#waiting];
    for (const [tree] of all) this.drop(tree);
    await Promise.all(all.map(([, { made }]) => made));
  }

  #forget(tree: string): Waiting | null {
    const found = this.#waiting.get(tree) ?? null;
    this.#waiting.delete(tree);
    if (found !== null) clearTimeout(found.timer);
    return found;
  }
}
