/** What a hand is given beside its work: texts are kept in a map, as the log would keep them. */
import type { WorkerContext } from '../../src/engine/ports/hands.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash } from '../../src/kernel/ids.ts';

export function keeping(texts: Map<string, string>, signal = new AbortController().signal): WorkerContext {
  return {
    signal,
    keep: async (text) => {
      const hash = sha256(text) as BlobHash;
      texts.set(hash, text);
      return hash;
    },
    read: async (hash) => texts.get(hash) ?? null,
    around: async () => ({ goal: null, queue: [], history: [] }),
  };
}
