/** Starts a program that uses more pipes than three and lives until its caller ends it. */
import { type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { OWN_SESSION } from './own-session.ts';

export type Launched = {
  readonly pid: number;
  /** Descriptors 3 and up, in order; each goes both ways. */
  readonly pipes: readonly Duplex[];
  /** The process itself has ended; its pipes may still be open in others. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  kill(): void;
};

/** Call it from the main thread: a program that dies with its parent dies with the thread that started it. */
export function launch(
  command: string,
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd?: string;
    /** The input; null for the empty device. A Node pipe is a socket, which a program cannot open by name. */
    readonly input: number | null;
    /** Descriptors for its output. */
    readonly output: readonly [stdout: number, stderr: number];
    readonly pipes: number;
    /** Descriptors it gets after the pipes; they stay open here. */
    readonly files?: readonly number[];
    /** The user and group of the process; it keeps no other groups. Null for the current user. */
    readonly user: number | null;
  },
): Promise<Launched> {
  const { env, cwd = '/', input, output, pipes: count, files = [], user } = options;
  const nothing = openSync('/dev/null', 'r');
  const stdio: StdioOptions & unknown[] = [
    input ?? nothing,
    ...output,
    ...Array.from({ length: count }, () => 'pipe' as const),
    ...files,
  ];
  const own = stdio.length;
  for (const fd of inheritable()) {
    while (stdio.length <= fd) stdio.push('ignore');
    if (fd >= own) stdio[fd] = nothing;
  }
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env },
    stdio,
    ...OWN_SESSION,
    ...(user === null ? {} : { uid: user, gid: user }),
  });
  closeSync(nothing);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    const exited: Launched['exited'] = new Promise((ended) => {
      child.once('exit', (code, signal) => ended({ code, signal }));
    });
    // A reader that left early must not end Supervisor with EPIPE. Without free descriptors it has no streams at all.
    for (const pipe of child.stdio ?? []) pipe?.on('error', () => {});
    child.once('spawn', () => {
      const pipes = child.stdio.slice(3, 3 + count) as unknown as Duplex[];
      resolve({ pid: child.pid ?? 0, pipes, exited, kill: () => void child.kill('SIGKILL') });
    });
  });
}

/**
 * Descriptors that this process itself was started with, beside the usual three: Node passes them on to every program,
 * and a sandboxed one could use them. What Node opens itself is closed on exec, so their number does not grow.
 */
function inheritable(): readonly number[] {
  found ??= readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1] ?? '0';
      return Number(name) > 2 && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0 ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
  return found;
}

let found: readonly number[] | null = null;
const CLOSE_ON_EXEC = 0o2000000;
