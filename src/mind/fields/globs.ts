/**
 * Patterns of paths in config and tasks: the only place that defines their meaning.
 *
 * As in a CODEOWNERS file, `*` and `?` stay inside one name, and `**` is any number of directories. A pattern without a
 * slash matches at any depth, one with a slash (even a leading one) starts at the top of the tree. A pattern that ends
 * in a slash, or in a name without wildcards, covers that file or directory and everything below it. Everything else is
 * a plain character: `app/[id]/page.tsx` is a path.
 *
 * Patterns are the operator's, paths are a worker's: the time is at most the length of the pattern times that of the
 * path. A library that compiles to regular expressions (picomatch 4.0.7) took 6.7 s for `*_*_*.test.*` at any depth on
 * a name of 4,000 characters, and eight times that for twice the name (measured 2026-11).
 */
export type Matcher = (path: string) => boolean;

export function matcher(patterns: readonly string[], told: { readonly ignoreCase?: boolean } = {}): Matcher {
  const fold = told.ignoreCase === true ? (text: string) => text.toLowerCase() : (text: string) => text;
  const plain = new Set<string>();
  const files = new NameTests();
  const globs: Glob[] = [];
  for (const pattern of patterns) {
    const glob = compile(fold(pattern));
    if (typeof glob === 'string') plain.add(glob);
    else if (glob !== null && 'matches' in glob) files.add(glob);
    else if (glob !== null) globs.push(glob);
  }
  // Listings are sorted: files of one directory are adjacent.
  let lastDirectory = '';
  let isPlain = false;
  return (path) => {
    const folded = fold(path);
    const end = folded.lastIndexOf('/');
    const last = folded.slice(end + 1);
    if (plain.has(last) || files.some(last)) return true;
    const directory = folded.slice(0, Math.max(0, end));
    if (directory !== lastDirectory) {
      lastDirectory = directory;
      isPlain = plain.size > 0 && directory.split('/').some((name) => plain.has(name));
    }
    if (isPlain && end >= 0) return true;
    return globs.length > 0 && anyGlob(globs, folded);
  };
}

function anyGlob(globs: readonly Glob[], path: string): boolean {
  const names = path.split('/');
  return globs.some((glob) => {
    const [first] = glob;
    if (first !== undefined && first !== ANY_DEPTH && !first.matches(names[0] ?? '')) return false;
    return wild(glob, names, isAnyDepth, fits);
  });
}

/** Many tests of one name: only those with its first or last letter are tried. */
class NameTests {
  readonly #byFirst = new Map<number, NameTest[]>();
  readonly #byLast = new Map<number, NameTest[]>();
  readonly #others: NameTest[] = [];

  add(test: NameTest): void {
    const { head, tail } = test;
    if (head !== '') listAt(this.#byFirst, head.charCodeAt(0)).push(test);
    else if (tail !== '') listAt(this.#byLast, tail.charCodeAt(tail.length - 1)).push(test);
    else this.#others.push(test);
  }

  some(name: string): boolean {
    const fit = (test: NameTest) => test.matches(name);
    return (
      (this.#byFirst.get(name.charCodeAt(0))?.some(fit) ?? false) ||
      (this.#byLast.get(name.charCodeAt(name.length - 1))?.some(fit) ?? false) ||
      this.#others.some(fit)
    );
  }
}

function listAt(map: Map<number, NameTest[]>, key: number): NameTest[] {
  const known = map.get(key) ?? [];
  map.set(key, known);
  return known;
}

/** Why a pattern would not mean what it seems to, or null. Such a config is refused rather than misread. */
export function globProblem(pattern: string): string | null {
  if (namesOf(pattern).length === 0) return 'names nothing: write a path or a pattern such as src/**';
  if (pattern.startsWith('!')) return 'starts with `!`: exceptions are not supported, name what is meant';
  if (pattern.includes('\\')) return 'has a backslash: write `/` between names';
  if (/\{[^{}]*,[^{}]*\}/.test(pattern)) return 'has braces: write one pattern for each case';
  return namesOf(pattern).includes('..') ? 'leaves the repository (`..`)' : null;
}

/** The test for each name of a path; `**` is any number of names. */
type Glob = readonly NameGlob[];
type NameGlob = typeof ANY_DEPTH | NameTest;
/** A match starts with `head` and ends with `tail`, unless these are empty. */
type NameTest = { readonly head: string; readonly tail: string; readonly matches: (name: string) => boolean };
const ANY_DEPTH = '**';

/**
 * Most patterns are one name: looked up if plain, else tried only on the last name of a path (20,000 paths in 65 ms
 * instead of 300, measured 2026-11). Null matches nothing.
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
  // `test/**` matches what is in the directory, not the directory itself: a name must follow.
  if (last === ANY_DEPTH) glob.push({ head: '', tail: '', matches: () => true });
  return [...(anchored ? [] : [ANY_DEPTH as NameGlob]), ...glob, ...(below ? [ANY_DEPTH as NameGlob] : [])];
}

const namesOf = (pattern: string): string[] => pattern.split('/').filter((name) => name !== '' && name !== '.');

/** Patterns with only stars are matched by searching the texts between them, each at its earliest place. */
function nameGlob(glob: string): NameTest {
  const [head = '', ...rest] = glob.split('*');
  if (glob.includes('?')) {
    const wanted = [...glob];
    return { head: '', tail: '', matches: (name) => wild(wanted, [...name], isStar, sameLetter) };
  }
  const tail = rest.pop();
  if (tail === undefined) return { head: glob, tail: '', matches: (name) => name === glob };
  const matches = (name: string): boolean => {
    const end = name.length - tail.length;
    if (end < head.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
    let at = head.length;
    for (const between of rest) {
      const found = name.indexOf(between, at);
      if (found < 0 || found + between.length > end) return false;
      at = found + between.length;
    }
    return true;
  };
  return { head, tail, matches };
}

const isStar = (one: string): boolean => one === '*';
const sameLetter = (wanted: string, letter: string): boolean => wanted === '?' || wanted === letter;

const isAnyDepth = (one: NameGlob): boolean => one === ANY_DEPTH;
const fits = (glob: NameGlob, name: string): boolean => glob !== ANY_DEPTH && glob.matches(name);

/**
 * Whether a sequence with stars matches another one completely. Only the last star is ever widened: everything before
 * it matched at the earliest possible place, and a later one could not leave more for the rest.
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
