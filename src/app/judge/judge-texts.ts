/** Stores texts of gates during `judge`, beside the remembered results that name them, not in the log. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HandContext } from '../../engine/ports/hands.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { readTextFile } from '../../os/files/text-file.ts';

const MAX_BYTES = 8 << 20;

/** `dir`: the directory of remembered results of this project; `gc` removes old files from it. */
export function judgeContext(
  { dir, store, redact }: { readonly dir: string; readonly store: Store; readonly redact: Redact },
  signal: AbortSignal,
): HandContext {
  const pathOf = (hash: string) => join(dir, 'texts', hash.slice(0, 2), hash);
  const known = new Map<string, string>();
  return {
    signal,
    async keep(text) {
      const [clean = ''] = await redact([text]);
      const hash = sha256(clean) as BlobHash;
      known.set(hash, clean);
      const path = pathOf(hash);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const whole = `${path}.${randomUUID()}`;
      writeFileSync(whole, clean, { mode: 0o600 });
      renameSync(whole, path);
      return hash;
    },
    async read(hash) {
      const text = known.get(hash) ?? readTextFile(pathOf(hash), MAX_BYTES);
      // A truncated file has another hash.
      if (typeof text === 'string' && (known.has(hash) || sha256(text) === hash)) return text;
      const blob = await store.blob(hash);
      return blob.type === 'content' ? blob.content : null;
    },
  };
}
