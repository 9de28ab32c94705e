/** It works on itself, checked by its own types, its own style and all tests of the lower floors. */
import { test } from 'vitest';
import { workOnItself } from './itself.ts';

test('types, style and the quick tests of this repository are its gate', { timeout: 600_000 }, async () => {
  await workOnItself('tsc && biome ci . && vitest run test/kernel test/mind');
});
