/**
 * The cached outcome of one run of a gate. It holds only names of blobs and no printed text, so deleting those is
 * enough.
 */
import * as v from 'valibot';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { blobHash, count } from '../domain/values.ts';

const record = v.strictObject({
  version: v.literal(2),
  status: v.picklist(['pass', 'fail']),
  ended: v.pipe(v.string(), v.maxLength(200)),
  ms: count,
  evidence: blobHash,
  /** A list of the failed tests; null if uncertain or not requested. */
  failed: v.nullable(blobHash),
  ran: v.nullable(count),
  /** Lists of all tests by name, and the stored report; null if there was none. */
  listed: v.nullable(blobHash),
  kept: v.nullable(blobHash),
});
export type RunRecord = v.InferOutput<typeof record>;

/** The checksum covers the key: a file under a wrong name is as useless as half a file. */
export function recordText(key: string, one: RunRecord): string {
  return `${JSON.stringify({ record: one, sum: sumOf(key, one) })}\n`;
}

/** Returns null unless this version wrote the whole text under this key. */
export function parseRecord(key: string, text: string): RunRecord | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  const whole = v.safeParse(v.strictObject({ record, sum: v.string() }), found);
  return whole.success && whole.output.sum === sumOf(key, whole.output.record) ? whole.output.record : null;
}

const sumOf = (key: string, one: RunRecord): string => sha256(`${key} ${canonicalJson(one)}`);

/** Converts the list of failed tests to a blob and back; a list with redacted names is no longer certain. */
export const listText = (ids: readonly string[]): string => JSON.stringify(ids);

const names = v.pipe(v.array(v.string()), v.readonly());
const lists = v.strictObject({ ran: names, failed: names, skipped: names, flaky: names });
type TestLists = v.InferOutput<typeof lists>;

export const listsText = ({ ran, failed, skipped, flaky }: TestLists): string =>
  JSON.stringify({ ran, failed, skipped, flaky });

export function parseLists(text: string): TestLists | null {
  try {
    const found = v.safeParse(lists, JSON.parse(text));
    return found.success && !text.includes('[redacted:') ? found.output : null;
  } catch {
    return null;
  }
}

export function parseList(text: string): readonly string[] | null {
  try {
    const ids = v.safeParse(v.array(v.string()), JSON.parse(text));
    return ids.success && !text.includes('[redacted:') ? ids.output : null;
  } catch {
    return null;
  }
}
