/** Opens the project and its log for reading or writing; light, so that `status` answers at once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError, type StoreFile } from '../engine/ports/store.ts';
import { SqliteStore } from '../hands/store/sqlite/store.ts';
import { sha256 } from '../kernel/hash.ts';
import type { ProjectId } from '../kernel/ids.ts';
import { GitError } from '../os/git/git-error.ts';
import { locateCommonDir } from '../os/git/locate.ts';
import { isAlive, monotonicMs } from '../os/machine/identity.ts';
import type { Environment } from './config/environment.ts';

export type ProjectAt = { readonly id: ProjectId; readonly dir: string; readonly commonDir: string };

/** A project is a git repository; its identity is its shared git directory. */
export function locateProject(dir: string): ProjectAt {
  if (!existsSync(dir)) throw new GitError(`there is no directory ${dir}`);
  const commonDir = locateCommonDir(dir);
  if (commonDir === null)
    throw new GitError(`${dir} is not inside a git repository: run \`git init\` there, or name one with --project DIR`);
  return { id: `p-${sha256(commonDir).slice(0, 16)}` as ProjectId, dir, commonDir };
}

/** Returns null outside any repository. */
export function projectAt(dir: string): ProjectAt | null {
  try {
    return locateProject(dir);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

export const logFile = (environment: Environment): string => join(environment.stateDir, 'log.db');

export function openStore(
  environment: Environment,
  options: { readonly readOnly: boolean; readonly failpoint?: (name: string) => void },
): Promise<StoreFile> {
  return SqliteStore.open({
    ...options,
    file: logFile(environment),
    alive: isAlive,
    monotonic: monotonicMs,
    rowsFrom: async () => (await import('../engine/rebuild.ts')).projectionsFrom,
  });
}

/** For commands that only read: the store, or null when nothing was ever written for this project. */
export async function openToRead(environment: Environment, project: ProjectAt): Promise<StoreFile | null> {
  try {
    const store = await openStore(environment, { readOnly: true });
    if (await store.knows(project.id)) return store;
    await store.close();
    return null;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'absent') return null;
    throw error;
  }
}
