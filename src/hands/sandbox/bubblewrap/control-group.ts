/** Limits the kernel enforces on a whole sandbox: one control group per run, below the one Supervisor itself is in. */
import { accessSync, constants, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLimits } from '../../../engine/ports/sandbox.ts';
import { family, killProcess } from '../../../os/process/table.ts';
import { CONTROLLERS, type Controller, groupDirs, read } from '../shared/group-dirs.ts';
import type { Breach } from '../shared/watch.ts';

/** Where a group can be made for each controller. Below our own, never beside it: that would leave an outer limit. */
export type GroupPlaces = {
  readonly version: 1 | 2;
  readonly at: Readonly<Partial<Record<Controller, string>>>;
  /** What /proc said of us when this was found. */
  readonly own?: string;
  /** The group that Supervisor is a member of, where that is not the one its groups are made below. */
  readonly home?: string;
};

/** Below the group that was delegated, beside those of the sandboxes. */
const HOME = 'supervisor-itself';

/** Looks and tries; the answer does not change while Supervisor runs. */
export function findPlaces(): GroupPlaces {
  const { version, at, said } = groupDirs('self');
  if (version === 1) return { version, at: usable(at), own: said };
  if (at.memory === undefined) return { version, at: {} };
  const { dir, home, given } = handOn(at.memory, CONTROLLERS);
  return { version, at: usable(Object.fromEntries(given.map((name) => [name, dir]))), own: read(OWN), home };
}

const OWN = '/proc/self/cgroup';

/**
 * Has a group of version 2 give controllers to those below it. The kernel refuses that to a group with members, so where
 * we are the only one, as in a scope of our own, we and what we have started move into one below it. Programs of others
 * are never moved: beside them there is no group.
 */
export function handOn<T extends string>(
  own: string,
  controllers: readonly T[],
): { readonly dir: string; readonly home: string; readonly given: readonly T[] } {
  // An earlier call, or a Supervisor that started this one, has moved us there.
  const dir = basename(own) === HOME ? dirname(own) : own;
  const lists = (file: string) => read(join(dir, file)).trim().split(/\s+/);
  const given = () => controllers.filter((name) => lists('cgroup.subtree_control').includes(name));
  const missing = () =>
    controllers.filter((name) => lists('cgroup.controllers').includes(name) && !given().includes(name));
  const give = () => {
    for (const name of missing()) tryWrite(join(dir, 'cgroup.subtree_control'), `+${name}`);
  };
  give();
  const mayMove = dir === own && missing().length > 0 && isOursAlone(dir);
  if (!mayMove || !moved(dir, join(dir, HOME))) return { dir, home: own, given: given() };
  give();
  if (given().length > 0) return { dir, home: join(dir, HOME), given: given() };
  moved(join(dir, HOME), dir);
  return { dir, home: own, given: [] };
}

