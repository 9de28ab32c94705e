/** The scanner counts what a slow, plain reading of the same text counts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wordScanner } from '../../../src/mind/ranking/scan.ts';
import { type Terms, termsOf } from '../../../src/mind/ranking/terms.ts';
import { formsOf, wordsIn } from '../../../src/mind/ranking/words.ts';

const term = (key: string, whole = false) => ({ key, whole, weight: 1, of: 'task' as const });
const encode = (text: string) => new TextEncoder().encode(text);

function counted(terms: Terms, text: string): Record<string, number> {
  const scanner = wordScanner(terms, 1);
  scanner.add(0, encode(text));
  const found: Record<string, number> = {};
  const hits = scanner.counts.hits[0]!;
  for (let n = 0; n < hits.length; n += 2) {
    const { key, whole } = terms.list[hits[n]!]!;
    found[whole ? `=${key}` : key] = hits[n + 1]!;
  }
  return found;
}

/** By regular expressions over the decoded text, as anyone would write it first. */
function slowly(terms: Terms, text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [identifier] of text.matchAll(/[A-Za-z0-9\u0080-\uffff]+(?:[_-][A-Za-z0-9\u0080-\uffff]+)*/g)) {
    const words = wordsIn(identifier);
    for (const { key, whole } of terms.list) {
      const forms = whole ? [key] : formsOf(key);
      const times = whole ? Number(words.join('') === key) : words.filter((word) => forms.includes(word)).length;
      const name = whole ? `=${key}` : key;
      if (times > 0) found[name] = (found[name] ?? 0) + times;
    }
  }
  return found;
}

describe('counting words', () => {
  test('identifiers are cut where a person would cut them', () => {
    const terms = {
      list: ['http', 'server', 'max', 'size2', 'trust', 'proxy'].map((key) => term(key)),
      joined: [],
      named: [],
    };
    expect(counted(terms, 'HTTPServer max_size2 trust-proxy trustProxy TRUST_PROXY')).toEqual({
      ...{ http: 1, server: 1, max: 1, size2: 1, trust: 3, proxy: 3 },
    });
  });

  test('a whole identifier counts however it is written, and not as a part of a longer one', () => {
    const terms = { list: [term('trustproxy', true)], joined: [], named: [] };
    expect(counted(terms, 'trustProxy trust_proxy trust-proxy TrustProxy trustProxyHops trust proxy')).toEqual({
      '=trustproxy': 4,
    });
  });

  test('a word counts in its forms', () => {
    const terms = { list: [term('resolve')], joined: [], named: [] };
    expect(counted(terms, 'resolves resolved resolving resolver resolvable dissolve')).toEqual({ resolve: 5 });
  });

  const piece = fc.oneof(
    fc.constantFrom(
      'trust',
      'Proxy',
      'HTTP',
      'size',
      '2',
      '_',
      '-',
      '--',
      ' ',
      '\n',
      '(',
      'é',
      'X',
      'aB',
      'Proxies',
      '中',
    ),
    fc.string({ maxLength: 4 }),
  );
  test('equals the slow reference on any text', () => {
    const terms = {
      list: [
        ...['trust', 'proxy', 'http', 'size', 'é', 'ab'].map((key) => term(key)),
        term('trustproxy', true),
        term('x2', true),
      ],
      joined: [],
      named: [],
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces
          .join('')
          .toWellFormed()
          .replace(/[A-Za-z0-9\u0080-\uffff]{60,}/g, '');
        expect(counted(terms, text)).toEqual(slowly(terms, text));
      }),
      { numRuns: 500 },
    );
  });

  test('any bytes are read, and one file does not leak into the next', () => {
    const terms = termsOf('parse `tokenStream` of the parser');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const scanner = wordScanner(terms, 2);
        scanner.add(0, bytes);
        scanner.add(1, encode('tokenStream'));
        const alone = wordScanner(terms, 2);
        alone.add(1, encode('tokenStream'));
        expect(scanner.counts.hits[1]).toEqual(alone.counts.hits[1]);
        expect(scanner.counts.hits[1]).not.toEqual([]);
        expect(scanner.counts.totals[1]).toBe(alone.counts.totals[1]);
      }),
    );
  });

  test('one identifier of many megabytes is read once through, like any other text', () => {
    const terms = termsOf('fix aaaa');
    const texts = ['a', 'A', 'aA', 'a_', 'a-', '_', 'aAAa'];
    const scanner = wordScanner(terms, texts.length);
    for (const [n, text] of texts.entries()) scanner.add(n, encode(text.repeat(1_000_000)));
    const words = (text: string) => scanner.counts.totals[texts.indexOf(text)];
    expect(words('a')).toBe(1);
    expect(words('aA')).toBe(1_000_000 - 1);
    expect(words('_')).toBe(0);
  });

  test('no terms is no hits', () => {
    const scanner = wordScanner(termsOf(''), 1);
    scanner.add(0, encode('some words here'));
    expect(scanner.counts.totals[0]).toBe(3);
    expect(scanner.counts.hits[0]).toEqual([]);
  });
});
