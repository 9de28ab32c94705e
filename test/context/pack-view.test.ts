/** Paths are found by pieces of patterns, and are those that the patterns mean. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinedPaths } from '../../src/hands/context/kept-columns.ts';
import { pathsMeant } from '../../src/hands/context/pack-view.ts';
import { matcher } from '../../src/mind/config/globs.ts';

const meant = (patterns: readonly string[], paths: readonly string[]) =>
  pathsMeant(patterns, { paths, text: joinedPaths(paths) });

test('in the order of the listing, each once, whatever pattern brought it', () => {
  const paths = [
    'AGENTS.md',
    'a/AGENTS.md',
    'a/b/CLAUDE.md',
    'docs/AGENTS.md/x',
    'docs/knowledge/a.md',
    'my-AGENTS.md',
  ];
  expect(meant(['docs/knowledge/**', 'CLAUDE.md', 'AGENTS.md', '*.md'], paths)).toEqual(paths);
  expect(meant(['CLAUDE.md', 'AGENTS.md'], paths)).toEqual(paths.slice(0, 4));
  expect(meant([], paths)).toEqual([]);
});

test('equals trying every path, for any patterns', () => {
  const name = fc.constantFrom('a', 'b', 'ab', '.', 'a.ts', 'Ab', '*', '**', '*.ts', 'a?', '?b', '*a*', 'é');
  const pattern = fc
    .record({
      names: fc.array(name, { minLength: 1, maxLength: 3 }),
      head: fc.constantFrom('', '/', './'),
      tail: fc.constantFrom('', '/'),
    })
    .map(({ names, head, tail }) => head + names.join('/') + tail);
  const part = fc.constantFrom('a', 'b', 'ab', 'aab', 'a.ts', 'b.ts', 'Ab', 'é', 'x');
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 4 }), fc.uniqueArray(path, { maxLength: 30 }), (patterns, paths) => {
      expect(meant(patterns, paths)).toEqual(paths.filter(matcher(patterns)));
    }),
    { numRuns: 1000 },
  );
});
