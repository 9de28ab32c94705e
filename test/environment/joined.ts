/** What a Supervisor joins to prepare environments, over a throw-away directory with a repository in it. */
import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SealedEnvironments, type SealedEnvironmentsOptions } from '../../src/hands/environment/environments.ts';
import { BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import { GitWorkspaces } from '../../src/hands/workspace/workspaces.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';
import type { EnvironmentConfig } from '../../src/mind/environment/environment-config.ts';
import { locateCommonDir } from '../../src/os/git/locate.ts';
import { findToolChains } from '../../src/os/machine/tool-chains.ts';

const MIB = 1 << 20;
export const LIMITS = {
  memoryBytes: 2048 * MIB,
  processes: 300,
  cpus: 2,
  wallMs: 60_000,
  idleMs: null,
  outputBytes: 4 * MIB,
  diskBytes: 1024 * MIB,
};

export const tools = () =>
  findToolChains({ path: process.env['PATH'] ?? '', home: homedir(), never: ['/var/lib/supervisor'] });

export type Config = Partial<EnvironmentConfig>;
export type Options = Partial<Omit<SealedEnvironmentsOptions, 'config'>>;

/** A process has one sandbox for a directory of runs. */
const sandboxes = new Map<string, BubblewrapSandbox>();

/** Everything that a Supervisor would have joined, over the directory of a world. */
export function joined(root: string, config: Config, options: Options = {}) {
  const stateDir = join(root, 'state');
  mkdirSync(stateDir, { recursive: true });
  chmodSync(root, 0o711);
  chmodSync(stateDir, 0o711);
  const sandbox = sandboxes.get(root) ?? new BubblewrapSandbox({ runDir: join(root, 'run'), hidden: [stateDir] });
  sandboxes.set(root, sandbox);
  const commonDir = locateCommonDir(join(root, 'repo')) ?? '';
  const project = 'demo' as ProjectId;
  const workspaces = new GitWorkspaces({ stateDir, project, commonDir });
  const environments = new SealedEnvironments({
    sandbox,
    workspaces,
    config: { key: [], outputs: [], env: {}, services: [], ...config },
    stateDir,
    project,
    commonDir,
    tools: tools(),
    network: false,
    caches: [],
    limits: LIMITS,
    ...options,
  });
  return { environments, sandbox, workspaces };
}
