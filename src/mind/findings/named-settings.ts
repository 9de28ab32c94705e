/**
 * Whether the task's own words name all that a change adds to a file of settings, and all that it takes away: "turn on
 * ruff's UP rules", "enable gosec", "upgrade JUnit to 5.11".
 */
import { packageScripts } from '../candidates/base-scripts.ts';
import { guardedPackageJson } from '../candidates/package-json.ts';
import { guardedToml, isTomlManifest } from '../candidates/toml-manifest.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { namesTools } from './named-tools.ts';
import { REMOVAL, REWORK, TaskWords } from './task-words.ts';

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
const MAX_LINES = 200;

/** `orders` are the parts of the task that ask for something. */
export function settingsNamed(file: ChangedFile, orders: readonly string[]): string | null {
  const scripts = scriptsNamed(file, orders);
  if (scripts !== undefined) return scripts;
  const [before, after] = [file.before, file.after].map((text) => guarded(file.path, text ?? ''));
  if (before == null || after == null) return null;
  const { added, removed } = lineDiff({ path: file.path, before, after });
  if (added.length + removed.length > MAX_LINES) return null;
  const lines = after.split('\n');
  const [now, was] = [added, removed].map((some) => some.flatMap(({ text }) => wordsOf(text))) as [string[], string[]];
  const [fresh, gone] = [beyond(now, was), beyond(was, now)];
  if (fresh.length + gone.length === 0) return null;
  const loosens = added.some(({ line }) => LOOSENS.test(inContext(lines, line - 1)));
  return (
    orders.find((text) => {
      const isNamed = namedIn(text);
      const mayLose = REMOVAL.test(text) || REWORK.test(text) || /\bfrom\b/i.test(text);
      const isReplaced = (word: string) => /^v?\d/.test(word) && fresh.some((one) => /^v?\d/.test(one));
      return (
        [...fresh, ...gone].some((word) => isNamed(word)) &&
        (!loosens || ASKS_LESS.test(text)) &&
        fresh.every((word) => GLUE.has(word) || RELEASE.test(word) || isNamed(word)) &&
        gone.every((word) => GLUE.has(word) || isReplaced(word) || (mayLose && isNamed(word)))
      );
    }) ?? null
  );
}

/** If only scripts of a package.json differ: the words that name their tools; null if there are none. */
function scriptsNamed({ path, before, after }: ChangedFile, orders: readonly string[]): string | null | undefined {
  if (!path.endsWith('package.json') || before === null || after === null) return undefined;
  const [old, now] = [packageScripts(before), packageScripts(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  if (names.length === 0) return undefined;
  const pairs = names.map((name) => [old.get(name) ?? '', now.get(name) ?? ''] as const);
  const words = new Map(orders.map((text) => [text, new TaskWords(text)]));
  const rest = [before, after].map((text) => withoutScripts(text));
  if (rest[0] !== rest[1]) return null;
  return orders.find((text) => pairs.every((pair) => namesTools(words.get(text) as TaskWords, [pair]))) ?? null;
}

function withoutScripts(text: string): string | null {
  const all = guardedPackageJson(text);
  return all === null ? null : JSON.stringify({ ...(JSON.parse(all) as object), scripts: null });
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
