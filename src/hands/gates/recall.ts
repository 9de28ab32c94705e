/** Restores a cached run from its record and the blobs that it names. */
import type { HandContext } from '../../engine/ports/hands.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { evidenceParts, failureIn } from '../../mind/gates/evidence.ts';
import { listsText, listText, parseList, parseLists } from '../../mind/gates/run-record.ts';
import type { RunCache } from './cache.ts';
import type { CheckRunResult } from './run-result.ts';

/** The whole output stays in the first evidence, which is named; redacting it again would take longer than the rest. */
const TAIL_CHARS = 4_000;

/** Returns null if it never ran, or its blobs were deleted. */
export async function recall(cache: RunCache, key: string, { read }: HandContext): Promise<CheckRunResult | null> {
  const record = cache.get(key);
  if (record === null) return null;
  const { status, ended, ms, ran, evidence } = record;
  const text = await read(evidence);
  if (text === null) return null;
  const list = record.failed === null ? null : await read(record.failed);
  if (record.failed !== null && list === null) return null;
  const failed = list === null ? null : parseList(list);
  const lists = record.listed === null ? null : await read(record.listed);
  const kept = record.kept === null ? null : await read(record.kept);
  if ((record.listed !== null && lists === null) || (record.kept !== null && kept === null)) return null;
  const listed = lists === null ? null : parseLists(lists);
  const tail = evidenceParts(text).output.slice(-TAIL_CHARS).toWellFormed();
  // The failure is often in the part that was cut off.
  const { at, lines: told } = failureIn(text);
  const cut = told.some((line) => !tail.includes(line));
  const output = cut ? `${[...told, ...(at === null ? [] : [`(${at})`])].join('\n')}\n${tail}` : tail;
  const tests = failed === null ? null : { failed, ran };
  return { type: 'ended', status, ended, ms, output, tests, ran, listed, kept, lasting: true, cached: evidence };
}

export async function remember(
  cache: RunCache,
  key: string,
  ran: CheckRunResult,
  evidence: BlobHash,
  { keep, signal }: HandContext,
): Promise<void> {
  if (ran.type === 'error' || !ran.lasting || ran.cached !== null || signal.aborted) return;
  const { status, ended, ms, tests } = ran;
  const failed = tests === null ? null : await keep(listText(tests.failed));
  const listed = ran.listed === null ? null : await keep(listsText(ran.listed));
  const kept = ran.kept === null ? null : await keep(ran.kept);
  const record = {
    version: 2,
    status,
    ended,
    ms: Math.round(ms),
    evidence,
    failed,
    ran: ran.ran,
    listed,
    kept,
  } as const;
  cache.put(key, record);
}
