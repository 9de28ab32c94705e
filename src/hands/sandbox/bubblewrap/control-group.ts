/** Limits that the kernel enforces on a whole sandbox: one control group per run, below Supervisor's own. */
import { accessSync, constants, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLimits } from '../../../engine/ports/sandbox.ts';
import { family, killProcess } from '../../../os/process/table.ts';
import { CONTROLLERS, type Controller, groupDirs, read } from '../shared/group-dirs.ts';
import type { Breach } from '../shared/watch.ts';

/**
 * Where to make a group for each controller. Below our own group, never beside it: that would escape an outer limit.
 */
export type GroupPlaces = {
  readonly version: 1 | 2;
  readonly at: Readonly<Partial<Record<Controller, string>>>;
  /** Our entry in /proc when this was found. */
  readonly own?: string;
  /** The group that Supervisor is in, if its groups are made below another one. */
  readonly home?: string;
};

/** Below the delegated group, beside those of the sandboxes. */
const HOME = 'supervisor-itself';

/** Looks and tries once; the answer does not change while Supervisor runs. */
export function findPlaces(): GroupPlaces {
  const { version, at, said } = groupDirs('self');
  if (version === 1) return { version, at: usable(at), own: said };
  if (at.memory === undefined) return { version, at: {} };
  const { dir, home, given } = handOn(at.memory, CONTROLLERS);
  return { version, at: usable(Object.fromEntries(given.map((name) => [name, dir]))), own: read(OWN), home };
}

const OWN = '/proc/self/cgroup';

/**
 * Makes a version 2 group pass controllers down. The kernel refuses that for a group with members, so if only we are in
 * it, as in a scope of our own, we and our children move into a group below. Other programs are never moved: beside
 * them no group is made.
 */
export function handOn<T extends string>(
  own: string,
  controllers: readonly T[],
): { readonly dir: string; readonly home: string; readonly given: readonly T[] } {
  // An earlier call, or a parent Supervisor, has moved us there.
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
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Moves all members, ourselves first, so that new processes are born there; returns whether that was possible. */
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
 * moved another one. To make a start quick, this moves ourselves to where we are, in parallel and long enough before
 * `join`. Not if somebody has moved us since: that would move us back.
 */
export async function prepareJoin({ at, own, home }: GroupPlaces): Promise<void> {
  const dir = home ?? Object.values(at)[0];
  if (dir === undefined || Object.keys(at).length === 0 || own !== read(OWN)) return;
  // If refused, the start only takes longer.
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

  /** Makes a process a member for every controller; its later children are members too. */
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
    // Two more, for bubblewrap and our first process inside.
    set('pids', 'pids.max', limits.processes + 2);
    if (this.#version === 1) {
      set('memory', 'memory.limit_in_bytes', limits.memoryBytes);
      set('memory', 'memory.memsw.limit_in_bytes', limits.memoryBytes, true);
      // The quota is per period; the default period is 100 ms.
      set('cpu', 'cpu.cfs_quota_us', Math.max(1000, Math.round(limits.cpus * 100_000)));
    } else {
      set('memory', 'memory.max', limits.memoryBytes);
      set('memory', 'memory.swap.max', 0, true);
      set('cpu', 'cpu.max', `${Math.max(1000, Math.round(limits.cpus * 100_000))} 100000`);
    }
  }

  /** What the kernel has refused or killed so far; an exit code cannot distinguish it from a signal. */
  breach(): Breach {
    const count = (controller: Controller, file: string, key: string) => {
      const dir = this.#at[controller];
      if (dir === undefined) return 0;
      return Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(read(join(dir, this.#name, file)))?.[1] ?? 0);
    };
    if (count('memory', this.#version === 1 ? 'memory.oom_control' : 'memory.events', 'oom_kill') > 0) return 'memory';
    return count('pids', 'pids.events', 'max') > 0 ? 'processes' : null;
  }

  /** Kills all members and removes the group. */
  async end(): Promise<void> {
    await endGroups(this.paths);
  }
}

/** Returns how many processes were found in groups and killed. Throws if something cannot be ended within 5 seconds. */
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

/** Whether a group can be made there and its members moved; only trying shows it. */
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
    // Not delegated to us; the probe then reports the limit as degraded.
  }
}
