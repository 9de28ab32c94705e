/** What the listing of a tree says by itself, and which paths patterns mean. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProjectTree } from '../../src/engine/ports/project-tree.ts';
import { ContentCache } from '../../src/hands/context/content-cache.ts';
import { pathsMeant, View } from '../../src/hands/context/pack-view.ts';
import { listingOf } from '../../src/hands/context/tree-listing.ts';
import { matcher } from '../../src/mind/fields/globs.ts';

describe('a view', () => {
  const PATHS = [
    'README.md',
    'docs/Überblick.md',
    'package.json',
    'src/index.ts',
    'src/userService.ts',
    'src/user-service.test.ts',
    'src/deep/HTTPServer_v2.go',
    'src/deep/http_server_test.go',
    'src/secret/.env',
    'src/logo.png',
    'yarn.lock',
    'tests/test_models.py',
    'vendor/lib/lib.go',
    'web/tsconfig.json',
    'x/link.ts',
    'x/empty.ts',
    'x/large.ts',
  ];
  const SIZES: Readonly<Record<string, number>> = { 'x/empty.ts': 0, 'x/large.ts': 1e9 };
  const viewOf = (paths: readonly string[]) => {
    const id = '7'.repeat(40);
    const files = paths.map((path, n) => ({ path, id, bytes: SIZES[path] ?? 100 + n, link: path === 'x/link.ts' }));
    const tree = { id, commit: id, listing: async () => listingOf(files) } as unknown as ProjectTree;
    return View.of(tree, new ContentCache());
  };

  test('says which files are worth looking into, which are tests, and which tell how imports are meant', async () => {
    const { readable, tests, configs, files } = await viewOf(PATHS);
    const left = ['src/secret/.env', 'src/logo.png', 'yarn.lock', 'vendor/lib/lib.go'];
    const unread = [...left, 'x/link.ts', 'x/empty.ts', 'x/large.ts'];
    const read = PATHS.filter((path) => !unread.includes(path));
    expect(readable.files.map(({ path }) => path)).toEqual(read);
    expect(readable.places.paths).toEqual(read);
    expect([...readable.index]).toEqual(read.map((path, n) => [path, n]));
    expect([...readable.bytes]).toEqual(readable.files.map(({ bytes }) => bytes));
    expect(tests.files.map((n) => files[n]?.path)).toEqual(PATHS.filter((path) => /test/.test(path)));
    expect(configs).toEqual(['package.json', 'web/tsconfig.json']);
    const { folders, folderOf, paths } = readable.places;
    expect(Array.from(folderOf, (folder) => folders[folder])).toEqual(
      paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))),
    );
  });

  test('of an empty tree has nothing', async () => {
    const { readable, tests, configs, files, paths } = await viewOf([]);
    expect([readable.files, tests.files, configs, files, [...paths]]).toEqual([[], [], [], [], []]);
  });
});

test('paths that patterns mean: in the order of the listing, each once, whatever pattern brought it', () => {
  const paths = [
    'AGENTS.md',
    'a/AGENTS.md',
    'a/b/CLAUDE.md',
    'docs/AGENTS.md/x',
    'docs/knowledge/a.md',
    'my-AGENTS.md',
  ];
  expect(pathsMeant(['docs/knowledge/**', 'CLAUDE.md', 'AGENTS.md', '*.md'], paths)).toEqual(paths);
  expect(pathsMeant(['CLAUDE.md', 'AGENTS.md'], paths)).toEqual(paths.slice(0, 4));
  expect(pathsMeant([], paths)).toEqual([]);
});

test('patterns of folders match the same paths as trying every path', () => {
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
      expect(pathsMeant(patterns, paths)).toEqual(paths.filter(matcher(patterns)));
    }),
    { numRuns: 1000 },
  );
});
