/** Checks the ground that Supervisor stands on: Node, git, the repository, the log. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { THIS_HOST } from '../engine/ports/store.ts';
import { WorkspaceError } from '../engine/ports/workspace.ts';
import { GitWorkspaces } from '../hands/workspace/workspaces.ts';
import { git } from '../os/git/git.ts';
import { memoryInUse, processorLoad } from '../os/machine/memory.ts';
import { checkLog } from './check-log.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadLimits } from './config/files.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import { sandboxFindings, workFindings } from './doctor-work.ts';
import { logFile, openStore, type ProjectAt, projectAt } from './open-store.ts';

export async function examine(environment: Environment, dir: string): Promise<DoctorFinding[]> {
  return [
    { name: 'node', state: 'ok', detail: `${process.version}, SQLite ${process.versions.sqlite}`, fix: null },
    await gitFinding(dir),
    await projectFinding(dir),
    stateDirFinding(environment),
    await logFinding(environment, dir),
    ...(await sandboxFindings(environment)),
    limitsFinding(environment),
    machineFinding(),
    ...(await workFindings(environment, dir)),
  ];
}

async function gitFinding(dir: string): Promise<DoctorFinding> {
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

async function projectFinding(dir: string): Promise<DoctorFinding> {
  const name = 'project';
  const project = projectAt(dir);
  if (project === null)
    return { name, state: 'degraded', detail: 'no git repository here', fix: 'git init, or --project DIR' };
  const { id, commonDir } = project;
  const commit = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { dir }).catch(() => null);
  const refused = commit === null ? null : await refusal(project, commit.trim());
  if (refused !== null) return { name, state: 'degraded', detail: `\`run\` refuses: ${refused}`, fix: null };
  if (commit !== null) return { name, state: 'ok', detail: `${id} (${commonDir})`, fix: null };
  return {
    name,
    state: 'degraded',
    detail: `${id} (${commonDir}) has no commit yet, so \`run\` refuses`,
    fix: 'git commit --allow-empty -m first',
  };
}

/** Why `run` would refuse this repository, for example because it is not writable. Removes its probe files. */
async function refusal({ id, commonDir }: ProjectAt, commit: string): Promise<string | null> {
  let stateDir: string;
  try {
    stateDir = mkdtempSync(join(tmpdir(), 'supervisor-doctor-'));
  } catch {
    // A full temporary directory is no fault of the repository; the sandbox check reports it.
    return null;
  }
  try {
    const workspaces = new GitWorkspaces({ stateDir, project: id, commonDir });
    try {
      await workspaces.check(commit);
      return null;
    } finally {
      await workspaces.close();
    }
  } catch (error) {
    if (error instanceof WorkspaceError) return error.message;
    throw error;
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function stateDirFinding({ stateDir }: Environment): DoctorFinding {
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

/** Reports what `run` and `gc` would refuse, with the fix. */
async function logFinding(environment: Environment, dir: string): Promise<DoctorFinding> {
  try {
    const project = projectAt(dir);
    const problems = project === null ? [] : (await checkLog(environment, project, null)).findings;
    const [first] = problems;
    if (first !== undefined)
      return { name: 'log', state: 'missing', detail: first.problem, fix: wayOut(first.problem) };
    if (!existsSync(logFile(environment))) return { name: 'log', state: 'ok', detail: 'none yet', fix: null };
    const store = await openStore(environment, { readOnly: true });
    await store.head(THIS_HOST);
    await store.close();
    return { name: 'log', state: 'ok', detail: logFile(environment), fix: null };
  } catch (error) {
    return { name: 'log', state: 'missing', detail: (error as Error).message, fix: 'supervisor verify' };
  }
}

const wayOut = (problem: string): string =>
  problem.endsWith('rebuild it')
    ? 'supervisor verify --rebuild'
    : 'restore the state directory from a backup; to go on without what is lost: supervisor verify --reanchor';

function machineFinding(): DoctorFinding {
  const { load, cores } = processorLoad();
  const used = memoryInUse();
  const memory = used === null ? 'memory not known' : `${Math.round(used * 100)} % of the memory in use`;
  return { name: 'machine', state: 'ok', detail: `${memory}, load ${load.toFixed(1)} on ${cores} cores`, fix: null };
}

function limitsFinding(environment: Environment): DoctorFinding {
  try {
    const { limits, limitSources } = loadLimits(environment);
    const { slots } = limits;
    const from = limitSources.size === 0 ? 'defaults' : dirname(environment.userConfig);
    return {
      name: 'limits',
      state: 'ok',
      detail: `${from} (${slots.total} slots; \`supervisor limits\` shows all)`,
      fix: null,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { name: 'limits', state: 'missing', detail: error.message, fix: `edit ${environment.userConfig}` };
  }
}
