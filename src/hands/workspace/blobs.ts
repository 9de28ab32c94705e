/** Contents of blobs. Requests of the same turn share one git process. */
import { setImmediate } from 'node:timers/promises';
import type { GitCall } from '../../os/git/git.ts';
import { blobs } from './tree-entries.ts';

export class Blobs {
  #next: { readonly ids: Set<string>; readonly read: Promise<ReadonlyMap<string, string>> } | null = null;

  /** As byte strings, in the order of `ids`. All callers must use the same call. */
  async read(ids: readonly string[], call: GitCall): Promise<string[]> {
    this.#next ??= this.#turn(call);
    const { ids: all, read } = this.#next;
    for (const id of ids) all.add(id);
    // A shared read may fail because of another caller's id; then each caller reads alone.
    const contents = await read.catch(() => null);
    return contents === null ? blobs(ids, call) : ids.map((id) => contents.get(id) ?? '');
  }

  #turn(call: GitCall) {
    const ids = new Set<string>();
    const read = setImmediate().then(async () => {
      this.#next = null;
      const list = [...ids];
      const contents = await blobs(list, call);
      return new Map(list.map((id, n) => [id, contents[n] ?? '']));
    });
    return { ids, read };
  }
}
