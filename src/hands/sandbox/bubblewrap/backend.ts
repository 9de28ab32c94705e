/** The bubblewrap backend: programs in namespaces, a read-only allow-list of paths, seccomp and control groups. */
import { randomBytes } from 'node:crypto';
import { existsSync, lchownSync, realpathSync } from 'node:fs';
import {
  type Sandbox,
  SandboxError,
  type SandboxReport,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { policyProblems } from '../../../mind/sandbox/check-policy.ts';
import { temporaryPaths } from '../../../mind/sandbox/profile.ts';
import { seccompProgram } from '../../../mind/sandbox/seccomp.ts';
import { thisProcess } from '../../../os/machine/identity.ts';
import { machineTrouble } from '../../../os/machine/machine-refusal.ts';
import { Pipes } from '../../../os/process/pipes.ts';
import { giveTree } from '../shared/give-tree.ts';
import { closedTree, ownerOf } from '../shared/tree-owner.ts';
import { FIRST_UID, LAST_UID, Users } from '../shared/users.ts';
import { openDirFor } from './closed.ts';
import { commandOf } from './command.ts';
import { ControlGroup, findPlaces, type GroupPlaces, prepareJoin } from './control-group.ts';
import { findBubblewrap, fixFor, hostFacts, INSTALL } from './host.ts';
import { GROUP_NAME, keeper, makeRunDir, noteOf, sweepNotes } from './ledger.ts';
import type { Site } from './machine-facts.ts';
import { egressMount, resolveMounts } from './mounts.ts';
import { limitStates, PROBE } from './promises.ts';
import { runPrepared } from './run.ts';

export type BubblewrapOptions = {
  /** For notes about runs and for mount points; as root every parent must let other users pass (0711). */
  readonly runDir: string;
  /** Directories never mounted whole into a sandbox: the state directory. */
  readonly hidden: readonly string[];
  /** Where the program is, if not at one of the usual places. */
  readonly bwrap?: string;
  /** Replaces the control groups that would be found. */
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
    const limits = limitStates(this.#site?.groups ?? this.#options.groups ?? findPlaces());
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
      return refused((error as Error).message, machineTrouble(error) ?? fixFor((error as Error).message));
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

  /** Removes pipes that were made ahead; current runs go on. */
  async close(): Promise<void> {
    await this.#site?.pipes.close();
  }

  async #run(request: SandboxRequest): Promise<SandboxResult> {
    const { policy, argv, signal } = request;
    if (signal.aborted) return { end: { how: 'aborted' }, ms: 0, leftovers: 0, forced: false };
    try {
      const site = this.#find();
      const joinable = prepareJoin(site.groups);
      // 1. The mounts, by real paths; checked again, because a link may lead elsewhere.
      const mounts = this.#mounts(request);
      // 2. As root: a separate user, who gets the trees that the program may write to.
      const trees = mounts.filter(({ writable }) => writable).map(({ from }) => from);
      const given = site.root ? [...trees, ...closedTree(mounts, policy.cwd, this.#hidden())] : trees;
      using user = site.root ? await site.users.lease(ownerOf(mounts), given) : null;
      const uid = user?.uid ?? null;
      if (uid !== null) for (const tree of given) await giveTree(tree, uid);
      const ways = egressMount(policy);
      if (uid !== null) for (const { from } of ways) lchownSync(from, uid, uid);
      // 3. The bubblewrap command, a control group, and a note for the next Supervisor in case this one is killed.
      const { limits, temporary = [] } = policy;
      const bounded = { memory: site.groups.at.memory !== undefined, processes: site.groups.at.pids !== undefined };
      const command = commandOf(site, { argv, policy, mounts: [...mounts, ...ways], uid, bounded });
      const name = `${GROUP_NAME}${process.pid}-${randomBytes(6).toString('hex')}`;
      const group = new ControlGroup(site.groups, name);
      using note = noteOf(site.runDir, name, { owner: this.#owner, uid, groups: group.paths });
      // 4. The run.
      const prepared = {
        command,
        limits,
        group,
        joinable,
        bounded,
        note,
        pipes: site.pipes,
        trees,
        filtered: site.seccomp !== null,
        temporary: temporaryPaths({ env: policy.env, mounts, temporary }),
      };
      const result = await runPrepared(prepared, request).finally(() => group.end());
      user?.keep();
      return result;
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      throw new SandboxError(`the sandbox could not be built: ${(error as Error).message}`, { cause: error });
    }
  }

  #mounts({ argv, policy }: SandboxRequest): ReturnType<typeof resolveMounts> {
    const mounts = resolveMounts(policy);
    if (mounts.length === 0) return mounts;
    const resolved = { argv, ...policy, readable: mounts, writable: [], cwd: mounts[0]?.to ?? '/' };
    const problems = policyProblems(resolved, this.#hidden());
    if (problems.length > 0) throw new SandboxError(problems.join('; '));
    return mounts;
  }

  /** All names of the hidden directories. */
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
    const groups = this.#options.groups ?? findPlaces();
    const root = process.getuid?.() === 0;
    const openDir = root ? openDirFor(this.#options.runDir) : this.#options.runDir;
    this.#site = {
      bwrap,
      host: hostFacts(),
      seccomp: seccompProgram(process.arch, groups.at.memory !== undefined),
      groups,
      runDir: this.#options.runDir,
      pipes: new Pipes(this.#options.runDir),
      users: new Users(chance()),
      openDir,
      kept: keeper(openDir),
      root,
    };
    return this.#site;
  }
}

/** A random start for the search for a free user, so that parallel Supervisors seldom collide. */
const chance = (): number => randomBytes(2).readUInt16LE() % (LAST_UID - FIRST_UID + 1);
