/** Stops a Supervisor, as a laptop does that sleeps. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from './cli.ts';

/**
 * Between two of its writes: in the middle of one it would keep the lock of the log, and nobody could take over, as nobody
 * can who uses that file.
 */
export async function stop(child: ChildProcess, log: string): Promise<void> {
  const look = new DatabaseSync(log, { timeout: 0 });
  try {
    await eventually(async () => {
      child.kill('SIGSTOP');
      await eventually(() => /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')), 'it is stopped');
      if (isFree(look)) return true;
      child.kill('SIGCONT');
      return null;
    }, 'it was stopped between two writes');
  } finally {
    look.close();
  }
}

function isFree(log: DatabaseSync): boolean {
  try {
    log.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
