/** What to search in files: the task's words, and the names that its target files use. */
import { isStopWord, lower, stemOf, wordsIn } from './words.ts';

export type Term = {
  /** Lower case, without separators: `trustProxy` and `trust-proxy` are equal. */
  readonly key: string;
  /** True: it counts as a whole identifier; else as a word inside one, in all its forms. */
  readonly whole: boolean;
  readonly weight: number;
  /** The targets' names show who uses whom, the task's words what it is about. */
  readonly of: 'task' | 'target';
};

export type Terms = {
  readonly list: readonly Term[];
  /** Adjacent words of the text, joined: file names are often written so (`ipallowlist.md`). */
  readonly joined: readonly Term[];
  /** Lower-case file names or paths that the text itself names. */
  readonly named: readonly string[];
};

type TargetText = { readonly path: string; readonly text: string };

const MOST_TEXT = 20_000;
const MOST_TASK = 160;
const MOST_TARGET = 400;
const MOST_TARGET_TEXT = 400_000;
const LONGEST = 64;
const LONGEST_NAME = 200;
const MOST_NAMES = 50;

export function termsOf(text: string, targets: readonly TargetText[] = []): Terms {
  const said = text.slice(0, MOST_TEXT);
  const list = [...taskTerms(said), ...targetTerms(targets)];
  return { list, joined: joinedTerms(said), named: namedFiles(said) };
}

/** The sum of the weights of the task's words in a name. */
export function taskWeigher({ list }: Terms): (name: string) => number {
  const weights = new Map<string, number>();
  for (const { key, whole, weight, of } of list)
    if (of === 'task') weights.set(whole ? `=${key}` : stemOf(key), weight);
  return (name) => {
    const words = wordsIn(name);
    const stems = new Set([...words.map(stemOf), `=${words.join('')}`]);
    return [...stems].reduce((sum, stem) => sum + (weights.get(stem) ?? 0), 0);
  };
}

function taskTerms(text: string): Term[] {
  const weights = new Map<string, { key: string; whole: boolean; weight: number }>();
  const add = (key: string, whole: boolean, weight: number) => {
    const id = whole ? `=${key}` : stemOf(key);
    const seen = weights.get(id);
    if (seen === undefined) weights.set(id, { key, whole, weight });
    else seen.weight = Math.max(seen.weight, weight) + 0.25 * Math.min(seen.weight, weight);
  };
  const [first = ''] = text.split('\n', 1);
  const quoted = new Set(
    [...text.matchAll(/[`'"]([^`'"\n]{2,60})[`'"]/g)].flatMap((m) => m[1]?.match(IDENTIFIER) ?? []),
  );
  let before: string | null = null;
  for (const { 0: identifier, index } of text.matchAll(IDENTIFIER)) {
    if (identifier.length > LONGEST) continue;
    const place = index < first.length ? 1 : 0.5;
    const marked = quoted.has(identifier) ? 1.5 : 1;
    const words = wordsIn(identifier);
    for (const word of words) if (isTelling(word)) add(word, false, place * marked);
    // Names that never occur in prose are worth more than their words.
    if (words.length > 1) add(words.join(''), true, 1.5 * place * marked);
    const joined: string = words.join('');
    if (before !== null && isTelling(before) && isTelling(joined)) add(before + joined, true, place);
    before = words.length > 0 ? joined : null;
  }
  return [...weights.values()].slice(0, MOST_TASK).map((term) => ({ ...term, of: 'task' as const }));
}

const MOST_JOINED = 600;
const LONGEST_RUN = 4;
/** Shorter ones occur in paths by chance. */
const SHORTEST_JOINED = 6;
const SHORTEST_SINGLE = 8;

/**
 * Runs of up to four words, inside one identifier or in a row: `ipAllowListStrategy` gives `ipallowlist`, and so does
 * `IP allow list`. A single word counts too: `ipallowlist` of a task is `ip-allow-list` of a path.
 */
function joinedTerms(text: string): Term[] {
  const weights = new Map<string, number>();
  const [first = ''] = text.split('\n', 1);
  let before: string[] = [];
  let end = 0;
  for (const { 0: identifier, index } of text.matchAll(IDENTIFIER)) {
    // Only a blank, a hyphen or the like joins words: a full stop or a line end separates.
    const row = /^[ \t/-]{0,2}$/.test(text.slice(end, index)) ? before : [];
    const words = identifier.length > LONGEST ? [] : wordsIn(identifier);
    const all = [...row.slice(1 - LONGEST_RUN), ...words];
    for (let from = 0; from < all.length; from++) {
      const last = Math.min(from + LONGEST_RUN, all.length);
      for (let to = Math.max(from + 1, all.length - words.length + 1); to <= last; to++) {
        const run = all.slice(from, to);
        const key = run.join('');
        if (
          key.length < (run.length > 1 ? SHORTEST_JOINED : SHORTEST_SINGLE) ||
          key.length > LONGEST ||
          !run.some(isTelling)
        )
          continue;
        weights.set(key, Math.max(weights.get(key) ?? 0, index < first.length ? 1.5 : 0.75));
      }
    }
    before = [...row, ...words];
    end = index + identifier.length;
  }
  const best = [...weights].sort((a, b) => b[1] - a[1]).slice(0, MOST_JOINED);
  return best.map(([key, weight]) => ({ key, whole: true, weight, of: 'task' as const }));
}

function targetTerms(targets: readonly TargetText[]): Term[] {
  // Few identifiers make up most of a text, so each is split once.
  const seen = new Map<string, number>();
  for (const { text } of targets) {
    for (const [identifier] of text.slice(0, MOST_TARGET_TEXT).matchAll(IDENTIFIER)) {
      if (identifier.length <= LONGEST) seen.set(identifier, (seen.get(identifier) ?? 0) + 1);
    }
  }
  const counts = new Map<string, number>();
  for (const [identifier, count] of seen) {
    const key = wordsIn(identifier).join('');
    if (key.length >= 4 && !isStopWord(key)) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MOST_TARGET)
    .map(([key, count]) => ({ key, whole: true, weight: 1 + Math.log(count), of: 'target' as const }));
}

const IDENTIFIER = /[A-Za-z0-9\u0080-\uffff]+(?:[_-][A-Za-z0-9\u0080-\uffff]+)*/g;

function isTelling(word: string): boolean {
  return word.length >= 2 && word.length <= 40 && !isStopWord(word) && !/^[0-9]+$/.test(word);
}

function namedFiles(text: string): string[] {
  const pieces = text.split(/[^A-Za-z0-9_@./-]+/).map((piece) => trimmed(lower(piece)));
  const names = pieces.filter((piece) => piece.length <= LONGEST_NAME && /[^.]\.[a-z][a-z0-9]{0,5}$/.test(piece));
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** Without the dot that ends a sentence, and the `./` that starts a path. */
function trimmed(piece: string): string {
  let end = piece.length;
  while (end > 0 && piece[end - 1] === '.') end--;
  return piece.slice(0, end).replace(/^\.?\/+/, '');
}
