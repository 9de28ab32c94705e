/** The hash chain: gives new events their place in the log, and checks that stored ones still have it. */
import type { Json } from '../kernel/json.ts';
import { hashOf } from './ports/event-hash.ts';
import type { ChainFinding, Head, StoredEvent } from './ports/store.ts';

export type Unplaced = Omit<StoredEvent, 'seq' | 'version' | 'hash'>;

/** Places events behind `head`; `versionOf` tells how long each stream is before them. */
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

/** What JSON and UTF-8 make of an event (no undefined fields, no half characters): hashed before and after storing, it is the same. */
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

/** Checks one stretch of the log behind `before`; names the first bad event, or returns where the stretch ends. */
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
