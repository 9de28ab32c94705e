/** Seeded schedules, second half: a file of its own, so that two workers share them. */
import { it } from 'vitest';
import { ALL } from '../support/effort.ts';
import { runMany } from './run-many.ts';

const COUNT = ALL ? 1_500 : 300;

it(`keeps every promise in ${COUNT} other schedules`, { timeout: 300_000 }, () => runMany(1_501, COUNT));
