/** What this backend can enforce on this machine, and the run that tests it. */
import type { LimitState, SandboxPolicy } from '../../../engine/ports/sandbox.ts';
import type { GroupPlaces } from './control-group.ts';
import { groupFix } from './host.ts';

export function limitStates({ at, version }: GroupPlaces): LimitState[] {
  const group = `control group v${version}`;
  return [
    at.memory !== undefined
      ? { limit: 'memoryBytes', enforced: true, how: group }
      : { limit: 'memoryBytes', enforced: false, how: COUNTED, fix: groupFix(version) },
    at.pids !== undefined
      ? { limit: 'processes', enforced: true, how: `${group}; threads count too` }
      : {
          limit: 'processes',
          enforced: true,
          how: 'counted; the kernel refuses 2048 more, or twice as many; threads count too',
        },
    at.cpu !== undefined
      ? { limit: 'cpus', enforced: true, how: group }
      : { limit: 'cpus', enforced: false, how: 'processor time is not bounded: no control group can be made here' },
    { limit: 'wallMs', enforced: true, how: 'timer' },
    { limit: 'idleMs', enforced: true, how: 'timer' },
    { limit: 'outputBytes', enforced: true, how: 'counted while it is read' },
    {
      limit: 'diskBytes',
      enforced: false,
      how: 'temporary directories by their size; writable mounts are looked at every 500 ms',
    },
  ];
}

/** docs/guarantees.md lists the rest. */
const COUNTED = 'counted every 100 ms, with temporary files and buffers; memory files are refused';

const MIB = 1 << 20;
export const PROBE: SandboxPolicy = {
  kind: 'gate',
  readable: [],
  writable: [],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  limits: {
    memoryBytes: 64 * MIB,
    processes: 16,
    cpus: 1,
    wallMs: 10_000,
    idleMs: null,
    outputBytes: 64 * 1024,
    diskBytes: MIB,
  },
};
