/** Which file names may become part of a candidate, and how a byte string is shown to people. */

/** Text of a byte string, or null when its bytes are not UTF-8. */
export function textOf(bytes: string): string | null {
  if (isAscii(bytes)) return bytes;
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** For messages and lists: what is not UTF-8 is shown as escaped bytes. */
export function shown(bytes: string): string {
  const text = textOf(bytes);
  if (text !== null) return text;
  return [...bytes].map((c) => (c < '\x80' ? c : `\\x${c.charCodeAt(0).toString(16)}`)).join('');
}

/** What is wrong with a path as a byte string, or null. */
export function nameProblem(path: string): string | null {
  const text = textOf(path);
  if (text === null) return 'the name is not UTF-8: rename it';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)) {
    return 'the name holds a control character: rename it';
  }
  return path.split('/').some(isDotGit) ? 'the name is one that some file system reads as `.git`: rename it' : null;
}

/**
 * `.git` as any file system may read it: letter case, NTFS (`git~1`, trailing dots and spaces, streams), HFS+ (code
 * points it ignores). Takes a byte string.
 */
export function isDotGit(name: string): boolean {
  // Asked for every file of a tree: most names are told by their first byte.
  if (/^[^.gG\x80-\xff]/.test(name)) return false;
  const plain = (textOf(name) ?? name)
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return plain === '.git' || plain === 'git~1';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);
