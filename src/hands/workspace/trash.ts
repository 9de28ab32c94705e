/** Where removed workspaces go: out of the way at once, deleted in the background, one after the other. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeTree } from '../../os/files/remove-tree.ts';

export class Trash {
  readonly #dir: string;
  readonly #failed: (path: string, error: Error) => void;
  #count = 0;
  #draining: Promise<void> = Promise.resolve();

  /** `failed` is told of what could not be deleted; it stays and is tried again at the next sweep. */
  constructor(dir: string, failed: (path: string, error: Error) => void) {
    this.#dir = dir;
    this.#failed = failed;
  }

  /** Moves a path of ours away; when this returns, nothing is at `path`. False: there was nothing. */
  dispose(path: string): boolean {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const to = join(this.#dir, this.#freeName(basename(path)));
    try {
      renameSync(path, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    this.#delete(to);
    return true;
  }

  /** What an earlier process left, or could not delete. */
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

  idle(): Promise<void> {
    return this.#draining;
  }

  #delete(path: string): void {
    this.#draining = this.#draining.then(() => removeTree(path)).catch((error: Error) => this.#failed(path, error));
  }

  #freeName(name: string): string {
    const taken = new Set(this.left().map((path) => basename(path)));
    while (taken.has(`${name}.${this.#count}`)) this.#count += 1;
    return `${name}.${this.#count++}`;
  }
}
