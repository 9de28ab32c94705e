/** It works on itself, checked by all tests of its lower floors. */
import { test } from 'vitest';
import { workOnItself } from './itself.ts';

test('the quick tests of this repository are its gate', { timeout: 600_000 }, async () => {
  await workOnItself('vitest run test/kernel test/mind');
});
