/** One run of a gate, as data: its program, its limits, and the key under which its outcome is cached. */
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { EnvironmentConfig } from '../environment/environment-config.ts';
import { SANDBOX_HOME } from '../sandbox/paths.ts';
import type { GateCheck, GateCommand } from './kinds.ts';

export const GATE_LIMITS = {
  memoryBytes: 2 * 2 ** 30,
  cpus: 1,
  /** Threads count too: a runner with a worker per core has some hundred. */
  processes: 1024,
  /** Held in memory until the gate ends, because failed tests are read from all of it. */
  outputBytes: 16 << 20,
  diskBytes: 4 * 2 ** 30,
} as const;

const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

export type GateLimits = { readonly [K in keyof typeof GATE_LIMITS]: number };

export const limitsOf = (check: Pick<GateCheck, 'timeoutMs'>, limits: GateLimits) => ({
  ...limits,
  idleMs: null,
  wallMs: check.timeoutMs,
});

/** A string goes to the shell unchanged; a list never meets one. Nothing of a candidate is inserted. */
export function argvOf(command: GateCommand): [string, ...string[]] {
  if (typeof command === 'string') return ['/bin/sh', '-c', command];
  const [program = '', ...words] = command;
  return [program, ...words];
}

/** Changed files are arguments after `--`; in a command line they are its "$@". */
export function checkArgv(
  { command, each, appliesTo }: Pick<GateCheck, 'command' | 'each' | 'appliesTo'>,
  paths: readonly string[],
): [string, ...string[]] {
  if (appliesTo.length === 0) return argvOf(command);
  const isLine = typeof command === 'string';
  if (!each) return [...argvOf(command), ...(isLine ? ['sh'] : []), '--', ...paths];
  const words = isLine ? ['/bin/sh', '-c', command, 'sh'] : command;
  const one = `${words.map(quoted).join(' ')} -- "$path"`;
  return ['/bin/sh', '-c', `code=0; for path do ${one} || code=$?; done; exit $code`, 'sh', ...paths];
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** No variable reveals that this is a check (such as CI): code must not be able to behave well only here. */
export function gateVariables(
  path: readonly string[],
  extra: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    ...extra,
    PATH: [...path, ...SYSTEM_PATH].join(':'),
    HOME: SANDBOX_HOME,
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
  };
}

/** Everything known that an outcome depends on, except the system's own programs. */
export function runKey(run: {
  readonly check: GateCheck;
  /** The changed files that it gets. */
  readonly paths: readonly string[];
  readonly limits: GateLimits;
  /** A pass without a sandbox says nothing about a run inside one. */
  readonly sandboxName: string;
  readonly tree: string;
  /** The commit, and the paths taken from it. */
  readonly asInBase: { readonly base: string; readonly paths: readonly string[] } | null;
  readonly environment: { readonly key: string | null; readonly config: EnvironmentConfig | null };
  readonly tools: unknown;
}): string {
  const { check, paths, limits, sandboxName, tree, asInBase, environment, tools } = run;
  const { command, ids, report, keeps, exitCodes, each, appliesTo } = check;
  return sha256(
    canonicalJson({
      // 3: exit code 0 is no pass if no test ran. 4: a run may write a report. 5: no pass if a summary counts failures,
      // even without `ids`. 6: a report counts tests that share a name. 7: the lists of tests say which failed.
      version: 7,
      command,
      ids,
      report,
      keeps,
      exitCodes,
      each,
      appliesTo,
      paths,
      limits: limitsOf(check, limits),
      sandbox: sandboxName,
      tree,
      asInBase,
      environment,
      tools,
    }),
  );
}
