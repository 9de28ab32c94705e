/** Tests of the base that a candidate no longer runs. */
import { expect, test } from 'vitest';
import { lostTests } from '../../../src/mind/gates/lost-tests.ts';

const listed = (ran: string[], skipped: string[] = []) => ({ ran: ran.length, listed: { ran, skipped } });
const counted = (ran: number | null) => ({ ran, listed: null });

test.each([
  ['all still run', listed(['a', 'b']), listed(['b', 'a', 'c']), null],
  ['one is gone', listed(['a', 'b']), listed(['a']), 'tests of the base: 1 no longer run: b'],
  ['one is gone and another one came', listed(['a', 'b']), listed(['a', 'c']), 'tests of the base: 1 no longer run: b'],
  ['one is skipped', listed(['a', 'b']), listed(['a'], ['b']), 'tests of the base: 1 skipped now: b'],
  ['both', listed(['a', 'b', 'c']), listed(['a'], ['b']), 'tests of the base: 1 no longer run: c; 1 skipped now: b'],
  ['what was skipped before may stay so', listed(['a'], ['b']), listed(['a'], ['b']), null],
  ['fewer, by number', counted(3), counted(2), 'FEWER TESTS RAN THAN AT THE BASE: 2, there 3'],
  ['as many, by number', counted(3), counted(3), null],
  [
    'names at one side only: the numbers count',
    listed(['a', 'b']),
    counted(1),
    'FEWER TESTS RAN THAN AT THE BASE: 1, there 2',
  ],
  ['an unknown number says nothing', counted(3), counted(null), null],
])('%s', (_, base, candidate, text) => {
  expect(lostTests(base, candidate)?.text ?? null).toBe(text);
});
