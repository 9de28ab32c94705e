/**
 * Parses git's raw tree diff and names a change by it: exact to the byte, whereas `git patch-id` ignores white space.
 */
import { sha256 } from '../../kernel/hash.ts';

/**
 * One changed path. Paths are byte strings (one character per byte, "latin1"): git's names are bytes, and a name that
 * is not UTF-8 must not turn into another one.
 */
export type RawChange = {
  readonly path: string;
  /** The entry before; null if the path is new. */
  readonly before: RawEntry | null;
  /** The entry after; null if the path was deleted. */
  readonly after: RawEntry | null;
};
export type RawEntry = { readonly mode: string; readonly id: string };

/** Hashes `git diff-tree -r -z --raw --no-renames --full-index BASE TREE`, a byte string. */
export function changeId(raw: string): string {
  return sha256(Uint8Array.from(raw, (character) => character.charCodeAt(0)));
}

export function parseRawDiff(raw: string): RawChange[] {
  const fields = raw.split('\0');
  const changes: RawChange[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const match = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [AMDT]$/.exec(fields[i] ?? '');
    const [, oldMode = '', newMode = '', oldId = '', newId = ''] = match ?? [];
    if (match === null) throw new Error(`git printed a diff line that is not understood: ${JSON.stringify(fields[i])}`);
    changes.push({ path: fields[i + 1] ?? '', before: entry(oldMode, oldId), after: entry(newMode, newId) });
  }
  return changes;
}

const entry = (mode: string, id: string): RawEntry | null => (mode === '000000' ? null : { mode, id });
