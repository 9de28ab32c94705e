/** A small project to rank: contents, and past changes that touch these files together. */

import type { PastChange } from '../../../src/mind/ranking/input.ts';
import { placesOf } from '../../../src/mind/ranking/places.ts';
import { type RankInput, rankFiles } from '../../../src/mind/ranking/rank.ts';
import { wordScanner } from '../../../src/mind/ranking/scan.ts';
import { SubjectWords } from '../../../src/mind/ranking/subject-words.ts';
import { termsOf } from '../../../src/mind/ranking/terms.ts';

export type Ask = {
  readonly files: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly targets?: readonly string[];
  readonly past?: readonly (readonly string[])[];
  readonly subjects?: readonly string[];
  readonly imports?: RankInput['imports'];
  readonly cap?: number | null;
};

const subjects = new SubjectWords();

export function inputOf(ask: Ask): RankInput {
  const targets = ask.targets ?? [];
  const terms = termsOf(
    ask.text ?? '',
    targets.flatMap((path) => (Object.hasOwn(ask.files, path) ? [{ path, text: ask.files[path] ?? '' }] : [])),
  );
  const paths = Object.keys(ask.files);
  const scanner = wordScanner(terms, paths.length);
  const encoder = new TextEncoder();
  const bytes = Uint32Array.from(Object.values(ask.files), (text, n) => {
    const content = encoder.encode(text);
    scanner.add(n, content);
    return content.length;
  });
  const history = (ask.past ?? []).map((paths, at): PastChange => {
    const words = subjects.of(Buffer.from(ask.subjects?.[at] ?? '').toString('latin1'));
    return { time: 1_700_000_000 - at * 86_400, paths, words };
  });
  const { imports = null, cap = null } = ask;
  const index = new Map(paths.map((path, n) => [path, n]));
  const { counts } = scanner;
  return { places: placesOf(paths), index, bytes, targets, counts, history, now: null, imports, cap };
}

export const ranked = (ask: Ask) => rankFiles(inputOf(ask));
export const order = (ask: Ask): string[] => ranked(ask).map(({ path }) => path);
