/** The words of files that are kept on disk: any damage costs time and never a wrong answer, and no text is in it. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { TreeFile } from '../../src/engine/ports/project-tree.ts';
import { WordFile } from '../../src/hands/context/word-file.ts';
import { nameFinder } from '../../src/mind/ranking/name-finder.ts';
import { type WordScanner, wordScanner } from '../../src/mind/ranking/scan.ts';
import { termsOf } from '../../src/mind/ranking/terms.ts';
import { WordLister } from '../../src/mind/ranking/word-list.ts';
import { keyOf, keysOfBlobs, PAGE_HEAD, PageWriter, pageIn } from '../../src/mind/ranking/word-pages.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'words-'));
  dirs.push(dir);
  return join(dir, 'below', 'words');
}

const encode = (text: string) => new TextEncoder().encode(text);
const idOf = (n: number) => n.toString(16).padStart(16, '0').padEnd(40, '7');
const fileOf = (n: number): TreeFile => ({ path: `f${n}`, id: idOf(n), bytes: 10, link: false });
const textOf = (n: number) => `parse theTokenStream${n} of parser ${'word '.repeat(n % 5)}`;
const terms = termsOf('parse the `tokenStream3` words of the parser');
const blobsOf = (...numbers: readonly number[]) =>
  keysOfBlobs(Buffer.from(numbers.map(idOf).join(''), 'hex'), numbers.length);
const NONE = blobsOf();
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** What a scanner knows of a file. */
const known = ({ counts }: WordScanner, n: number) => ({ words: counts.totals[n], hits: counts.hitsOf(n) });
function truth(bytes: Uint8Array, of = terms) {
  const scanner = wordScanner(of, 1);
  scanner.add(0, bytes);
  return known(scanner, 0);
}

function add(file: string, from: number, to: number, most?: number): void {
  const words = new WordFile(file, most);
  words.read(NONE, () => {});
  const adder = words.adder();
  for (let n = from; n < to; n++) adder.add(fileOf(n), new WordLister().list(encode(textOf(n))));
  adder.end();
}

/** What is known, checked against the truth, and how many are not known. */
function checked(file: string, count: number): number {
  const scanner = wordScanner(terms, count);
  const unknown = new WordFile(file).read(blobsOf(...upTo(count)), (page, placed) => scanner.addPage(page, placed));
  for (const n of upTo(count)) {
    const right = unknown.includes(n) ? { words: 0, hits: [] } : truth(encode(textOf(n)));
    expect(known(scanner, n)).toEqual(right);
  }
  return unknown.length;
}

/** The only page of files with these contents. */
function pageOf(...texts: readonly Uint8Array[]) {
  const [writer, lister] = [new PageWriter(), new WordLister()];
  for (const [n, bytes] of texts.entries()) writer.add(keyOf(idOf(n)), lister.list(bytes));
  const bytes = writer.end()!;
  return pageIn(new Uint32Array(bytes.buffer, 0, PAGE_HEAD / 4), bytes, PAGE_HEAD);
}

/** Each place of a page is the file of that number. */
const inOrder = (count: number) => ({
  firsts: Int32Array.from(upTo(count)),
  nexts: new Int32Array(count).fill(-1),
});

