/** Whether a git process may hold a lock. */
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { isDead, processes, processRow } from '../process/table.ts';

/** Node learns its own start time a little late, and the kernel counts in ticks. */
const SLACK_MS = 200;
/** The tick of times in /proc, on every architecture. */
const MS_PER_TICK = 10;

/**
 * Whether a git process is alive that started before `timeMs`; daemons and readers hold no locks. True without /proc.
 */
export function isGitAliveSince(timeMs: number): boolean {
  const self = processRow(process.pid);
  if (self === null) return true;
  const bootMs = Date.now() - process.uptime() * 1000 - Number(self.started) * MS_PER_TICK;
  return processes().some((pid) => {
    const row = mayHold(pid) ? processRow(pid) : null;
    if (row === null || isDead(row)) return false;
    return bootMs + Number(row.started) * MS_PER_TICK <= timeMs + SLACK_MS;
  });
}

const mayHold = (pid: number): boolean =>
  text(`/proc/${pid}/comm`).startsWith('git') && !/daemon|\0cat-file\0/.test(text(`/proc/${pid}/cmdline`));

const LOOK_MS = 5;

/** Waits up to `mostMs` until no git works in a directory: a killed one may be in the middle of a call. */
export function waitForGitsIn(dir: string, mostMs: number): boolean {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + mostMs; isGitIn(dir); Atomics.wait(clock, 0, 0, LOOK_MS))
    if (performance.now() >= until) return false;
  return true;
}

function isGitIn(dir: string): boolean {
  try {
    const real = realpathSync(dir);
    return processes().some((pid) => mayHold(pid) && placeOf(pid) === real);
  } catch {
    return false;
  }
}

/** The working directory of a process; unknown for other users' processes. */
function placeOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
