/**
 * Which processes work on a project's trees. Some do so without the lease: `land` checks an integrated tree, `run`
 * prepares an environment before its task exists. No process may remove what another living one uses.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../engine/ports/store.ts';
import { namesIn } from '../../os/files/names-in.ts';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';
import type { GitContext } from './context.ts';

/** Called before anything is made; the other side first lists what exists and then looks for processes. */
export function appear({ privateDir }: GitContext): Disposable {
  const dir = join(privateDir, 'users');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, `${process.pid}-${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(thisProcess()), { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** Whether another living process works here; removes notes of dead ones. */
export function othersAtWork({ privateDir }: GitContext): boolean {
  const dir = join(privateDir, 'users');
  const own = thisProcess();
  let others = false;
  for (const name of namesIn(dir)) {
    const path = join(dir, name);
    const owner = parse(path);
    if (owner === null ? !isAlive({ ...own, pid: Number.parseInt(name, 10), started: '' }) : !isAlive(owner))
      rmSync(path, { force: true });
    else if (owner?.pid !== own.pid || owner.started !== own.started) others = true;
  }
  return others;
}

/** Returns null for a half-written note: its writer has just begun, or was killed. */
function parse(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}
