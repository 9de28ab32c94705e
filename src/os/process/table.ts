/** The table of running processes, as /proc shows it. */
import { readdirSync, readFileSync } from 'node:fs';

export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly state: string;
  readonly started: string;
};

/** One process, or null when it is gone. */
export function processRow(pid: number): ProcessRow | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Counted behind the name, which may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, , session] = fields;
    return { pid, parent: Number(parent), session: Number(session), state, started: fields[19] ?? '' };
  } catch {
    return null;
  }
}

export function processes(): number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Living processes that belong to a user, whatever they call themselves. */
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

/** A process and all that came from it; a daemon inside a PID namespace stays below the first process of it. */
export function family(root: number): ProcessRow[] {
  const rows = processes().flatMap((pid) => processRow(pid) ?? []);
  const found = rows.filter(({ pid }) => pid === root);
  for (let index = 0; index < found.length; index++) {
    const { pid } = found[index] as ProcessRow;
    found.push(...rows.filter(({ parent }) => parent === pid));
  }
  return found;
}

/** The living processes of a session, and all that came from its leader while that one lives. */
export function sessionOf(leader: number): number[] {
  const members = processes().flatMap((pid) => processRow(pid) ?? []);
  return [...members.filter(({ session }) => session === leader), ...family(leader)]
    .filter((row) => !isDead(row))
    .map(({ pid }) => pid);
}

/** Resident bytes of a process, 0 when it is gone. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
  } catch {
    return 0;
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
    // A kernel without that file, or gone: the long way knows.
  }
  return processes().filter((child) => processRow(child)?.parent === pid);
}
