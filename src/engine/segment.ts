/** What one append adds to a boundary: placed events, projection rows, and any snapshots that are due. */
import type { Project } from '../mind/domain/project.ts';
import { reducerOf, snapshotOf } from '../mind/domain/streams.ts';
import { place, type Unplaced } from './chain.ts';
import { bytesOf, type StreamSize, snapshotDue } from './loading.ts';
import type { Head, Segment, Snapshot, StreamRow } from './ports/store.ts';
import { streamRow } from './stream-row.ts';

export type Built = {
  readonly segment: Segment;
  readonly after: Head;
  readonly sizes: ReadonlyMap<string, StreamSize>;
};

const UNWRITTEN: StreamSize = { version: 0, tail: 0, snapshot: 0 };

/** `project` is the state after the events; `sizes` are the sizes before them. */
export function buildSegment(
  before: Head,
  events: readonly Unplaced[],
  project: Project,
  sizes: ReadonlyMap<string, StreamSize>,
): Built {
  const { placed, head: after } = place(before, events, (stream) => sizes.get(stream)?.version ?? 0);
  const touched = new Map<string, StreamSize>();
  for (const event of placed) {
    const size = touched.get(event.stream) ?? sizes.get(event.stream) ?? UNWRITTEN;
    touched.set(event.stream, { ...size, version: event.version, tail: size.tail + bytesOf(event) });
  }
  const snapshots: Snapshot[] = [];
  const streams: StreamRow[] = [];
  for (const [stream, size] of touched) {
    const state = snapshotDue(size) ? snapshotOf(project, stream) : null;
    if (state !== null) {
      snapshots.push({ stream, version: size.version, reducer: reducerOf(stream), state });
      touched.set(stream, { version: size.version, tail: 0, snapshot: state.length });
    }
    streams.push(streamRow(project, stream, size.version));
  }
  return { segment: { before, events: placed, streams, snapshots }, after, sizes: touched };
}
