/** How much a tree takes on disk: walks without following links, in small slices, and stops at a bound. */
import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';

/** Every entry costs at least a block: empty files use up a disk too, by its inodes. */
const ENTRY = 4096;
const SLICE_MS = 5;

/** Bytes below the roots, or Infinity once `bound` is passed, or when a path is too deep to be looked at: that hides something. */
export async function diskUse(roots: readonly string[], bound: number): Promise<number> {
  const stack = [...roots];
  let bytes = 0;
  let slice = performance.now();
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    if (performance.now() - slice > SLICE_MS) {
      await breathe();
      slice = performance.now();
    }
    try {
      const stat = lstatSync(path);
      bytes += Math.max(ENTRY, stat.blocks * 512);
      if (stat.isDirectory()) for (const name of readdirSync(path)) stack.push(`${path}/${name}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return Infinity;
      // Gone since it was listed, or closed to us: then its owner alone can fill it, which a walk as root would see.
    }
    if (bytes > bound) return Infinity;
  }
  return bytes;
}

/** Bytes used on a file system, seen through the eyes of a process inside; 0 when that one is gone or closed to us. */
export function fileSystemUse(pid: number, path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root${path}`);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}
