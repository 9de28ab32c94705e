/** Where an attempt works: its tree and its mounts. */
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ReadyEnvironment } from '../../engine/ports/environments.ts';
import type { Mount, SandboxPolicy } from '../../engine/ports/sandbox.ts';
import type { AttemptKind } from '../../mind/domain/values.ts';
import { isInside, SANDBOX_HOME } from '../../mind/sandbox/paths.ts';
import { SESSION_DIR, TREE } from './ask.ts';
import type { WorkerTools } from './options.ts';
import type { WorkerCommand } from './worker-command.ts';

export const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

/** `temporary`: places inside its outputs that tools write to. */
type MountedEnvironment = ReadyEnvironment & { readonly temporary?: readonly string[] };

export function policyFor(of: {
  readonly kind: AttemptKind;
  /** The path on this machine. */
  readonly tree: string;
  readonly environment: MountedEnvironment | null;
  readonly tools: WorkerTools;
  readonly command: Extract<WorkerCommand, { type: 'command' }>;
  readonly limits: SandboxPolicy['limits'];
  /** The socket of the attempt's proxy. */
  readonly socket: string | null;
  /** For files that a CLI keeps between the turns of a session. */
  readonly sessionDir: string | null;
}): SandboxPolicy {
  const { kind, environment, tools, command, limits, socket, sessionDir } = of;
  const tree: Mount = { from: of.tree, to: TREE };
  const around = unique([...(environment?.readable ?? []), ...tools.readable, ...command.readable]);
  if (kind === 'answer') for (const mount of around) makePoint(of.tree, mount);
  return {
    kind: 'worker',
    readable: kind === 'answer' ? [tree, ...around] : around,
    writable: [
      ...(kind === 'answer' ? [] : [tree]),
      ...(sessionDir === null ? [] : [{ from: sessionDir, to: SESSION_DIR }]),
    ],
    temporary: environment?.temporary ?? [],
    cwd: TREE,
    env: {
      ...tools.env,
      ...environment?.env,
      ...command.env,
      PATH: [...new Set([...(environment?.path ?? []), ...tools.path, ...SYSTEM_PATH])].join(':'),
      HOME: SANDBOX_HOME,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
    },
    limits,
    ...(socket === null ? {} : { egress: socket }),
  };
}

/** Two programs may name the same tool chain. The sandbox refuses two different sources at one place. */
export const unique = (mounts: readonly Mount[]): Mount[] =>
  mounts.filter(({ from, to }, index) => mounts.findIndex((one) => one.from === from && one.to === to) === index);

/**
 * In a read-only tree the sandbox cannot make a mount point. Never through a link: the sandbox refuses those itself.
 */
function makePoint(tree: string, { from, to }: Mount): void {
  if (to === TREE || !isInside(TREE, to) || !statSync(from).isDirectory()) return;
  let path = tree;
  for (const name of relative(TREE, to).split('/')) {
    path = join(path, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) mkdirSync(path, { mode: 0o755 });
    else if (!stat.isDirectory()) return;
  }
}