const membersOf = (dir: string): number[] => read(join(dir, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);

function isOursAlone(dir: string): boolean {
  const ours = family(process.pid).map(({ pid }) => pid);
  return membersOf(dir).every((pid) => ours.includes(pid));
}

function move(pid: number, to: string): void {
  try {
    writeFileSync(join(to, 'cgroup.procs'), `${pid}`);
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Moves all members, ourselves first, so that whatever is started meanwhile is born there; whether that was possible. */
function moved(from: string, to: string): boolean {
  const isNew = to.startsWith(from);
  try {
    if (isNew) mkdirSync(to, { recursive: true });
    for (const pid of [process.pid, ...membersOf(from)]) move(pid, to);
    if (!isNew) rmdirSync(from);
    return true;
  } catch {
    if (isNew) tryWrite(join(from, 'cgroup.procs'), `${process.pid}`);
    return false;
  }
}

/**
 * The kernel waits for every processor before it moves a process, which may take ten milliseconds, unless it has just
 * moved another. So that a start need not wait, this asks it to move ourselves to where we are, beside our own thread and
 * long enough before `join`. Not when somebody has put us elsewhere since: we would move back.
 */
export async function prepareJoin({ at, own, home }: GroupPlaces): Promise<void> {
  const dir = home ?? Object.values(at)[0];
  if (dir === undefined || Object.keys(at).length === 0 || own !== read(OWN)) return;
  // Refused: then the start takes its time.
  await writeFile(join(dir, 'cgroup.procs'), `${process.pid}`).catch(() => {});
}

export class ControlGroup {
  readonly paths: readonly string[];
  readonly #at: GroupPlaces['at'];
  readonly #version: 1 | 2;
  readonly #name: string;

  constructor(places: GroupPlaces, name: string) {
    this.#at = places.at;
    this.#version = places.version;
    this.#name = name;
    this.paths = [...new Set(Object.values(places.at))].map((dir) => join(dir, name));
  }

  /** Makes a process a member in every way; all it starts from then on are members too. */
  join(pid: number): void {
    for (const path of this.paths) writeFileSync(join(path, 'cgroup.procs'), `${pid}`);
  }

  make(): void {
    for (const path of this.paths) mkdirSync(path);
  }

  limit(limits: SandboxLimits): void {
    const set = (controller: Controller, file: string, value: number | string, optional = false) => {
      const dir = this.#at[controller];
      if (dir === undefined) return;
      const path = join(dir, this.#name, file);
      if (!optional || existsSync(path)) writeFileSync(path, `${value}`);
    };
    // Two more: bubblewrap itself and our own first process inside.
    set('pids', 'pids.max', limits.processes + 2);
    if (this.#version === 1) {
      set('memory', 'memory.limit_in_bytes', limits.memoryBytes);
      set('memory', 'memory.memsw.limit_in_bytes', limits.memoryBytes, true);
      // Of the period, which is 100 ms unless somebody says otherwise.
      set('cpu', 'cpu.cfs_quota_us', Math.max(1000, Math.round(limits.cpus * 100_000)));
    } else {
      set('memory', 'memory.max', limits.memoryBytes);
      set('memory', 'memory.swap.max', 0, true);
      set('cpu', 'cpu.max', `${Math.max(1000, Math.round(limits.cpus * 100_000))} 100000`);
    }
  }

  /** What the kernel has refused or killed so far; an exit code could not tell it from a signal. */
  breach(): Breach {
    const count = (controller: Controller, file: string, key: string) => {
      const dir = this.#at[controller];
      if (dir === undefined) return 0;
      return Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(read(join(dir, this.#name, file)))?.[1] ?? 0);
    };
    if (count('memory', this.#version === 1 ? 'memory.oom_control' : 'memory.events', 'oom_kill') > 0) return 'memory';
    return count('pids', 'pids.events', 'max') > 0 ? 'processes' : null;
  }

  /** Kills every member until there is none, and removes the group. */
  async end(): Promise<void> {
    await endGroups(this.paths);
  }
}

/** How many processes were found in groups and killed. Throws when something can not be ended within 5 seconds. */
export async function endGroups(paths: readonly string[]): Promise<number> {
  const killed = new Set<number>();
  const until = Date.now() + 5000;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    const members = paths.flatMap(membersOf);
    for (const pid of members) {
      killed.add(pid);
      killProcess(pid);
    }
    if (members.length === 0 && paths.every(removed)) return killed.size;
    if (Date.now() > until) throw new Error(`control group ${paths[0]} is not empty: ${members.join(', ')}`);
    await sleep(wait);
  }
}

function removed(path: string): boolean {
  try {
    rmdirSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  return true;
}

/** A group can be made there and its members moved, which only a try can tell. */
function usable(places: GroupPlaces['at']): GroupPlaces['at'] {
  return Object.fromEntries(
    Object.entries(places).filter(([, dir]) => {
      const trial = join(dir, `supervisor-trial-${process.pid}`);
      try {
        mkdirSync(trial);
      } catch {
        return false;
      }
      try {
        accessSync(join(trial, 'cgroup.procs'), constants.W_OK);
        return true;
      } catch {
        return false;
      } finally {
        rmdirSync(trial);
      }
    }),
  );
}

function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    // Not ours to give; the probe then shows the limit as degraded.
  }
}
