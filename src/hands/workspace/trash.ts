/** Removed workspaces: moved away at once, deleted in the background, one after the other. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeTree } from '../../os/files/remove-tree.ts';
import { startCleaner } from '../../os/process/cleaner.ts';

/** Waits before deleting: the caller has more urgent work, and deletion can be slow. */
const REST_MS = 150;
/** How long a finished process goes on deleting: enough for a small tree, and not noticeable. */
const CLOSE_MS = 500;

export class Trash {
  readonly #dir: string;
  readonly #failed: (path: string, error: Error) => void;
  #count = 0;
  #waiting: string[] = [];
  #draining: Promise<void> | null = null;
  /** When something was last thrown away. */
  #last = 0;
  #hurried = false;
  /** Aborted when this process deletes nothing more. */
  #over = new AbortController();
  #wake: () => void = () => {};

  /** `failed` is called with what could not be deleted; the next sweep tries again. */
  constructor(dir: string, failed: (path: string, error: Error) => void) {
    this.#dir = dir;
    this.#failed = failed;
  }

  /** Moves a path of ours away; afterwards nothing is at `path`. Returns false if there was nothing. */
  dispose(path: string): boolean {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const to = join(this.#dir, this.#freeName(basename(path)));
    try {
      renameSync(path, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    this.#last = performance.now();
    this.#delete(to);
    return true;
  }

  /** What an earlier process left or could not delete. */
  left(): string[] {
    try {
      return readdirSync(this.#dir).map((name) => join(this.#dir, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  empty(): void {
    for (const path of this.left()) this.#delete(path);
  }

  /** Deletes everything now; resolves when it is done. */
  async idle(): Promise<void> {
    this.#hurried = true;
    this.#wake();
    await this.#draining;
    this.#hurried = false;
  }

  /** Deletes for a moment and leaves the rest to a separate process: 50,000 files take up to a minute. */
  async close(patienceMs = CLOSE_MS): Promise<void> {
    const over = this.#over;
    const timer = setTimeout(() => over.abort(), patienceMs);
    await this.idle();
    clearTimeout(timer);
    this.#over = new AbortController();
    if (over.signal.aborted && this.left().length > 0) startCleaner(this.#dir);
  }

  #delete(path: string): void {
    this.#waiting.push(path);
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#rest();
      for (const path of this.#waiting.splice(0)) {
        const { signal } = this.#over;
        await removeTree(path, signal).catch((error: Error) => {
          if (!signal.aborted) this.#failed(path, error);
        });
      }
    }
  }

  async #rest(): Promise<void> {
    const due = this.#hurried ? 0 : this.#last + REST_MS - performance.now();
    if (due <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, due);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #freeName(name: string): string {
    const taken = new Set(this.left().map((path) => basename(path)));
    while (taken.has(`${name}.${this.#count}`)) this.#count += 1;
    return `${name}.${this.#count++}`;
  }
}
