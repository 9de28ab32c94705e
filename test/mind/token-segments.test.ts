/** Where a text is cut for counting: all pieces together have as many tokens as the whole. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { wrapPart } from '../../src/mind/context/render.ts';
import { type CountTokens, loadCounter } from '../../src/mind/tokens/count.ts';
import { linesOf, segmentsOf } from '../../src/mind/tokens/segments.ts';

let count: CountTokens;
beforeAll(async () => {
  count = await loadCounter();
});

/** By both cuts, which must agree. */
function counted(text: string): number {
  const segments = segmentsOf(text);
  const [whole, fine] = [segments, segments.flatMap(linesOf)].map((all) =>
    all.reduce((sum, one) => sum + count(one), 0),
  );
  expect(fine).toBe(whole);
  return whole as number;
}
const MARK = '12345678901234567890';

test('files of this project, alone and in a row, between marks', () => {
  const files = readdirSync(join(import.meta.dirname, '../../src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((_, n) => n % 9 === 0)
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(files.length).toBeGreaterThan(30);
  for (const text of files) expect(counted(text)).toBe(count(text));
  const parts = files.map((text, n) =>
    wrapPart(
      { kind: 'related', path: `a/b${n}.ts`, text, score: 0, why: '', lines: n % 2 === 0 ? null : '1-9,12' },
      `seed${n}`,
    ),
  );
  const packet = `### Files\n\n${parts.join('\n\n')}\n`;
  expect(counted(packet)).toBe(count(packet));
  // It is cut at all, and about half of the pieces are the same in a packet (which files are sampled moves it by some points).
  const inFiles = new Set(files.flatMap((text) => segmentsOf(text.replace(/\n$/, ''))));
  const inPacket = segmentsOf(packet);
  expect(inPacket.length).toBeGreaterThan(files.length * 5);
  expect(inPacket.filter((segment) => inFiles.has(segment)).length).toBeGreaterThan(inPacket.length * 0.4);
  expect(inPacket.flatMap(linesOf).length).toBeGreaterThan(inPacket.length * 1.5);
});

test('any text', () => {
  const piece = fc.constantFrom(
    ...['\n', '\n\n', '\r\n', ' ', '\t', '\u00a0', '\u2028', '/', '//', ')', ');', '"', '<', '<<<', '>>>', '-'],
    ...['a', 'Word', '_', "'s", '7', '123', '٣', '②', 'é', '漢字', '😀', '\ufeff', '\u0301', MARK, `${MARK}>>>`],
    ...[`<<<${MARK} file a.ts\n`, `\n${MARK}>>>\n\n`, `<<<${MARK} file a.ts (lines 1-2)\n`, `${MARK}1`],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      expect(counted(text)).toBe(count(text));
    }),
    { numRuns: 3_000 },
  );
});

test('marks of packets are alike, because all of them have as many tokens', () => {
  for (let n = 0; n < 1_000; n++) {
    expect(count(String(n).padStart(3, '0'))).toBe(1);
    if (n < 100) expect(count(String(n).padStart(2, '0'))).toBe(1);
  }
  const framed = (mark: string) => segmentsOf(`<<<${mark} file a.ts\nlet a;\n${mark}>>>\n`);
  expect(framed(MARK)).toEqual(framed('98765432109876543210'));
  expect(segmentsOf(`${MARK}1`)).toEqual([`${MARK}1`]);
});

test('a line that is nothing but beginnings of marks has an end', () => {
  // Looking for the end of the line behind each of them took minutes.
  const text = `<<<${MARK} `.repeat(64_000);
  expect(segmentsOf(`${text}\nmore`).join('')).toHaveLength(text.length + 5);
});
