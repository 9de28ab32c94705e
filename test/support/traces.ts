/** What a test could leave behind on the machine: processes, control groups, mounts, temporary directories. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';

/** Users that the sandbox gives to its programs when Supervisor is root. */
const isSandboxUser = (uid: number): boolean => uid >= 61_000 && uid <= 61_999;

type Row = { readonly pid: number; readonly parent: number; readonly state: string; readonly text: string };

function rows(): Row[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').slice(0, 200);
      return [{ pid: Number(name), parent: Number(fields[1]), state: fields[0] ?? '', text: `${name} ${command}` }];
    } catch {
      return [];
    }
  });
}

function below(root: number): Row[] {
  const all = rows();
  const found = all.filter(({ parent }) => parent === root);
  for (let n = 0; n < found.length; n++) found.push(...all.filter(({ parent }) => parent === found[n]?.pid));
  return found.filter(isAlive);
}

const isAlive = ({ state }: Pick<Row, 'state'>): boolean => state !== 'Z' && state !== 'X';

/** Living processes that came from this one. */
export const descendants = (root: number): string[] => below(root).map(({ text }) => text);

/**
 * Kills the processes that a test started, and those that work in its directory without a living parent: a driver in the
 * background, a git of a killed Supervisor, one that deletes. They could write there after it was removed. Returns when
 * they are gone. Sandboxes are left alone: they have to end by themselves, and suite.ts sees the ones that do not.
 */
export function endProcesses(dir: string, started: readonly number[]): void {
  for (const until = Date.now() + 60_000; ; ) {
    const alive = [...rows().filter(({ pid, state }) => started.includes(pid) && isAlive({ state })), ...orphans(dir)];
    if (alive.length === 0) return;
    if (Date.now() > until) throw new Error(`they do not end:\n${alive.map(({ text }) => text).join('\n')}`);
    for (const { pid } of alive) kill(pid);
    // Nothing else may happen meanwhile: the directory goes right after.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

function orphans(dir: string): Row[] {
  const own = new Set(below(process.pid).map(({ pid }) => pid));
  return rows().filter((row) => {
    if (row.pid === process.pid || !isAlive(row)) return false;
    try {
      const command = readFileSync(`/proc/${row.pid}/cmdline`, 'latin1');
      if (own.has(row.pid) && !/\/cleaner(-child)?\.[jt]s\0/.test(command)) return false;
      if (!`${command}${readFileSync(`/proc/${row.pid}/environ`, 'latin1')}`.includes(dir)) return false;
      return !/^[^\0]*bwrap\0/.test(command) && namespaceOf(row.pid) === namespaceOf(process.pid);
    } catch {
      // It has ended, or belongs to somebody else.
      return false;
    }
  });
}

const namespaceOf = (pid: number): string => readlinkSync(`/proc/${pid}/ns/mnt`);

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Processes of sandbox users that came from this one, or, whoever their parent is by now, that see a mount with the mark. */
export function sandboxProcesses(mark: string): string[] {
  const own = new Set(below(process.pid).map(({ pid }) => pid));
  return rows().flatMap((row) => {
    try {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${row.pid}/status`, 'utf8'))?.[1]);
      if (!isAlive(row) || !isSandboxUser(uid)) return [];
      return own.has(row.pid) || readFileSync(`/proc/${row.pid}/mountinfo`, 'utf8').includes(mark) ? [row.text] : [];
    } catch {
      return [];
    }
  });
}

/** Adds processes that came from this one, itself too. Cheap enough for many times a second; short-lived ones are missed. */
export function noteDescendants(pids: Set<number>, root = process.pid): void {
  pids.add(root);
  try {
    const children = readFileSync(`/proc/${root}/task/${root}/children`, 'utf8').trim();
    for (const child of children === '' ? [] : children.split(' ')) noteDescendants(pids, Number(child));
  } catch {
    // It has ended, or this kernel does not tell.
  }
}

/** Control groups of sandboxes that one of these made, dead or alive: its process id is in the name. Null: anybody. */
export function sandboxGroups(makers: ReadonlySet<number> | null): string[] {
  return [...new Set(Object.values(findPlaces().at))]
    .flatMap((dir) => list(dir).map((name) => join(dir, name)))
    .filter((group) => {
      const maker = Number(/\/supervisor-sandbox-(\d+)-[^/]*$/.exec(group)?.[1] ?? Number.NaN);
      return makers === null ? !Number.isNaN(maker) : makers.has(maker);
    });
}

export const mounts = (mark: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(mark));

type Surroundings = Readonly<Record<string, string | undefined>>;

/** What files of tests share that run in one process after each other. */
export const surroundings = (): Surroundings => ({ ...process.env, 'the directory': process.cwd() });

export function changedSince(before: Surroundings): string[] {
  const now = surroundings();
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]);
}

export function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Looks until nothing is left, or patience ends: a killed process takes a moment to be gone. */
export async function settled(look: () => string[], patienceMs = 60_000): Promise<string[]> {
  for (const until = Date.now() + patienceMs; ; ) {
    const found = look();
    if (found.length === 0 || Date.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
