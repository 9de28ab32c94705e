/** A file's stem and its folder. */
import { BASE, powersUpTo } from './walk.ts';
import { lower, wordsIn } from './words.ts';

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The depth of a folder; the root is 0. */
export const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);

/** Words that distinguish a test from its subject, or a declaration from its source, not what they are about. */
const ROLE_WORDS = new Set(
  'test tests spec specs e2e mock mocks types type d index main impl unit it stories'.split(' '),
);

/** The file's name without its role: `user.service.spec.ts` and `test_user_service.py` are twins. */
export function stemOfPath(path: string): string {
  const start = path.lastIndexOf('/') + 1;
  const stem = wordsIn(path.slice(start, endOfStem(path, start)))
    .filter((word) => !ROLE_WORDS.has(word))
    .join('');
  if (stem !== '') return stem;
  // `parser/index.ts` is named after its folder.
  const folders = path
    .split('/')
    .slice(0, -1)
    .filter((folder) => !ROLE_WORDS.has(lower(folder)));
  return wordsIn(folders.at(-1) ?? '').join('');
}

/** Without its ending. */
function endOfStem(path: string, start: number): number {
  const dot = path.lastIndexOf('.');
  return dot < start ? path.length : dot;
}

/** File names are not longer. */
const POWERS = powersUpTo(255);

/** If two differ, so do the stems. */
export function stemHash(stem: string): number {
  let hash = 0;
  for (let at = 0; at < stem.length; at++) hash = (Math.imul(hash, BASE) + stem.charCodeAt(at)) | 0;
  return hash;
}

/** By some bits of their hashes: excludes nearly all other words at once. */
const MAY_BE_ROLE = new Uint8Array(256);
for (const word of ROLE_WORDS) MAY_BE_ROLE[stemHash(word) & 0xff] = 1;

/** The hash of `stemOfPath`. Called for every file of a tree: a name without capitals needs no string. */
export function hashOfStem(path: string): number {
  const start = path.lastIndexOf('/') + 1;
  const end = endOfStem(path, start);
  let hash = 0;
  let word = 0;
  let from = start;
  let hasWords = false;
  for (let at = start; at <= end; at++) {
    const code = at < end ? path.charCodeAt(at) : STROKE;
    if ((code >= LOWER_A && code <= LOWER_Z) || (code >= ZERO && code <= NINE) || code >= 0x80) {
      word = (Math.imul(word, BASE) + code) | 0;
      continue;
    }
    const length = at - from;
    if ((code >= UPPER_A && code <= UPPER_Z) || length >= POWERS.length) return stemHash(stemOfPath(path));
    if (length > 0 && (MAY_BE_ROLE[word & 0xff] === 0 || !ROLE_WORDS.has(path.slice(from, at)))) {
      hash = (Math.imul(hash, POWERS[length] as number) + word) | 0;
      hasWords = true;
    }
    word = 0;
    from = at + 1;
  }
  return hasWords ? hash : stemHash(stemOfPath(path));
}

const [STROKE, ZERO, NINE, UPPER_A, UPPER_Z, LOWER_A, LOWER_Z] = [47, 48, 57, 65, 90, 97, 122] as const;
