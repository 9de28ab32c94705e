/**
 * Patterns of paths, as people write them in config and tasks: the one place that knows what they mean.
 *
 * As in a CODEOWNERS file: `*` and `?` stay inside one name, `**` is any number of directories, a pattern without a
 * slash matches at any depth, one with a slash (also a leading one) from the top of the tree. A pattern that ends in a slash, or in
 * a name without wildcards, covers that file or directory and all below it. Everything else is a plain character:
 * `app/[id]/page.tsx` is a path.
 *
 * Patterns are the operator's, paths are a worker's: the time is at most length of pattern times length of path. A
 * library that compiles to regular expressions (picomatch 4.0.7) took 6.7 s for `*_*_*.test.*` at any depth on a name of
 * 4,000 characters, and eight times that for twice the name (measured 2026-11).
 */
export type Matcher = (path: string) => boolean;

export function matcher(patterns: readonly string[], told: { readonly ignoreCase?: boolean } = {}): Matcher {
  const fold = told.ignoreCase === true ? (text: string) => text.toLowerCase() : (text: string) => text;
  const plain = new Set<string>();
  const files: NameTest[] = [];
  const globs: Glob[] = [];
  for (const pattern of patterns) {
    const glob = compile(fold(pattern));
    if (typeof glob === 'string') plain.add(glob);
    else if (typeof glob === 'function') files.push(glob);
    else if (glob !== null) globs.push(glob);
  }
  return (path) => {
    const names = fold(path).split('/');
    const last = names.at(-1) ?? '';
    return (
      names.some((name) => plain.has(name)) ||
      files.some((test) => test(last)) ||
      globs.some((glob) => wild(glob, names, isAnyDepth, fits))
    );
  };
}

/** Why a pattern would not mean what it seems to, or null. Config is refused rather than read as something else. */
export function globProblem(pattern: string): string | null {
  if (namesOf(pattern).length === 0) return 'names nothing: write a path or a pattern such as src/**';
  if (pattern.startsWith('!')) return 'starts with `!`: exceptions are not supported, name what is meant';
  if (pattern.includes('\\')) return 'has a backslash: write `/` between names';
  if (/\{[^{}]*,[^{}]*\}/.test(pattern)) return 'has braces: write one pattern for each case';
  return namesOf(pattern).includes('..') ? 'leaves the repository (`..`)' : null;
}

/** What each name of a path must be; `**` is any number of names. */
type Glob = readonly NameGlob[];
type NameGlob = typeof ANY_DEPTH | NameTest;
type NameTest = (name: string) => boolean;
const ANY_DEPTH = '**';

/**
 * Most patterns are one name: looked up when it is plain, else tried on the last name of a path alone (20,000 paths in
 * 65 ms instead of 300, measured 2026-11). Null matches nothing.
 */
function compile(pattern: string): string | NameTest | Glob | null {
  const names = namesOf(pattern);
  const last = names.at(-1);
  if (last === undefined) return null;
  const anchored = names.length > 1 || /^\.?\//.test(pattern);
  const below = pattern.endsWith('/') || !/[*?]/.test(last);
  if (!anchored && !/[*?]/.test(last)) return last;
  if (!anchored && !below && last !== ANY_DEPTH) return nameGlob(last);
  const glob: NameGlob[] = names.map((name) => (name === ANY_DEPTH ? ANY_DEPTH : nameGlob(name)));
  // `test/**` is what lies in the directory, not the directory: a name must follow.
  if (last === ANY_DEPTH) glob.push(() => true);
  return [...(anchored ? [] : [ANY_DEPTH as NameGlob]), ...glob, ...(below ? [ANY_DEPTH as NameGlob] : [])];
}

const namesOf = (pattern: string): string[] => pattern.split('/').filter((name) => name !== '' && name !== '.');

/** Most patterns have one star at an end: told by the ends of the name. */
function nameGlob(glob: string): NameTest {
  const [head = '', ...rest] = glob.split('*');
  const tail = rest.at(-1) ?? '';
  if (glob.includes('?') || rest.length > 1) {
    const wanted = [...glob];
    return (name) => wild(wanted, [...name], isStar, sameLetter);
  }
  if (rest.length === 0) return (name) => name === glob;
  return (name) => name.length >= glob.length - 1 && name.startsWith(head) && name.endsWith(tail);
}

const isStar = (one: string): boolean => one === '*';
const sameLetter = (wanted: string, letter: string): boolean => wanted === '?' || wanted === letter;

const isAnyDepth = (one: NameGlob): boolean => one === ANY_DEPTH;
const fits = (glob: NameGlob, name: string): boolean => glob !== ANY_DEPTH && glob(name);

/**
 * Whether a sequence with stars is the whole of another one. Only the last star is ever widened: what stands before it
 * matched at the earliest place there is, and a later one could not leave more for the rest.
 */
function wild<P, T>(
  wanted: readonly P[],
  found: readonly T[],
  widens: (one: P) => boolean,
  same: (wanted: P, found: T) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let i = 0; i < found.length; ) {
    const one = wanted[at];
    if (at < wanted.length && widens(one as P)) {
      star = at;
      retry = i;
      at += 1;
    } else if (at < wanted.length && same(one as P, found[i] as T)) {
      at += 1;
      i += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      i = retry;
    } else return false;
  }
  while (at < wanted.length && widens(wanted[at] as P)) at += 1;
  return at === wanted.length;
}
