/** Identifies a process. A pid is reused; a pid with start time and boot id is not. */
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { ProcessIdentity } from '../../engine/ports/store.ts';

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid) ?? '', boot: bootId(), host: hostname() };
}

/** The OS user of this process, as a name that fits into one line of the log. */
export function userName(): string {
  try {
    return userInfo()
      .username.replace(/[^\w.@-]/g, '_')
      .slice(0, 64);
  } catch {
    // A uid without an entry in the password file, as in some containers.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Whether exactly this process is still alive. For another machine it is unknown: then only the lease's end counts. */
export function isAlive(owner: ProcessIdentity): boolean {
  if (owner.host !== hostname()) return true;
  if (owner.boot !== bootId()) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const started = startTime(owner.pid);
  return started === null || owner.started === '' || started === owner.started;
}

/** Field 22 of /proc/PID/stat, counted after the name, which may contain blanks; null without /proc. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Milliseconds on the clock that all processes of this machine share and that cannot be set (CLOCK_MONOTONIC). */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
