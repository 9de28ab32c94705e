/**
 * Frees disk space: removes what no task can need any more. It never removes events, nor work that only a pin protects.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../engine/ports/store.ts';
import type { TaskId } from '../kernel/ids.ts';
import { taskStream } from '../mind/domain/stream-name.ts';
import { namesIn } from '../os/files/names-in.ts';
import { thisProcess } from '../os/machine/identity.ts';
import type { Environment } from './config/environment.ts';
import { NotReady } from './not-ready.ts';
import type { ProjectAt } from './open-store.ts';
import type { RealHands } from './real-hands.ts';

export type RemovedWork = {
  /** Paths and refs that were, or would be, removed. */
  readonly workspaces: readonly string[];
  readonly environments: readonly string[];
  readonly files: readonly string[];
};

type TidyOptions = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly store: Store;
  readonly real: RealHands;
  readonly dryRun: boolean;
  /** True removes also the work of abandoned tasks and of tasks that the log does not know. */
  readonly all: boolean;
  readonly now: number;
};

/** Transcripts and remembered gate results are useful for about a month. */
const KEPT_MS = 30 * 86_400_000;

export async function tidyProject(options: TidyOptions): Promise<RemovedWork> {
  if (options.dryRun) return tidy(options);
  const { store, project, environment } = options;
  const lease = await store.acquire(project.id, thisProcess(), Math.max(environment.leaseMs, 60_000));
  if (lease.type === 'held')
    throw new NotReady(`supervisor (pid ${lease.owner.pid}) works on this project: try again when it is done`);
  try {
    // Some work runs without the lease: `run` prepares before its task exists.
    if (await options.real.workspaces.othersAtWork())
      throw new NotReady('another supervisor works on this project: try again when it is done');
    return await tidy(options);
  } finally {
    await store.release(project.id, lease.token);
  }
}

async function tidy({ environment, project, store, real, dryRun, all, now }: TidyOptions): Promise<RemovedWork> {
  const isWanted = async (id: string) => {
    const row = await store.row(project.id, taskStream(id as TaskId));
    // The log has lost this task, so it is unknown whether its work is needed.
    if (row === null) return id.startsWith('t-') && !all;
    // An unfinished task may still land.
    return row.live || isNeeded(row.status, all);
  };
  const workspaces = await real.workspaces.sweep((name) => isWanted(name.split('.', 1)[0] as string), dryRun);
  const environments = (await real.environments?.sweep(await keysInUse(real), dryRun)) ?? [];
  const old = [
    ...filesBelow(join(environment.stateDir, 'transcripts', project.id)),
    ...filesBelow(join(environment.stateDir, 'evidence', project.id)),
    ...filesBelow(join(environment.stateDir, 'cache', 'context', project.id)),
    ...namesIn(join(environment.stateDir, 'unpacked')).map((name) => join(environment.stateDir, 'unpacked', name)),
  ].filter((path) => now - statSync(path).mtimeMs > KEPT_MS);
  if (!dryRun) for (const path of old) rmSync(path, { recursive: true, force: true });
  return { workspaces, environments, files: old };
}

/** An accepted task has its branch; a stopped, failed or escalated one can still be resumed or inspected. */
function isNeeded(status: string, all: boolean): boolean {
  if (status === 'accepted') return false;
  return !all || !['cancelled', 'rejected', 'failed'].includes(status);
}

/** The environment of the checked-out commit; any other is prepared again when needed. */
async function keysInUse({ environments }: RealHands): Promise<Set<string>> {
  try {
    return new Set(environments === null ? [] : [await environments.keyOf('HEAD')]);
  } catch {
    // The repository has no commit yet.
    return new Set();
  }
}

function filesBelow(dir: string): string[] {
  try {
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
