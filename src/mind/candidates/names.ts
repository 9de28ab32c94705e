/** Which file names may become part of a candidate, and how to show a byte string to people. */
import { hiddenCharacter } from '../../kernel/terminal-text.ts';
import { folded } from './fold.ts';

/** The text of a byte string, or null if its bytes are not UTF-8. */
export function textOf(bytes: string): string | null {
  if (isAscii(bytes)) return bytes;
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** For messages and lists: bytes that are not UTF-8 are escaped. */
export function shown(bytes: string): string {
  const text = textOf(bytes);
  if (text !== null) return text;
  return [...bytes].map((c) => (c < '\x80' ? c : `\\x${c.charCodeAt(0).toString(16)}`)).join('');
}

/**
 * Returns the problem of a new path (a byte string), or null. Directories of the base (`isOld`) are not judged again: a
 * new file in them adds only its own name.
 */
export function nameProblem(path: string, isOld: (directory: string) => boolean = () => false): string | null {
  const text = textOf(path);
  if (text === null) return 'the name is not UTF-8: rename it';
  if (path.split(/[/\\]/).some(isDotGit)) return 'the name is one that some file system reads as `.git`: rename it';
  const names = path.split('/');
  for (const [index, name] of text.split('/').entries()) {
    const problem = hiddenProblem(name) ?? windowsProblem(name);
    if (problem !== null && !isOld(names.slice(0, index + 1).join('/'))) return problem;
  }
  return null;
}

/** People approve a change by what they see. */
function hiddenProblem(name: string): string | null {
  const hidden = hiddenCharacter(name);
  if (hidden !== null)
    return `the name holds a control character or one that does not show (${codeOf(hidden)}): rename it`;
  const blank = BLANK.exec(name)?.[0];
  return blank === undefined ? null : `the name holds a blank that is no plain space (${codeOf(blank)}): rename it`;
}

/** Spaces of other widths, and characters drawn as nothing. Japanese names use U+3000, which is wide enough to see. */
const BLANK = /[^\P{Zs} \u3000]|[\u2800\u{1d159}]/u;

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Windows cannot check out such a name, or opens a device or a stream of another file. */
function windowsProblem(name: string): string | null {
  const forbidden = /[<>:"|?*\\]/.exec(name)?.[0];
  if (forbidden !== undefined) return `Windows takes no \`${forbidden}\` in a name: rename it`;
  if (DEVICE.test(name)) return 'Windows takes the name for a device: rename it';
  return /[. ]$/.test(name) ? 'Windows drops the dot or space at the end of the name: rename it' : null;
}

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³]) *(?:\.|$)/i;

/**
 * `.git` as any file system may read it: letter case, NTFS (`git~1`, trailing dots and spaces, streams), HFS+ (code
 * points it ignores). Takes a byte string.
 */
export function isDotGit(name: string): boolean {
  // Called for every file of a tree: the first byte decides most names.
  if (/^[^.gG\x80-\xff]/.test(name)) return false;
  const plain = folded(textOf(name) ?? name);
  return plain === '.git' || plain === 'git~1';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);
