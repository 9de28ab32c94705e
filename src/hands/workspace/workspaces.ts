/** The workspaces of one project, over the user's git repository. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type {
  Captured,
  ChangedPath,
  CheckOut,
  Integrated,
  Landed,
  LandedChange,
  LandedCommit,
  Publication,
  Published,
  Workspace,
  WorkspaceSource,
  Workspaces,
} from '../../engine/ports/workspace.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import { ownerOf } from '../../os/git/owner.ts';
import { Background } from './background.ts';
import { checkBase, checkWritable, resolveCommit } from './base.ts';
import { Blobs } from './blobs.ts';
import { capture } from './capture.ts';
import { captureCheckout } from './checkout.ts';
import { DEFAULT_LIMITS, type GitContext, inPrivateDir, placesOf, type WorkspaceLimits } from './context.ts';
import { integrate } from './integrate.ts';
import { fastForward, holds, land, tip } from './land.ts';
import { identityOf, makeBeside, makeTree } from './make.ts';
import { listPins, unpin } from './pins.ts';
import { appear, othersAtWork } from './presence.ts';
import { Ahead } from './prewarmed-trees.ts';
import { openPrivateDir } from './private-dir.ts';
import { publish, published } from './publish.ts';
import { between, changes, changesBetween, history, paths, read } from './reading.ts';
import { Known } from './repository-cache.ts';
import { clearUp, sweep } from './sweep.ts';
import { checkOut } from './take.ts';
import { Trash } from './trash.ts';
import { differing, uncommittedFiles } from './uncommitted.ts';
import { worktreeAt } from './worktrees.ts';

export type GitWorkspacesOptions = {
  readonly stateDir: string;
  readonly project: ProjectId;
  /** The user's shared git directory, as `locateCommonDir` finds it. */
  readonly commonDir: string;
  readonly home?: string | null;
  readonly limits?: Partial<WorkspaceLimits>;
  /** How long to wait for another git process's lock. */
  readonly lockWaitMs?: number;
  /** Called after each sub-step; a test may throw here, as a crash would. */
  readonly failpoint?: (name: string) => void;
  /** Called with what could not be deleted in the background; the next sweep tries again. */
  readonly failed?: (path: string, error: Error) => void;
};

export class GitWorkspaces implements Workspaces {
  readonly #context: GitContext;
  #opened: Promise<void> | null = null;
  #presence: Disposable | null = null;
  #running = 0;

