/** Seeded schedules, second half: a file of its own, so that two workers share them. */
import { it } from 'vitest';
import { runMany } from './run-many.ts';

it('keeps every promise in 1,500 other schedules', { timeout: 300_000 }, () => runMany(1_501, 1_500));
