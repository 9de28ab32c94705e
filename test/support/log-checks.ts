/** What holds of a log however often its writers were killed. */
import type { StoredEvent } from '../../src/engine/ports/store.ts';

/** Commands that were decided more than once: one cause may write several events, but only next to each other. */
export function doubled(events: readonly StoredEvent[]): string[] {
  const last = new Map<string, number>();
  const found: string[] = [];
  for (const { cause, seq } of events) {
    const seen = last.get(cause);
    if (seen !== undefined && seen !== seq - 1 && cause !== 'grant') found.push(cause);
    last.set(cause, seq);
  }
  return found;
}
