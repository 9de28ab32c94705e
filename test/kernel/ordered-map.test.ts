/** The persistent map against a plain Map: same answers, sorted, balanced, and old values stay what they were. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OrderedMap } from '../../src/kernel/ordered-map.ts';

type Change =
  | { readonly do: 'set'; readonly key: string; readonly value: number }
  | { readonly do: 'delete'; readonly key: string };

// Few keys, so that changes meet; some that a locale would sort otherwise than UTF-16 does.
const key = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map(String),
  fc.constantFrom(
    '',
    'a',
    'B',
    'b',
    'Z',
    'ä',
    'z',
    'é',
    'e\u0301',
    'ﬀ',
    '\ud83d\ude00',
    '\uffff',
    '__proto__',
    'constructor',
    '10',
    '9',
  ),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('set' as const), key, value: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
);
const changes = fc.array(change, { maxLength: 200 });

const apply = (map: OrderedMap<number>, one: Change) =>
  one.do === 'set' ? map.set(one.key, one.value) : map.delete(one.key);
const build = (list: readonly Change[]) => list.reduce(apply, OrderedMap.empty<number>());

function model(list: readonly Change[]): [string, number][] {
  const map = new Map<string, number>();
  for (const one of list) one.do === 'set' ? map.set(one.key, one.value) : map.delete(one.key);
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('an ordered map', () => {
  test('holds what a Map holds, in order of key', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const map = build(list);
        const expected = model(list);
        expect([...map]).toEqual(expected);
        expect([...map.entries()]).toEqual(expected);
        expect([...map.keys()]).toEqual(expected.map(([name]) => name));
        expect([...map.values()]).toEqual(expected.map(([, value]) => value));
        expect(map.size).toBe(expected.length);
        expect(map.first()).toEqual(expected[0]);
      }),
    );
  });

  test('answers get and has like a Map, also for keys it does not hold', () => {
    fc.assert(
      fc.property(changes, key, (list, asked) => {
        const expected = new Map(model(list));
        expect(build(list).get(asked)).toBe(expected.get(asked));
        expect(build(list).has(asked)).toBe(expected.has(asked));
      }),
    );
  });

  test('holds a key whose value is undefined', () => {
    const map = OrderedMap.empty<undefined>().set('a', undefined);
    expect([map.has('a'), map.get('a'), map.size]).toEqual([true, undefined, 1]);
  });

  test('begins entries at the first key that is not below the one asked for', () => {
    fc.assert(
      fc.property(changes, key, (list, from) => {
        expect([...build(list).entries(from)]).toEqual(model(list).filter(([name]) => name >= from));
      }),
    );
  });

  test('is left as it was by every later change', () => {
    fc.assert(
      fc.property(changes, changes, (list, later) => {
        const map = build(list);
        const before = [...map];
        later.reduce(apply, map);
        expect([...map]).toEqual(before);
      }),
    );
  });

  test('is the same instance when a change changes nothing', () => {
    fc.assert(
      fc.property(changes, key, (list, asked) => {
        const map = build(list);
        for (const [name, value] of map) expect(map.set(name, value)).toBe(map);
        if (!map.has(asked)) expect(map.delete(asked)).toBe(map);
      }),
    );
  });

  test('keeps the identity of all values that were not changed', () => {
    const values = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    const map = OrderedMap.from(values.map((value) => [String(value.n), value] as const));
    const changed = map.set('500', { n: -1 }).delete('7');
    for (const value of values) if (value.n !== 500 && value.n !== 7) expect(changed.get(String(value.n))).toBe(value);
  });

  test('reads back what it gives to JSON', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const map = build(list);
        expect([...OrderedMap.from(JSON.parse(JSON.stringify(map)) as [string, number][])]).toEqual([...map]);
      }),
    );
  });

  test('has one empty value', () => {
    expect(OrderedMap.empty()).toBe(OrderedMap.empty());
    expect(OrderedMap.from([])).toBe(OrderedMap.empty());
    expect(OrderedMap.empty().first()).toBeUndefined();
  });
});

describe('the tree of an ordered map', () => {
  test('stays balanced under any changes', () => {
    // Nothing sorts before the empty key, so the leaf before it could not be looked for.
    fc.assert(fc.property(changes, (list) => expectBalanced(build(list.filter((one) => one.key !== '')))));
  });

  test.each([
    ['rising', (n: number) => n],
    ['falling', (n: number) => 100_000 - n],
    ['inward', (n: number) => (n % 2 === 0 ? n : 100_000 - n)],
  ])('stays balanced with %s keys, also after half of them are gone', (_, at) => {
    const keys = Array.from({ length: 5_000 }, (_, n) => String(at(n)).padStart(6, '0'));
    const full = OrderedMap.from(keys.map((name) => [name, 0] as const));
    expectBalanced(full);
    expectBalanced(keys.slice(0, 2_500).reduce((map, name) => map.delete(name), full));
  });
});

/**
 * AVL: below every node the two sides differ by at most one, so the longest way down is at most 1.45 log2(n + 2).
 * How deep the leaves lie, from left to right, tells the whole shape of the tree.
 */
function expectBalanced(map: OrderedMap<number>): void {
  const leaves = [depthBelow(map, ''), ...[...map.keys()].map((name) => depthBelow(map, name))];
  let next = 0;
  const heightAt = (depth: number): number => {
    if (leaves[next] === depth) {
      next += 1;
      return 0;
    }
    const [left, right] = [heightAt(depth + 1), heightAt(depth + 1)];
    if (Math.abs(left - right) > 1) throw new Error(`${left} levels on the left, ${right} on the right`);
    return Math.max(left, right) + 1;
  };
  expect(heightAt(0)).toBeLessThanOrEqual(1.45 * Math.log2(map.size + 2));
  expect(next).toBe(map.size + 1);
}

/**
 * The tree is private. A key that is not a string never equals one, so the search for it goes down to a leaf; it turns
 * into a string once for each node it is compared with. Every leaf lies right behind some key, or before them all.
 */
function depthBelow(map: OrderedMap<number>, name: string): number {
  let compared = 0;
  const probe = {
    [Symbol.toPrimitive]() {
      compared += 1;
      return name;
    },
  };
  map.get(probe as unknown as string);
  return compared;
}
