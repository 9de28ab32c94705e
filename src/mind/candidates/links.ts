/** Judges symbolic links by their text alone: nothing is followed, and what passes can not lead out of the tree. */

/** The kernel gives up at 40 as well. */
const MAX_HOPS = 40;

/**
 * What is wrong with the link at `path`, or null. `links` are all links of the tree, by path.
 *
 * `..` is only allowed at the beginning of a target. There it is exact, because the directories above a link are real
 * ones; behind a name it is not, because that name may be a link too (`k -> .`, then `k/../..` is outside).
 */
export function linkProblem(path: string, target: string, links: ReadonlyMap<string, string>): string | null {
  if (target.startsWith('/')) return 'the link is absolute: make it relative, to a file inside of the tree';
  let at = step(path, target);
  if (at === null) return 'the link leads out of the tree, or has `..` behind a name: point it inside';
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (at === '' || path === at || path.startsWith(`${at}/`)) return 'the link leads back to itself: remove it';
    const next: { readonly link: string; readonly rest: string } | null = firstLink(at, links);
    if (next === null) return null;
    const through = step(next.link, links.get(next.link) ?? '');
    if (through === null) return 'the link leads out of the tree through another link: point it inside';
    at = [through, next.rest].filter((part) => part !== '').join('/');
  }
  return 'the link leads back to itself: remove it';
}

/** Where one hop leads, as a path from the top of the tree; null: outside, or not to be told from the text. */
function step(path: string, target: string): string | null {
  if (target.startsWith('/')) return null;
  const at = path.split('/').slice(0, -1);
  let named = false;
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') {
      named = true;
      at.push(part);
    } else if (named || at.pop() === undefined) return null;
  }
  return at.join('/');
}

/** The first directory or file on the way to `at` that is itself a link. */
function firstLink(at: string, links: ReadonlyMap<string, string>): { link: string; rest: string } | null {
  for (let end = at.indexOf('/'); ; end = at.indexOf('/', end + 1)) {
    const link = end < 0 ? at : at.slice(0, end);
    if (links.has(link)) return { link, rest: end < 0 ? '' : at.slice(end + 1) };
    if (end < 0) return null;
  }
}
