/** What a file is called after, and where it lies. */
import { lower, wordsIn } from './words.ts';

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Of a folder; the root has no name. */
export const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);

/** Tells a test from what it tests, or a declaration from its source: not what they are about. */
const ROLE_WORDS = new Set(
  'test tests spec specs e2e mock mocks types type d index main impl unit it stories'.split(' '),
);

/** What a file is called after, without its role: `user.service.spec.ts` and `test_user_service.py` are twins. */
export function stemOfPath(path: string): string {
  const start = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const stem = stemOf(path, start, dot < start ? path.length : dot);
  if (stem !== '') return stem;
  // `parser/index.ts` is called after its folder.
  const folders = path
    .split('/')
    .slice(0, -1)
    .filter((folder) => !ROLE_WORDS.has(lower(folder)));
  return wordsIn(folders.at(-1) ?? '').join('');
}

/** As `wordsIn` cuts it. By hand, for there are many files, and most names have no capitals. */
function stemOf(path: string, start: number, end: number): string {
  let stem = '';
  let from = start;
  for (let at = start; at <= end; at++) {
    const code = at < end ? path.charCodeAt(at) : STROKE;
    if (code >= UPPER_A && code <= UPPER_Z) return stemOfName(path.slice(start, end));
    if ((code >= LOWER_A && code <= LOWER_Z) || (code >= ZERO && code <= NINE) || code >= 0x80) continue;
    if (at > from) {
      const word = path.slice(from, at);
      if (!ROLE_WORDS.has(word)) stem += word;
    }
    from = at + 1;
  }
  return stem;
}

const stemOfName = (name: string): string =>
  wordsIn(name)
    .filter((word) => !ROLE_WORDS.has(word))
    .join('');

const [STROKE, ZERO, NINE, UPPER_A, UPPER_Z, LOWER_A, LOWER_Z] = [47, 48, 57, 65, 90, 97, 122] as const;
