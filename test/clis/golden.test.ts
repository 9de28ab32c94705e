/** Recorded runs of all real programs: what they have in common, whatever their events look like. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer } from '../../src/mind/workers/answer.ts';
import { CLIS } from '../support/clis.ts';
import { CASES } from './cases.ts';
import { allGolden, type Golden, goldenOf, told } from './golden.ts';

test.each(CLIS)('all cases of %s were recorded, and nothing else', (cli) => {
  const cases = Object.entries(CASES).filter(([, { of }]) => of?.includes(cli) ?? true);
  expect(
    goldenOf(cli)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(cases.map(([name]) => name).toSorted());
});

test('an answer of HTTP is known by its status', () => {
  const answered = allGolden().filter(({ name }) => /^\d{3}$/.test(name));
  expect(answered.length).toBeGreaterThan(20);
  for (const { cli, name, told: one } of answered) expect(one.failure?.status, `${cli}/${name}`).toBe(Number(name));
});

test.each(['text', 'tool', '429-then-ok', 'resumed'])('%s holds the answer', (name) => {
  for (const { cli, told: one } of allGolden().filter((golden) => golden.name === name)) {
    // Not every CLI can be told to retry.
    if (name === '429-then-ok' && one.claims !== 'success') continue;
    const answer = { type: 'answer', answer: { status: 'SUCCESS', action_taken: 'wrote hello.txt' } };
    expect(readAnswer('implementation', one.final), cli).toMatchObject(answer);
  }
});

test('a failed run is never taken for a successful one', () => {
  for (const { cli, name, told: one, ended } of allGolden()) {
    const bad = ended.exit.how !== 'exit' || ended.exit.code !== 0;
    if (bad) expect(one.claims, `${cli}/${name}`).not.toBe('success');
  }
});

test('the report does not depend on how the pipe cut the output', () => {
  const golden = allGolden();
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 50 });
  fc.assert(
    fc.property(fc.nat(golden.length - 1), cuts, (index, where) => {
      const { cli, stdout, stderr, ended, told: expected } = golden[index] as Golden;
      const at = [0, ...where.map((cut) => Math.floor(cut * stdout.length)).sort((a, b) => a - b), stdout.length];
      const pieces = at.slice(1).map((end, piece) => stdout.slice(at[piece], end));
      expect(told(cli, pieces, stderr, ended)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
