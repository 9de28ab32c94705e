/** The only place that starts other programs: arguments as a list, never a shell; output bounded; always ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { whenOverdue } from '../machine/missed-deadline.ts';
import { OWN_SESSION } from './own-session.ts';

type RunOptions = {
  readonly cwd?: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The encoding of input and output; `latin1` keeps raw bytes, for names that are not UTF-8. */
  readonly encoding?: 'utf8' | 'latin1';
  readonly timeoutMs: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

export type RunResult = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not end by itself. */
  readonly ended: 'exit' | 'timeout' | 'output' | 'aborted' | 'missing';
};

/**
 * Ends it when its time is over; its children may hold its outputs open for ever, even after a kill, so those are
 * closed.
 */
export const whenLate = (child: ChildProcess, timeoutMs: number, end: () => void) =>
  whenOverdue(timeoutMs, () => {
    if (lives(child)) end();
    child.stdout?.destroy();
    child.stderr?.destroy();
  });

/** Not known to have ended; its output may still be on its way. */
export const lives = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { cwd, env, input, encoding = 'utf8', timeoutMs, maxBytes = 1 << 20, signal } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      ...OWN_SESSION,
      env: { ...env },
      // Without input no pipe is made: that saves time.
      stdio: [input === undefined || input === '' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    const texts: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
    let size = 0;
    let ended: RunResult['ended'] = 'exit';
    const end = (why: RunResult['ended']) => {
      ended = why;
      child.kill('SIGKILL');
    };
    const timer = whenLate(child, timeoutMs, () => end('timeout'));
    const abort = () => end('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) end('output');
        else texts[name].push(chunk);
      });
    }
    const result = (code: number | null): RunResult => ({
      code,
      stdout: Buffer.concat(texts.stdout).toString(encoding),
      stderr: Buffer.concat(texts.stderr).toString(encoding),
      ended,
    });
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      release();
      if (error.code === 'ENOENT') resolve({ ...result(null), ended: 'missing' });
      else reject(error);
    });
    child.on('close', (code) => {
      release();
      resolve(result(code));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input, encoding);
  });
}
