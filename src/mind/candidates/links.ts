/**
 * Judges symbolic links by their text alone: nothing is followed. A link that passes stays inside the tree and out of
 * `.git`.
 */
import { folded } from './fold.ts';
import { isDotGit, textOf } from './names.ts';

/** The kernel gives up at 40 as well. */
const MAX_HOPS = 40;
/** Any link whose name differs only in case may be meant. */
const MAX_PLACES = 1_000;

const OUT = 'the link leads out of the tree, or has `..` behind a name: point it inside';
const OUT_THROUGH = 'the link leads out of the tree through another link: point it inside';
const LOOP = 'the link leads back to itself: remove it';
const GIT = 'the link leads into `.git`, which belongs to the person: remove it';
const TOP = 'the link leads back to itself, to the top of the tree, which holds `.git`: remove it';

type SymbolicLink = { readonly path: string; readonly target: string };
type LinkTarget = { readonly at: string | null; readonly hops: number };

/**
 * Returns the problem of a link in a tree, or null. `links` are all links of the tree, by path; paths and targets are
 * byte strings. A name stands for every link that some file system takes for it. `..` is only allowed at the start of a
 * target. There it is exact, because the directories above a link are real ones; after a name it is not, because that
 * name may be a link too (`k -> .`, then `k/../..` is outside).
 */
export function linkJudge(links: ReadonlyMap<string, string>): (path: string, target: string) => string | null {
  const byName = Map.groupBy(
    [...links].map(([path, target]): SymbolicLink => ({ path, target })),
    ({ path }) => plain(path),
  );
  return (path, target) => {
    if (readings(target).some(isAbsolute))
      return 'the link is absolute: make it relative, to a file inside of the tree';
    const self = plain(path);
    const places: LinkTarget[] = steps({ path, target }, '').map((at) => ({ at, hops: 0 }));
    for (const { at, hops } of places) {
      if (at === null) return hops === 0 ? OUT : OUT_THROUGH;
      if (at.split('/').some(isDotGit)) return GIT;
      if (at === '') return TOP;
      if (self === plain(at) || self.startsWith(`${plain(at)}/`)) return LOOP;
      if (hops >= MAX_HOPS || places.length > MAX_PLACES) return LOOP;
      const { found, rest } = firstLinks(at, byName);
      places.push(...found.flatMap((link) => steps(link, rest)).map((next) => ({ at: next, hops: hops + 1 })));
    }
    return null;
  };
}

const plain = (path: string): string => folded(textOf(path) ?? path);

/** Windows reads a backslash as a slash. */
const readings = (target: string): string[] =>
  target.includes('\\') ? [target, target.replaceAll('\\', '/')] : [target];

const isAbsolute = (target: string): boolean => /^(?:\/|[A-Za-z]:)/.test(target);

/** Where one hop leads, as paths from the top of the tree; null if that is outside, or the text does not tell. */
const steps = (link: SymbolicLink, rest: string): (string | null)[] =>
  readings(link.target).map((target) => {
    const at = step(link.path, target);
    return at === null ? null : [at, rest].filter((part) => part !== '').join('/');
  });

function step(path: string, target: string): string | null {
  if (isAbsolute(target)) return null;
  const at = path.split('/').slice(0, -1);
  let named = false;
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (named || at.pop() === undefined) return null;
    } else if (/^[. ]+(?::.*)?$/s.test(part)) {
      // Windows drops dots and spaces at the end of a name, so what is left of this one is unknown.
      return null;
    } else {
      named = true;
      at.push(part);
    }
  }
  return at.join('/');
}

/** The links that the first directory or file on the way to `at` may be. */
function firstLinks(
  at: string,
  links: ReadonlyMap<string, readonly SymbolicLink[]>,
): { found: readonly SymbolicLink[]; rest: string } {
  for (let end = at.indexOf('/'); ; end = at.indexOf('/', end + 1)) {
    const found = links.get(plain(end < 0 ? at : at.slice(0, end)));
    if (found !== undefined) return { found, rest: end < 0 ? '' : at.slice(end + 1) };
    if (end < 0) return { found: [], rest: '' };
  }
}
