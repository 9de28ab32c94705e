/**
 * Whose repository it is. Root working on a repository of somebody else works as that somebody: what git writes there
 * belongs to its owner (else `git gc` of the owner fails), and a link in it leads root nowhere the owner could not go.
 */
import { statSync } from 'node:fs';

export type Owner = { readonly uid: number; readonly gid: number };

/** Null: git is run as whoever runs this. */
export function ownerOf(dir: string): Owner | null {
  if (process.geteuid?.() !== 0) return null;
  const stat = statSync(dir, { throwIfNoEntry: false });
  return stat === undefined || stat.uid === 0 ? null : { uid: stat.uid, gid: stat.gid };
}
