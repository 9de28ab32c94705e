/** Runs a program whose output is too large to hold: each piece is passed on as it comes, and then dropped. */
import { spawn } from 'node:child_process';
import { OWN_SESSION } from './own-session.ts';
import type { Piped } from './pipe.ts';
import { whenLate } from './run.ts';

export type Streamed = {
  readonly code: number | null;
  readonly stderr: string;
  /** Why it did not end by itself; `enough`: `each` wanted no more. */
  readonly ended: 'exit' | 'enough' | 'timeout' | 'missing';
};

const MAX_STDERR = 64 << 10;

export function stream(
  { command, args, env }: Piped,
  options: {
    readonly input?: string;
    readonly timeoutMs: number /** As if no more were wanted. */;
    readonly signal?: AbortSignal;
  },
  /** Returns false if no more is wanted. If it throws, the program is ended and the error is rethrown. */
  each: (piece: Buffer) => boolean,
): Promise<Streamed> {
  const { input, timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      ...OWN_SESSION,
      env: { ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let ended: Streamed['ended'] = 'exit';
    let failure: { readonly error: unknown } | null = null;
    const end = (why: Streamed['ended']) => {
      if (ended === 'exit') ended = why;
      child.kill('SIGKILL');
    };
    const timer = whenLate(child, timeoutMs, () => end('timeout'));
    const enough = () => end('enough');
    const forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', enough);
    };
    if (signal?.aborted === true) enough();
    signal?.addEventListener('abort', enough);
    child.stdout?.on('data', (piece: Buffer) => {
      if (ended !== 'exit') return;
      try {
        if (!each(piece)) end('enough');
      } catch (error) {
        failure = { error };
        end('enough');
      }
    });
    const errors: Buffer[] = [];
    let size = 0;
    child.stderr?.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_STDERR) errors.push(piece);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      forget();
      if (error.code === 'ENOENT') resolve({ code: null, stderr: '', ended: 'missing' });
      else reject(error);
    });
    child.on('close', (code) => {
      forget();
      if (failure !== null) reject(failure.error);
      else resolve({ code, stderr: Buffer.concat(errors).toString(), ended });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input, 'latin1');
  });
}
