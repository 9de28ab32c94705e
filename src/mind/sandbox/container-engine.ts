/** Facts that Docker and Podman report about themselves: whether their containers can be sandboxes for us at all. */
export type EngineKind = 'docker' | 'podman';

export type EngineFacts = {
  readonly kind: EngineKind;
  readonly version: string;
  readonly rootless: boolean;
  readonly cgroups: 1 | 2;
  readonly seccomp: boolean;
  /** The kernel of the machine that runs the containers. */
  readonly kernel: string;
  /** Limits that it would accept and ignore. */
  readonly ignored: readonly BoundLimit[];
};

export type BoundLimit = (typeof BOUND_LIMITS)[number];
const BOUND_LIMITS = ['memory', 'processes', 'cpus'] as const;

/** The variables by which an engine's programs find it. */
export const ENGINE_VARIABLES = [
  ...['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'CONTAINER_HOST', 'CONTAINERS_CONF', 'CONTAINERS_STORAGE_CONF'],
] as const;

/** First the one that needs no daemon. */
export const kindsOf = (wanted: 'container' | EngineKind): readonly EngineKind[] =>
  wanted === 'container' ? ['podman', 'docker'] : [wanted];

/**
 * From `info --format '{{json .}}'` of either: `docker` may be a link to Podman, so its answer counts, not its name.
 */
export function readEngine(text: string): EngineFacts | null {
  const said = parsed(text);
  if (said === null) return null;
  const host = mapOf(said['host']);
  return host === null ? dockerFacts(said) : podmanFacts(host, mapOf(said['version']) ?? {});
}

function podmanFacts(host: EngineInfo, version: EngineInfo): EngineFacts {
  const security = mapOf(host['security']) ?? {};
  const rootless = security['rootless'] === true;
  const cgroups = host['cgroupVersion'] === 'v2' ? 2 : 1;
  const controllers = listOf(host['cgroupControllers']);
  // On version 1 it prints a warning at most and continues; on 2 it has what was delegated to the user.
  const has = (name: string) => !rootless || (cgroups === 2 && controllers.includes(name));
  return {
    kind: 'podman',
    rootless,
    cgroups,
    version: textOf(version['Version']),
    kernel: textOf(host['kernel']),
    seccomp: security['seccompEnabled'] === true,
    ignored: missing({ memory: has('memory'), processes: has('pids'), cpus: has('cpu') }),
  };
}

/** Without a daemon the program answers too, with an empty version. */
function dockerFacts(said: EngineInfo): EngineFacts | null {
  const version = textOf(said['ServerVersion']);
  if (version === '') return null;
  const options = listOf(said['SecurityOptions']);
  const has = (name: string) => options.some((option) => option.split(',').includes(`name=${name}`));
  return {
    kind: 'docker',
    version,
    rootless: has('rootless'),
    seccomp: has('seccomp'),
    cgroups: said['CgroupVersion'] === '2' ? 2 : 1,
    kernel: textOf(said['KernelVersion']),
    ignored: missing({
      memory: said['MemoryLimit'] === true,
      processes: said['PidsLimit'] === true,
      cpus: said['CpuCfsQuota'] === true,
    }),
  };
}

export type EngineRefusal = { readonly problem: string; readonly fix: string };

/** Why such an engine cannot be used here; null if it can be tried. `ours`: the kernel and the user of this process. */
export function refusalOf(
  engine: EngineFacts,
  ours: { readonly kernel: string; readonly root: boolean },
): EngineRefusal | null {
  const { kind, rootless, cgroups, kernel, ignored } = engine;
  if (kernel !== ours.kernel)
    return {
      problem: `${kind} runs its containers on another kernel (${kernel || 'unknown'}): a virtual machine or another host, where neither our trees nor our pipes are`,
      fix: `use an engine of this machine itself (no DOCKER_HOST or CONTAINER_HOST that leads elsewhere, no Docker Desktop), or sandbox.backend: bubblewrap`,
    };
  if (ours.root && rootless)
    return {
      problem: `${kind} belongs to another user than Supervisor, which is root: its containers could not write our trees`,
      fix: `run Supervisor as the user that ${kind} belongs to, or let root use an engine of root`,
    };
  if (ignored.length === 0) return null;
  const lost = `${kind} would silently ignore the limits of ${ignored.join(', ')}`;
  if (!rootless) return { problem: `${lost}: the kernel has no control groups for them`, fix: KERNEL };
  return cgroups === 1
    ? { problem: `${lost}: it runs without root on control groups of version 1`, fix: VERSION_2 }
    : { problem: `${lost}: their control groups are not given to this user`, fix: DELEGATE };
}

const ELSE = 'or run Supervisor and the engine as root, or set sandbox.backend: bubblewrap';
const KERNEL = 'boot with cgroup_enable=memory, or set sandbox.backend: bubblewrap';
const VERSION_2 = `boot with systemd.unified_cgroup_hierarchy=1, ${ELSE}`;
const DELEGATE = `as root write "[Service]\\nDelegate=cpu memory pids" to /etc/systemd/system/user@.service.d/delegate.conf, run systemctl daemon-reload and log in anew, ${ELSE}`;

type EngineInfo = Readonly<Record<string, unknown>>;

const missing = (has: Readonly<Record<BoundLimit, boolean>>): BoundLimit[] => BOUND_LIMITS.filter((name) => !has[name]);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const mapOf = (value: unknown): EngineInfo | null =>
  typeof value === 'object' && value !== null ? (value as EngineInfo) : null;
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);

function parsed(text: string): EngineInfo | null {
  try {
    return mapOf(JSON.parse(text));
  } catch {
    return null;
  }
}
