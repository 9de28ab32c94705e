/** Packs one task of a repository, in a process that has done nothing else, and then once more what it knows by then. */
import { join } from 'node:path';
import { implementerPacks } from './implementer.ts';

export type PackedOnce = {
  readonly files: readonly string[];
  readonly tokens: number;
  /** Wall time of each packet after the first. */
  readonly warmMs: readonly number[];
};

const [dir = '', strategies = '', again = '0', base = '', text = '', target = '', cacheDir = ''] =
  process.argv.slice(2);

const pack = implementerPacks({
  commonDir: join(dir, '.git'),
  worktree: dir,
  strategies,
  cacheDir: cacheDir === '' ? null : cacheDir,
});
const task = { base, text, target, strategy: 'implementer_full' };

const packed = await pack({ ...task, seed: 'one' });
const warmMs: number[] = [];
for (let n = 0; n < Number(again); n += 1) {
  const start = performance.now();
  await pack({ ...task, seed: `again-${n}` });
  warmMs.push(performance.now() - start);
}
const files = [...new Set(packed.parts.flatMap(({ path }) => path ?? []))];
console.log(JSON.stringify({ files, tokens: packed.tokens, warmMs } satisfies PackedOnce));
