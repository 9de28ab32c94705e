/** Starts a program that outlives this process and its terminal: in its own session, with output to a file. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

type Detached = { readonly pid: number; readonly exited: Promise<number | null> };

export function startDetached(
  command: string,
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    /** Appended to; readable only for its owner. */
    readonly log: string;
  },
): Promise<Detached> {
  const output = openSync(options.log, 'a', 0o600);
  const child = spawn(command, [...args], {
    env: { ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    const exited = new Promise<number | null>((ended) => child.once('exit', (code) => ended(code)));
    child.once('spawn', () => resolve({ pid: child.pid ?? 0, exited }));
  });
}
