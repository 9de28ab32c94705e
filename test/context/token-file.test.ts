/** From source there is no packed vocabulary beside the program, and tokens are counted all the same. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { counter, VOCABULARY_FILE } from '../../src/hands/context/token-file.ts';

test('the tokeniser is there without its file', async () => {
  expect(existsSync(join(import.meta.dirname, '../../src/hands/context', VOCABULARY_FILE))).toBe(false);
  expect((await counter())('hello world')).toBe(2);
});