describe('words of files, kept', () => {
  test('a page counts what the bytes count, whatever the texts and the terms', () => {
    const piece = fc.oneof(
      fc.constantFrom('trust', 'Proxy', 'HTTP', 'size', '2', '_', '-', ' ', '\n', 'é', 'x'.repeat(70)),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(piece, { maxLength: 40 }), { minLength: 1, maxLength: 4 }),
        fc.array(piece, { maxLength: 8 }),
        (texts, asked) => {
          const all = texts.map((text) => encode(text.join('').toWellFormed()));
          const some = termsOf(asked.join(' '), [{ path: 'a', text: asked.join('') }]);
          const scanner = wordScanner(some, all.length);
          scanner.addPage(pageOf(...all), inOrder(all.length));
          for (const [n, bytes] of all.entries()) expect(known(scanner, n)).toEqual(truth(bytes, some));
        },
      ),
    );
  });

  test('a file that occurs too often to be written is left out, and read each time', () => {
    const writer = new PageWriter();
    expect(writer.add(keyOf(idOf(1)), new WordLister().list(encode('often '.repeat(70_000))))).toBeNull();
    expect(writer.end()).toBeNull();
    writer.add(keyOf(idOf(1)), new WordLister().list(encode('often '.repeat(60_000))));
    expect(writer.end()).not.toBeNull();
  });

  test('which files hold a name is told by its words, of a page and of the bytes alike', () => {
    const texts = ['from "./user-service.js"', 'from "./service"', 'use userService', 'my_user', 'address'].map(encode);
    const page = pageOf(...texts);
    const holders = (...names: string[]) => {
      const finder = nameFinder(names);
      expect([...finder.inPage(page)]).toEqual([...texts.keys()].filter((n) => finder.inBytes(texts[n] as Uint8Array)));
      return [...finder.inPage(page)];
    };
    expect(holders('user-service')).toEqual([0, 2]);
    expect(holders('user')).toEqual([0, 2, 3]);
    expect(holders('service', 'user')).toEqual([0, 1, 2, 3]);
    expect(holders('add'), 'no word of its own').toEqual([]);
    expect(holders('nowhere')).toEqual([]);
    expect(holders('...'), 'no word in it').toEqual([0, 1, 2, 3, 4]);
    expect(holders('a.b'), 'single letters are no words').toEqual([0, 1, 2, 3, 4]);
  });

  test('what was added is known, later additions too; the rest is not', () => {
    const file = place();
    add(file, 0, 20);
    add(file, 20, 30);
    expect(checked(file, 35)).toBe(5);
  });

  test('two files of one content are both told', () => {
    const file = place();
    add(file, 1, 2);
    const scanner = wordScanner(terms, 2);
    expect(new WordFile(file).read(blobsOf(1, 1), (page, placed) => scanner.addPage(page, placed))).toEqual([]);
    for (const n of [0, 1]) expect(known(scanner, n)).toEqual(truth(encode(textOf(1))));
  });

  test('only its owner may read it, and no word can be read out of it', () => {
    const file = place();
    add(file, 0, 5);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'latin1')).not.toMatch(/parse|token|stream|word/i);
  });

  test('cut off anywhere, it tells no lie, and is whole again after the next addition', () => {
    const file = place();
    add(file, 0, 6);
    add(file, 6, 9);
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length += 7) {
      writeFileSync(file, whole.subarray(0, length));
      const missing = checked(file, 9);
      expect(missing).toBeGreaterThan(0);
      const words = new WordFile(file);
      words.read(NONE, () => {});
      const adder = words.adder();
      for (let n = 0; n < 9; n++) adder.add(fileOf(n), new WordLister().list(encode(textOf(n))));
      adder.end();
      expect(checked(file, 9)).toBe(0);
    }
  });

  test('lengths and places that were changed are seen: nothing outside of the page is read, nothing is thrown', () => {
    const file = place();
    add(file, 0, 6);
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      writeFileSync(file, damaged);
      const scanner = wordScanner(terms, 6);
      new WordFile(file).read(blobsOf(...upTo(6)), (page, placed) => {
        scanner.addPage(page, placed);
        expect([...nameFinder(['parser']).inPage(page)].every((one) => one < page.totals.length)).toBe(true);
      });
      const { files, terms: found } = scanner.counts.entries;
      expect(files.length).toBeLessThan(whole.length);
      expect(files.every((one) => one < 6) && found.every((one) => one < terms.list.length)).toBe(true);
    }
  });

  test('one of another version is not read, and written anew', () => {
    const file = place();
    add(file, 0, 3);
    const other = readFileSync(file);
    other.writeUInt32LE(99, 4);
    writeFileSync(file, other);
    expect(checked(file, 3)).toBe(3);
    const words = new WordFile(file);
    words.read(blobsOf(0), () => {});
    const adder = words.adder();
    adder.add(fileOf(0), new WordLister().list(encode(textOf(0))));
    adder.end();
    expect(checked(file, 1)).toBe(0);
    expect(readFileSync(file).readUInt32LE(4)).not.toBe(99);
  });

  test('a full one takes nothing more, and begins anew when most of it is of the past', () => {
    const file = place();
    add(file, 0, 10, 2_000);
    const { size } = statSync(file);
    expect(size).toBeLessThanOrEqual(2_000);
    const words = new WordFile(file, size);
    words.read(blobsOf(100), () => {});
    const adder = words.adder();
    adder.add(fileOf(100), new WordLister().list(encode(textOf(100))));
    adder.end();
    expect(statSync(file).size).toBe(0);
  });

  test('whoever adds goes by what it has seen, whatever others look for meanwhile', () => {
    const file = place();
    add(file, 0, 10, 2_000);
    const { size } = statSync(file);
    const words = new WordFile(file, size);
    words.read(blobsOf(...upTo(10)), () => {});
    const adder = words.adder();
    words.read(blobsOf(100), () => {});
    adder.add(fileOf(100), new WordLister().list(encode(textOf(100))));
    adder.end();
    expect(checked(file, 10)).toBe(0);
  });

  test('with very many small pages it begins anew', () => {
    const file = place();
    for (let n = 0; n < 101; n++) add(file, n, n + 1);
    expect(checked(file, 101)).toBe(0);
    add(file, 101, 102);
    expect(checked(file, 102)).toBe(101);
  });

  test('where nothing can be written, nothing fails', () => {
    const file = place();
    add(file, 0, 1);
    rmSync(file);
    chmodSync(join(file, '..'), 0o500);
    writeFileSync(join(file, '..', '..', 'plain'), '');
    expect(() => add(join(file, '..', '..', 'plain', 'words'), 0, 1)).not.toThrow();
    chmodSync(join(file, '..'), 0o700);
  });

  test.each([
    ['directory', (path: string) => mkdirSync(path, { recursive: true })],
    ['pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('a %s of that name is as good as none', (_kind, make) => {
    const file = place();
    mkdirSync(dirname(file));
    make(file);
    expect(checked(file, 3)).toBe(3);
    add(file, 0, 3);
    expect(checked(file, 3)).toBe(3);
  });

  test('several processes add at once', async () => {
    const file = place();
    const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path));
    const program = `
      import { WordFile } from ${from('hands/context/word-file.ts')};
      import { WordLister } from ${from('mind/ranking/word-list.ts')};
      const [file, first] = process.argv.slice(1);
      for (let n = Number(first); n < Number(first) + 40; n++) {
        const words = new WordFile(file);
        words.read({ highs: new Uint32Array(), lows: new Uint32Array() }, () => {});
        const adder = words.adder();
        const text = \`parse theTokenStream\${n} of parser \${'word '.repeat(n % 5)}\`;
        adder.add({ id: n.toString(16).padStart(16, '0').padEnd(40, '7') }, new WordLister().list(new TextEncoder().encode(text)));
        adder.end();
      }`;
    const run = promisify(execFile);
    const start = (first: number) => run(process.execPath, ['--input-type=module', '-e', program, file, `${first}`]);
    await Promise.all([0, 20, 40].map(start));
    // One may have taken another's page for a damaged one; nearly all are there, and all are right.
    expect(checked(file, 80)).toBeLessThan(80);
    add(file, 0, 80);
    expect(checked(file, 80)).toBe(0);
  });
});
