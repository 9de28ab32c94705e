/** Gives a tree to the user that a program will run as. */
import { lchownSync, lstatSync, type Stats } from 'node:fs';
import { walk } from './walk.ts';

/**
 * Changes links themselves, never their targets. Nothing may run in the tree meanwhile. The root comes last: if it
 * belongs to the user, so does the whole tree, which then need not be walked again.
 */
export async function giveTree(root: string, uid: number): Promise<void> {
  const stat = lstatSync(root);
  if (stat.uid === uid) return;
  const own = Buffer.from(root);
  await walk([root], {
    visit: (path, found) => {
      if (!path.equals(own)) give(path, found, uid);
      return true;
    },
    failed: (error) => {
      throw error;
    },
  });
  give(own, stat, uid);
}

/** A second name of a file may lie outside the tree, so such a file keeps its owner. */
function give(path: Buffer, stat: Stats, uid: number): void {
  if ((stat.uid !== uid || stat.gid !== uid) && (stat.isDirectory() || stat.nlink === 1)) lchownSync(path, uid, uid);
}
