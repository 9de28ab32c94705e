/** Looks at the ground Supervisor stands on. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { git } from '../os/git/git.ts';
import { GitError } from '../os/git/git-error.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadLimits } from './config/files.ts';
import { sandboxFindings, workFindings } from './doctor-work.ts';
import { locateProject, logFile, openStore } from './open-store.ts';

export type Finding = {
  readonly name: string;
  /** Absent: not there, and nobody asked for it. */
  readonly state: 'ok' | 'degraded' | 'missing' | 'absent';
  readonly detail: string;
  readonly fix: string | null;
};

export async function examine(environment: Environment, dir: string): Promise<Finding[]> {
  return [
    { name: 'node', state: 'ok', detail: `${process.version}, SQLite ${process.versions.sqlite}`, fix: null },
    await gitFinding(dir),
    projectFinding(dir),
    stateDirFinding(environment),
    await logFinding(environment),
    ...(await sandboxFindings(environment)),
    limitsFinding(environment),
    ...(await workFindings(environment, dir)),
  ];
}

async function gitFinding(dir: string): Promise<Finding> {
  try {
    return {
      name: 'git',
      state: 'ok',
      detail: await git(['--version'], { dir: existsSync(dir) ? dir : '/' }),
      fix: null,
    };
  } catch (error) {
    return { name: 'git', state: 'missing', detail: (error as Error).message, fix: 'apt-get install git' };
  }
}

function projectFinding(dir: string): Finding {
  try {
    const { id, commonDir } = locateProject(dir);
    return { name: 'project', state: 'ok', detail: `${id} (${commonDir})`, fix: null };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { name: 'project', state: 'degraded', detail: 'no git repository here', fix: 'git init, or --project DIR' };
  }
}

function stateDirFinding({ stateDir }: Environment): Finding {
  try {
    let at = stateDir;
    while (!existsSync(at)) at = dirname(at);
    accessSync(at, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(at);
    const free = (bavail * bsize) / 2 ** 20;
    const detail = `${stateDir} (${Math.round(free)} MiB free)`;
    if (free < 200)
      return {
        name: 'state directory',
        state: 'degraded',
        detail,
        fix: 'free some space, or set SUPERVISOR_HOME to another disk',
      };
    return { name: 'state directory', state: 'ok', detail, fix: null };
  } catch (error) {
    return {
      name: 'state directory',
      state: 'missing',
      detail: `${stateDir}: ${(error as Error).message}`,
      fix: 'make it writable, or set SUPERVISOR_HOME',
    };
  }
}

async function logFinding(environment: Environment): Promise<Finding> {
  if (!existsSync(logFile(environment))) return { name: 'log', state: 'ok', detail: 'none yet', fix: null };
  try {
    const store = await openStore(environment, { readOnly: true });
    await store.head('host');
    await store.close();
    return { name: 'log', state: 'ok', detail: logFile(environment), fix: null };
  } catch (error) {
    return { name: 'log', state: 'missing', detail: (error as Error).message, fix: 'supervisor verify' };
  }
}

function limitsFinding(environment: Environment): Finding {
  try {
    const { slots } = loadLimits(environment);
    const from = existsSync(environment.userConfig) ? environment.userConfig : 'defaults';
    return { name: 'limits', state: 'ok', detail: `${from} (${slots.total} slots)`, fix: null };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { name: 'limits', state: 'missing', detail: error.message, fix: `edit ${environment.userConfig}` };
  }
}
