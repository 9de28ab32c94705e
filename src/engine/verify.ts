/** Walks a whole log and reports whether anything was edited, removed, reordered or cut off. Changes nothing. */
import { GENESIS } from '../kernel/hash.ts';
import type { BlobHash } from '../kernel/ids.ts';
import { canonicalJson } from '../kernel/json.ts';
import { EMPTY_PROJECT } from '../mind/domain/project.ts';
import { snapshotOf } from '../mind/domain/streams.ts';
import { checkStretch } from './chain.ts';
import { loadStream } from './loading.ts';
import {
  type Boundary,
  type ChainFinding,
  type Head,
  type Store,
  type StoredEvent,
  StoreError,
  type StreamRow,
} from './ports/store.ts';
import { type Fold, pagesOf, rowsOf, startFold } from './rebuild.ts';

/** A copy of the head outside the log: `sidecar`, `ref`. */
export type LogAnchor = { readonly source: string; readonly seq: number; readonly hash: string };

export type LogReport = {
  /** How many events from the start are intact. */
  readonly events: number;
  /** The end of the intact part of the log. */
  readonly head: Head;
  /**
   * Empty if all is well. After the first bad event of a chain nothing more is reported: what follows it proves
   * nothing.
   */
  readonly findings: readonly ChainFinding[];
};

/**
 * Safe beside a running process: events appended meanwhile are checked too. Throws only if the log cannot be judged at
 * all (no such file, or written by a newer Supervisor).
 */
export async function verifyLog(store: Store, boundary: Boundary, anchors: readonly LogAnchor[]): Promise<LogReport> {
  const walk = new Walk(new Set(anchors.map((anchor) => anchor.seq)));
  try {
    return walk.report(await findingsOf(store, boundary, anchors, walk));
  } catch (error) {
    if (!isDamage(error)) throw error;
    return walk.report([await firstUnreadable(store, boundary, walk, error)]);
  }
}

