/** The tokeniser with and without the packed vocabulary beside the program: tokens are counted all the same. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { counter, VOCABULARY_FILE } from '../../src/hands/context/token-file.ts';
import { packedVocabulary } from '../../src/mind/tokens/count.ts';

const dir = mkdtempSync(join(tmpdir(), 'tokens-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the tokeniser is there without its file', async () => {
  expect(existsSync(join(import.meta.dirname, '../../src/hands/context', VOCABULARY_FILE))).toBe(false);
  expect((await counter())('hello world')).toBe(2);
});

test('its file is read when the first text is counted; one that is cut off or strange is not', async () => {
  const file = join(dir, VOCABULARY_FILE);
  const packed = await packedVocabulary();
  writeFileSync(file, packed);
  const count = await counter(file);
  expect(count('hello world, ¿cómo estás?')).toBe((await counter())('hello world, ¿cómo estás?'));
  const unread = await counter(file);
  rmSync(file);
  expect(count('hello world')).toBe(2);
  expect(() => unread('hello world')).toThrow('ENOENT');
  for (const bytes of [packed.subarray(0, -1), packed.subarray(0, 5), new Uint8Array(100)]) {
    writeFileSync(file, bytes);
    expect((await counter(file))('hello world')).toBe(2);
  }
});
