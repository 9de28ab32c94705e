/** Checks that the kernel really has the limits the engine was given, and reads later which were broken. */
import { dirname, join } from 'node:path';
import type { SandboxLimits } from '../../../engine/ports/sandbox.ts';
import { OWN_PROCESSES } from '../../../mind/sandbox/container-argv.ts';
import type { BoundLimit } from '../../../mind/sandbox/container-engine.ts';
import { type Controller, type GroupDirs, groupDirs, read } from '../shared/group-dirs.ts';
import type { Breach } from '../shared/watch.ts';

export type ContainerBounds = {
  /** Limits that are not in force. */
  readonly missing: readonly BoundLimit[];
  breach(): Breach;
};

/** Checked from outside, through the first process inside: an engine may silently ignore a limit. */
export function boundsOf(pid: number, limits: SandboxLimits): ContainerBounds {
  const dirs = groupDirs(pid);
  const files = dirs.version === 1 ? V1 : V2;
  const memory = holder(dirs, 'memory', (dir) => near(amount(dir, files.memory), limits.memoryBytes));
  const pids = holder(dirs, 'pids', (dir) => amount(dir, 'pids.max') === limits.processes + OWN_PROCESSES);
  const cpu = holder(dirs, 'cpu', (dir) => Math.abs(files.cpus(dir) - limits.cpus) < 0.02);
  const found = { memory, processes: pids, cpus: cpu };
  return {
    missing: (['memory', 'processes', 'cpus'] as const).filter((name) => found[name] === null),
    breach: () => {
      if (memory !== null && count(memory, files.killed, 'oom_kill') > 0) return 'memory';
      return pids !== null && count(pids, 'pids.events', 'max') > 0 ? 'processes' : null;
    },
  };
}

/** The engine may have put the process one or two groups below the one that it bounded. */
function holder(dirs: GroupDirs, controller: Controller, has: (dir: string) => boolean): string | null {
  const top = dirs.tops[controller];
  for (let dir = dirs.at[controller]; dir !== undefined && dir !== top && dir !== '/'; dir = dirname(dir))
    if (has(dir)) return dir;
  return null;
}

const V1 = {
  memory: 'memory.limit_in_bytes',
  killed: 'memory.oom_control',
  cpus: (dir: string) => amount(dir, 'cpu.cfs_quota_us') / amount(dir, 'cpu.cfs_period_us'),
};
const V2 = {
  memory: 'memory.max',
  killed: 'memory.events',
  cpus: (dir: string) => {
    const [quota, period] = read(join(dir, 'cpu.max')).split(' ').map(Number);
    return (quota ?? Number.NaN) / (period ?? Number.NaN);
  },
};

const PAGE = 64 << 10;

/** The kernel rounds down to whole pages. */
const near = (is: number, asked: number): boolean => is <= asked && is > asked - PAGE;

/** NaN for "max" and for a missing file. */
const amount = (dir: string, file: string): number => Number(read(join(dir, file)).trim() || Number.NaN);

const count = (dir: string, file: string, key: string): number =>
  Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(read(join(dir, file)))?.[1] ?? 0);
