/**
 * Makes trees ahead of time: after a capture, a gate will need a fresh tree of the candidate. It is written while the
 * candidate is transferred, pinned and checked, so it costs no extra time.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Trash } from './trash.ts';

/** More attempts seldom end at once. */
const MOST = 4;
/** Drops an unused tree after this time, to free disk space. */
const UNUSED_MS = 60_000;

type PreparedTree = {
  /** The name of its directory. */
  readonly place: string;
  /** False if it could not be made. */
  readonly made: Promise<boolean>;
  readonly timer: NodeJS.Timeout;
  /** Cancels the making. */
  readonly stop: AbortController;
};

export class Ahead {
  readonly #dir: string;
  readonly #trash: Trash;
  readonly #waiting = new Map<string, PreparedTree>();

  /** `dir`: where the directories of all workspaces are. */
  constructor(dir: string, trash: Trash) {
    this.#dir = dir;
    this.#trash = trash;
  }

  /** Resolves when the tree is made, even after an error: the code that needs the tree reports errors better. */
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

  /** Whether the directory `place` holds it now; each tree is given away once. */
  async take(tree: string, place: string): Promise<boolean> {
    const found = this.#forget(tree);
    if (found === null || !(await found.made)) return false;
    try {
      renameSync(join(this.#dir, found.place), join(this.#dir, place));
      return true;
    } catch (error) {
      // A sweep removed it meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  drop(tree: string): void {
    const found = this.#forget(tree);
    found?.stop.abort();
    // A tree that cannot be moved away stays for the next sweep.
    found?.made.then(() => this.#trash.dispose(join(this.#dir, found.place))).catch(() => {});
  }

  async dropAll(): Promise<void> {
    const all = [...this.#waiting];
    for (const [tree] of all) this.drop(tree);
    await Promise.all(all.map(([, { made }]) => made));
  }

  #forget(tree: string): PreparedTree | null {
    const found = this.#waiting.get(tree) ?? null;
    this.#waiting.delete(tree);
    if (found !== null) clearTimeout(found.timer);
    return found;
  }
}
