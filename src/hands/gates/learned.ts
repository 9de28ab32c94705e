/**
 * What the canary learned at a base, stored beside remembered runs, so that later processes need not learn it again.
 */
import type { HandContext } from '../../engine/ports/hands.ts';
import type { RunCache } from './cache.ts';

/** Returns null if nothing is stored, or it cannot be read. */
export async function recallLearned<T>(
  cache: RunCache,
  key: string,
  parse: (text: string) => T | null,
  { read }: HandContext,
): Promise<T | null> {
  const record = cache.get(key);
  const text = record === null ? null : await read(record.evidence);
  return text === null ? null : parse(text);
}

export async function rememberLearned(
  cache: RunCache,
  key: string,
  learned: object,
  { keep, signal }: HandContext,
): Promise<void> {
  if (signal.aborted) return;
  const evidence = await keep(JSON.stringify(learned));
  const about = { status: 'pass', ended: 'learned at the base', ms: 0, evidence } as const;
  cache.put(key, { version: 2, ...about, failed: null, ran: null, listed: null, kept: null });
}
