/**
 * What an event's hash covers: the event itself and, through the previous hash, everything before it. Part of what a
 * store promises.
 */
import { chainHash } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { StoredEvent } from './store.ts';

/** `previous` is the hash of the event before it in the log. */
export function hashOf(previous: string, event: Omit<StoredEvent, 'hash'>): string {
  const { seq, stream, version, type, data, actor, cause, trace, time } = event;
  return chainHash(previous, canonicalJson([seq, stream, version, type, data, actor, cause, trace, time]));
}
