/** Starts a program that talks on more pipes than three and lives until its caller ends it. */
import { type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Duplex, Writable } from 'node:stream';

export type Launched = {
  readonly pid: number;
  /** Null when there is no input. */
  readonly stdin: Writable | null;
  /** Descriptors 3 and up, in order. */
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
    /** Nothing means the empty device, which a program may also open again by name; a socket could not be. */
    readonly input: string;
    /** Descriptors for what it prints. */
    readonly output: readonly [stdout: number, stderr: number];
    readonly pipes: number;
  },
): Promise<Launched> {
  const own = 3 + options.pipes;
  const nothing = openSync('/dev/null', 'r');
  const stdio: StdioOptions & unknown[] = [
    options.input === '' ? nothing : 'pipe',
    ...options.output,
    ...Array.from({ length: options.pipes }, () => 'pipe' as const),
  ];
  for (const fd of inheritable()) {
    while (stdio.length <= fd) stdio.push('ignore');
    if (fd >= own) stdio[fd] = nothing;
  }
  const child = spawn(command, [...args], { cwd: '/', env: { ...options.env }, stdio });
  closeSync(nothing);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    const exited: Launched['exited'] = new Promise((ended) => {
      child.once('exit', (code, signal) => ended({ code, signal }));
    });
    // A reader that went away early is its own affair: EPIPE must not end Supervisor.
    for (const pipe of child.stdio) pipe?.on('error', () => {});
    child.once('spawn', () => {
      // Each was asked for as 'pipe', which is a socket: both ways.
      const pipes = child.stdio.slice(3, own) as unknown as Duplex[];
      resolve({ pid: child.pid ?? 0, stdin: child.stdin, pipes, exited, kill: () => void child.kill('SIGKILL') });
    });
  });
}

/**
 * Descriptors this process itself was started with, beside the usual three: Node passes them on to every program, and a
 * sandboxed one could read or write what is behind them. What Node opens itself is closed on exec.
 */
function inheritable(): number[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1] ?? '0';
      return Number(name) > 2 && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0 ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const CLOSE_ON_EXEC = 0o2000000;
