/** It works on itself: a task on a clone of this repository, checked by a part of its own tests. */
import { test } from 'vitest';
import { workOnItself } from './itself.ts';

test('a small change, wrong at first, with a test of its own; the gate has no network', async () => {
  await workOnItself('vitest run test/kernel/twice.test.ts test/kernel/hash.test.ts test/kernel/json.test.ts');
});
