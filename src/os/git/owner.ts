/**
 * The owner of a repository. Root works on another user's repository as that user: what git writes there belongs to its
 * owner (otherwise the owner's `git gc` fails), and a link in it leads root nowhere the owner could not go.
 */
import { statSync } from 'node:fs';

export type Owner = { readonly uid: number; readonly gid: number };

/** Returns null if git can run as the current user. */
export function ownerOf(dir: string): Owner | null {
  if (process.geteuid?.() !== 0) return null;
  const stat = statSync(dir, { throwIfNoEntry: false });
  return stat === undefined || stat.uid === 0 ? null : { uid: stat.uid, gid: stat.gid };
}
