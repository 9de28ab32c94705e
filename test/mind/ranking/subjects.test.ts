/** How much what a past change said is like a task, against a slow, plain reading of both. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesOf } from '../../../src/mind/ranking/past-signals.ts';
import { SubjectWords } from '../../../src/mind/ranking/subject-words.ts';
import { type Term, termsOf } from '../../../src/mind/ranking/terms.ts';
import { Walk } from '../../../src/mind/ranking/walk.ts';
import { formsOf, wordsIn } from '../../../src/mind/ranking/words.ts';

const subjects = new SubjectWords();
const word = fc.constantFrom(
  ...'proxy proxies trust trusted header trustProxy trustproxy Grüße zone archive archives'.split(' '),
);
const said = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
/** Larger ones are sweeps, and do not count. */
const size = fc.constantFrom(1, 2, 40, 41);
const TARGET = { path: 'src/zone.ts', text: 'export function archiveZone(header) {}' };

function slowly(past: readonly string[], terms: readonly Term[]): number[] {
  const asked = terms.filter(({ of, whole }) => of === 'task' && !whole);
  const shared = past.map((subject) => {
    const words = subject.split(' ').flatMap(wordsIn);
    // A form counts for the first term that has it.
    return new Set(words.map((one) => asked.findIndex(({ key }) => formsOf(key).includes(one))).filter((n) => n >= 0));
  });
  return shared.map((terms) => {
    const worths = [...terms].map((n) => {
      const within = shared.filter((others) => others.has(n)).length;
      return (asked[n] as Term).weight * Math.log(1 + past.length / (1 + within));
    });
    return worths.reduce((sum, one) => sum + one, 0) ** 2;
  });
}

test('past subjects are like a task by the rarity of the words they share, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(said, size), { maxLength: 12 }), said, (past, text) => {
      const terms = termsOf(text, [TARGET]);
      const history = past.map(([subject, size], n) => ({
        time: 1_700_000_000 - n,
        paths: Array.from({ length: size }, (_, k) => `f${k}.ts`),
        words: subjects.of(Buffer.from(subject).toString('latin1')),
      }));
      const { like, paths } = changesOf(history, { index: new Map(), targets: [], terms, now: null });
      const all = slowly(
        past.map(([subject]) => subject),
        terms.list,
      );
      const right = all.filter((_, n) => (past[n]?.[1] ?? 0) <= 40);
      expect(paths).toHaveLength(right.length);
      for (const [n, one] of right.entries()) expect(like[n]).toBeCloseTo(one, 9);
    }),
    { numRuns: 500 },
  );
});

test('more words than there is room for, behind others that are not asked for', () => {
  const text = Array.from({ length: 3000 }, (_, n) => `word${n}`).join(' ');
  const [walk, plain] = [new Walk(), new Walk()];
  for (const one of [walk, plain]) one.wantAll();
  const before = 'not these words ';
  const total = walk.walk(Buffer.from(before + text), before.length + text.length, before.length);
  expect(total).toBe(3000);
  expect(plain.walk(Buffer.from(text), text.length)).toBe(3000);
  expect(walk.words.slice(0, walk.wordCount)).toEqual(plain.words.slice(0, plain.wordCount));
});
