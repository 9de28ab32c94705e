/** What is told of many paths at once is what a slow, plain reading of each path tells. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathColumns } from '../../../src/mind/ranking/path-signals.ts';
import { namedColumn } from '../../../src/mind/ranking/place-signals.ts';
import { hashOfStem, stemHash, stemOfPath } from '../../../src/mind/ranking/place-stems.ts';
import { filesOfStem, placesOf } from '../../../src/mind/ranking/places.ts';
import { type Term, termsOf } from '../../../src/mind/ranking/terms.ts';
import { formsOf, isStopWord, lower, wordsIn } from '../../../src/mind/ranking/words.ts';

const part = fc.constantFrom(
  ...['src', 'Src', 'user', 'users', 'userService', 'user-service', 'HTTPServer', 'é', 'index', 'test', 'a', 'x_y_x'],
  ...['日本語', 'user-user_user.user'],
);
const ending = fc.constantFrom('.ts', '.test.ts', '', '.d.ts', '.GO');
const path = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), ending)
  .map(([names, end]) => names.join('/') + end);
const paths = fc.uniqueArray(path, { minLength: 1, maxLength: 40 });
const text = fc.array(part, { maxLength: 5 }).map((words) => words.join(' '));

/** How often a term occurs; a form counts for the first term that has it. */
function times(text: string, terms: readonly Term[]): number[] {
  const found = terms.map(() => 0);
  const raise = (isMeant: (term: Term) => boolean) => {
    const at = terms.findIndex(isMeant);
    if (at >= 0) found[at] = (found[at] as number) + 1;
  };
  for (const [identifier] of text.matchAll(/[A-Za-z0-9\u0080-\uffff]+(?:[_-][A-Za-z0-9\u0080-\uffff]+)*/g)) {
    const words = wordsIn(identifier);
    for (const word of words) raise(({ key, whole }) => !whole && formsOf(key).includes(word));
    raise(({ key, whole }) => whole && key === words.join(''));
  }
  return found;
}

/** Words of one byte are no words. */
const wordCount = (text: string) => wordsIn(text).filter((word) => Buffer.byteLength(word) > 1).length;

function slowly(all: readonly string[], terms: readonly Term[]): number[] {
  const rows = all.map((one) => {
    const slash = one.lastIndexOf('/');
    const [folder, name] = [one.slice(0, Math.max(0, slash)), one.slice(slash + 1)];
    const [inFolder, inName] = [times(folder, terms), times(name, terms)];
    return {
      found: inFolder.map((count, term) => count + 2 * (inName[term] as number)),
      words: wordCount(folder) + 2 * wordCount(name),
    };
  });
  const within = terms.map((_, term) => rows.filter(({ found }) => (found[term] as number) > 0).length);
  return rows.map(({ found, words }) => {
    const worths = found.map((count, term) => {
      const rare = Math.log(1 + (all.length - (within[term] as number) + 0.5) / ((within[term] as number) + 0.5));
      return (terms[term] as Term).weight * rare * Math.min(2, count);
    });
    return worths.reduce((a, b) => a + b, 0) / Math.sqrt(words + 4);
  });
}

describe('words and names of paths', () => {
  test('words of a task in paths', () => {
    fc.assert(
      fc.property(paths, text, (all, said) => {
        const { list } = termsOf(said);
        const { path: column } = pathColumns(placesOf(all), [], { list, joined: [] });
        for (const [n, right] of slowly(all, list).entries()) expect(column.at(n)).toBeCloseTo(right, 9);
      }),
      { numRuns: 300 },
    );
  });

  test('words that paths share with that of a target, beside those of the task', () => {
    fc.assert(
      fc.property(paths, path, text, (all, target, said) => {
        const { list } = termsOf(said);
        const { path: column, kin } = pathColumns(placesOf(all), [target], { list, joined: [] });
        const name = target.slice(target.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
        const words = [...new Set(wordsIn(target))].filter((word) => word.length > 1 && !isStopWord(word));
        const shared = words.map((key): Term => {
          return { key, whole: false, weight: wordsIn(name).includes(key) ? 2 : 1, of: 'target' };
        });
        for (const [n, right] of slowly(all, shared).entries()) expect(kin.at(n)).toBeCloseTo(right, 9);
        for (const [n, right] of slowly(all, list).entries()) expect(column.at(n)).toBeCloseTo(right, 9);
      }),
      { numRuns: 300 },
    );
  });

  test('names that say one word again and again', () => {
    const all = Array.from({ length: 300 }, (_, n) => `d${n}/${'user-'.repeat(n)}x.ts`);
    const { list } = termsOf('users');
    const { path: column } = pathColumns(placesOf(all), [], { list, joined: [] });
    for (const [n, right] of slowly(all, list).entries()) expect(column.at(n)).toBeCloseTo(right, 9);
  });

  test('files that are called after the same thing, and files that a text names', () => {
    fc.assert(
      fc.property(paths, path, (all, one) => {
        const places = placesOf(all);
        const stem = stemOfPath(one);
        expect(hashOfStem(one)).toBe(stemHash(stem));
        expect(filesOfStem(places, stem)).toEqual([...all.keys()].filter((n) => stemOfPath(all[n] as string) === stem));
        const name = lower(one);
        const isNamed = (some: string) => `/${lower(some)}`.endsWith(`/${name}`);
        const column = namedColumn(places, [name]);
        for (const [n, some] of all.entries()) expect(column.at(n)).toBe(isNamed(some) ? 1 : 0);
      }),
      { numRuns: 300 },
    );
  });

  test("the hash of a file's stem is computed without making that text", () => {
    const names = ['index.ts', 'a/index.test.ts', 'test.ts', 'tests/spec', '.env', 'x', '-', 'a.b.c', '日本/語.ts'];
    const long = [255, 256, 600].flatMap((length) =>
      ['a', '-a', 'A', 'é', 'b-a'].map(
        (one) => `d/${one === 'b-a' ? `b-${'a'.repeat(length)}` : one.repeat(length)}.ts`,
      ),
    );
    for (const one of [...names, ...long]) expect(hashOfStem(one), one).toBe(stemHash(stemOfPath(one)));
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'tesTindex._-/9é') }), (one) => {
        expect(hashOfStem(one)).toBe(stemHash(stemOfPath(one)));
      }),
      { numRuns: 2000 },
    );
  });

  test('each file is in its folder, however many there are', () => {
    const all = Array.from({ length: 3000 }, (_, n) => `f${n % 50}/g${n % 7}/file-${n}.ts`);
    const { folders, folderOf, depths } = placesOf(all);
    expect(new Set(folders).size).toBe(folders.length);
    for (const [n, one] of all.entries()) expect(one.startsWith(`${folders[folderOf[n] as number]}/`)).toBe(true);
    expect(depths.every((depth) => depth === 2)).toBe(true);
  });
});
