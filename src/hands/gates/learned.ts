/** Where tests can be planted at a base, kept beside remembered runs: the next process does not find it out again. */
import * as v from 'valibot';
import type { HandContext } from '../../engine/ports/hands.ts';
import type { RunCache } from './cache.ts';
import type { Planting } from './planting.ts';

/**
 * Each place at which a planted test was reported at the base: an existing test, or a file that tests can be added to. `red`:
 * in tests that fail there without it. They show nothing at the base, and much where a change has turned them green.
 */
export type Live = {
  readonly planted: number;
  readonly places: ReadonlySet<string>;
  readonly red: Planting['plants'];
  readonly noticed: number;
  readonly ms: number;
};

const count = v.pipe(v.number(), v.minValue(0));
const live = v.object({
  planted: count,
  places: v.array(v.string()),
  red: v.array(
    v.object({ kind: v.picklist(['inside', 'altered']), path: v.string(), test: v.string(), beside: v.string() }),
  ),
  noticed: count,
  ms: count,
});

export async function recallLive(cache: RunCache, key: string, { read }: HandContext): Promise<Live | null> {
  const record = cache.get(key);
  const text = record === null ? null : await read(record.evidence);
  if (text === null) return null;
  try {
    const found = v.safeParse(live, JSON.parse(text));
    return found.success ? { ...found.output, places: new Set(found.output.places) } : null;
  } catch {
    return null;
  }
}

export async function rememberLive(
  cache: RunCache,
  key: string,
  { places, ...rest }: Live,
  { keep, signal }: HandContext,
): Promise<void> {
  if (signal.aborted) return;
  const evidence = await keep(JSON.stringify({ ...rest, places: [...places] }));
  const about = { status: 'pass', ended: 'planted tests were noticed', ms: Math.round(rest.ms), evidence } as const;
  cache.put(key, { version: 2, ...about, failed: null, ran: null, listed: null, kept: null });
}
