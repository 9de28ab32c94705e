/** What is looked for, given the words of a task. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathColumns } from '../../../src/mind/ranking/path-signals.ts';
import { placesOf } from '../../../src/mind/ranking/places.ts';
import { termsOf } from '../../../src/mind/ranking/terms.ts';
import { formsOf, stemOf } from '../../../src/mind/ranking/words.ts';

/** What words, names and quotes are made of, and what should not be in a text at all. */
const LETTERS = fc.constantFrom(...'abXY_-./ `"\'é中9\n\0\ud800');

const weightOf = (text: string, key: string, whole = false) =>
  termsOf(text).list.find((term) => term.key === key && term.whole === whole)?.weight ?? 0;

describe('the terms of a task', () => {
  test('words that every task has are not looked for', () => {
    expect(termsOf('fix: add the missing support for this').list).toEqual([]);
  });

  test('an identifier is looked for whole and by its words, and two words that stand together as one', () => {
    const keys = termsOf('Make trustProxy count hop limits').list.map(({ key, whole }) => (whole ? `=${key}` : key));
    expect(keys).toEqual(expect.arrayContaining(['=trustproxy', 'trust', 'proxy', 'hop', 'limits', '=hoplimits']));
  });

  test('a quoted word weighs more, a word below the title less', () => {
    expect(weightOf('use `parser` here', 'parser')).toBeGreaterThan(weightOf('use parser here', 'parser'));
    expect(weightOf('title\n\nuse parser', 'parser')).toBeLessThan(weightOf('use parser', 'parser'));
  });

  test('file names in the text are known', () => {
    expect(termsOf('See src/lib/Reply.js and ./test/a.test.ts.').named).toEqual(['src/lib/reply.js', 'test/a.test.ts']);
  });

  test('names of the targets are terms of their own kind', () => {
    const { list } = termsOf('', [{ path: 'a.ts', text: 'export function readConfig() { return readConfig2; }' }]);
    expect(list).toContainEqual({ key: 'readconfig', whole: true, weight: 1, of: 'target' });
    expect(list.every(({ of }) => of === 'target')).toBe(true);
  });

  test('a word is one of its own forms, and its forms share its stem', () => {
    for (const word of ['resolve', 'planning', 'entries', 'hooks', 'class', 'cache', 'query', 'db', 'options']) {
      expect(formsOf(word)).toContain(word);
    }
    expect(stemOf('resolving')).toBe(stemOf('resolves'));
    expect(stemOf('planned')).toBe(stemOf('planning'));
    expect(stemOf('queries')).toBe(stemOf('query'));
  });

  test('any text gives a bounded list, and the same one each time', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: LETTERS }), (text) => {
        const terms = termsOf(text, [{ path: 'x', text }]);
        expect(terms.list.length).toBeLessThanOrEqual(600);
        expect(JSON.stringify(termsOf(text, [{ path: 'x', text }]))).toBe(JSON.stringify(terms));
      }),
    );
  });

  test('long texts of one letter, quote or dot are no trap', () => {
    for (const letter of ['a', '`', '.', 'a.', '-', 'aA', '"a', 'é', 'a_']) {
      expect(termsOf(letter.repeat(50_000), [{ path: 'x', text: letter.repeat(50_000) }]).list.length).toBeLessThan(
        600,
      );
    }
  });
});

describe('words written together in paths', () => {
  const found = (task: string, paths: readonly string[]) => {
    const { path } = pathColumns(placesOf(paths), [], termsOf(task));
    return paths.filter((_, n) => path.at(n) > 0);
  };
  const OTHERS = ['docs/middlewares/headers.md', 'src/router.go'];

  test.each([
    ['ipAllowListStrategy is ignored', 'docs/middlewares/ipallowlist.md'],
    ['let the IP allow list take ranges', 'docs/middlewares/ipallowlist.md'],
    ['ipallowlist is ignored', 'pkg/middlewares/ip_allow_list.go'],
    ['Report the up time', 'cmd/uptime.go'],
  ])('%s: %s', (task, path) => {
    expect(found(task, [path, ...OTHERS])).toEqual([path]);
    // The words one by one are not in it, or say nothing.
    const { path: plain } = pathColumns(placesOf([path, ...OTHERS]), [], { list: termsOf(task).list, joined: [] });
    expect(plain.at(0)).toBe(0);
  });

  test('a line ends a run, and common words alone make none', () => {
    expect(found('the up\ntime', ['src/uptime.ts', ...OTHERS])).toEqual([]);
    expect(found('this is it', ['src/thisis.ts', 'src/isit.ts'])).toEqual([]);
  });
});
