/**
 * Whether two texts hold the same tests in other words: with other names that the task gives, from another place, or in
 * another layout. Only then a task that renames, moves or formats code names the tests with it.
 */
import { nameOf } from '../code/paths.ts';

type Renaming = { readonly from: string; readonly to: string };

/** Where a test gets its parts from. */
const IMPORT =
  /^\s*(?:import\b|from\s+\S+\s+import\b|package\s|using\s|(?:pub\s+)?use\s|['"]use strict['"]|(?:const|let|var)\s.{1,400}=\s*(?:await\s+)?(?:require|import)\(|require(?:_relative)?\s).*$/;
const MAX_TEXT = 200_000;

/** `added` are the paths that the change adds. */
export function isSameTest(
  path: string,
  [before, after]: readonly [string, string],
  { renamings, added }: { readonly renamings: readonly Renaming[]; readonly added: readonly string[] },
): boolean {
  if (before.length + after.length > MAX_TEXT) return false;
  const known = new Set([...placesIn(before), ...added.map(stemOf)]);
  if (![...placesIn(after)].every((place) => known.has(place))) return false;
  const names = renamings.flatMap(({ from, to }) => [from, to]).map(lastPart);
  const word = new RegExp(`(?<![\\w$])(?:${names.map(escaped).join('|') || '(?!)'})(?![\\w$])`, 'g');
  const [old, now] = [before, after].map((text) => plain(path, text).replace(word, '\0'));
  return old === now && old !== '';
}

/** The files and packages that it imports, each by its last name. */
const placesIn = (text: string): Set<string> =>
  new Set(
    text
      .split('\n')
      .filter((line) => IMPORT.test(line.slice(0, 2_000)))
      .flatMap((line) => [...line.matchAll(/['"]([^'"\n]{1,200})['"]/g)].map(([, place = '']) => stemOf(place))),
  );

const stemOf = (path: string): string => nameOf(path).replace(/\.\w+$/, '');

/** Without imports and layout. The layout of Python has a meaning. */
function plain(path: string, text: string): string {
  const lines = text
    .replaceAll('\r', '')
    .split('\n')
    .filter((line) => !IMPORT.test(line.slice(0, 2_000)));
  const quoted = lines.join('\n').replace(/['`]/g, '"');
  if (path.endsWith('.py'))
    return quoted
      .replace(/[ \t]+$/gm, '')
      .replace(/\n{2,}/g, '\n')
      .trim();
  return quoted.replace(/\s+|;/g, '').replace(/,(?=[)\]}])/g, '');
}

const lastPart = (name: string): string =>
  name
    .split(/[.#:]+/)
    .filter((part) => part !== '')
    .at(-1) ?? '';
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