  constructor(options: GitWorkspacesOptions) {
    const { trashDir, ...places } = placesOf(options.stateDir, options.project);
    const trash = new Trash(trashDir, options.failed ?? (() => {}));
    this.#context = {
      ...places,
      commonDir: options.commonDir,
      home: options.home ?? null,
      owner: ownerOf(join(options.commonDir, 'objects')),
      trash,
      ahead: new Ahead(places.workspaces, trash),
      background: new Background(),
      known: new Known(),
      blobs: new Blobs(),
      begun: new Set(),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      failpoint: options.failpoint ?? (() => {}),
      lockWaitMs: options.lockWaitMs ?? 3000,
    };
  }

  make(name: string, from: WorkspaceSource): Promise<Workspace> {
    // No other call, in any process, ever gets the same.
    const place = `${name}.${randomBytes(6).toString('hex')}`;
    this.#context.begun.add(name).add(place);
    return this.#with(async (context) => {
      const made = await makeTree(context, { name, place }, from);
      return {
        tree: made.tree,
        base: made.base,
        isThere: () => identityOf(made.tree) === made.identity,
        beside: (name) => makeBeside(made.tree, name),
        capture: () => this.#with(() => capture(context, made)),
        remove: async () => {
          context.trash.dispose(dirname(made.tree));
        },
      };
    });
  }

  check(base: string): Promise<void> {
    return this.#with(async (context) => {
      checkWritable(context);
      await checkBase(context, await resolveCommit(context, base), inPrivateDir(context, null));
    });
  }

  between(base: string, commit: string): Promise<Candidate> {
    return this.#with((context) => between(context, base, commit));
  }

  async captureCheckout(name: string, checkout: string, base: string): Promise<Captured | null> {
    const place = `${name}.${randomBytes(6).toString('hex')}`;
    this.#context.begun.add(name).add(place);
    return this.#with(async (context) => {
      const made = await makeTree(context, { name, place }, { base, tree: null });
      try {
        return await captureCheckout(context, made, checkout);
      } finally {
        context.trash.dispose(dirname(made.tree));
      }
    });
  }

  differing(dir: string, tree: string): Promise<readonly string[] | null> {
    return this.#with((context) => differing(context, dir, tree));
  }

  checkOut(what: CheckOut): Promise<string> {
    return this.#with((context) => checkOut(context, what));
  }

  release(name: string): Promise<void> {
    return this.#with(async (context) => {
      const own = (await listPins(context)).filter((pin) => pin.name === name);
      await unpin(context, own);
    });
  }

  releaseAbandoned(prefix: string): Promise<void> {
    return this.#with(async (context) => {
      const found = (await listPins(context)).filter((pin) => pin.name.startsWith(prefix));
      // Checked after the look: a living owner of any of them was there before.
      if (found.length > 0 && !othersAtWork(context)) await unpin(context, found);
    });
  }

  changes(candidate: Candidate): Promise<readonly ChangedPath[]> {
    return this.#with((context) => changes(context, candidate));
  }

  changesBetween(from: string, to: string): Promise<readonly ChangedPath[]> {
    return this.#with((context) => changesBetween(context, from, to));
  }

  history(commit: string, of: readonly string[], most: number): Promise<readonly { commit: string; parent: string }[]> {
    return this.#with((context) => history(context, commit, { paths: of, most }));
  }

  paths(tree: string): Promise<readonly string[]> {
    return this.#with((context) => paths(context, tree));
  }

  read(tree: string, wanted: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#with((context) => read(context, tree, wanted));
  }

  integrate(name: string, candidate: Candidate, onto: string, above?: string): Promise<Integrated> {
    this.#context.begun.add(name);
    return this.#with((context) => integrate(context, name, candidate, { onto, above }));
  }

  publish(publication: Publication): Promise<Published> {
    return this.#with((context) => publish(context, publication));
  }

  published(publication: Publication): Promise<string | null> {
    return this.#with((context) => published(context, publication));
  }

  uncommitted(checkout: string, commit: string): Promise<readonly string[] | null> {
    return this.#with(async (context) => {
      const worktree = await worktreeAt(context, checkout);
      return worktree === null ? null : uncommittedFiles(context, worktree, commit);
    });
  }

  tip(branch: string): Promise<string | null> {
    return this.#with((context) => tip(context, branch));
  }

  holds(branch: string, commit: string): Promise<boolean> {
    return this.#with((context) => holds(context, branch, commit));
  }

  land(branch: string, commit: string, change: LandedChange, below: readonly LandedCommit[] = []): Promise<Landed> {
    return this.#with((context) => land(context, branch, [...below, { commit, change }]));
  }

  fastForward(
    checkout: { readonly path: string; readonly branch: string },
    commit: string,
    change: LandedChange,
    below: readonly LandedCommit[] = [],
  ): Promise<string | null> {
    return this.#with((context) => fastForward(context, checkout, [...below, { commit, change }]));
  }

  othersAtWork(): Promise<boolean> {
    return this.#with(async (context) => othersAtWork(context));
  }

  async clearUp(): Promise<void> {
    const busy = this.#busy;
    await this.#with(async (context) => clearUp(context, { busy, begun: this.#context.begun }));
  }

  async sweep(needed: (name: string) => boolean | Promise<boolean>, dryRun: boolean): Promise<readonly string[]> {
    const busy = this.#busy;
    if (!busy) this.#context.begun.clear();
    return this.#with((context) => sweep(context, needed, { dryRun, busy, begun: this.#context.begun }));
  }

  async close(): Promise<void> {
    const { ahead, background, trash } = this.#context;
    await ahead.dropAll();
    await background.idle();
    await trash.close();
    this.#presence?.[Symbol.dispose]();
    this.#presence = null;
    this.#opened = null;
  }

  get #busy(): boolean {
    return this.#running > 0 || this.#context.background.busy;
  }

  async #with<T>(use: (context: GitContext) => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      this.#opened ??= openPrivateDir(this.#context).then(() => {
        this.#presence ??= appear(this.#context);
      });
      await this.#opened;
      return await use(this.#context);
    } catch (error) {
      // A failed opening is tried again; a good one is kept.
      this.#opened = null;
      throw error;
    } finally {
      this.#running -= 1;
    }
  }
}
