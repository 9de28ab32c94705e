/** A measured row replaces its own section of docs/benchmarks.md and no other. */
import { expect, test } from 'vitest';
import { pageWith, sectionOf } from '../../bench/report.ts';

const ROWS = [
  { name: 'a', title: 'steps' },
  { name: 'b', title: 'one long task' },
  { name: 'c', title: 'many tasks' },
];
const finding = { what: 'a | b', measured: '1 ms', ratio: '2.00x', goal: 'at most 3x', ok: true };
const section = (title: string, when: string) => sectionOf({ title }, [finding], when);

test('rows stand in their order, whichever was measured first; rows that were not measured are listed', () => {
  const first = pageWith('# Benchmarks\n', { name: 'c', section: section('many tasks', 'Monday') }, ROWS);
  expect(first.indexOf('- a: steps\n- b: one long task\n')).toBeGreaterThan(0);
  const both = pageWith(first, { name: 'a', section: section('steps', 'Tuesday') }, ROWS);
  expect([...both.matchAll(/^## .*$/gm)].map(([line]) => line)).toEqual([
    '## Row a',
    '## Row c',
    '## Not measured yet',
  ]);
  expect(both.endsWith('## Not measured yet\n\n- b: one long task\n')).toBe(true);
  const all = pageWith(both, { name: 'b', section: section('one long task', 'Wednesday') }, ROWS);
  expect(all).not.toContain('Not measured yet');
});

test('a row that is measured again replaces its section and leaves the others as they are', () => {
  const old = pageWith('', { name: 'a', section: section('steps', 'Monday') }, ROWS);
  const both = pageWith(old, { name: 'b', section: section('one long task', 'Monday') }, ROWS);
  const again = pageWith(both, { name: 'a', section: section('steps', 'Tuesday') }, ROWS);
  expect(again).toBe(both.replace('steps.\n\nMonday', 'steps.\n\nTuesday'));
});

test('a section has a title, a date, a table and the notes; a bar in a cell stays in its cell', () => {
  const missed = { ...finding, what: 'd', ok: null, note: 'not judged: busy' };
  expect(sectionOf({ title: 'steps' }, [finding, missed], 'Monday')).toBe(`steps.

Monday

| what | measured | ratio | goal |  |
| --- | --- | --- | --- | --- |
| a \\| b | 1 ms | 2.00x | at most 3x | ok |
| d | 1 ms | 2.00x | at most 3x | not judged |

- not judged: busy`);
});
