/** Seeded schedules over the real engine and mind, first half. `make sim SEEDS=n` runs as many more as there is time for. */
import { it } from 'vitest';
import { ALL } from '../support/effort.ts';
import { runMany } from './run-many.ts';

const COUNT = ALL ? 1_500 : 500;

it(`keeps every promise in ${COUNT} schedules of work, crashes and faults`, { timeout: 300_000 }, () =>
  runMany(1, COUNT),
);
