/** The table of running processes, as /proc shows it. */
import { readdirSync, readFileSync } from 'node:fs';

export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly state: string;
  readonly started: string;
  /** The number of its threads: the kernel counts each as a process. */
  readonly threads: number;
};

/** One process, or null if it is gone. */
export function processRow(pid: number): ProcessRow | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Counted after the name, which may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, , session] = fields;
    const [threads, , started = ''] = fields.slice(17);
    return { pid, parent: Number(parent), session: Number(session), state, started, threads: Number(threads) };
  } catch {
    return null;
  }
}

export function processes(): number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Living processes of a user, whatever they call themselves. */
export function processesOfUser(uid: number): number[] {
  return processes().filter((pid) => {
    try {
      // Not the owner of the directory: that is root for a process that forbids dumps of itself.
      const ids = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split(/\s+/) ?? [];
      return ids.includes(`${uid}`) && !isDead(processRow(pid));
    } catch {
      return false;
    }
  });
}

/** A process and all its descendants; a daemon inside a PID namespace stays below its first process. */
export function family(root: number): ProcessRow[] {
  const rows = processes().flatMap((pid) => processRow(pid) ?? []);
  const found = rows.filter(({ pid }) => pid === root);
  for (let index = 0; index < found.length; index++) {
    const { pid } = found[index] as ProcessRow;
    found.push(...rows.filter(({ parent }) => parent === pid));
  }
  return found;
}

/** The living processes of a session, and all descendants of its leader while that one lives. */
export function sessionOf(leader: number): number[] {
  const members = processes().flatMap((pid) => processRow(pid) ?? []);
  return [...members.filter(({ session }) => session === leader), ...family(leader)]
    .filter((row) => !isDead(row))
    .map(({ pid }) => pid);
}

type ProcessMemory = {
  /**
   * What the kernel would count if it had to end a process for lack of memory: resident, swapped out, and page tables.
   */
  readonly bytes: number;
  /** The part of it that other processes may share. */
  readonly sharedBytes: number;
};

/** Zeros if it is gone. */
export function processMemory(row: ProcessRow): ProcessMemory {
  let text = '';
  try {
    text = readFileSync(`${livingPlace(row)}/status`, 'utf8');
  } catch {
    // The process has ended meanwhile.
  }
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  const bytes = (kib('VmRSS') + kib('VmSwap') + kib('VmPTE')) * 1024;
  return { bytes, sharedBytes: kib('RssShmem') * 1024 };
}

/** Where /proc reports its memory and descriptors: a first thread that has ended reports nothing while others go on. */
export function livingPlace({ pid, state, threads }: ProcessRow): string {
  if (state !== 'Z' || threads < 2) return `/proc/${pid}`;
  const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== `${pid}`);
  return others.length === 0 ? `/proc/${pid}` : `/proc/${pid}/task/${others[0]}`;
}

/**
 * All processes and threads of the machine: one short read, while a table of them takes milliseconds. NaN if unknown.
 */
export function machineTasks(): number {
  try {
    return Number(/ \d+\/(\d+) /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

export function killProcess(pid: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Gone, or only waiting for its parent to notice. */
export const isDead = (row: ProcessRow | null): boolean => row === null || row.state === 'Z' || row.state === 'X';

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // A kernel without that file, or the process is gone: the slow way finds out.
  }
  return processes().filter((child) => processRow(child)?.parent === pid);
}
