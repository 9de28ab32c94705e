/** Small trees where anybody can say which file comes first. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RankedPath, rankFiles } from '../../../src/mind/ranking/rank.ts';
import { inputOf, order, ranked } from './tree.ts';

const filler = (word: string) => `${word} stands here with nothing to say about it\n`.repeat(10);
const FILES = {
  'src/router.ts': `export class Router {}\n${filler('route')}`,
  'src/parser.ts': `export class Parser {}\n${filler('parse')}`,
  'src/logger.ts': `export class Logger {}\n${filler('log')}`,
  'src/cookies.ts': `export class Cookies {}\n${filler('cookie')}`,
  'test/router.test.ts': filler('route'),
  'docs/guide.md': filler('guide'),
};

describe('the order of files', () => {
  test('words of the task, without any target', () => {
    expect(order({ files: FILES, text: 'Cookies are sent twice' })[0]).toBe('src/cookies.ts');
  });

  test('words in the path', () => {
    const files = { 'a/one.ts': filler('x'), 'a/retry-budget.ts': filler('x'), 'a/two.ts': filler('x') };
    expect(order({ files, text: 'count the retry budget' })[0]).toBe('a/retry-budget.ts');
  });

  test('a file that the text names', () => {
    expect(order({ files: FILES, text: 'Look at logger.ts first' })[0]).toBe('src/logger.ts');
  });

  test('a file that changed with the target', () => {
    const targets = ['src/router.ts'];
    const past = [...Array(6).keys()].map(() => ['src/router.ts', 'docs/guide.md']);
    expect(order({ files: FILES, targets, past })[0]).toBe('docs/guide.md');
    expect(order({ files: FILES, targets })[0]).not.toBe('docs/guide.md');
  });

  test('a sweep through all files says nothing about what belongs together', () => {
    const many = Object.fromEntries([...Array(60).keys()].map((at) => [`many/${at}.ts`, filler('x')]));
    const files = { ...FILES, ...many };
    const past = [...Array(9).keys()].map(() => ['src/router.ts', 'docs/guide.md', ...Object.keys(many)]);
    expect(order({ files, targets: ['src/router.ts'], past })[0]).toBe('test/router.test.ts');
  });

  test('the test that is named like the target', () => {
    expect(order({ files: FILES, targets: ['src/router.ts'] })[0]).toBe('test/router.test.ts');
  });

  test('imports of the target, and files that import it', () => {
    const files = { 'a/x.ts': 'p', 'b/y.ts': 'q', 'c/z.ts': 'r', 'd/w.ts': 's' };
    const graph = { of: (path: string) => (path === 'a/x.ts' ? ['c/z.ts'] : []), by: () => [] };
    expect(order({ files, targets: ['a/x.ts'], imports: graph })[0]).toBe('c/z.ts');
    expect(order({ files, targets: ['a/x.ts'], imports: { of: graph.by, by: graph.of } })[0]).toBe('c/z.ts');
  });

  test('a file that uses the rare names of the target', () => {
    const files = {
      'a/x.ts': 'export function hydrateLedger() {}',
      'b/y.ts': 'call other things',
      'c/z.ts': 'hydrateLedger()',
      'd/w.ts': 'more things to call',
    };
    expect(order({ files, targets: ['a/x.ts'] })[0]).toBe('c/z.ts');
  });

  test('a file that changed for tasks with the same words', () => {
    const past = [['src/logger.ts'], ['src/cookies.ts'], ['docs/guide.md'], ['docs/guide.md']];
    const subjects = ['rotate archives nightly', 'other matters', 'unrelated things', 'words about words'];
    expect(order({ files: FILES, text: 'rotate archives', past, subjects })[0]).toBe('src/logger.ts');
  });

  test('through the code to its test: they always change together, and only the code has the words', () => {
    const past = [...Array(6).keys()].map(() => ['src/cookies.ts', 'docs/guide.md']);
    const text = 'Cookies are lost';
    expect(order({ files: FILES, text, past }).slice(0, 2)).toEqual(['src/cookies.ts', 'docs/guide.md']);
    expect(order({ files: FILES, text })[1]).not.toBe('docs/guide.md');
  });

  test('of two equal files the shorter comes first; with a cap, length beyond it does not matter', () => {
    const said = 'export const throttleWindow = 1;\n';
    const files = { 'a/long.ts': said + '// -\n'.repeat(9_000), 'a/tiny.ts': said + '// -\n'.repeat(3_000) };
    const [first, second] = ranked({ files, text: 'throttleWindow is off' });
    expect(first!.path).toBe('a/tiny.ts');
    const [one, two] = ranked({ files, text: 'throttleWindow is off', cap: 1_000 });
    expect(one!.score / two!.score).toBeLessThan(first!.score / second!.score);
  });
});

describe('promises of a ranking', () => {
  test('targets and empty files are not in it', () => {
    const files = { ...FILES, 'src/empty-router.ts': '' };
    const paths = order({ files, targets: ['src/router.ts'], text: 'router' });
    expect(paths).not.toContain('src/router.ts');
    expect(paths).not.toContain('src/empty-router.ts');
  });

  test('it gives its reasons', () => {
    const past = [...Array(5).keys()].map(() => ['src/router.ts', 'src/parser.ts']);
    const [first] = ranked({ files: FILES, targets: ['src/router.ts'], text: 'Parser loses a token', past });
    expect(first).toMatchObject({ path: 'src/parser.ts' });
    expect(first!.why).toContain('words parser');
    expect(first!.why).toContain('changed with the target 5 times');
  });

  test('the order of the files given does not matter', () => {
    const ask = {
      files: FILES,
      targets: ['src/parser.ts'],
      text: 'parse cookies in the router',
      past: [Object.keys(FILES)],
    };
    const turned = { ...ask, files: Object.fromEntries(Object.entries(FILES).reverse()) };
    expect(order(turned)).toEqual(order(ask));
  });

  const name = fc.constantFrom(
    'a',
    'b.ts',
    'src/c.ts',
    'src/c.test.ts',
    '__proto__',
    'constructor',
    'd/é.py',
    'x/y/z',
    '.',
  );
  const tree = fc.dictionary(name, fc.string({ maxLength: 60, unit: 'binary' }), { noNullPrototype: false });
  test('any tree, text and history gives a total order of finite scores, the same each time', () => {
    fc.assert(
      fc.property(
        fc.record({
          files: tree,
          text: fc.string({ maxLength: 80, unit: 'binary' }),
          targets: fc.array(name, { maxLength: 3 }),
          past: fc.array(fc.array(name, { maxLength: 5 }), { maxLength: 6 }),
          cap: fc.option(fc.nat(3000)),
        }),
        (ask) => {
          const input = inputOf(ask);
          const result = rankFiles(input);
          expect(result.every(({ score }) => Number.isFinite(score) && score > 0)).toBe(true);
          expect(new Set(result.map(({ path }) => path)).size).toBe(result.length);
          for (const [at, one] of result.entries())
            if (at > 0) expect(result[at - 1]!.score).toBeGreaterThanOrEqual(one.score);
          const told = ({ path, score, why }: RankedPath) => ({ path, score, why });
          expect(rankFiles(input).map(told)).toEqual(result.map(told));
        },
      ),
    );
  });
});