/** A page could not be read; go event by event to find the unreadable one. */
async function firstUnreadable(store: Store, boundary: Boundary, walk: Walk, found: StoreError): Promise<ChainFinding> {
  try {
    for await (const page of pagesOf(store, boundary, walk.end.seq, 1)) {
      const broken = walk.pass(page);
      if (broken !== null) return broken;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { seq: walk.end.seq + 1, problem: error.message };
  }
  return { seq: walk.end.seq + 1, problem: found.message };
}

function isDamage(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'corrupt';
}

async function findingsOf(
  store: Store,
  boundary: Boundary,
  anchors: readonly LogAnchor[],
  walk: Walk,
): Promise<ChainFinding[]> {
  let stored: { readonly head: Head; readonly rows: readonly StreamRow[] } | null = null;
  for (;;) {
    const before = walk.end.seq;
    for await (const page of pagesOf(store, boundary, before)) {
      const broken = walk.pass(page) ?? (await missingBlob(store, page));
      if (broken !== null) return [broken];
    }
    // Both looks at the log saw the same end, so nothing was appended meanwhile.
    if (stored !== null && walk.end.seq === before) break;
    stored = { head: await store.head(boundary), rows: await allRows(store, boundary) };
  }
  const placed = [...headFindings(walk.end, stored.head), ...anchorFindings(walk, anchors)];
  if (placed.length > 0) return placed;
  const rows = rowFindings(walk.fold, stored.rows, walk.end.seq);
  return rows.length > 0 ? rows : snapshotFindings(store, boundary, walk);
}

/** Only used to compare with the whole log; nothing else reads all rows. */
async function allRows(store: Store, boundary: Boundary): Promise<StreamRow[]> {
  const rows: StreamRow[] = [];
  for (;;) {
    const page = await store.rowsNamed(boundary, { prefix: '', after: rows.at(-1)?.stream ?? '', limit: 1_000 });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

/** A text that an event names must exist or have a tombstone. The store checks that it matches its name. */
async function missingBlob(store: Store, page: readonly StoredEvent[]): Promise<ChainFinding | null> {
  for (const { seq, data } of page) {
    const { answer, evidence } = data as { readonly answer?: BlobHash | null; readonly evidence?: BlobHash | null };
    for (const hash of [answer, evidence]) {
      if (hash == null || (await store.blob(hash)).type !== 'missing') continue;
      return { seq, problem: `event ${seq} names the text ${hash.slice(0, 16)}…, which is gone without a tombstone` };
    }
  }
  return null;
}

/** Walks along the log event by event, and remembers what later comparisons need. */
class Walk {
  readonly #wanted: ReadonlySet<number>;
  readonly #hashes = new Map<number, string>([[0, GENESIS]]);
  readonly #folding = startFold();
  #end: Head = { seq: 0, hash: GENESIS, time: 0 };

  /** @param wanted the events whose hashes will be asked for */
  constructor(wanted: ReadonlySet<number>) {
    this.#wanted = wanted;
  }

  get end(): Head {
    return this.#end;
  }

  get fold(): Fold {
    return this.#folding.fold;
  }

  hashAt(seq: number): string | undefined {
    return this.#hashes.get(seq);
  }

  report(findings: readonly ChainFinding[]): LogReport {
    return { events: this.#end.seq, head: this.#end, findings };
  }

  /** Checks a page; returns the first bad event. */
  pass(page: readonly StoredEvent[]): ChainFinding | null {
    for (const event of page) {
      const found = checkStretch(this.#end, [event]);
      if ('problem' in found) return found;
      const gap = this.#versionGap(event) ?? this.#foldIn(event);
      if (gap !== null) return { seq: event.seq, problem: gap };
      if (this.#wanted.has(event.seq)) this.#hashes.set(event.seq, event.hash);
      this.#end = found;
    }
    return null;
  }

  #versionGap({ seq, stream, version }: StoredEvent): string | null {
    const due = (this.fold.versions.get(stream) ?? 0) + 1;
    return version === due ? null : `event ${seq} is number ${version} of ${stream}, number ${due} should come here`;
  }

  #foldIn(event: StoredEvent): string | null {
    try {
      this.#folding.add(event);
      return null;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      return `event ${event.seq} (${event.type} on ${event.stream}) does not follow from those before it: ${(error as Error).message}`;
    }
  }
}

function headFindings(end: Head, head: Head): ChainFinding[] {
  if (head.seq > end.seq) {
    return [
      {
        seq: end.seq + 1,
        problem: `log_truncated: the head says ${head.seq} events, the log ends with event ${end.seq}`,
      },
    ];
  }
  if (head.seq < end.seq) {
    return [
      {
        seq: head.seq + 1,
        problem: `the head says ${head.seq} events, the log goes on to event ${end.seq}: the head was edited`,
      },
    ];
  }
  if (head.hash !== end.hash)
    return [{ seq: end.seq, problem: `the head does not have the hash of event ${end.seq}: the head was edited` }];
  return [];
}

function anchorFindings(walk: Walk, anchors: readonly LogAnchor[]): ChainFinding[] {
  return anchors.flatMap(({ source, seq, hash }): ChainFinding[] => {
    const { end } = walk;
    if (seq > end.seq)
      return [
        {
          seq: end.seq + 1,
          problem: `log_truncated: ${source} has seen event ${seq}, the log ends with event ${end.seq}`,
        },
      ];
    if (walk.hashAt(seq) === hash) return [];
    return [{ seq, problem: `${source} has seen another event ${seq}: the log was rewritten up to there or before` }];
  });
}

function rowFindings(fold: Fold, rows: readonly StreamRow[], seq: number): ChainFinding[] {
  const stored = new Map(rows.map((row) => [row.stream, canonicalJson(row)]));
  const findings: ChainFinding[] = [];
  for (const row of rowsOf(fold)) {
    const text = stored.get(row.stream);
    stored.delete(row.stream);
    if (text === canonicalJson(row)) continue;
    findings.push({
      seq,
      problem: `the list entry of ${row.stream} ${text === undefined ? 'is missing' : 'does not match the log'}: rebuild it`,
    });
  }
  for (const stream of stored.keys())
    findings.push({ seq, problem: `${stream} has a list entry and no event in the log: rebuild it` });
  return findings;
}

/** A snapshot is only a shortcut: loading with it and without it must give the same state. */
async function snapshotFindings(store: Store, boundary: Boundary, { fold, end }: Walk): Promise<ChainFinding[]> {
  const findings: ChainFinding[] = [];
  for (const [stream, version] of fold.versions) {
    const state = snapshotOf(fold.project, stream);
    if (state === null) continue;
    const loaded = await loadStream(store, boundary, stream, EMPTY_PROJECT);
    // The stream has grown while we looked.
    if (loaded.size.version !== version || sameJson(snapshotOf(loaded.project, stream), state)) continue;
    findings.push({ seq: end.seq, problem: `the snapshot of ${stream} does not match the log: rebuild it` });
  }
  return findings;
}

function sameJson(a: string | null, b: string): boolean {
  return a !== null && (a === b || canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b)));
}
