/** Checks whether a segment continues a log where it ends: otherwise every store refuses the whole segment. */
import type { Head, Segment } from '../../engine/ports/store.ts';

/** What a segment expects and the log does not have (`head`, or the name of a stream); null if it fits. */
export function misfitOf(
  segment: Segment,
  head: Pick<Head, 'seq' | 'hash'>,
  versionOf: (stream: string) => number,
): string | null {
  const { before, events, streams } = segment;
  if (head.seq !== before.seq || head.hash !== before.hash) return 'head';
  const versions = new Map<string, number>();
  for (const [n, { seq, stream, version }] of events.entries()) {
    if (seq !== before.seq + n + 1) return 'head';
    if (version !== (versions.get(stream) ?? versionOf(stream)) + 1) return stream;
    versions.set(stream, version);
  }
  for (const { stream, version } of streams) if (version !== (versions.get(stream) ?? versionOf(stream))) return stream;
  return null;
}
