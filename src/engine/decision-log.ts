/** With `SUPERVISOR_LOG=debug`, logs every decision and event with ids, so that one attempt can be followed. */
import type { Batch } from './batch.ts';
import type { StoredEvent } from './ports/store.ts';
import type { AppLog } from './ports/surroundings.ts';

export function logDecisions(log: AppLog, events: readonly StoredEvent[], results: Batch['results']): void {
  for (const { item, rejection } of results)
    log('debug', 'decided', { command: item.command.type, id: item.id, refused: rejection?.code ?? null });
  for (const { seq, type, stream, data } of events) log('debug', 'event', { seq, type, stream, ...idsIn(data) });
}

function idsIn(data: unknown): Record<string, unknown> {
  const { step, attempt, token, gate, cli } = data as Record<string, unknown>;
  const ids = Object.entries({ step, attempt, token, gate, cli });
  return Object.fromEntries(ids.filter(([, value]) => value !== undefined));
}
