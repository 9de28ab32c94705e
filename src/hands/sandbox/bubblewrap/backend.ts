/** The bubblewrap backend: programs behind namespaces, a read-only allow-list of paths, seccomp and control groups. */
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import {
  type LimitState,
  type Sandbox,
  SandboxError,
  type SandboxPolicy,
  type SandboxReport,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { policyProblems } from '../../../mind/sandbox/check-policy.ts';
import { temporaryPaths } from '../../../mind/sandbox/profile.ts';
import { seccompProgram } from '../../../mind/sandbox/seccomp.ts';
import { thisProcess } from '../../../os/machine/identity.ts';
import { Pipes } from '../../../os/process/pipes.ts';
import { commandOf } from './command.ts';
import { ControlGroup, findPlaces, type GroupPlaces, prepareJoin } from './control-group.ts';
import { giveTree } from './give-tree.ts';
import { findBubblewrap, fixFor, hostFacts, INSTALL } from './host.ts';
import { GROUP_NAME, keeper, makeRunDir, noteOf, sweepNotes } from './ledger.ts';
import { resolveMounts } from './mounts.ts';
import { runPrepared } from './run.ts';
import type { Site } from './site.ts';
import { FIRST_UID, isOurs, LAST_UID, Users } from './users.ts';

export type BubblewrapOptions = {
  /** For notes about runs and for mount points; as root every parent must let other users pass (0711). */
  readonly runDir: string;
  /** Never shown whole to any program: the state directory. */
  readonly hidden: readonly string[];
  /** Where the program is, if not at one of the usual places. */
  readonly bwrap?: string;
  /** Control groups to use, if not those found. */
  readonly groups?: GroupPlaces;
};

export class BubblewrapSandbox implements Sandbox {
  readonly #options: BubblewrapOptions;
  readonly #owner = thisProcess();
  #site: Site | null = null;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
  }

  async probe(): Promise<SandboxReport> {
    const limits = this.#limits();
    const refused = (problem: string, fix: string): SandboxReport => ({
      ready: false,
      backend: 'bubblewrap',
      limits: limits.map((state) => ({ ...state, enforced: false })),
      problem,
      fix,
    });
    if (this.#bwrap() === null) return refused('bubblewrap is not installed', INSTALL);
    try {
      const { end } = await this.#run({
        argv: ['true'],
        policy: PROBE,
        input: '',
        onOutput: () => {},
        signal: new AbortController().signal,
      });
      if (end.how !== 'exit' || end.code !== 0)
        return refused(`a trial run ended with ${JSON.stringify(end)}`, fixFor(''));
    } catch (error) {
      return refused((error as Error).message, fixFor((error as Error).message));
    }
    const filter = this.#find().seccomp === null ? `no seccomp filter for ${process.arch}` : 'seccomp';
    return { ready: true, backend: `bubblewrap, ${filter}`, limits, problem: null, fix: null };
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const problems = policyProblems({ argv: request.argv, ...request.policy }, this.#hidden());
    if (problems.length > 0) throw new SandboxError(`the sandbox policy is refused: ${problems.join('; ')}`);
    return this.#run(request);
  }

  async sweep(): Promise<{ readonly removed: number }> {
    return { removed: await sweepNotes(this.#options.runDir) };
  }

  async #run(request: SandboxRequest): Promise<SandboxResult> {
    const { policy, argv, signal } = request;
    if (signal.aborted) return { end: { how: 'aborted' }, ms: 0, leftovers: 0, forced: false };
    try {
      const site = this.#find();
      const joinable = prepareJoin(site.groups);
      const mounts = resolveMounts(policy);
      const problems = policyProblems(
        { argv, ...policy, readable: mounts, writable: [], cwd: mounts[0]?.to ?? '/' },
        this.#hidden(),
      );
      if (mounts.length > 0 && problems.length > 0) throw new SandboxError(problems.join('; '));
      const trees = mounts.filter(({ writable }) => writable).map(({ from }) => from);
      using user = site.root ? await site.users.lease(ownerOf(mounts), trees) : null;
      if (user !== null) for (const tree of trees) await giveTree(tree, user.uid);
      const uid = user?.uid ?? null;
      const name = `${GROUP_NAME}${process.pid}-${randomBytes(6).toString('hex')}`;
      const group = new ControlGroup(site.groups, name);
      using note = noteOf(site.runDir, name, { owner: this.#owner, uid, groups: group.paths });
      const { limits, temporary = [] } = policy;
      const bounded = { memory: site.groups.at.memory !== undefined, processes: site.groups.at.pids !== undefined };
      const prepared = {
        ...{ command: commandOf(site, { argv, policy, mounts, uid, bounded }), limits, group, bounded, note, joinable },
        ...{ pipes: site.pipes, trees, temporary: temporaryPaths({ env: policy.env, mounts, temporary }) },
      };
      const result = await runPrepared(prepared, request).finally(() => group.end());
      user?.keep();
      return result;
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      throw new SandboxError(`the sandbox could not be built: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Under every name they have. */
  #hidden(): string[] {
    const paths = [this.#options.runDir, ...this.#options.hidden];
    return [...paths, ...paths.filter((path) => existsSync(path)).map((path) => realpathSync(path))];
  }

  #bwrap(): string | null {
    const { bwrap } = this.#options;
    return bwrap === undefined ? findBubblewrap() : existsSync(bwrap) ? bwrap : null;
  }

  #find(): Site {
    if (this.#site !== null) return this.#site;
    const bwrap = this.#bwrap();
    if (bwrap === null) throw new SandboxError(`bubblewrap is not installed: ${INSTALL}`);
    makeRunDir(this.#options.runDir);
    this.#site = {
      bwrap,
      host: hostFacts(),
      seccomp: seccompProgram(process.arch),
      groups: this.#options.groups ?? findPlaces(),
      runDir: this.#options.runDir,
      pipes: new Pipes(this.#options.runDir),
      users: new Users(chance()),
      kept: keeper(this.#options.runDir),
      root: process.getuid?.() === 0,
    };
    return this.#site;
  }

  #limits(): LimitState[] {
    const { at, version } = this.#site?.groups ?? this.#options.groups ?? findPlaces();
    const group = `control group v${version}`;
    return [
      at.memory !== undefined
        ? { limit: 'memoryBytes', enforced: true, how: group }
        : { limit: 'memoryBytes', enforced: false, how: 'the sum of all processes is looked at every 100 ms' },
      at.pids !== undefined
        ? { limit: 'processes', enforced: true, how: `${group}; threads count too` }
        : { limit: 'processes', enforced: true, how: 'RLIMIT_NPROC in its user namespace; threads count too' },
      at.cpu !== undefined
        ? { limit: 'cpus', enforced: true, how: group }
        : { limit: 'cpus', enforced: false, how: 'no control group can be made here' },
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
}

const MIB = 1 << 20;
const PROBE: SandboxPolicy = {
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

/** A tree that already belongs to one of our users is run as that user: nothing needs to change hands. */
function ownerOf(mounts: readonly { readonly from: string; readonly writable: boolean }[]): number | null {
  const first = [...mounts].sort((a, b) => Number(b.writable) - Number(a.writable));
  return first.map(({ from }) => statSync(from).uid).find(isOurs) ?? null;
}

/** Where to begin the search for a free user, so that parallel Supervisors seldom want the same. */
const chance = (): number => randomBytes(2).readUInt16LE() % (LAST_UID - FIRST_UID + 1);
