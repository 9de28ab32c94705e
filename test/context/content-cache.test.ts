/** The cache returns what was made, to later processes too; damage, other versions and killed writers change nothing. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ContentCache } from '../../src/hands/context/content-cache.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
function place(): string {
  const root = mkdtempSync(join(tmpdir(), 'content-cache-'));
  dirs.push(root);
  return join(root, 'cache');
}
const filesIn = (dir: string) => readdirSync(dir).map((name) => join(dir, name));
const never = async (): Promise<never> => {
  throw new Error('made');
};
/** What a fresh process gets for a key; null: it would have to make it. */
const found = (dir: string, key: string, version = '1') =>
  new ContentCache({ dir, version }).stored(key, never).catch(() => null);

describe('in memory', () => {
  test('the value that was not used for the longest goes first', () => {
    const cache = new ContentCache({ memoryBytes: 300 });
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 100);
    expect(cache.get('a')).toBe('a');
    cache.set('d', 'd', 100);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
    cache.set('a', 'again', 100);
    expect(['a', 'c', 'd'].map((key) => cache.get(key))).toEqual(['again', 'c', 'd']);
  });

  test('a value that takes more than half of the room is not kept, and pushes nothing out', () => {
    const cache = new ContentCache({ memoryBytes: 300 });
    cache.set('a', 1, 100);
    cache.set('large', 2, 151);
    expect([cache.get('a'), cache.get('large')]).toEqual([1, undefined]);
    cache.set('a', 3, 200);
    expect(cache.get('a'), 'the old value is gone as well').toBeUndefined();
  });

  test('callers at the same time share one make; a failure is tried again', async () => {
    const cache = new ContentCache();
    let times = 0;
    const ask = (value: number | Error) =>
      cache.once(
        'key',
        () => 1,
        async () => {
          times += 1;
          if (value instanceof Error) throw value;
          return value;
        },
      );
    await expect(Promise.all([ask(new Error('no')), ask(1)])).rejects.toThrow('no');
    expect(await Promise.all([ask(2), ask(3), ask(4)])).toEqual([2, 2, 2]);
    expect(await ask(5)).toBe(2);
    expect(times).toBe(2);
  });
});

describe('on disk', () => {
  const VALUE = { list: [1, 2, 3], text: 'größe', nothing: null };
  const put = (dir: string, key: string, value: unknown = VALUE, options = {}) =>
    new ContentCache({ dir, version: '1', ...options }).stored(key, async () => value);

  test('another process gets the value, for its own key and version alone; only the owner may read it', async () => {
    const dir = place();
    expect(await put(dir, 'a')).toEqual(VALUE);
    expect(await found(dir, 'a')).toEqual(VALUE);
    expect([await found(dir, 'b'), await found(dir, 'a', '2')]).toEqual([null, null]);
    const modes = [dir, ...filesIn(dir)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  test('without a directory nothing is stored', async () => {
    const cache = new ContentCache();
    expect(await cache.stored('a', async () => 1)).toBe(1);
    await expect(cache.stored('a', never)).rejects.toThrow('made');
  });

  test('each byte changed, each end cut off: made anew', async () => {
    const dir = place();
    await put(dir, 'a');
    const [file = ''] = filesIn(dir);
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 1;
      for (const bytes of [damaged, whole.subarray(0, at)]) {
        writeFileSync(file, bytes);
        expect(await found(dir, 'a')).toBeNull();
      }
    }
    await put(dir, 'a');
    expect(readFileSync(file)).toEqual(whole);
  });

  /** As if it had been used so many minutes ago. */
  const age = (file: string, minutes: number) => {
    const at = Date.now() / 1000 - minutes * 60;
    utimesSync(file, at, at);
  };
  const fileOf = async (dir: string, key: string, options = {}): Promise<string> => {
    const before = new Set(filesIn(dir));
    await put(dir, key, VALUE, options);
    return filesIn(dir).find((file) => !before.has(file)) as string;
  };

  test('the least recently used entry is deleted when the bytes are too many; reading counts as use', async () => {
    const dir = place();
    const size = 4 + JSON.stringify(VALUE).length + 2;
    await put(dir, 'a');
    const [a = ''] = filesIn(dir);
    expect(statSync(a).size).toBe(size);
    const [b, c] = [await fileOf(dir, 'b'), await fileOf(dir, 'c')];
    for (const [n, file] of [a, b, c].entries()) age(file, 30 - n);
    expect(await found(dir, 'a')).toEqual(VALUE);
    await put(dir, 'd', VALUE, { diskBytes: 3 * size });
    const left = await Promise.all(['a', 'b', 'c', 'd'].map((key) => found(dir, key)));
    expect(left.map((value) => value !== null)).toEqual([true, false, true, true]);
  });

  test('not more than 200 files; what killed processes and other versions left goes too', async () => {
    const dir = place();
    await put(dir, 'first');
    const [first = ''] = filesIn(dir);
    age(first, 60);
    const old = ['0123456789abcdef.new', 'words', 'listing2-1234'].map((name) => join(dir, name));
    for (const [n, file] of old.entries()) {
      writeFileSync(file, 'left behind');
      age(file, 120 + n);
    }
    for (let n = 0; n < 199; n++) await put(dir, `${n}`);
    expect(readdirSync(dir)).toHaveLength(200);
    expect(old.filter((file) => filesIn(dir).includes(file))).toEqual([]);
    expect(await found(dir, 'first')).toEqual(VALUE);
    age(first, 60);
    await put(dir, 'one more');
    expect(await found(dir, 'first')).toBeNull();
  });

  test('a place that cannot be written is no reason to fail', async () => {
    const dir = place();
    const file = join(dir, '..', 'file');
    writeFileSync(file, 'a file is no directory');
    expect(await put(file, 'a')).toEqual(VALUE);
    await put(dir, 'a');
    chmodSync(dir, 0o500);
    expect(await put(dir, 'b')).toEqual(VALUE);
    chmodSync(dir, 0o700);
  });

  test('a process that is stopped in the middle of writing leaves no value', () => {
    const dir = place();
    const program = join(import.meta.dirname, '../fixtures/programs/store-value.ts');
    // The kernel ends the write, or the process, at 512 KB.
    const store = (limit: string) =>
      spawnSync('sh', ['-c', `${limit} exec "$@"`, 'sh', process.execPath, program, dir], { encoding: 'utf8' });
    store('ulimit -f 1024;');
    expect(readdirSync(dir).filter((name) => !name.endsWith('.new'))).toEqual([]);
    expect(store('').stderr).toBe('');
    expect(filesIn(dir).map((file) => statSync(file).size)).toContain(4 + 2_000_001);
  });
});
