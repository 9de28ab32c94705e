/** What is kept of a tree's listing is what is found out anew, and nothing else is taken for it. */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { KeptFiles } from '../../src/hands/context/kept-files.ts';
import { Listing } from '../../src/hands/context/tree-listing.ts';
import { FACTS, factsOf, packedFacts } from '../../src/hands/context/view-facts.ts';
import { type Repository, repository } from './tree-repository.ts';

const made: Repository[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.end();
});
function place(): string {
  const repo = repository({ 'a.txt': '1' });
  made.push(repo);
  return join(repo.root, 'cache');
}

const PATHS = [
  ...[
    'README.md',
    'docs/Überblick.md',
    'package.json',
    'src/index.ts',
    'src/userService.ts',
    'src/user-service.test.ts',
  ],
  ...['src/deep/HTTPServer_v2.go', 'src/deep/http_server_test.go', 'src/secret/.env', 'src/logo.png', 'yarn.lock'],
  ...['tests/test_models.py', 'vendor/lib/lib.go', 'web/tsconfig.json', 'x/link.ts', 'x/empty.ts', 'x/large.ts'],
];
const SIZES: Readonly<Record<string, number>> = { 'x/empty.ts': 0, 'x/large.ts': 1e9 };

const idOf = (n: number) => n.toString(16).padStart(16, '1').padEnd(40, '7');
const listingOf = (paths: readonly string[]) =>
  Listing.of(
    paths.map((path, n) => ({ path, id: idOf(n), bytes: SIZES[path] ?? 100 + n, link: path === 'x/link.ts' })),
  );
const LISTING = listingOf(PATHS);
const anew = () => factsOf('tree', LISTING, null);

describe('facts of a tree', () => {
  test('say which files are worth looking into, which are tests, and which tell how imports are meant', () => {
    const { readable, tests, configs, places } = anew();
    const named = (numbers: Uint32Array) => Array.from(numbers, (n) => PATHS[n]);
    const left = ['src/secret/.env', 'src/logo.png', 'yarn.lock', 'vendor/lib/lib.go'];
    const unread = [...left, 'x/link.ts', 'x/empty.ts', 'x/large.ts'];
    expect(named(readable)).toEqual(PATHS.filter((path) => !unread.includes(path)));
    expect(places.paths).toEqual(named(readable));
    expect(named(tests.files)).toEqual(PATHS.filter((path) => /test/.test(path)));
    expect(named(configs)).toEqual(['package.json', 'web/tsconfig.json']);
    expect(Array.from(places.folderOf, (folder) => places.folders[folder])).toEqual(
      places.paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))),
    );
  });

  test('tell of each of those where it stands, its size and the beginning of its id', () => {
    const { readable, placeOf, bytes, blobs } = anew();
    expect([...placeOf]).toEqual(PATHS.map((_, n) => readable.indexOf(n)));
    for (const [place, n] of readable.entries()) {
      const { id, bytes: size } = LISTING.fileAt(n);
      expect(bytes[place]).toBe(size);
      expect([blobs.highs[place], blobs.lows[place]]).toEqual(
        [id.slice(0, 8), id.slice(8, 16)].map((hex) => Number.parseInt(hex, 16)),
      );
    }
  });

  test('kept, they are the same; only their owner may read them', () => {
    const dir = place();
    const first = factsOf('tree', LISTING, new KeptFiles(dir, FACTS));
    const [name = ''] = readdirSync(dir);
    expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    const { ino } = statSync(join(dir, name));
    expect(factsOf('tree', LISTING, new KeptFiles(dir, FACTS))).toEqual(first);
    expect(statSync(join(dir, name)).ino, 'read, and not written again').toBe(ino);
    expect(first).toEqual(anew());
  });

  test('each byte changed, each end cut off, those of another tree: seen, and made anew', () => {
    const dir = place();
    const right = factsOf('tree', LISTING, new KeptFiles(dir, FACTS));
    const [name = ''] = readdirSync(dir);
    const file = join(dir, name);
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 5) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 1;
      for (const bytes of [damaged, whole.subarray(0, at)]) {
        writeFileSync(file, bytes);
        const before = statSync(file).ino;
        expect(factsOf('tree', LISTING, new KeptFiles(dir, FACTS))).toEqual(right);
        expect(statSync(file).ino === before, 'the padding of the head means nothing').toBe(
          bytes.length === whole.length && at >= 4 && at < 8,
        );
      }
    }
    const other = listingOf(['b/other.ts', 'c.go']);
    factsOf('other', other, new KeptFiles(dir, FACTS));
    renameSync(join(dir, `${FACTS}-other`), file);
    expect(factsOf('tree', LISTING, new KeptFiles(dir, FACTS))).toEqual(right);
  });

  test('an empty tree has some too', () => {
    const dir = place();
    const empty = listingOf([]);
    const first = factsOf('tree', empty, new KeptFiles(dir, FACTS));
    expect(factsOf('tree', empty, new KeptFiles(dir, FACTS))).toEqual(first);
    expect(first.readable).toHaveLength(0);
  });

  test('what they say changes only together with their version', () => {
    // When this fails, other files, stems or tests are told: give `FACTS` a new number, then write the new sum here.
    expect([FACTS, crc32(packedFacts(anew())).toString(16)]).toEqual(['facts3', '92697d05']);
  });
});

test('facts of a listing with other files are not taken for it', () => {
  const kept = new KeptFiles(place(), FACTS);
  factsOf('tree', LISTING, kept);
  const fewer = listingOf(PATHS.slice(0, 5));
  expect(factsOf('tree', fewer, kept)).toEqual(factsOf('tree', fewer, null));
});
