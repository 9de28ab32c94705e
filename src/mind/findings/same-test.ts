/**
 * Whether two texts hold the same tests in other words: with other names that the task gives, from another place, or in
 * another layout. Only then a task that renames, moves or formats code names the tests with it.
 */
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { isTest, type Language, languageOf } from '../code/languages.ts';
import { maskOf, withoutComments } from '../code/mask.ts';
import { directoryOf, joined } from '../code/paths.ts';

type Renaming = { readonly from: string; readonly to: string };
type Place = { readonly path: string; readonly text: string };

/** Strings, templates and regular expressions, in masked code. */
const QUOTED = /(["'])[ \n]*\1|`[^`]*`|\/ +\//g;
/** What stands before the quoted path of an import. */
const IMPORTS = /\b(?:from|import|require|mock)\s*\(?\s*$/;
const REQUIRED =
  /\b(?:const|let|var)\s+([\w$]{1,100}|\{[\w$\s,:]{1,400}\})\s*=\s*require\(\s*""\s*\)(?=\s*(?:;|\n|$))/g;
const MAX_TEXT = 200_000;
const MAX_MOVED = 50;

/** `moved` leads from the old path of each file to its new one, both as `bareOf` writes them. */
export function isSameTest(
  before: Place,
  after: Place,
  { renamings, moved }: { readonly renamings: readonly Renaming[]; readonly moved: ReadonlyMap<string, string> },
): boolean {
  if (before.text.length + after.text.length > MAX_TEXT) return false;
  const names = renamings.flatMap(({ from, to }) => [from, to]).map(lastPart);
  const word = new RegExp(`(?<![\\w$])(?:${names.map(escaped).join('|') || '(?!)'})(?![\\w$])`, 'g');
  const old = plain(before, (place) => moved.get(place) ?? place).replace(word, '\0');
  return old.trim() !== '' && old === plain(after, (place) => place).replace(word, '\0');
}

/** Files that are gone, and are found again in a new one with at least half of their lines. */
export function movedFiles(files: readonly ChangedFile[]): ReadonlyMap<string, string> {
  const gone = files.filter(({ before, after }) => before !== null && after === null).slice(0, MAX_MOVED);
  const added = files.filter(({ before }) => before === null).slice(0, MAX_MOVED);
  return new Map(
    gone.flatMap((old): [string, string][] => {
      const now = added.find(({ path, after }) => {
        if (isTest(path) !== isTest(old.path)) return false;
        const { removed } = lineDiff({ path: old.path, before: old.before, after });
        return removed.length * 2 < (old.before ?? '').split('\n').length;
      });
      return now === undefined ? [] : [[bareOf(old.path), bareOf(now.path)]];
    }),
  );
}

/** `./a`, `./a.js` and `./a.ts` lead to one file. */
const bareOf = (path: string): string => path.replace(/\.[jt]s$/, '');

/** The code in one layout, then its strings and comments as they are. Where imports lead, `placed` says. */
function plain({ path, text }: Place, placed: (place: string) => string): string {
  const language = languageOf(path);
  const source = isScript(language) ? text.replace(/^(['"])use strict\1;?\s*$/m, '') : text;
  if (language === 'other') return source;
  const [code, bare] = [maskOf(language, source), withoutComments(language, source)];
  const quoted: string[] = [];
  let [outline, at] = ['', 0];
  for (const { 0: found, index } of code.matchAll(QUOTED)) {
    outline += bare.slice(at, index);
    at = index + found.length;
    const own = source.slice(index, at);
    quoted.push(IMPORTS.test(outline.slice(-40)) ? placeOf(path, own, placed) : inOneQuote(language, own));
    outline += '""';
  }
  outline += bare.slice(at);
  const comments = [...source].filter((one, i) => bare[i] !== one).join('');
  return [inOneLayout(language, outline), ...quoted, comments].join('\u0001');
}

function placeOf(path: string, quoted: string, placed: (place: string) => string): string {
  const name = quoted.slice(1, -1);
  const to = name.startsWith('.') ? joined(directoryOf(path), name) : null;
  return to === null ? name : `./${placed(bareOf(to))}`;
}

const isScript = (language: Language): boolean => language === 'typescript' || language === 'javascript';

/** Both quotes of scripts and of Python mean the same. */
function inOneQuote(language: Language, quoted: string): string {
  const [first = ''] = quoted;
  if (!/['"]/.test(first) || !(isScript(language) || language === 'python')) return quoted;
  const inside = quoted.slice(1, -1);
  return `"${isScript(language) ? inside.replace(/\\(['"])/g, '$1') : inside}"`;
}

/** The layout of Python has a meaning. */
function inOneLayout(language: Language, outline: string): string {
  if (language === 'python') {
    const lines = outline.split('\n').map((line) => line.trimEnd());
    return lines.filter((line) => line !== '').join('\n');
  }
  const spaced = isScript(language)
    ? outline
        .replace(REQUIRED, (_, names: string) => `import ${names.replace(/\s*:\s*/g, ' as ')} from ""`)
        .replace(/;(?=\s*(?:\n|\}|$))/g, '')
    : outline;
  return spaced
    .replace(/\b(return|throw|break|continue)[^\S\n]*\n/g, '$1;')
    .replace(/\s+/g, ' ')
    .replace(/ (?![\w$])|(?<![\w$]) /g, '')
    .replace(/,(?=[)\]}])/g, '');
}

const lastPart = (name: string): string =>
  name
    .split(/[.#:]+/)
    .filter((part) => part !== '')
    .at(-1) ?? '';
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
