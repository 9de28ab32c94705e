/** The engine's part of an append, in small: knows where the logs end and gives new events their place. */
import { place, type Unplaced } from '../../src/engine/chain.ts';
import {
  type Append,
  type AppendResult,
  type Head,
  type ProcessIdentity,
  type Receipt,
  type Segment,
  type Snapshot,
  type Store,
  type StreamRow,
  THIS_HOST,
} from '../../src/engine/ports/store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';
import type { Json } from '../../src/kernel/json.ts';
import { streamKind } from '../../src/mind/domain/stream-name.ts';
import { allRows, FACTS, ownerOf, PROJECT } from '../support/stores.ts';

export type Fact = { readonly stream: string; readonly data?: Json } & Partial<Unplaced>;

export type Changes = {
  readonly own?: readonly Fact[];
  readonly host?: readonly Fact[];
  /** Streams of this append that are closed by it. */
  readonly closed?: readonly string[];
  /** What the rows of streams say, where it matters. */
  readonly rows?: Readonly<Record<string, Partial<StreamRow>>>;
  readonly snapshots?: readonly Snapshot[];
  readonly blobs?: readonly string[];
  readonly drained?: readonly string[];
  readonly receipts?: readonly Receipt[];
};

export class Writer {
  readonly store: Store;
  readonly project: ProjectId;
  token: number;
  head: Head;
  hostHead: Head;
  readonly versions = new Map<string, number>();

  private constructor(store: Store, project: ProjectId, token: number, heads: { own: Head; host: Head }) {
    this.store = store;
    this.project = project;
    this.token = token;
    this.head = heads.own;
    this.hostHead = heads.host;
  }

  /** Opens the project, takes the lease and looks where everything stands. */
  static async open(store: Store, project: ProjectId = PROJECT, owner: ProcessIdentity = ownerOf(1)): Promise<Writer> {
    await store.openProject(project, FACTS);
    const lease = await store.acquire(project, owner, 60_000);
    if (lease.type === 'held') throw new Error(`the lease of ${project} is held by ${lease.owner.pid}`);
    const writer = new Writer(store, project, lease.token, {
      own: await store.head(project),
      host: await store.head(THIS_HOST),
    });
    for (const boundary of [project, THIS_HOST]) {
      for (const { stream, version } of await allRows(store, boundary)) writer.versions.set(stream, version);
    }
    return writer;
  }

  /** What would be appended; nothing is sent. */
  batch(changes: Changes): Append {
    const { blobs = [], drained = [], receipts = [] } = changes;
    return {
      project: this.project,
      token: this.token,
      own: this.#segment(this.head, changes.own ?? [], changes),
      host: changes.host === undefined ? null : this.#segment(this.hostHead, changes.host, changes),
      blobs: blobs.map((content) => ({ hash: sha256(content) as BlobHash, content })),
      ...{ drained, receipts, now: 1_000 },
    };
  }

  async append(changes: Changes): Promise<Append> {
    const batch = this.batch(changes);
    const result = await this.send(batch);
    if (result.type !== 'appended') throw new Error(`not appended: ${JSON.stringify(result)}`);
    return batch;
  }

  /** Sends a batch as it is and remembers where the logs end after it. */
  async send(batch: Append): Promise<AppendResult> {
    const result = await this.store.append(batch);
    if (result.type !== 'appended') return result;
    for (const segment of [batch.own, batch.host])
      for (const row of segment?.streams ?? []) this.versions.set(row.stream, row.version);
    this.head = endOf(batch.own);
    if (batch.host !== null) this.hostHead = endOf(batch.host);
    return result;
  }

  #segment(before: Head, facts: readonly Fact[], { closed = [], snapshots = [], rows = {} }: Changes): Segment {
    const unplaced = facts.map(
      (fact, n): Unplaced => ({
        ...{ type: 'note.made.1', data: { n }, actor: 'operator', cause: 'c-1', trace: 'x-1', time: before.time + 1 },
        ...fact,
      }),
    );
    const { placed } = place(before, unplaced, (stream) => this.versions.get(stream) ?? 0);
    const versions = new Map(placed.map((event) => [event.stream, event.version]));
    const streams = [...versions].map(([stream, version]) => ({
      stream,
      version,
      live: !closed.includes(stream),
      kind: streamKind(stream),
      status: '',
      parent: null,
      line: null,
      asks: false,
      updated: version,
      rank: 0,
      summary: { stream, version },
      ...rows[stream],
    }));
    return { before, events: placed, streams, snapshots: snapshots.filter(({ stream }) => versions.has(stream)) };
  }
}

export function endOf({ before, events }: Segment): Head {
  const last = events.at(-1);
  return last === undefined ? before : { seq: last.seq, hash: last.hash, time: Math.max(before.time, last.time) };
}
