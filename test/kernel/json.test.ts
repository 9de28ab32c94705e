/** Canonical JSON: one text per value, so that a hash speaks of the value and of nothing else. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, mapStrings } from '../../src/kernel/json.ts';

const anyJson = fc.jsonValue({ maxDepth: 4 });

describe('canonical JSON', () => {
  test('is JSON of the same value', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('does not depend on the order in which keys were written, at any depth', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('tells different values apart', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        const same = canonicalJson(a) === canonicalJson(b);
        expect(same).toBe(
          canonicalJson(JSON.parse(JSON.stringify(a))) === canonicalJson(JSON.parse(JSON.stringify(b))),
        );
        if (same) expect(JSON.parse(JSON.stringify(a))).toEqual(JSON.parse(JSON.stringify(b)));
      }),
    );
  });

  test('sorts keys by UTF-16 unit, as no locale does', () => {
    expect(canonicalJson({ ä: 1, z: 2, a: 3, Z: 4, '10': 5, '9': 6, '\ud83d\ude00': 7, '\uffff': 8 })).toBe(
      '{"10":5,"9":6,"Z":4,"a":3,"z":2,"ä":1,"\ud83d\ude00":7,"\uffff":8}',
    );
  });

  test('leaves fields out that are undefined', () => {
    expect(canonicalJson({ a: undefined, b: { c: undefined }, d: null })).toBe('{"b":{},"d":null}');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('refuses %s', (value) => {
    expect(() => canonicalJson({ deep: [value] })).toThrow(new TypeError(`${value} is not a JSON number`));
  });

  test.each([
    ['undefined', undefined],
    ['undefined', [undefined]],
    ['function', () => 1],
    ['symbol', Symbol('s')],
    ['bigint', 1n],
  ])('refuses a value of type %s', (type, value) => {
    expect(() => canonicalJson(value)).toThrow(new TypeError(`${type} has no JSON form`));
  });

  test('keeps a key named __proto__ as a key like any other', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"a":2}'))).toBe('{"__proto__":{"a":1},"a":2}');
  });
});

describe('a walk over the strings of a value', () => {
  test('reaches every string once, in order, and leaves the rest alone', () => {
    const seen: string[] = [];
    const value = { a: 'one', b: ['two', 3, null, { c: 'three' }], four: true };
    const changed = mapStrings(value, (text) => {
      seen.push(text);
      return text.toUpperCase();
    });
    expect(seen).toEqual(['one', 'two', 'three']);
    expect(changed).toEqual({ a: 'ONE', b: ['TWO', 3, null, { c: 'THREE' }], four: true });
  });

  test('gives an equal value when no string changes, and does not touch the one it was given', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const before = JSON.stringify(value);
        expect(JSON.stringify(mapStrings(value, (text) => text))).toBe(before);
        mapStrings(value, () => 'x');
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}
