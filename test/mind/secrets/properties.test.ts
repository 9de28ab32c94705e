/** What holds for every text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { merged } from '../../../src/mind/secrets/secret-span.ts';
import { keyBlock, madeUp } from './made-up.ts';

/** Pieces of which hostile and ordinary texts are made. */
const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    ...['token = "', 'password: ', '://', 'user:', '@', '"', "'", '\\"', '\n', '\r\n', '=', '<secret>', 'Bearer '],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'AKIA',
      'ghp_',
      'eyJ',
      '-u ',
      '😀',
      '\ud83d',
      'h1:',
    ],
    ...[
      madeUp(40),
      madeUp(32, 'hex'),
      `ghp_${madeUp(36)}`,
      'algolia',
      '[redacted:github]',
      `\${X}`,
      'example',
      keyBlock('PRIVATE KEY'),
    ],
  ),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

test('findings are in order, apart, inside of the text, and cut no character in half', () => {
  fc.assert(
    fc.property(text, (sample) => {
      let end = 0;
      for (const { from, to, rule } of findSecrets(sample)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(sample.length);
        expect(rule).toMatch(/^[a-z0-9-]+$/);
        const whole = sample.slice(from, to);
        if (sample.isWellFormed()) expect(whole.isWellFormed()).toBe(true);
        end = to;
      }
    }),
    { numRuns: 2_000 },
  );
});

test('nothing is found in words of letters alone, however they are joined', () => {
  const word = fc.constantFrom('token', 'password', 'reader', 'of', 'the', 'secret', 'key', 'value', 'config', 'apply');
  const words = fc.array(word, { maxLength: 40 });
  const sign = fc.constantFrom(' ', '_', '.', '/', '-', ' = ', ': ', '("', '")', '\n');
  fc.assert(
    fc.property(words, sign, (list, by) => {
      expect(findSecrets(list.join(by))).toEqual([]);
    }),
  );
});

test('merging keeps every character that any finding has', () => {
  const finding = fc
    .tuple(fc.nat(50), fc.integer({ min: 1, max: 20 }))
    .map(([from, length]) => ({ from, to: from + length, rule: 'x' }));
  fc.assert(
    fc.property(fc.array(finding), (findings) => {
      const inside = (list: typeof findings, at: number) => list.some(({ from, to }) => from <= at && at < to);
      const all = merged(findings);
      for (let at = 0; at < 80; at++) expect(inside(all, at)).toBe(inside(findings, at));
      for (const [n, one] of all.entries()) expect(one.from).toBeGreaterThanOrEqual(all[n - 1]?.to ?? 0);
    }),
  );
});
