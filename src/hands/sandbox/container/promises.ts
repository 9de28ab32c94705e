/** What a container can enforce, and what a person can do when one can not be started. */
import type { LimitState } from '../../../engine/ports/sandbox.ts';
import type { EngineFacts } from '../../../mind/sandbox/container-engine.ts';

export function limitStates(engine: EngineFacts | null): LimitState[] {
  const group = `control group${engine === null ? '' : ` v${engine.cgroups}`} of the container, looked at before each start`;
  return [
    { limit: 'memoryBytes', enforced: true, how: group },
    { limit: 'processes', enforced: true, how: `${group}; threads count too` },
    { limit: 'cpus', enforced: true, how: group },
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

/** As exact as the words of an engine allow. */
export function fixFor(problem: string, { kind }: EngineFacts): string {
  if (/hybrid mode not supported/i.test(problem))
    return 'this runtime needs control groups of one version: install runc and set runtime = "runc" in the section [engine] of /etc/containers/containers.conf';
  if (/\/usr\/bin\/env|\/bin\/sh|mkdir|executable file not found/i.test(problem))
    return 'the image needs /bin/sh, /usr/bin/env and mkdir: build the one in containers/, or name another one as sandbox.image';
  if (/did not set the limits/.test(problem))
    return `let ${kind} manage control groups (no --cgroup-manager or cgroups = "disabled" that turns them off), or set sandbox.backend: bubblewrap`;
  if (/permission denied|operation not permitted/i.test(problem))
    return `inside another container or without all powers of root, ${kind} needs more rights than it has here: run it on the machine itself, or set sandbox.backend: bubblewrap`;
  return `see whether this works: ${kind} run --rm --network none IMAGE true`;
}
