/** It works on itself, checked by all tests of its lower floors: one after the other, for a gate has 2 GiB unless it is told. */
import { test } from 'vitest';
import { workOnItself } from './itself.ts';

test('the quick tests of this repository are its gate', { timeout: 600_000 }, async () => {
  await workOnItself('vitest run --maxWorkers=1 test/kernel test/mind');
});
