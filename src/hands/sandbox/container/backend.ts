/** The container backend: the same policies, enforced by Docker or Podman. */
import { randomBytes } from 'node:crypto';
import { existsSync, lchownSync, mkdirSync, realpathSync } from 'node:fs';
import {
  type LimitState,
  type Sandbox,
  SandboxError,
  type SandboxReport,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { policyProblems } from '../../../mind/sandbox/check-policy.ts';
import {
  containerArgv,
  containerProblems,
  homeOf,
  madeUpFiles,
  tmpfsPaths,
} from '../../../mind/sandbox/container-argv.ts';
import type { EngineFacts, EngineRefusal } from '../../../mind/sandbox/container-engine.ts';
import { startWords } from '../../../mind/sandbox/container-words.ts';
import { REACHED_FIX } from '../../../mind/sandbox/first-process.ts';
import { temporaryPaths } from '../../../mind/sandbox/profile.ts';
import { thisProcess } from '../../../os/machine/identity.ts';
import { Pipes, sweepPipes } from '../../../os/process/pipes.ts';
import { keeper } from '../bubblewrap/ledger.ts';
import { egressMount, resolveMounts } from '../bubblewrap/mounts.ts';
import { PROBE } from '../bubblewrap/promises.ts';
import { giveTree } from '../shared/give-tree.ts';
import { closedTree, ownerOf } from '../shared/tree-owner.ts';
import { FIRST_UID, LAST_UID, Users } from '../shared/users.ts';
import { makeWires, sweepWires } from './container-pipes.ts';
import { type ContainerEngine, type EngineWish, findEngine, imageRefusal } from './engine.ts';
import { makePlaces, mostOf } from './host.ts';
import { runContained } from './run.ts';
import { COPY, FIRST } from './scripts.ts';
import { ownerText, sweepContainers } from './sweep.ts';

export type ContainerOptions = {
  readonly engine: EngineWish;
  /** Must exist already: nothing is ever pulled. */
  readonly image: string;
  /** For pipes; only root's need to be passable for others. */
  readonly runDir: string;
  /** Directories never mounted whole into a container: the state directory. */
  readonly hidden: readonly string[];
  /** The operator's variables in ENGINE_VARIABLES that are set. Only the engine's programs get them. */
  readonly env: Readonly<Record<string, string>>;
};

type Site = {
  readonly engine: ContainerEngine;
  readonly pipes: Pipes;
  readonly users: Users;
  readonly kept: (text: string) => string;
};

export class ContainerSandbox implements Sandbox {
  readonly #options: ContainerOptions;
  readonly #owner = thisProcess();
  #found: ContainerEngine | null = null;
  #site: Site | null = null;

  constructor(options: ContainerOptions) {
    this.#options = options;
  }

  async probe(): Promise<SandboxReport> {
    const { image, engine: wanted } = this.#options;
    const refused = (backend: string, problem: string, fix: string): SandboxReport => ({
      ready: false,
      backend,
      limits: limitStates(null).map((state) => ({ ...state, enforced: false })),
      problem,
      fix,
    });
    const engine = await this.#engine();
    if (!('command' in engine)) return refused(wanted, engine.problem, engine.fix);
    const { facts } = engine;
    const missing = await imageRefusal(engine, image);
    if (missing !== null) return refused(facts.kind, missing.problem, missing.fix);
    try {
      const { end } = await this.#run({
        argv: ['/bin/sh', '-c', ':'],
        policy: PROBE,
        input: '',
        onOutput: () => {},
        signal: new AbortController().signal,
      });
      if (end.how !== 'exit' || end.code !== 0)
        return refused(facts.kind, `a trial run ended with ${JSON.stringify(end)}`, fixFor('', facts));
    } catch (error) {
      const { message } = error as Error;
      return refused(facts.kind, message, fixFor(message, facts));
    }
    const about = [
      `${facts.kind} ${facts.version}`,
      facts.rootless ? 'rootless' : 'as root',
      facts.seccomp ? 'seccomp' : 'no seccomp filter',
      `image ${image}`,
    ];
    return { ready: true, backend: about.join(', '), limits: limitStates(facts), problem: null, fix: null };
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const { argv, policy } = request;
    const problems = [...policyProblems({ argv, ...policy }, this.#hidden()), ...containerProblems(policy)];
    if (problems.length > 0) throw new SandboxError(`the sandbox policy is refused: ${problems.join('; ')}`);
    return this.#run(request);
  }

  /** Removes containers of dead owners, whoever started them on this machine, and the rest of their pipes. */
  async sweep(): Promise<{ readonly removed: number }> {
    const { runDir } = this.#options;
    const engine = await this.#engine();
    const removed = 'command' in engine ? await sweepContainers(engine) : 0;
    sweepWires(runDir);
    if (existsSync(runDir)) await sweepPipes(runDir);
    return { removed };
  }

  async #run(request: SandboxRequest): Promise<SandboxResult> {
    const { policy, argv, signal } = request;
    if (signal.aborted) return { end: { how: 'aborted' }, ms: 0, leftovers: 0, forced: false };
    try {
      const site = await this.#find();
      const { facts } = site.engine;
      // 1. The mounts, by real paths; checked again, because a link may lead elsewhere.
      const mounts = this.#mounts(request);
      // 2. As root: a separate user, who gets the trees that the program may write to.
      const root = process.getuid?.() === 0;
      const trees = mounts.filter(({ writable }) => writable).map(({ from }) => from);
      const given = root ? [...trees, ...closedTree(mounts, policy.cwd, this.#hidden())] : trees;
      using user = root ? await site.users.lease(ownerOf(mounts), given) : null;
      if (user !== null) for (const tree of given) await giveTree(tree, user.uid);
      const uid = user?.uid ?? null;
      makePlaces(mounts, uid);
      const ways = egressMount(policy);
      if (uid !== null) for (const { from } of ways) lchownSync(from, uid, uid);
      // 3. The engine's command, and the words for the first process inside.
      const { limits, temporary = [], env, cwd } = policy;
      const name = `supervisor-sandbox-${process.pid}-${randomBytes(6).toString('hex')}`;
      const inside = insideUser(uid, facts.kind === 'docker' && facts.rootless);
      const home = homeOf(env);
      using wires = await makeWires(this.#options.runDir, name, request.input, uid);
      const plan = containerArgv(facts, {
        name,
        image: this.#options.image,
        user: inside,
        temporary,
        env,
        limits,
        copy: COPY,
        first: FIRST,
        owner: ownerText(this.#owner),
        mounts: [...mounts, ...ways],
        network: policy.network === 'host',
        start: wires.dir,
        files: madeUpFiles(inside, home).map(({ to, text }) => ({ to, from: site.kept(text) })),
        most: mostOf(),
      });
      const places = tmpfsPaths({ env, mounts, temporary });
      const words = startWords({ cwd, home, temporary: places, env, argv });
      const inner = temporaryPaths({ env, mounts, temporary });
      // 4. The run.
      const start = { engine: site.engine, name, argv: plan, wires, words, pipes: site.pipes, limits, trees };
      const result = await runContained({ ...start, temporary: inner }, request);
      user?.keep();
      return result;
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      throw new SandboxError(`the container could not be started: ${(error as Error).message}`, { cause: error });
    }
  }

  #mounts({ argv, policy }: SandboxRequest): ReturnType<typeof resolveMounts> {
    const mounts = resolveMounts(policy);
    if (mounts.length === 0) return mounts;
    const resolved = { ...policy, readable: mounts, writable: [] };
    const problems = [
      ...policyProblems({ argv, ...resolved, cwd: mounts[0]?.to ?? '/' }, this.#hidden()),
      ...containerProblems(resolved),
    ];
    if (problems.length > 0) throw new SandboxError(problems.join('; '));
    return mounts;
  }

  /** All names of the hidden directories. */
  #hidden(): string[] {
    const paths = [this.#options.runDir, ...this.#options.hidden];
    return [...paths, ...paths.filter((path) => existsSync(path)).map((path) => realpathSync(path))];
  }

  async #find(): Promise<Site> {
    const engine = await this.#engine();
    if (!('command' in engine)) throw new SandboxError(`${engine.problem}: ${engine.fix}`);
    this.#site ??= this.#siteOf(engine);
    return this.#site;
  }

  /** A working engine is searched once; a broken one may be repaired meanwhile. */
  async #engine(): Promise<ContainerEngine | EngineRefusal> {
    if (this.#found !== null) return this.#found;
    const found = await findEngine(this.#options.engine, this.#options.env);
    if ('command' in found) this.#found = found;
    return found;
  }

  #siteOf(engine: ContainerEngine): Site {
    const { runDir } = this.#options;
    mkdirSync(runDir, { recursive: true, mode: 0o711 });
    const chance = randomBytes(2).readUInt16LE() % (LAST_UID - FIRST_UID + 1);
    return { engine, pipes: new Pipes(runDir), users: new Users(chance), kept: keeper(runDir) };
  }
}

/** The user inside the container. In rootless Docker, uid 0 is the operator, without privileges. */
function insideUser(uid: number | null, zero: boolean): { readonly uid: number; readonly gid: number } {
  if (uid !== null) return { uid, gid: uid };
  return zero ? { uid: 0, gid: 0 } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** What a container can enforce, and what a person can do if none can be started. */
function limitStates(engine: EngineFacts | null): LimitState[] {
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

/** As exact as the engine's message allows. */
function fixFor(problem: string, { kind }: EngineFacts): string {
  if (/can reach the first process/.test(problem)) return REACHED_FIX;
  if (/hybrid mode not supported/i.test(problem))
    return 'this runtime needs control groups of one version: install runc and set runtime = "runc" in the section [engine] of /etc/containers/containers.conf';
  if (/\/usr\/bin\/env|\/bin\/sh|mkdir|chmod|cat: |executable file not found/i.test(problem))
    return 'the image needs /bin/sh, /usr/bin/env, cat, chmod and mkdir: build the one in containers/, or name another one as sandbox.image';
  if (/did not set the limits/.test(problem))
    return `let ${kind} manage control groups (no --cgroup-manager or cgroups = "disabled" that turns them off), or set sandbox.backend: bubblewrap`;
  if (/permission denied|operation not permitted/i.test(problem))
    return `inside another container or without all powers of root, ${kind} needs more rights than it has here: run it on the machine itself, or set sandbox.backend: bubblewrap`;
  return `see whether this works: ${kind} run --rm --network none IMAGE true`;
}
