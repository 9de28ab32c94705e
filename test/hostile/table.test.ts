/** The table is whole: every case that was ever written down has a file. */
import { expect, test } from 'vitest';
import { loadCases } from './harness/table.ts';

const numbers = (prefix: string, ...ranges: (number | [number, number])[]): string[] =>
  ranges
    .flatMap((one) =>
      typeof one === 'number' ? [one] : Array.from({ length: one[1] - one[0] + 1 }, (_, n) => one[0] + n),
    )
    .map((n) => `${prefix}-${String(n).padStart(2, '0')}`);

const WANTED = [
  ...numbers('WO', [1, 12], 14, 16, 17, 19),
  ...numbers('WT', [1, 6], [8, 10], 13, 15, 17, [19, 23]),
  ...numbers('PR', [1, 11], 13, 14, [18, 20]),
  ...numbers('UI', 9, [13, 15]),
];

test('every listed case is there, and each has a title of its own', async () => {
  const cases = await loadCases();
  const ids = new Set(cases.map(({ id }) => id));
  expect(WANTED.filter((id) => !ids.has(id))).toEqual([]);
  const titles = cases.map(({ id, title }) => `${id} ${title}`);
  expect(titles.filter((title, n) => titles.indexOf(title) !== n)).toEqual([]);
  expect(cases.filter(({ id }) => id.startsWith('X-')).length).toBeGreaterThanOrEqual(15);
});

test('every case has one variant that is always played, and most have more', async () => {
  const cases = await loadCases();
  const always = cases.filter(({ long }) => long !== true);
  const played = new Set(always.map(({ id }) => id));
  expect(cases.filter(({ id }) => !played.has(id)).map(({ id }) => id)).toEqual([]);
  expect(always.length).toBeGreaterThan(0.8 * cases.length);
});
