/** The process environment, read once. No other code reads it. */
import { isAbsolute, join } from 'node:path';
import type { LogLevel } from '../../engine/ports/surroundings.ts';

export type Environment = {
  /** Where the log lives: outside every repository. */
  readonly stateDir: string;
  readonly userConfig: string;
  readonly leaseMs: number;
  /** Called between steps that a crash could separate; crash tests kill the process there. */
  readonly failpoint: (name: string) => void;
  readonly logLevel: LogLevel;
  /** Where the operator's programs and tool chains are found. */
  readonly path: string;
  readonly home: string | null;
  /** All of the operator's variables, to find out which of their values are secret. */
  variables(): Readonly<Record<string, string | undefined>>;
  /** One variable of the operator, to pass to a CLI by name. */
  variable(name: string): string | undefined;
  /** Marks the throw-away environment of a self-test. */
  readonly inSelfTest?: true;
};

/**
 * The operator's variables for programs that act for the operator, without the one that makes Node load foreign code.
 */
export function childVariables(environment: Pick<Environment, 'variables'>): Record<string, string> {
  const { NODE_OPTIONS: _, ...rest } = environment.variables();
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The environment cannot be used; the message says which variable to set. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env, uid = process.getuid?.() ?? -1): Environment {
  return {
    stateDir: stateDir(env, uid),
    userConfig: join(env['HOME'] || '/nonexistent', '.supervisor', 'config.yaml'),
    leaseMs: positive(env, 'SUPERVISOR_LEASE_MS', 10_000),
    failpoint: () => {},
    logLevel: level(env['SUPERVISOR_LOG']),
    path: env['PATH'] || '/usr/local/bin:/usr/bin:/bin',
    home: env['HOME'] || null,
    variables: () => env,
    variable: (name) => env[name],
  };
}

function stateDir(env: NodeJS.ProcessEnv, uid: number): string {
  const chosen = env['SUPERVISOR_HOME'];
  if (chosen) {
    if (!isAbsolute(chosen)) throw new EnvironmentError(`SUPERVISOR_HOME is ${chosen}: it must be an absolute path`);
    return chosen;
  }
  // An unprivileged sandbox cannot enter root's home.
  if (uid === 0) return '/var/lib/supervisor';
  if (env['XDG_STATE_HOME'] && isAbsolute(env['XDG_STATE_HOME'])) return join(env['XDG_STATE_HOME'], 'supervisor');
  if (env['HOME']) return join(env['HOME'], '.local', 'state', 'supervisor');
  throw new EnvironmentError('neither HOME nor SUPERVISOR_HOME is set: set SUPERVISOR_HOME to a directory for the log');
}

function positive(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 100 || value > 3_600_000)
    throw new EnvironmentError(`${name} is ${text}: it must be a whole number from 100 to 3600000`);
  return value;
}

function level(text: string | undefined): LogLevel {
  if (text === undefined || text === '') return 'warn';
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text;
  throw new EnvironmentError(`SUPERVISOR_LOG is ${text}: it must be debug, info, warn or error`);
}
