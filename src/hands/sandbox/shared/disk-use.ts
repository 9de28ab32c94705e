/** Measures how much the programs of a sandbox have written. */
import { statfsSync } from 'node:fs';
import { walk } from './walk.ts';

/** Every entry costs at least a block: empty files use up a disk too, by its inodes. */
const ENTRY = 4096;

/**
 * Bytes below the roots; Infinity once `bound` is passed, or if a path is too deep to be inspected: that hides
 * something.
 */
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
      // Otherwise it is gone, or closed to us: then only its owner can fill it, which a walk as root would see.
      return code !== 'ENAMETOOLONG';
    },
  });
  return bytes;
}

/** The kernel's cost of a file in memory beside its contents. */
const INODE = 1024;

/** Bytes used on a file system, as a process inside sees it; 0 if that process is gone or closed to us. */
export function fileSystemUse(pid: number, path: string): number {
  try {
    const { blocks, bfree, bsize, files, ffree } = statfsSync(`/proc/${pid}/root${path}`);
    return (blocks - bfree) * bsize + (files - ffree) * INODE;
  } catch {
    return 0;
  }
}
