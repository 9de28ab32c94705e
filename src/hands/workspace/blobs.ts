/** Contents of blobs. Who asks in the same turn is answered by the same git process. */
import { setImmediate } from 'node:timers/promises';
import type { GitCall } from '../../os/git/git.ts';
import { blobs } from './tree-entries.ts';

export class Blobs {
  #next: { readonly ids: Set<string>; readonly read: Promise<ReadonlyMap<string, string>> } | null = null;

  /** As byte strings, in the order asked for. All must ask with the same call. */
  async read(ids: readonly string[], call: GitCall): Promise<string[]> {
    this.#next ??= this.#turn(call);
    const { ids: all, read } = this.#next;
    for (const id of ids) all.add(id);
    // What is wrong may be another's: then each one asks for itself.
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
