/**
 * The only git wrapper. A repository under work can hold hooks, filters, monitors and remotes that run programs, so no
 * configuration but our own is read.
 */

import { type Piped, type PipeResult, pipe } from '../process/pipe.ts';
import { type RunResult, run } from '../process/run.ts';
import { type Streamed, stream } from '../process/stream.ts';
import { GitError } from './git-error.ts';
import type { Owner } from './owner.ts';

const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
} as const;

/** They override the repository's own config file; `core.fsync` makes refs and objects survive a power loss. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.fsync=objects,derived-metadata,reference',
  'core.fsyncMethod=batch',
  'protocol.allow=never',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
];

const MAX_BYTES = 256 << 20;

export type GitCall = {
  readonly dir: string;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** `latin1`: input and output are byte strings, for paths. */
  readonly encoding?: 'utf8' | 'latin1';
  /** More settings, `name=value`; they override the wrapper's own. */
  readonly settings?: readonly string[];
  /** Root runs git as this user. */
  readonly owner?: Owner | null;
  /** Ends git at once; its output is thrown away. */
  readonly signal?: AbortSignal;
};

/** Runs git and returns its output and exit code. */
export async function tryGit(args: readonly string[], call: GitCall): Promise<RunResult> {
  call.signal?.throwIfAborted();
  const { command, args: words, env } = program(args, call);
  const result = await run(command, words, {
    env,
    timeoutMs: call.timeoutMs ?? 30_000,
    maxBytes: MAX_BYTES,
    ...(call.encoding === undefined ? {} : { encoding: call.encoding }),
    ...(call.input === undefined ? {} : { input: call.input }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
  call.signal?.throwIfAborted();
  if (result.ended === 'missing') throw notInstalled(command);
  if (result.ended !== 'exit') throw new GitError(`git ${args[0]} did not end (${result.ended})`);
  return result;
}

/** Runs git and returns its output; throws for a non-zero exit code. */
export async function git(args: readonly string[], call: GitCall): Promise<string> {
  const { code, stdout, stderr } = await tryGit(args, call);
  if (code !== 0) throw new GitError(`git ${args.join(' ')} failed: ${stderr.trim().split('\n')[0] ?? `exit ${code}`}`);
  return stdout.replace(/\n$/, '');
}

/** Runs two gits, possibly in two repositories; the output of the first goes to the second, whatever its size. */
export function pipeGit(
  from: { readonly args: readonly string[]; readonly call: GitCall },
  to: { readonly args: readonly string[]; readonly call: GitCall },
): Promise<PipeResult> {
  return pipe(program(from.args, from.call), program(to.args, to.call), {
    input: from.call.input ?? '',
    timeoutMs: from.call.timeoutMs ?? 30_000,
  });
}

/** Runs git and passes on each piece of its output, as bytes, until one is enough; whatever the exit code. */
export async function streamGit(
  args: readonly string[],
  call: GitCall,
  each: (piece: Buffer) => boolean,
): Promise<Streamed> {
  const { input, signal, timeoutMs = 30_000 } = call;
  const started = program(args, call);
  const more = { ...(input === undefined ? {} : { input }), ...(signal === undefined ? {} : { signal }) };
  const result = await stream(started, { timeoutMs, ...more }, each);
  signal?.throwIfAborted();
  if (result.ended === 'missing') throw notInstalled(started.command);
  if (result.ended === 'timeout') throw new GitError(`git ${args[0]} did not end (timeout)`);
  return result;
}

/** `command` is git, or setpriv of util-linux if root runs git as the owner of the repository. */
const notInstalled = (command: string): GitError =>
  new GitError(`${command} is not installed: install it (Debian: apt-get install git util-linux)`);

function program(args: readonly string[], { dir, settings = [], owner = null, env }: GitCall): Piped {
  const all = ['-C', dir, ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]), ...args];
  const as = owner === null ? [] : [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--', 'git'];
  return {
    command: owner === null ? 'git' : 'setpriv',
    args: [...as, ...all],
    env: { ...ENVIRONMENT, ...env },
  };
}
