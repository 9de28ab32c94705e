/** A budget is used: files are left out for want of room only where there is none. And the same task gets the same packet. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_ROOM } from '../../src/mind/context/packed.ts';
import { type PackWorld, packWorld } from './pack-world.ts';

const WORDS = 'cart order price total tax shipping address customer invoice refund stock basket'.split(' ');
const word = (n: number) => WORDS[n % WORDS.length];
const codeOf = (n: number): string =>
  Array.from({ length: 120 }, (_, i) => {
    if (i % 10 === 0) return `export function ${word(n + i)}${i}(items: string[]): number {`;
    return i % 10 === 9 ? '}\n' : `  const ${word(n * 3 + i)}${i} = compute(items, '${word(i)} ${n}', ${i});`;
  }).join('\n');
const FILES = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`src/${word(n)}-${n}.ts`, codeOf(n)]));

let world: PackWorld;
beforeAll(() => {
  world = packWorld(FILES);
});
afterAll(() => world.end());

const ask = { text: 'Round the total price of the cart and the order', targets: ['src/cart-0.ts'] };

test.each([
  ['implementer_full', 25_000],
  ['implementer_full', 12_000],
  ['investigator_wide', 20_000],
])('%s: of %i tokens nearly all are used where files had to be left out', async (strategy, budget) => {
  const packed = await world.pack({ ...ask, strategy, budget });
  expect(packed.left.filter(({ reason }) => reason === NO_ROOM).length).toBeGreaterThan(3);
  expect(packed.tokens).toBeLessThanOrEqual(budget);
  expect(packed.tokens).toBeGreaterThan(budget * 0.93);
});

test('more files are shown in part rather than few of them whole', async () => {
  const { parts } = await world.pack({ ...ask, strategy: 'implementer_full', budget: 25_000 });
  expect(parts.filter(({ kind }) => kind === 'related').length).toBeGreaterThan(25);
});

test('with room for all, nothing is left out for want of it, and the best are shown whole', async () => {
  const packed = await world.pack({ ...ask, strategy: 'implementer_full', budget: 90_000 });
  expect(packed.left.filter(({ reason }) => reason === NO_ROOM)).toEqual([]);
  const related = packed.parts.filter(({ kind }) => kind === 'related');
  expect(related).toHaveLength(40);
  expect(related.filter(({ lines }) => lines !== null)).toEqual([]);
});

test('the same task gets the same parts, whatever the marks are', async () => {
  const contexts = Array.from({ length: 4 }, () => world.contexts());
  const packs = await Promise.all(
    contexts.map((packer, n) => world.pack({ ...ask, budget: 9_000, seed: `seed ${n}` }, packer)),
  );
  const [first, ...others] = packs.map(({ parts, left, tokens }) => ({ parts, left, tokens }));
  for (const other of others) expect(other).toEqual(first);
  expect(new Set(packs.map(({ text }) => text)).size).toBe(4);
});
