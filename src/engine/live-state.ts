/**
 * A project's state in memory, which is always exactly what its log says: the only way to change it is `commit`, and that
 * changes it after the store has said that the facts are durable.
 */
import type { BlobHash, ProjectId, TaskId } from '../kernel/ids.ts';
import { type Actor, type Command, type Envelope, taskOf } from '../mind/domain/commands.ts';
import { type Project, withoutTask } from '../mind/domain/project.ts';
import { HOST, taskStream } from '../mind/domain/stream-name.ts';
import { isLive } from '../mind/domain/task.ts';
import { type Batch, type BatchItem, decideBatch } from './batch.ts';
import { LeaseLost } from './lease-lost.ts';
import { loadProject, loadStream, type StreamSize } from './loading.ts';
import { type Append, type Head, type Receipt, type Store, type StoredEvent, THIS_HOST } from './ports/store.ts';
import type { Anchor, AppLog, Failpoint } from './ports/surroundings.ts';
import { type Built, buildSegment } from './segment.ts';
import { soundHead } from './verified-head.ts';

type LiveDeps = {
  readonly store: Store;
  readonly anchor: Anchor;
  readonly failpoint: Failpoint;
  readonly log: AppLog;
};

type CommitResult = { readonly events: readonly StoredEvent[]; readonly results: Batch['results'] };

type CommitOptions = {
  /** Whether the scheduler may grant free slots. */
  readonly grant: boolean;
  /** The share of the machine's memory in use; null if unknown. */
  readonly memory: number | null;
  /** The time and the randomness that a decision may use. */
  readonly at: number;
  readonly dice: () => number;
};

export class LiveState {
  readonly #deps: LiveDeps;
  readonly #id: ProjectId;
  readonly #token: number;
  readonly #sizes: Map<string, StreamSize>;
  readonly #blobs = new Map<BlobHash, string>();
  #project: Project;
  #head: Head;
  #hostHead: Head;

  private constructor(
    deps: LiveDeps,
    id: ProjectId,
    token: number,
    start: { project: Project; sizes: ReadonlyMap<string, StreamSize>; head: Head; hostHead: Head },
  ) {
    this.#deps = deps;
    this.#id = id;
    this.#token = token;
    this.#project = start.project;
    this.#sizes = new Map(start.sizes);
    this.#head = start.head;
    this.#hostHead = start.hostHead;
  }

  static async load(deps: LiveDeps, id: ProjectId, token: number): Promise<LiveState> {
    const head = await soundHead(deps.store, id, await deps.anchor.newest(id));
    const hostHead = await soundHead(deps.store, THIS_HOST);
    return new LiveState(deps, id, token, { ...(await loadProject(deps.store, id)), head, hostHead });
  }

  get project(): Project {
    return this.#project;
  }

  get head(): Head {
    return this.#head;
  }

  /** Stores a text with the next append. */
  keep(hash: BlobHash, content: string): void {
    this.#blobs.set(hash, content);
  }

  /** A text that waits for the next append. */
  kept(hash: BlobHash): string | null {
    return this.#blobs.get(hash) ?? null;
  }

  /** Decides a batch and writes the events in one transaction. Throws if nothing more may be written. */
  async commit(items: readonly BatchItem[], { grant, memory, at, dice }: CommitOptions): Promise<CommitResult> {
    for (const { command } of items) if (command.type !== 'rejected') await this.#bringIn(command);
    const seal = (id: string, actor: Actor, command: Command): Envelope => ({
      id,
      actor,
      command,
      at: Math.max(at, this.#head.time),
      dice: dice(),
    });
    for (;;) {
      const batch = decideBatch(this.#project, items, { seal, grant, memory, log: this.#deps.log });
      const own = buildSegment(this.#head, batch.own, batch.project, this.#sizes);
      const host =
        batch.host.length > 0 || batch.countsOnHost
          ? buildSegment(this.#hostHead, batch.host, batch.project, this.#sizes)
          : null;
      const append = this.#appendOf(batch, own, host, at);
      // Refusals of our own hands and of the clock are not stored, so they cost no transaction.
      if (batch.own.length === 0 && batch.host.length === 0 && append.drained.length === 0)
        return { events: [], results: batch.results };
      await this.#deps.failpoint('append.before');
      const result = await this.#deps.store.append(append);
      if (result.type === 'fenced') throw new LeaseLost('another process has taken over this project');
      if (result.type === 'appended') {
        this.#take(batch, own, host, append);
        await this.#deps.failpoint('append.after');
        return { events: own.segment.events, results: batch.results };
      }
      // Only the host's head may change under us: another project was charged or hit a quota. Read it again and decide
      // again.
      if (result.what !== THIS_HOST) throw new Error(`the log is not where this process left it (${result.what})`);
      await this.#reloadHost();
    }
  }

  /** Closed tasks leave memory; their streams stay in the log. */
  forgetClosed(ids: Iterable<TaskId>): void {
    for (const id of ids) {
      const task = this.#project.tasks.get(id);
      if (task === undefined || isLive(task)) continue;
      this.#project = withoutTask(this.#project, id);
      this.#sizes.delete(taskStream(id));
    }
  }

  #appendOf(batch: Batch, own: Built, host: Built | null, now: number): Append {
    const kept = batch.results.filter(({ item }) => item.kept);
    return {
      project: this.#id,
      token: this.#token,
      own: own.segment,
      host: host?.segment ?? null,
      now,
      blobs: [...this.#blobs].map(([hash, content]) => ({ hash, content })),
      drained: kept.map(({ item }) => item.id),
      receipts: kept.map(({ item, rejection }): Receipt => ({ id: item.id, seq: own.after.seq, rejection })),
    };
  }

  #take(batch: Batch, own: Built, host: Built | null, { blobs }: Append): void {
    this.#project = batch.project;
    this.#head = own.after;
    if (host !== null) this.#hostHead = host.after;
    for (const [stream, size] of [...own.sizes, ...(host?.sizes ?? [])]) this.#sizes.set(stream, size);
    for (const { hash } of blobs) this.#blobs.delete(hash);
    this.#deps.anchor.committed(this.#id, this.#head);
  }

  /** A command may name a task that was closed and forgotten; its stream is folded again. */
  async #bringIn(command: Command): Promise<void> {
    const id = taskMeant(this.#project, command);
    if (id === null || this.#project.tasks.has(id)) return;
    const loaded = await loadStream(this.#deps.store, this.#id, taskStream(id), this.#project);
    if (loaded.size.version === 0) return;
    this.#project = loaded.project;
    this.#sizes.set(taskStream(id), loaded.size);
  }

  /** Checks whether the host's log has grown, and returns whether it has. */
  async refreshHost(): Promise<boolean> {
    if ((await this.#deps.store.head(THIS_HOST)).seq === this.#hostHead.seq) return false;
    await this.#reloadHost();
    return true;
  }

  async #reloadHost(): Promise<void> {
    this.#hostHead = await soundHead(this.#deps.store, THIS_HOST);
    const { project, size } = await loadStream(this.#deps.store, THIS_HOST, HOST, this.#project);
    this.#project = project;
    this.#sizes.set(HOST, size);
  }
}

/** The task that a command names; an accepted proposal names the task of the command it holds. */
export function taskMeant(project: Project, command: Command): TaskId | null {
  if (command.type !== 'proposal.accept') return taskOf(command);
  const task = project.proposals.get(command.proposal)?.command['task'];
  return typeof task === 'string' ? (task as TaskId) : null;
}
