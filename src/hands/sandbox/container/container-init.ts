/** Finds and watches the first process of a container among the processes of this machine. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxError } from '../../../engine/ports/sandbox.ts';
import { isDead, killProcess, processes, processRow } from '../../../os/process/table.ts';

const END_MS = 5000;

export type First = { readonly pid: number; readonly started: string };

/** Its last argument is the name of the container, and its pid inside is 1. */
export function findFirst(name: string): First | null {
  for (const pid of processes()) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').endsWith(`\0${name}\0`)) continue;
      const numbers = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split(/\s+/) ?? [];
      const row = processRow(pid);
      if (numbers.length > 1 && numbers.at(-1) === '1' && row !== null) return { pid, started: row.started };
    } catch {
      // The process has ended meanwhile.
    }
  }
  return null;
}

const lives = ({ pid, started }: First): boolean => {
  const row = processRow(pid);
  return !isDead(row) && row?.started === started;
};

/** Everything inside dies with it. Without the permission to kill it, the engine does that. */
export function killFirst(first: First | null): void {
  if (first === null || !lives(first)) return;
  try {
    killProcess(first.pid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** The first process of a PID namespace ends only after all others in it are dead. */
export async function gone(first: First | null): Promise<void> {
  if (first === null) return;
  const until = Date.now() + END_MS;
  for (let wait = 1; lives(first); wait = Math.min(2 * wait, 20)) {
    if (Date.now() > until) throw new SandboxError(`process ${first.pid} of a sandbox does not end`);
    await sleep(wait);
  }
}
