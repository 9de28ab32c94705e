/** How much the programs of a sandbox have written. */
import { statfsSync } from 'node:fs';
import { walk } from './walk.ts';

/** Every entry costs at least a block: empty files use up a disk too, by its inodes. */
const ENTRY = 4096;

/** Bytes below the roots, or Infinity once `bound` is passed, or when a path is too deep to be looked at: that hides something. */
export async function diskUse(roots: readonly string[], bound: number): Promise<number> {
  let bytes = 0;
  await walk(roots, {
    visit: (_, stat) => {
      bytes += Math.max(ENTRY, stat.blocks * 512);
      if (bytes > bound) bytes = Infinity;
      return bytes <= bound;
    },
    failed: ({ code }) => {
      if (code === 'ENAMETOOLONG') bytes = Infinity;
      // Else gone since it was listed, or closed to us: then its owner alone can fill it, which a walk as root would see.
      return code !== 'ENAMETOOLONG';
    },
  });
  return bytes;
}

/** What a file in memory costs the kernel beside its contents. */
const INODE = 1024;

/** Bytes used on a file system, seen through the eyes of a process inside; 0 when that one is gone or closed to us. */
export function fileSystemUse(pid: number, path: string): number {
  try {
    const { blocks, bfree, bsize, files, ffree } = statfsSync(`/proc/${pid}/root${path}`);
    return (blocks - bfree) * bsize + (files - ffree) * INODE;
  } catch {
    return 0;
  }
}
