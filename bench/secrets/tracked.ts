/** The tracked files of a checkout that are files (no links, no submodules). */
import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

export function trackedFiles(directory: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 28 });
  return listed.split('\0').filter((path) => path !== '' && lstatSync(join(directory, path)).isFile());
}
