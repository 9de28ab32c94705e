/** Appends that every store must refuse: how a good batch is spoiled, and what has to be said to it. */
import type { Append, AppendResult, Segment } from '../../src/engine/ports/store.ts';
import { GENESIS } from '../../src/kernel/hash.ts';
import { type Fixture, ownerOf, PROJECT } from '../support/stores.ts';

/** Returns another batch, or changes the world under the one it was given. */
type Spoil = (batch: Append, fixture: Fixture) => Append | Promise<void>;

const fenced: AppendResult = { type: 'fenced' };
const conflict = (what: string): AppendResult => ({ type: 'conflict', what });

export const REFUSALS: readonly { readonly when: string; readonly spoil: Spoil; readonly expected: AppendResult }[] = [
  {
    when: 'under a token that is too old',
    spoil: (batch) => ({ ...batch, token: batch.token - 1 }),
    expected: fenced,
  },
  {
    when: 'under a token that nobody was given',
    spoil: (batch) => ({ ...batch, token: batch.token + 1 }),
    expected: fenced,
  },
  {
    when: 'after the lease was given back',
    spoil: (batch, { store }) => store.release(PROJECT, batch.token),
    expected: fenced,
  },
  {
    when: 'after another process took over',
    async spoil(_, { store, dead }) {
      dead.add(1);
      await store.acquire(PROJECT, ownerOf(2), 60_000);
    },
    expected: fenced,
  },
  {
    when: 'when the log has gone on',
    spoil: inOwn((segment) => ({ ...segment, before: { ...segment.before, seq: segment.before.seq - 1 } })),
    expected: conflict('head'),
  },
  {
    when: 'when the log has another past',
    spoil: inOwn((segment) => ({ ...segment, before: { ...segment.before, hash: 'f'.repeat(64) } })),
    expected: conflict('head'),
  },
  {
    when: 'when it would leave a gap in the log',
    spoil: inOwn((segment) => ({
      ...segment,
      events: segment.events.map((event) => ({ ...event, seq: event.seq + 1 })),
    })),
    expected: conflict('head'),
  },
  { when: 'when a stream is longer than thought', spoil: shifted('task/a', -1), expected: conflict('task/a') },
  { when: 'when a stream is shorter than thought', spoil: shifted('task/a', 1), expected: conflict('task/a') },
  { when: 'when a new stream does not begin at one', spoil: shifted('task/b', 1), expected: conflict('task/b') },
  {
    when: 'when a list entry does not fit its events',
    spoil: inOwn((segment) => ({ ...segment, streams: segment.streams.map((row) => ({ ...row, version: 9 })) })),
    expected: conflict('task/a'),
  },
  {
    when: 'when the host has gone on',
    spoil: (batch) => ({ ...batch, host: { ...segmentOf(batch.host), before: { seq: 0, hash: GENESIS, time: 0 } } }),
    expected: conflict('host'),
  },
];

function inOwn(change: (segment: Segment) => Segment): Spoil {
  return (batch) => ({ ...batch, own: change(batch.own) });
}

/** All that a batch says about a stream, as if the stream had another length. */
function shifted(stream: string, by: number): Spoil {
  const shift = <T extends { readonly stream: string; readonly version: number }>(one: T): T =>
    one.stream === stream ? { ...one, version: one.version + by } : one;
  return inOwn((segment) => ({ ...segment, events: segment.events.map(shift), streams: segment.streams.map(shift) }));
}

export function segmentOf(segment: Segment | null): Segment {
  if (segment === null) throw new Error('there is no segment');
  return segment;
}
