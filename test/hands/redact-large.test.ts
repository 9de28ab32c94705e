/** Texts that are large, or made to be slow: they end within the time that any test has, and others get their turns. */
import { expect, test } from 'vitest';
import { createRedactor, findAll } from '../../src/hands/redact/redact.ts';
import { lint, pieces } from '../../src/hands/redact/secretlint.ts';
import { madeUp } from '../mind/secrets/made-up.ts';

const MEGABYTE = 1 << 20;
const lines = (line: string, bytes = MEGABYTE) => `${line}\n`.repeat(Math.ceil(bytes / (line.length + 1)));
const TOKEN = `ghp_${madeUp(36)}`;
/** secretlint takes it for a token, we do not. */
const THEIRS = `ghp_${'x'.repeat(36)}`;

/** How often others had a turn meanwhile. */
async function turns(work: Promise<unknown>): Promise<number> {
  let count = 0;
  let over = false;
  const next = () => {
    count++;
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  await work;
  over = true;
  return count;
}

test('a megabyte of tokens, each on a line or all on one', async () => {
  const text = lines(TOKEN);
  const count = text.length / (TOKEN.length + 1);
  const [clean, one] = await createRedactor()([text, text.replaceAll('\n', ' ')]);
  expect(clean).toBe('[redacted:github]\n'.repeat(count));
  expect(one).toBe('[redacted:github] '.repeat(count));
});

test('a megabyte of what only secretlint takes for tokens', async () => {
  const text = lines(THEIRS);
  const found = lint(text);
  // One piece after another.
  expect(await turns(found)).toBeGreaterThanOrEqual(MEGABYTE / (1 << 16));
  expect(await found).toHaveLength(text.length / (THEIRS.length + 1));
});

test('the same as one word: its end is looked for once', async () => {
  const text = `${`${THEIRS}-`.repeat(MEGABYTE / 2 / (THEIRS.length + 1))}`;
  const [found] = await findAll([text]);
  expect(found).toHaveLength(1);
  expect(found?.[0]).toMatchObject({ to: text.length });
});

test('many texts at once: each has its own, and others get their turns', async () => {
  const texts = Array.from(
    { length: 400 },
    (_, n) => `${n}\n${'some words '.repeat(400)}\n${n % 2 === 0 ? TOKEN : THEIRS}\n`,
  );
  const clean = createRedactor()(texts);
  expect(await turns(clean)).toBeGreaterThan(5);
  for (const [n, text] of (await clean).entries()) expect(text).toBe(texts[n]?.replace(/ghp_\w+/, '[redacted:github]'));
});

test('an allow-list with a million characters to look through', async () => {
  const allow = [{ text: 'not in there at all', reason: 'nothing' }];
  const [clean] = await createRedactor({ allow })([lines(`token: "${madeUp(30)}"`)]);
  expect(clean).not.toContain(madeUp(30));
});

test('pieces are cut at ends of lines and cover everything; longer lines overlap', () => {
  const text = `${'a'.repeat(30)}\n${'b'.repeat(30)}\n${'c'.repeat(200)}\n${'d'.repeat(10)}`;
  const cut = pieces(text, 50, 10);
  expect(cut.slice(0, 2)).toEqual([
    [0, 31],
    [31, 62],
  ]);
  let end = 0;
  for (const [from, to] of cut) {
    expect(from === end || from === end - 10).toBe(true);
    expect(to - from).toBeLessThanOrEqual(50);
    end = to;
  }
  expect(end).toBe(text.length);
  expect(pieces('')).toEqual([[0, 0]]);
});

test('a token that lies across the end of a piece is found, wherever it lies', async () => {
  const size = 1 << 16;
  for (const at of [size - 45, size - 41, size - 40, size - 39, size - 20, size - 1, size, size + 1]) {
    const text = `${'a b '.repeat(size / 2).slice(0, at - 1)} ${THEIRS} and more ${'c d '.repeat(200)}`;
    expect(await lint(text)).toContainEqual({ from: at, to: at + THEIRS.length, rule: 'github' });
  }
});
