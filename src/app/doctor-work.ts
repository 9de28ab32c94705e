/** What real work needs, looked at for `doctor`: the wall, the tool chains, the configuration and who is to do the work. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BubblewrapSandbox } from '../hands/sandbox/bubblewrap/backend.ts';
import { GitError } from '../os/git/git-error.ts';
import { readRepository } from '../os/git/repository.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadSettings } from './config/files.ts';
import { TrustNeeded } from './config/trust-needed.ts';
import type { Finding } from './doctor.ts';
import { locateProject } from './open-store.ts';
import { findTools } from './tools.ts';

/** Builds the wall once, and says of each limit whether it holds here. */
export async function sandboxFindings({ stateDir }: Environment): Promise<Finding[]> {
  // Where the state is, because that is where sandboxes are run from; nothing of it stays.
  const place = existsSync(stateDir) ? stateDir : '/tmp';
  const dir = mkdtempSync(join(place, 'doctor-'));
  chmodSync(dir, 0o711);
  try {
    const report = await new BubblewrapSandbox({ runDir: join(dir, 'run'), hidden: [stateDir] }).probe();
    const name = 'sandbox';
    if (!report.ready) return [{ name, state: 'missing', detail: report.problem ?? report.backend, fix: report.fix }];
    const loose = report.limits.filter((limit) => !limit.enforced);
    const held = report.limits.filter((limit) => limit.enforced).map(({ limit }) => limit);
    return [
      { name, state: 'ok', detail: `${report.backend}; enforced: ${held.join(', ')}`, fix: null },
      ...loose.map(({ limit, how }) => ({
        name: limit,
        state: 'degraded' as const,
        detail: `not strictly enforced: ${how}`,
        fix: null,
      })),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The project's own configuration, whether it is trusted, and whether somebody can do the work and check it. */
export async function workFindings(environment: Environment, dir: string): Promise<Finding[]> {
  try {
    const project = locateProject(dir);
    const { top } = await readRepository(dir);
    const { settings, sources } = loadSettings(environment, { id: project.id, top });
    const tools = findTools(environment, project);
    const from = sources.length === 0 ? 'defaults' : sources.join(', ');
    return [
      { name: 'config', state: 'ok', detail: from, fix: null },
      gatesFinding(settings.gates.map((gate) => gate.name)),
      ...workerFindings(settings.clis, settings.defaultCli, (program) => tools.find(program) !== null),
      ...tools.chains.leftOut.map(({ path, why }) => ({
        name: 'tool chain',
        state: 'degraded' as const,
        detail: `${path} is not shown to workers and gates: it ${why}`,
        fix: null,
      })),
    ];
  } catch (error) {
    if (error instanceof TrustNeeded)
      return [{ name: 'config', state: 'missing', detail: error.message, fix: 'supervisor trust' }];
    if (error instanceof ConfigError)
      return [{ name: 'config', state: 'missing', detail: error.message, fix: 'correct the file at that place' }];
    if (error instanceof GitError) return [];
    throw error;
  }
}

function gatesFinding(names: readonly string[]): Finding {
  if (names.length > 0) return { name: 'gates', state: 'ok', detail: names.join(', '), fix: null };
  return {
    name: 'gates',
    state: 'degraded',
    detail: 'none is configured, so `run` refuses',
    fix: 'supervisor init, or --gate NAME=COMMAND',
  };
}

function workerFindings(
  clis: Readonly<Record<string, { readonly command: readonly string[] }>>,
  chosen: readonly string[],
  installed: (program: string) => boolean,
): Finding[] {
  const names = Object.keys(clis);
  if (names.length === 0)
    return [
      {
        name: 'workers',
        state: 'degraded',
        detail: 'only the scripted worker',
        fix: 'declare a CLI under `clis:` and name it in `default_cli:`',
      },
    ];
  return names.map((name) => {
    const program = clis[name]?.command[0] ?? '';
    const first = chosen[0] === name ? ', the first choice' : '';
    if (installed(program)) return { name: `cli ${name}`, state: 'ok', detail: `${program}${first}`, fix: null };
    return {
      name: `cli ${name}`,
      state: chosen.includes(name) ? 'missing' : 'degraded',
      detail: `${program} is not installed, or not on PATH`,
      fix: `install it, or correct clis.${name}.command`,
    };
  });
}
