/** The environments of one project: prepared in a sandbox once per key, and sealed below the state directory. */
import { randomBytes } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentState, Environments, ReadyEnvironment } from '../../engine/ports/environments.ts';
import { type Sandbox, SandboxError, type SandboxLimits } from '../../engine/ports/sandbox.ts';
import { WorkspaceError, type WorkspaceSource, type Workspaces } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Cache } from '../../mind/environment/caches.ts';
import type { EnvironmentConfig } from '../../mind/environment/environment-config.ts';
import { environmentKey } from '../../mind/environment/key.ts';
import { mayHoldOwnVersion, withoutOwnVersion } from '../../mind/environment/own-version.ts';
import {
  type EnvironmentPlan,
  environmentPlan,
  environmentProblems,
  shownAt,
  writtenInside,
} from '../../mind/environment/plan.ts';
import { git } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { findProgram } from '../../os/machine/tool-chains.ts';
import { takeLock } from './lock.ts';
import { PrepareError, type PrepareTools, prepareAnyhow, type RegistryAccess, STOPPED } from './prepare.ts';
import { Shared } from './shared.ts';
import { type SealedEnvironment, Shelf } from './shelf.ts';

export type SealedEnvironmentsOptions = {
  readonly sandbox: Sandbox;
  readonly workspaces: Pick<Workspaces, 'make'>;
  readonly config: EnvironmentConfig;
  readonly stateDir: string;
  readonly project: ProjectId;
  /** The user's shared git directory: key files are compared by git's ids, whatever their size. */
  readonly commonDir: string;
  readonly tools: PrepareTools;
  /** True if the operator allows network for this run. */
  readonly network: boolean;
  /** Access to registries; absent or null: a preparation only has the caches. */
  readonly wayOut?: RegistryAccess | null;
  readonly caches: readonly Cache[];
  readonly limits?: Partial<SandboxLimits>;
};

type PrepareProgress = Parameters<Environments['ready']>[1];

const GIB = 2 ** 30;
const LIMITS: SandboxLimits = {
  memoryBytes: 4 * GIB,
  processes: 1000,
  cpus: 2,
  wallMs: 30 * 60_000,
  idleMs: 10 * 60_000,
  outputBytes: 64 << 20,
  diskBytes: 8 * GIB,
};

export class SealedEnvironments implements Environments {
  readonly outputs: readonly string[];
  readonly #options: SealedEnvironmentsOptions;
  readonly #plan: EnvironmentPlan;
  readonly #shelf: Shelf;
  readonly #shared = new Shared<EnvironmentState>();

  constructor(options: SealedEnvironmentsOptions) {
    const problems = environmentProblems(options.config);
    if (problems.length > 0) throw new Error(problems.join('; '));
    this.#options = options;
    this.#plan = environmentPlan(options.config);
    this.#shelf = new Shelf(options.stateDir, options.project);
    this.outputs = this.#plan.inTree;
  }

