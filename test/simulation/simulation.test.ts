/** Seeded schedules over the real engine and mind, first half. `make sim SEEDS=n` runs as many more as there is time for. */
import { it } from 'vitest';
import { runMany } from './run-many.ts';

it('keeps every promise in 1,500 schedules of work, crashes and faults', { timeout: 300_000 }, () => runMany(1, 1_500));
