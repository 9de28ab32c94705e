/**
 * Whether the task's own words name all that a change adds to a file of settings, and all that it takes away: "turn on
 * ruff's UP rules", "enable gosec", "upgrade JUnit to 5.11".
 */
import { guardedPackageJson } from '../candidates/package-json.ts';
import { guardedToml, isTomlManifest } from '../candidates/toml-manifest.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { wordsOfLoss } from './named-tools.ts';
import { TaskWords } from './task-words.ts';

/** Words of the format itself, and values that switch something on. */
const GLUE: ReadonlySet<string> = new Set(
  (
    'true on error yes gem require type name rules enable enabled plugins features dependency dependencies groupid ' +
    'artifactid version scope test compile runtime provided implementation testimplementation api dep'
  ).split(' '),
);
/** Switches something off, or says what runs. */
export const LOOSENS =
  /\b(?:off|addopts|testpaths|python_\w+|deselect\w*|include|files|pattern\w*|paths?|commands?|scripts?|run|ignor\w*|disabl\w*|allow\w*|exclud\w*|skip\w*|omit\w*|false|no|none|continue\w*|warn\w*)\b|:\s*["']?0\b|=\s*0\b/i;
const ASKS_LESS = /\b(?:off|deselect\w*|ignor\w*|disabl\w*|allow\w*|exclud\w*|skip\w*|omit\w*)\b/i;
const LAZY_GEM = /,\s*require:\s*false/g;
const COMMENT = /^\s*(?:#|\/\/|<!--).*$|\s#\s.*$/;
const RELEASE = /^v?\d+\.\d[\w.-]*$/;
const NUMBER = /\d+(?:\.\d+)*/g;
/** A check that is on: without the line it is off. */
const SWITCHES_ON = /\b(?:true|on|yes|error|deny|forbid|always)\b/i;
const LOWERS = /\b(?:lower|reduc|relax|decreas|loosen|downgrad)\w*/i;
const MAX_LINES = 200;

const isNumber = (word: string): boolean => /^v?\d/.test(word);

/** `orders` are the parts of the task that ask for something. */
export function settingsNamed(file: ChangedFile, orders: readonly string[]): string | null {
  const [before, after] = [file.before, file.after].map((text) => guarded(file.path, text ?? ''));
  if (before == null || after == null) return null;
  const { added, removed } = lineDiff({ path: file.path, before, after });
  if (added.length + removed.length > MAX_LINES) return null;
  const lines = after.split('\n');
  const [now, was] = [added, removed].map((some) => some.flatMap(({ text }) => wordsOf(text))) as [string[], string[]];
  const [fresh, gone] = [beyond(now, was), beyond(was, now)];
  if (fresh.length + gone.length === 0) return null;
  const loosens =
    added.some(({ line }) => LOOSENS.test(inContext(lines, line - 1))) ||
    removed.some(({ text }) => SWITCHES_ON.test(text) && wordsOf(text).some((word) => gone.includes(word)));
  const olds = before.split('\n');
  const numbers = removed.filter(({ text }) => wordsOf(text).some((word) => isNumber(word) && gone.includes(word)));
  return (
    orders.find((text) => {
      const isNamed = namedIn(text);
      const task = new TaskWords(text);
      return (
        [...fresh, ...gone].some((word) => isNamed(word)) &&
        (!loosens || ASKS_LESS.test(text)) &&
        fresh.every((word) => GLUE.has(word) || RELEASE.test(word) || isNamed(word)) &&
        gone.every((word) => GLUE.has(word) || isNumber(word) || wordsOfLoss(task, word) !== null) &&
        numbers.every(
          (one) =>
            subjectOf(olds, olds.indexOf(one.text)).some(isNamed) &&
            added.some((next) => isNewNumber(one.text, next.text, LOWERS.test(text))),
        )
      );
    }) ?? null
  );
}

/** What a line sets: its own words, or those just above if it has none of its own, as `<version>5</version>`. */
function subjectOf(lines: readonly string[], at: number): string[] {
  const own = (line: string) => wordsOf(line).filter((word) => !GLUE.has(word) && !isNumber(word));
  for (let i = at; i >= Math.max(0, at - 3); i -= 1) {
    const words = own(lines[i] ?? '');
    if (words.length > 0) return words;
  }
  return [];
}

/** The same line with other numbers, none of which is smaller unless it may be. A release may be an older one. */
function isNewNumber(before: string, after: string, mayFall: boolean): boolean {
  if (before.replace(NUMBER, '#') !== after.replace(NUMBER, '#')) return false;
  const now = after.match(NUMBER) ?? [];
  return (before.match(NUMBER) ?? []).every((old, i) => {
    const next = now[i] ?? '';
    return mayFall || (RELEASE.test(old) && RELEASE.test(next)) || Number(next) >= Number(old);
  });
}

function guarded(path: string, text: string): string | null {
  if (path.endsWith('package.json')) return guardedPackageJson(text === '' ? '{}' : text);
  return isTomlManifest(path.toLowerCase()) ? guardedToml(text) : text;
}

/** A line, with the line that holds its list or section. */
function inContext(lines: readonly string[], at: number): string {
  const own = (lines[at] ?? '').slice(0, 1_000).replace(LAZY_GEM, '');
  const indent = indentOf(own);
  for (let i = at - 1; i >= 0; i -= 1) {
    const one = lines[i] ?? '';
    if (one.trim() !== '' && indentOf(one) < indent) return `${one.slice(0, 1_000)} ${own}`;
  }
  return own;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

const wordsOf = (line: string): string[] =>
  (
    line
      .slice(0, 1_000)
      .replace(LAZY_GEM, '')
      .replace(COMMENT, '')
      .match(/@?\w[\w.@/:-]*/g) ?? []
  ).map((word) => word.replace(/[.:/-]+$/, '').toLowerCase());

/** Words that occur more often in `all` than in `others`. */
function beyond(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  return all.filter((word) => {
    const n = left.get(word) ?? 0;
    left.set(word, n - 1);
    return n <= 0;
  });
}

/** A clause names a word by itself, by its plural, or by its telling part: AssertJ for `org.assertj`, 5.11 for `5.11.0`. */
function namedIn(text: string): (word: string) => boolean {
  const said = new Set((text.toLowerCase().match(/@?\w[\w.@/-]*/g) ?? []).map((word) => word.replace(/[.:/-]+$/, '')));
  const isSaid = (word: string) => said.has(word) || said.has(`${word}s`) || said.has(word.replace(/s$/, ''));
  const isPrefixed = (word: string) =>
    [...said].some(
      (one) => /\w\.\w/.test(one) && one.length > 2 && (word.startsWith(`${one}.`) || one.startsWith(`${word}.`)),
    );
  return (word) =>
    isSaid(word) ||
    isPrefixed(word) ||
    word.split(/[./@:-]/).some((part) => part.length > 4 && /[a-z]/.test(part) && isSaid(part));
}
