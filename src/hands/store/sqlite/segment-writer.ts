/** One boundary's log inside a write transaction: checks whether a segment fits, and writes it. */
import type { Segment, StreamRow } from '../../../engine/ports/store.ts';
import { misfitOf } from '../segment-misfit.ts';
import { putBoundary } from './boundaries.ts';
import { type BoundaryRow, bytes, headOf, type StreamTableRow, snapshotSeal } from './rows.ts';
import type { Statements } from './statements.ts';
import { addTally, subtractTally, tallyOf } from './tally.ts';

type KnownRow = Omit<StreamTableRow, 'summary'>;

export class Book {
  readonly #sql: Statements;
  readonly #row: BoundaryRow;
  /** Each stream is looked up once. */
  readonly #known = new Map<string, KnownRow | undefined>();

  constructor(sql: Statements, row: BoundaryRow) {
    this.#sql = sql;
    this.#row = row;
  }

  misfit(segment: Segment): string | null {
    return misfitOf(segment, headOf(this.#row), (stream) => this.#stream(stream)?.version ?? 0);
  }

  write({ events, streams, snapshots }: Segment, lease: { readonly renewed?: number } = {}): void {
    const { id, time: before } = this.#row;
    for (const { seq, stream, version, type, data, actor, cause, trace, time, hash } of events) {
      this.#sql.addEvent.run(
        id,
        seq,
        stream,
        version,
        type,
        JSON.stringify(data),
        actor,
        cause,
        trace,
        time,
        bytes(hash),
      );
    }
    const live = this.#writeStreams(this.#row.live, streams);
    for (const snapshot of snapshots) {
      const { stream, version, reducer, state } = snapshot;
      const seal = snapshotSeal({ boundary: id, ...snapshot });
      this.#sql.putSnapshot.run(id, stream, version, reducer, state, seal);
    }
    const { seq, hash, time } = events.at(-1) ?? headOf(this.#row);
    putBoundary(this.#sql, { ...this.#row, ...lease, live, seq, hash: bytes(hash), time: Math.max(before, time) });
  }

  /** Replaces all projections; snapshots are taken anew when they are due. */
  rebuild(streams: readonly StreamRow[]): void {
    const { id } = this.#row;
    this.#sql.clearStreams.run(id);
    this.#sql.clearCounts.run(id);
    this.#sql.clearSnapshots.run(id);
    this.#known.clear();
    putBoundary(this.#sql, { ...this.#row, live: this.#writeStreams(0, streams) });
  }

  /** Returns the new tally of live streams. */
  #writeStreams(before: number, streams: readonly StreamRow[]): number {
    let tally = before;
    for (const row of streams) {
      const known = this.#stream(row.stream);
      const wasLive = known?.live === 1;
      if (row.live && !wasLive) tally = addTally(tally, tallyOf(row.stream));
      if (!row.live && wasLive) tally = subtractTally(tally, tallyOf(row.stream));
      this.#writeRow(row, known);
    }
    return tally;
  }

  #writeRow(row: StreamRow, known: KnownRow | undefined): void {
    const { id } = this.#row;
    const { stream, version, kind, status, parent, line, updated, rank } = row;
    const live = row.live ? 1 : 0;
    const asks = row.asks ? 1 : 0;
    const summary = JSON.stringify(row.summary);
    const inPlace =
      known !== undefined &&
      known.live === live &&
      known.status === status &&
      known.parent === parent &&
      known.line === line &&
      known.asks === asks &&
      known.rank === rank;
    if (!inPlace)
      this.#sql.putStream.run(id, stream, version, live, kind, status, parent, line, asks, updated, rank, summary);
    else if (known.updated === updated) this.#sql.keepColumns.run(version, summary, id, stream);
    else this.#sql.keepPlace.run(version, summary, updated, id, stream);
  }

  #stream(name: string): KnownRow | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#sql.stream.get(this.#row.id, name));
    return this.#known.get(name);
  }
}
