/** A name for a built program, for what it finds out: another one may find out something else. */
import { readFileSync } from 'node:fs';
import { sha256 } from '../../kernel/hash.ts';

const names = new Map<string, string | null>();

/**
 * By all bytes of the file (`import.meta.filename`): it names the other files it loads by their hashes, so whatever changes
 * in any of them changes this. Null for a source, which loads others by names that stay.
 */
export function programName(file: string): string | null {
  const known = names.get(file);
  if (known !== undefined) return known;
  const name = file.endsWith('.js') ? hashOf(file) : null;
  names.set(file, name);
  return name;
}

/** Null too where it is gone: another version was installed while this one runs. */
function hashOf(file: string): string | null {
  try {
    return sha256(readFileSync(file));
  } catch {
    return null;
  }
}
