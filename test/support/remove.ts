/** Removes a directory of a test, whatever is in it. */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Sealed environments have no write permission. Root deletes them all the same; any other user must first make their
 * directories writable.
 */
export function remove(path: string): void {
  makeWritable(path);
  rmSync(path, { recursive: true, force: true });
}

function makeWritable(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (process.geteuid?.() === 0 || !stat?.isDirectory() || stat.uid !== process.geteuid?.()) return;
  if ((stat.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { encoding: 'buffer', withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(path, entry.name.toString()));
}
