/** One boundary's log inside a write transaction: whether a segment fits, and the writing of it. */
import type { Segment, StreamRow } from '../../../engine/ports/store.ts';
import { misfitOf } from '../misfit.ts';
import { putBoundary } from './boundaries.ts';
import { type BoundaryRow, bytes, headOf, snapshotSeal } from './rows.ts';
import type { Statements } from './statements.ts';
import { addTally, subtractTally, tallyOf } from './tally.ts';

export class Book {
  readonly #sql: Statements;
  readonly #row: BoundaryRow;
  /** Each stream is looked up once. */
  readonly #known = new Map<string, { readonly version: number; readonly live: boolean }>();

  constructor(sql: Statements, row: BoundaryRow) {
    this.#sql = sql;
    this.#row = row;
  }

  misfit(segment: Segment): string | null {
    return misfitOf(segment, headOf(this.#row), (stream) => this.#stream(stream).version);
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
    this.#sql.clearSnapshots.run(id);
    this.#known.clear();
    putBoundary(this.#sql, { ...this.#row, live: this.#writeStreams(0, streams) });
  }

  /** Returns the new tally of live streams. */
  #writeStreams(before: number, streams: readonly StreamRow[]): number {
    let tally = before;
    for (const { stream, version, live, summary } of streams) {
      const known = this.#stream(stream);
      if (live && !known.live) tally = addTally(tally, tallyOf(stream));
      if (!live && known.live) tally = subtractTally(tally, tallyOf(stream));
      this.#sql.putStream.run(this.#row.id, stream, version, live ? 1 : 0, JSON.stringify(summary));
    }
    return tally;
  }

  #stream(name: string): { readonly version: number; readonly live: boolean } {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#sql.stream.get(this.#row.id, name);
    const looked = { version: row?.version ?? 0, live: row?.live === 1 };
    this.#known.set(name, looked);
    return looked;
  }
}
