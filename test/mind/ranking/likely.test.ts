import { describe, expect, test } from 'vitest';
import type { LookInput } from '../../../src/mind/ranking/input.ts';
import { likeliest, MOST_OPENED } from '../../../src/mind/ranking/likely.ts';
import { rankFiles } from '../../../src/mind/ranking/rank.ts';
import { wordScanner } from '../../../src/mind/ranking/scan.ts';
import { firstLook } from '../../../src/mind/ranking/signals.ts';
import { termsOf } from '../../../src/mind/ranking/terms.ts';
import { wordColumns } from '../../../src/mind/ranking/word-signals.ts';
import { type Ask, inputOf } from './tree.ts';

const MOST = MOST_OPENED;
/** More files than are opened, of which some change with the target, some are named like the task, some lie beside it. */
const FILES: Record<string, string> = Object.fromEntries([
  ...Array.from({ length: 2 * MOST }, (_, n) => [`vendor/p${n % 7}/q${n}.ts`, `const x${n} = 1;`]),
  ['docs/far/away.md', 'something else'],
  ['lib/session-cookie.ts', 'export {};'],
  ['src/proxy/hops.ts', 'export const hops = 1;'],
  ['src/proxy/trust.ts', 'export const trust = 1;'],
]);
const TOGETHER = Array.from({ length: 60 }, () => ['src/proxy/trust.ts', 'docs/far/away.md']);
const ASK: Ask = { files: FILES, text: 'read the session cookie', targets: ['src/proxy/trust.ts'], past: TOGETHER };

function asked(ask: Ask): { input: LookInput; opened: Uint32Array | null; paths: readonly string[] } {
  const ranked = inputOf(ask);
  const input = { ...ranked, terms: ranked.counts.terms };
  return { input, opened: likeliest(input, firstLook(input), ranked.imports), paths: input.places.paths };
}

describe('the files that are opened', () => {
  test('a fixed number, in order: the targets, and files that change with them, lie beside them or are named like the task', () => {
    const { opened, paths } = asked(ASK);
    expect(opened).toHaveLength(MOST);
    expect([...(opened ?? [])]).toEqual([...new Set(opened)].sort((a, b) => a - b));
    const names = Array.from(opened ?? [], (n) => paths[n]);
    expect(names).toEqual(
      expect.arrayContaining(['src/proxy/trust.ts', 'src/proxy/hops.ts', 'docs/far/away.md', 'lib/session-cookie.ts']),
    );
  });

  test('the imports of a target, wherever they lie', () => {
    const last = `vendor/p${(2 * MOST - 1) % 7}/q${2 * MOST - 1}.ts`;
    const imports = { of: (path: string) => (path === 'src/proxy/trust.ts' ? [last] : []), by: () => [] };
    const names = ({ opened, paths }: ReturnType<typeof asked>) => Array.from(opened ?? [], (n) => paths[n]);
    expect(names(asked(ASK))).not.toContain(last);
    expect(names(asked({ ...ASK, imports }))).toContain(last);
  });

  test('a target with less evidence than very many files, and only some of many equal files', () => {
    const named = Array.from({ length: 2 * MOST }, (_, n) => `x/session-cookie-${n}.ts`);
    const past = Array.from({ length: 60 }, (_, n) => named.slice(n * 40, n * 40 + 40));
    const files = Object.fromEntries([...named, 'zz/q.ts'].map((path) => [path, '']));
    const ask = { files, text: 'session cookie', targets: ['zz/q.ts'], past };
    expect(asked(ask).opened?.at(-1)).toBe(2 * MOST);
    expect(asked(ask).opened).toHaveLength(MOST);
    const alike = Object.fromEntries(Array.from({ length: 2 * MOST }, (_, n) => [`d/f${n}.ts`, '']));
    const last = { files: alike, text: '', targets: [`d/f${2 * MOST - 1}.ts`], past: TOGETHER };
    expect(asked(last).opened).toHaveLength(MOST);
    expect(asked(last).opened).toEqual(asked(last).opened);
  });

  test('a history of fifty changes is enough, one less is not', () => {
    expect(asked({ ...ASK, past: TOGETHER.slice(0, 50) }).opened).not.toBeNull();
    expect(asked({ ...ASK, past: TOGETHER.slice(0, 49) }).opened).toBeNull();
  });

  test.each([
    ['without a target', { ...ASK, targets: [] }],
    ['where the target is not there yet', { ...ASK, targets: ['src/new.ts'] }],
    ['without a history', { ...ASK, past: [] }],
    ['where there are few files', { ...ASK, files: Object.fromEntries(Object.entries(FILES).slice(0, MOST)) }],
  ])('%s: all', (_, ask) => {
    expect(asked(ask).opened).toBeNull();
  });

  test('words are weighed among the opened files alone', () => {
    const terms = termsOf('parse the queue');
    const texts = ['parse parse queue', 'the queue', 'parse it'];
    const counted = (files: number, places: readonly number[]) => {
      const scanner = wordScanner(terms, files);
      for (const [n, place] of places.entries()) scanner.add(place, new TextEncoder().encode(texts[n]));
      const { words } = wordColumns(scanner.counts);
      return places.map((place) => words.at(place));
    };
    expect(counted(100, [7, 50, 99])).toEqual(counted(3, [0, 1, 2]));
    expect(counted(3, [0, 1, 2]).every((worth) => worth > 0)).toBe(true);
  });

  test('files with a name of single letters only count for that name', () => {
    const files = { 'a.md': 'x-y', 'b.md': 'x_y x-y', 'c.md': 'x-y', 'd.md': 'other words here' };
    const paths = rankFiles(inputOf({ files, text: 'handle `x-y` well' })).map(({ path }) => path);
    expect(paths.sort()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  test('the first look is the same whether it was made before or not', () => {
    const input = inputOf(ASK);
    const told = (look: ReturnType<typeof firstLook> | null) =>
      rankFiles({ ...input, look }).map(({ path, score, why }) => ({ path, score, why }));
    expect(told(firstLook({ ...input, terms: input.counts.terms }))).toEqual(told(null));
  });
});
