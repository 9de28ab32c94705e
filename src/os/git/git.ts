/**
 * The one git wrapper. A repository under work can hold hooks, filters, monitors and remotes that run programs, so no
 * configuration but our own is read (measured attacks and defences: ARCHITECTURE.md, "Git").
 */

import type { AnswerForm } from '../process/answering.ts';
import type { Piped, PipeResult } from '../process/pipe.ts';
import type { RunResult } from '../process/run.ts';
import { pipe, run } from '../process/starter.ts';
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

/** They beat the repository's own config file; `core.fsync` makes refs and objects survive a power loss. */
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
const SMALL_BYTES = 4 << 20;

export type GitCall = {
  readonly dir: string;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** `latin1`: input and output are byte strings, for paths. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Further settings, `name=value`; they beat the wrapper's own. */
  readonly settings?: readonly string[];
  /** Root runs git as this user. */
  readonly owner?: Owner | null;
  /** Little is printed, most likely: then it is held whole, and the starter can start git. */
  readonly small?: boolean;
  /** Ends a git whose output is streamed; what was asked for is thrown away. */
  readonly signal?: AbortSignal;
};

/** Runs git and returns all of it, whatever the exit code. */
export async function tryGit(args: readonly string[], call: GitCall): Promise<RunResult> {
  return ended(`git ${args[0]}`, { ...program(args, call), ...answersOf(args) }, call);
}

/** Of objects that are asked for by their names, which come as lines. */
function answersOf([command, batch = '']: readonly string[]): { readonly answers?: AnswerForm } {
  if (command !== 'cat-file' || !batch.startsWith('--batch')) return {};
  return { answers: batch === '--batch' ? 'objects' : 'lines' };
}

/**
 * Runs several gits, one after the other, as a small shell program says: each start of a process by Node takes longer
 * than by a shell, the longer the more memory Node uses (2 ms with 50 MB, 10 ms with 150 MB, measured 2026-11). All values
 * come as words, `$1` and so on: no text is ever built into a program.
 */
export async function tryGits(what: string, script: string, words: readonly string[], call: Omit<GitCall, 'owner'>) {
  const all = [...SETTINGS, ...(call.settings ?? [])].map((setting) => setting.split(/=(.*)/s));
  const settings = Object.fromEntries(
    all.flatMap(([name = '', value = ''], n) => [
      [`GIT_CONFIG_KEY_${n}`, name],
      [`GIT_CONFIG_VALUE_${n}`, value],
    ]),
  );
  const env = { ...ENVIRONMENT, GIT_CONFIG_COUNT: `${all.length}`, ...settings, ...call.env };
  return ended(what, { command: 'sh', args: ['-c', script, 'sh', ...words], env }, call, call.dir);
}

type Started = Piped & { readonly answers?: AnswerForm };

async function ended(
  what: string,
  { command, args, ...how }: Started,
  call: GitCall,
  cwd?: string,
): Promise<RunResult> {
  const result = await run(command, args, {
    ...how,
    timeoutMs: call.timeoutMs ?? 30_000,
    maxBytes: MAX_BYTES,
    ...(cwd === undefined ? {} : { cwd }),
    ...(call.encoding === undefined ? {} : { encoding: call.encoding }),
    ...(call.input === undefined ? {} : { input: call.input }),
  });
  if (result.ended === 'missing') {
    throw new GitError(`${command} is not installed: install it (Debian: apt-get install git util-linux)`);
  }
  if (result.ended !== 'exit') throw new GitError(`${what} did not end (${result.ended})`);
  return result;
}

/** Runs git and returns what it printed; a non-zero exit is an error. */
export async function git(args: readonly string[], call: GitCall): Promise<string> {
  const { code, stdout, stderr } = await tryGit(args, call);
  if (code !== 0) throw new GitError(`git ${args.join(' ')} failed: ${stderr.trim().split('\n')[0] ?? `exit ${code}`}`);
  return stdout.replace(/\n$/, '');
}

/** Runs two gits, possibly of two repositories; what the first prints goes to the second, whatever its size. */
export function pipeGit(
  from: { readonly args: readonly string[]; readonly call: GitCall },
  to: { readonly args: readonly string[]; readonly call: GitCall },
): Promise<PipeResult> {
  return pipe(program(from.args, from.call), program(to.args, to.call), {
    input: from.call.input ?? '',
    timeoutMs: from.call.timeoutMs ?? 30_000,
  });
}

/** Runs git and shows each piece of what it prints, as bytes, until one is enough; whatever the exit code. */
export async function streamGit(
  args: readonly string[],
  call: GitCall,
  each: (piece: Buffer) => boolean,
): Promise<Streamed> {
  const { input, signal, timeoutMs = 30_000 } = call;
  const started = program(args, call);
  const more = { ...(input === undefined ? {} : { input }), ...(signal === undefined ? {} : { signal }) };
  const result =
    (await held({ ...started, ...answersOf(args) }, call, each)) ??
    (await stream(started, { timeoutMs, ...more }, each));
  signal?.throwIfAborted();
  if (result.ended === 'missing') {
    throw new GitError(`${started.command} is not installed: install it (Debian: apt-get install git util-linux)`);
  }
  if (result.ended === 'timeout') throw new GitError(`git ${args[0]} did not end (timeout)`);
  return result;
}

/** Null: it is not to be held, or turned out to be too much for that. */
async function held(
  { command, args, ...how }: Started,
  { small = false, input = '', timeoutMs = 30_000, signal }: GitCall,
  each: (piece: Buffer) => boolean,
): Promise<Streamed | null> {
  if (!small || signal !== undefined) return null;
  const options = { ...how, input, timeoutMs, maxBytes: SMALL_BYTES, encoding: 'latin1' } as const;
  const { code, stdout, stderr, ended } = await run(command, args, options);
  if (ended === 'output' || ended === 'aborted') return null;
  const isEnough = stdout !== '' && !each(Buffer.from(stdout, 'latin1'));
  return { code, stderr, ended: ended === 'exit' && isEnough ? 'enough' : ended };
}

function program(args: readonly string[], { dir, settings = [], owner = null, env }: GitCall): Piped {
  const all = ['-C', dir, ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]), ...args];
  const as = owner === null ? [] : [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--', 'git'];
  return {
    command: owner === null ? 'git' : 'setpriv',
    args: [...as, ...all],
    env: { ...ENVIRONMENT, ...env },
  };
}
