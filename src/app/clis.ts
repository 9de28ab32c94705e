/** The CLIs of this machine: what is installed, which version, and how each would reach its model. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import { type CliState, lookAtCli } from '../hands/workers/cli-state.ts';
import { type AskedVersion, askVersion } from '../hands/workers/version.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { type CliSettings, cliNamed } from '../mind/workers/cli-config.ts';
import type { Environment } from './config/environment.ts';
import { readKept, writeKept } from './kept-json.ts';
import type { InstalledTools } from './tools.ts';

export type CliLook =
  | { readonly type: 'built in'; readonly state: CliState }
  | { readonly type: 'declared'; readonly program: string; readonly installed: boolean }
  | { readonly type: 'unknown' };

export function lookAt(name: string, settings: Settings, environment: Environment, tools: InstalledTools): CliLook {
  const cli: CliSettings | null = cliNamed(settings.clis, name);
  if (cli === null) return { type: 'unknown' };
  if (cli.type === 'declared') {
    const program = cli.command[0] ?? '';
    return { type: 'declared', program, installed: tools.find(program) !== null };
  }
  const around = { tools: { ...tools.chains, find: tools.find }, home: environment.home, settings: () => settings };
  return { type: 'built in', state: lookAtCli(name, cli, { ...around, env: (one) => environment.variable(one) }) };
}

/** Why a CLI cannot start now; null if it can. */
export function unready(name: string, look: CliLook): string | null {
  switch (look.type) {
    case 'built in':
      return look.state.type === 'refused' ? look.state.message : null;
    case 'declared':
      return look.installed
        ? null
        : `CLI ${name}: ${look.program} is not installed, or not on PATH: install it, or correct clis.${name}.command`;
    case 'unknown':
      return `there is no CLI ${name}`;
  }
}

/** Asks each installed program once; some take a second to answer. */
export async function versionOf(
  state: CliState,
  around: { readonly environment: Environment; readonly tools: InstalledTools; readonly sandbox: Pick<Sandbox, 'run'> },
  signal: AbortSignal,
): Promise<AskedVersion | null> {
  const path = state.program?.path ?? null;
  if (state.program === null || path === null) return null;
  const file = versionsFile(around.environment);
  const stamp = stampOf(path);
  const known = readKept<KnownVersion>(file);
  const before = known[path];
  if (before !== undefined && before.stamp === stamp) return { type: 'version', version: before.version };
  mkdirSync(around.environment.stateDir, { recursive: true });
  const dir = mkdtempSync(join(around.environment.stateDir, 'version-'));
  try {
    const program = { path, readable: state.program.readable };
    const { sandbox, tools } = around;
    const asked = await askVersion({ sandbox, tools: tools.chains, program, dir, signal });
    if (asked.type === 'version') writeKept(file, { ...known, [path]: { stamp, version: asked.version } });
    return asked;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

type KnownVersion = { readonly stamp: string; readonly version: string };

const versionsFile = ({ stateDir }: Environment): string => join(stateDir, 'cli-versions.json');

/** The versions of all CLIs that were asked with this state directory. */
export const askedVersions = (environment: Environment): string[] =>
  Object.values(readKept<KnownVersion>(versionsFile(environment))).map(({ version }) => version);

/** Identifies the file that was asked. Links are followed, so that an update is noticed. */
function stampOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs}-${size}-${ino}`;
}