  async keyOf(tree: string): Promise<string> {
    const plan = this.#plan;
    return environmentKey({
      plan,
      files: await this.#blobs(tree),
      tools: toolFacts(this.#options.tools, plan.prepare),
    });
  }

  async changedKeys(base: string, tree: string): Promise<readonly string[]> {
    const [before, after] = await Promise.all([this.#blobs(base), this.#blobs(tree)]);
    return this.#plan.keyFiles.filter((_, index) => before[index] !== after[index]);
  }

  async ready(
    tree: string,
    told: PrepareProgress,
    from?: Parameters<Environments['ready']>[2],
  ): Promise<EnvironmentState> {
    try {
      const key = await this.keyOf(tree);
      if (this.#plan.prepare === null) return this.#ready(key, null);
      const found = await this.#shelf.find(key);
      if (found !== null) return this.#ready(key, found);
      const source = from === undefined ? { base: tree, tree: null } : { ...from, tree };
      const state = await this.#shared.join(key, told, (all) => this.#prepare(key, source, all));
      return state ?? { type: 'failed', message: STOPPED };
    } catch (error) {
      return { type: 'failed', message: messageOf(error) };
    }
  }

  async sweep(keys: ReadonlySet<string>, dryRun: boolean): Promise<readonly string[]> {
    const dead = await this.#shelf.sweepDead(dryRun);
    const unneeded = this.#shelf.keys().filter((key) => !keys.has(key) && !this.#shared.has(key));
    if (!dryRun) for (const key of unneeded) await this.#shelf.remove(key);
    return [...dead, ...unneeded.map((key) => join(this.#shelf.dir, key))];
  }

  #blobs(tree: string): Promise<readonly (string | null)[]> {
    return blobsOf(this.#options.commonDir, tree, this.#plan.keyFiles);
  }

  async #prepare(key: string, source: WorkspaceSource, told: PrepareProgress): Promise<EnvironmentState> {
    this.#shelf.open();
    const waiting = ({ pid }: { readonly pid: number }) =>
      told.onOutput(`process ${pid} prepares the same environment: waiting for it\n`);
    const chance = randomBytes(6).toString('hex');
    using lock = await takeLock(this.#shelf.lockOf(key), chance, { signal: told.signal, waiting });
    if (lock === null) throw new PrepareError(STOPPED);
    const found = await this.#shelf.find(key);
    if (found !== null) return this.#ready(key, found);
    await this.#shelf.sweepDead(false);
    const { config: _, limits, wayOut = null, ...context } = this.#options;
    const made = await prepareAnyhow(
      { ...context, wayOut, plan: this.#plan, shelf: this.#shelf, limits: { ...LIMITS, ...limits } },
      key,
      source,
      told,
    );
    return this.#ready(key, made);
  }

  #ready(key: string, sealed: SealedEnvironment | null): EnvironmentState {
    const outputs = sealed?.manifest.outputs ?? [];
    const environment: ReadyEnvironment = {
      key,
      readable: outputs.map(({ path, name }) => ({ from: join(sealed?.dir ?? '', name), to: shownAt(path) })),
      env: { ...sealed?.manifest.env, ...this.#plan.env },
      path: sealed?.manifest.path ?? [],
      temporary: [...this.#plan.inTree, ...this.#plan.outside].map(shownAt).flatMap(writtenInside),
    };
    return { type: 'ready', environment };
  }
}

/** Failures that a person can fix; anything else is a bug of ours and thrown. */
function messageOf(error: unknown): string {
  const known = [PrepareError, WorkspaceError, SandboxError, GitError];
  if (known.some((type) => error instanceof type)) return (error as Error).message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return `the environment could not be prepared: ${message}`;
}

/** A larger file is compared byte for byte. */
const MAX_READ = 32 << 20;

/** Reads paths of a commit or tree without a checkout: mode and id, or a hash of the relevant part. */
async function blobsOf(commonDir: string, tree: string, paths: readonly string[]): Promise<readonly (string | null)[]> {
  if (paths.length === 0) return [];
  const call = { dir: commonDir, env: { GIT_DIR: commonDir } };
  const listed = await git(['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', tree, '--', ...paths], call);
  const found = new Map(
    await Promise.all(
      listed.split('\0').flatMap((line) => {
        const [, mode = '', type, id = '', size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
        if (type === undefined || path === undefined) return [];
        const isRead = type === 'blob' && mode.startsWith('100') && Number(size) <= MAX_READ && mayHoldOwnVersion(path);
        const told = isRead
          ? git(['cat-file', 'blob', id], call).then((text) => sha256(withoutOwnVersion(path, text)))
          : Promise.resolve(id);
        return [told.then((what) => [path, `${mode} ${type} ${what}`] as const)];
      }),
    ),
  );
  return paths.map((path) => found.get(path) ?? null);
}

/** Runtimes that installed packages depend on. */
const RUNTIMES = ['node', 'python3', 'python', 'ruby', 'php', 'java', 'go', 'rustc', 'cargo', 'deno', 'bun'];

/** By real path and size: a modification time would change whenever a version manager refreshes its shims. */
function toolFacts(tools: PrepareTools, prepare: readonly string[] | null): string[] {
  if (prepare === null) return [];
  const names = [...RUNTIMES, ...prepare.slice(0, 1)];
  const programs = names.flatMap((name) => {
    const found = findProgram(name, tools.path.join(':'));
    if (found === null) return [];
    const real = realpathSync(found);
    return [`${name} ${real} ${statSync(real).size}`];
  });
  return [...programs, ...(tools.identity ?? [])];
}
