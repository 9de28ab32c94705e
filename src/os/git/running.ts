/** Whether a git process may be the one that holds a lock. */
import { readFileSync } from 'node:fs';
import { isDead, processes, processRow } from '../process/table.ts';

/** Node knows its own start a little late, and the kernel counts in ticks. */
const SLACK_MS = 200;
/** Of the times in /proc, on every architecture. */
const MS_PER_TICK = 10;

/** Some git process is alive that began before `timeMs`; daemons and mere readers hold no locks. Where there is no /proc: true. */
export function isGitAliveSince(timeMs: number): boolean {
  const self = processRow(process.pid);
  if (self === null) return true;
  const bootMs = Date.now() - process.uptime() * 1000 - Number(self.started) * MS_PER_TICK;
  return processes().some((pid) => {
    if (!text(`/proc/${pid}/comm`).startsWith('git')) return false;
    if (/daemon|\0cat-file\0/.test(text(`/proc/${pid}/cmdline`))) return false;
    const row = processRow(pid);
    if (row === null || isDead(row)) return false;
    return bootMs + Number(row.started) * MS_PER_TICK <= timeMs + SLACK_MS;
  });
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
