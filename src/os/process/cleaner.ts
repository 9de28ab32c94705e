/** Starts a separate process that deletes everything in a directory; this process may end meanwhile. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OWN_SESSION } from './own-session.ts';

/** Files that it cannot delete stay for the next sweep. */
export function startCleaner(dir: string): void {
  const child = spawn(process.execPath, [program(), dir], { ...OWN_SESSION, env: {}, cwd: '/', stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

/** Beside this file in the source tree, under its own name in the published bundle. */
function program(): string {
  const beside = fileURLToPath(new URL('./cleaner-child.ts', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('./cleaner.js', import.meta.url));
}
