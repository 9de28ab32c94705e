/** Starts a program that talks on more pipes than three and lives until its caller ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';

export type Launched = {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
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
  options: { readonly env: Readonly<Record<string, string>>; readonly pipes: number },
): Promise<Launched> {
  const child = spawn(command, [...args], {
    cwd: '/',
    env: { ...options.env },
    stdio: ['pipe', 'pipe', 'pipe', ...Array.from({ length: options.pipes }, () => 'pipe' as const)],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    const exited: Launched['exited'] = new Promise((ended) => {
      child.once('exit', (code, signal) => ended({ code, signal }));
    });
    // A reader that went away early is its own affair: EPIPE must not end Supervisor.
    for (const pipe of child.stdio) pipe?.on('error', () => {});
    child.once('spawn', () => resolve(describe(child, exited)));
  });
}

function describe(child: ChildProcess, exited: Launched['exited']): Launched {
  const [stdin, stdout, stderr, ...pipes] = child.stdio;
  return {
    pid: child.pid ?? 0,
    stdin: stdin as Writable,
    stdout: stdout as Readable,
    stderr: stderr as Readable,
    pipes: pipes as Duplex[],
    exited,
    kill: () => void child.kill('SIGKILL'),
  };
}
