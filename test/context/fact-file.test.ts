/** Numbers about texts that are kept on disk: any damage costs time and never a wrong answer, and no text is in it. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { FactFile } from '../../src/hands/context/fact-file.ts';
import { KeptFiles } from '../../src/hands/context/kept-files.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'facts-'));
  dirs.push(dir);
  return join(dir, 'below', 'facts');
}

const textOf = (n: number) => `the passage number ${n}`;
const valuesOf = (n: number) => Array.from({ length: n % 7 }, (_, at) => n * 10 + at);

function filled(count: number, most?: number): string {
  const file = place();
  const facts = new FactFile(file, most);
  for (let n = 0; n < count; n++) facts.set('kind', textOf(n), valuesOf(n));
  facts.save();
  return file;
}

/** How many are known; each that is known is right. */
function known(file: string, count: number): number {
  const facts = new FactFile(file);
  const found = Array.from({ length: count }, (_, n) => facts.get('kind', textOf(n)));
  for (const [n, values] of found.entries()) if (values !== undefined) expect([...values]).toEqual(valuesOf(n));
  return found.filter((values) => values !== undefined).length;
}

test('another process knows what was saved, however much that is, and nothing else', () => {
  const file = filled(5_000);
  expect(known(file, 5_100)).toBe(5_000);
  expect(known(place(), 10), 'no file').toBe(0);
  const unsaved = place();
  new FactFile(unsaved).set('kind', textOf(1), [1]);
  expect(known(unsaved, 10), 'not saved').toBe(0);
});

test('any texts, kinds and numbers come back as they were told last', () => {
  const fact = fc.tuple(
    fc.constantFrom('a', 'a\nb', 'b', ''),
    fc.constantFrom('', 'b\nc', 'c', 'é', 'x'.repeat(1000)),
    fc.array(fc.nat({ max: 2 ** 32 - 1 }), { maxLength: 3000 }),
    fc.constantFrom('a', 'b', null),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 30 }), (told) => {
      const file = place();
      const facts = new FactFile(file);
      const last = new Map<string, (typeof told)[number]>();
      for (const one of told) {
        const [kind, text, values, asked] = one;
        if (asked !== null) facts.get(asked, text);
        facts.set(kind, text, values);
        last.set(JSON.stringify([kind, text]), one);
      }
      facts.save();
      for (const one of [facts, new FactFile(file)])
        for (const [kind, text, values] of last.values()) expect([...(one.get(kind, text) ?? [-1])]).toEqual(values);
    }),
    { numRuns: 50 },
  );
});

test('texts that are the same only as bytes are not taken for each other', () => {
  const facts = new FactFile(place());
  facts.set('kind', 'a\ud800', [1]);
  expect(facts.get('kind', 'a\udfff')).toBeUndefined();
  expect(facts.get('kind', 'a\ufffd')).toBeUndefined();
});

test('only its owner may read it, no word can be read out of it, and nothing is left beside it', () => {
  const file = filled(50);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readFileSync(file, 'latin1')).not.toMatch(/passage|number|kind/);
  expect(readdirSync(dirname(file))).toEqual(['facts']);
});

test('damaged, cut off, longer or strange, it is as good as none, and whole again after the next saving', () => {
  const file = filled(40);
  const whole = readFileSync(file);
  expect(known(file, 40)).toBe(40);
  const spoilt = [
    ...Array.from({ length: 300 }, (_, n) => {
      const at = n < 24 ? n : Math.floor((n * whole.length) / 300);
      const other = Buffer.from(whole);
      other[at] = (other[at] ?? 0) ^ (1 << (n % 8));
      return other;
    }),
    ...[0, 1, 4, 20, whole.length - 4, whole.length - 1].map((length) => whole.subarray(0, length)),
    ...[1, 4].map((more) => Buffer.concat([whole, Buffer.alloc(more)])),
    Buffer.alloc(whole.length),
    Buffer.from('{"facts":[]}'),
  ];
  for (const bytes of spoilt) {
    writeFileSync(file, bytes);
    expect(known(file, 40)).toBe(0);
  }
  const facts = new FactFile(file);
  facts.set('kind', textOf(3), valuesOf(3));
  facts.save();
  expect(known(file, 40)).toBe(1);
});

test('what is no file of its own is not followed, and not being able to write is no reason to fail', () => {
  const [file, other] = [place(), filled(5)];
  mkdirSync(dirname(file));
  symlinkSync(other, file);
  expect(known(file, 5), 'a link').toBe(0);
  rmSync(file);
  mkdirSync(file);
  expect(known(file, 5), 'a directory').toBe(0);
  const facts = new FactFile(file);
  facts.set('kind', 'a', [1]);
  facts.save();
  expect(readdirSync(dirname(file)), 'nothing is left of the attempt').toEqual(['facts']);
  expect([...(facts.get('kind', 'a') ?? [])]).toEqual([1]);
  chmodSync(dirname(file), 0o700);
});

test('it never grows over its most: then it begins anew', () => {
  const most = 60_000;
  const file = place();
  const facts = new FactFile(file, most);
  let sizes = 0;
  for (let n = 0; n < 20_000; n++) {
    facts.set('kind', textOf(n), valuesOf(n));
    expect([...(facts.get('kind', textOf(n)) ?? [-1])]).toEqual(valuesOf(n));
    if (n % 1000 !== 0) continue;
    facts.save();
    sizes = Math.max(sizes, statSync(file).size);
    expect(statSync(file).size).toBeLessThanOrEqual(most * 4);
  }
  expect(sizes, 'it was nearly full').toBeGreaterThan(most * 2);
  expect([...(new FactFile(file, most).get('kind', textOf(19_000)) ?? [])]).toEqual(valuesOf(19_000));
  const large = new FactFile(place(), most);
  large.set(
    'kind',
    'a',
    Array.from({ length: most * 2 }, () => 7),
  );
  expect(large.get('kind', 'a') === undefined, 'a list that alone is too long').toBe(true);
});

test('where its directory is a file, nothing is kept and nothing fails', () => {
  const file = place();
  writeFileSync(dirname(file), 'a file');
  const facts = new FactFile(file);
  facts.set('kind', 'text', [1]);
  facts.save();
  expect(readFileSync(dirname(file), 'utf8')).toBe('a file');
  const kept = new KeptFiles(dirname(file), 'facts1');
  kept.set('tree', () => new Uint8Array(8));
  expect(kept.get('tree', (bytes) => bytes)).toBe(null);
});
