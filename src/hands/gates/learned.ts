/** What the canary found out at a base, kept beside remembered runs: the next process does not find it out again. */
import type { HandContext } from '../../engine/ports/hands.ts';
import type { RunCache } from './cache.ts';

/** Null: nothing is remembered, or it cannot be read any more. */
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
