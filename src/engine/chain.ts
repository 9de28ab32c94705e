/** The hash chain: gives new events their place in the log, and checks that stored ones still have it. */
import type { Json } from '../kernel/json.ts';
import { hashOf } from './ports/event-hash.ts';
import type { ChainFinding, Head, StoredEvent } from './ports/store.ts';

export type Unplaced = Omit<StoredEvent, 'seq' | 'version' | 'hash'>;

/** Places events after `head`. `versionOf` gives each stream's version before them. */
export function place(
  head: Head,
  events: readonly Unplaced[],
  versionOf: (stream: string) => number,
): { placed: StoredEvent[]; head: Head } {
  const versions = new Map<string, number>();
  let { seq, hash, time } = head;
  const placed = events.map((event) => {
    const version = (versions.get(event.stream) ?? versionOf(event.stream)) + 1;
    versions.set(event.stream, version);
    seq += 1;
    time = Math.max(time, event.time);
    const numbered = { ...wellFormed(event), seq, version };
    hash = hashOf(hash, numbered);
    return { ...numbered, hash };
  });
  return { placed, head: { seq, hash, time } };
}

/**
 * Round-trips an event through JSON and UTF-8 (drops undefined fields and half characters), so that its hash is the
 * same before and after storing.
 */
function wellFormed(event: Unplaced): Unplaced {
  const { stream, type, data, actor, cause, trace, time } = event;
  const text = {
    stream: stream.toWellFormed(),
    actor: actor.toWellFormed(),
    cause: cause.toWellFormed(),
    trace: trace.toWellFormed(),
  };
  return { ...text, type, data: JSON.parse(JSON.stringify(data)) as Json, time };
}

/** Checks a stretch of the log after `before`: returns its end, or the first bad event. */
export function checkStretch(before: Head, events: readonly StoredEvent[]): ChainFinding | Head {
  let { seq, hash, time } = before;
  for (const event of events) {
    if (event.seq !== seq + 1) {
      return { seq: seq + 1, problem: `event ${seq + 1} is missing (the next one stored is ${event.seq})` };
    }
    if (hashOf(hash, event) !== event.hash) {
      return {
        seq: event.seq,
        problem: `event ${event.seq} (${event.type} on ${event.stream}) does not match its hash: it was edited or moved`,
      };
    }
    ({ seq, hash } = event);
    time = Math.max(time, event.time);
  }
  return { seq, hash, time };
}
