/** Names a built program as the author of cached values: another one may compute others. */
import { readFileSync } from 'node:fs';
import { sha256 } from '../../kernel/hash.ts';

const names = new Map<string, string | null>();

/**
 * From all bytes of the file (`import.meta.filename`): it names the files it loads by their hashes, so any change in
 * them changes this. Null for a source file, which loads others by fixed names.
 */
export function programName(file: string): string | null {
  const known = names.get(file);
  if (known !== undefined) return known;
  const name = file.endsWith('.js') ? hashOf(file) : null;
  names.set(file, name);
  return name;
}

/** Also returns null if the file is gone because another version was installed. */
function hashOf(file: string): string | null {
  try {
    return sha256(readFileSync(file));
  } catch {
    return null;
  }
}
