/** Every unit that could take a reader long, a quarter MiB of each: the square of that would not end in the time a test has (UI-14). */
import { test } from 'vitest';
import { all, nearMisses } from './hostile-texts.ts';
import { readAll } from './read-all.ts';

const SIZE = 256 * 1024;

test.each([...all(SIZE), ...nearMisses(SIZE)])('256 KiB of %s', { timeout: 15_000 }, (_unit, text) => {
  readAll(text);
});
