/** Several opinions on one change: all of them approve this very change, or the answer is no. */
import { expect, test } from 'vitest';
import type { AnswerFacts } from '../../src/mind/domain/values.ts';
import { saysNo, weigh } from '../../src/mind/verdict/weigh.ts';

const said = (status: AnswerFacts['status']): AnswerFacts => ({
  status,
  confidence: null,
  findings: null,
  vetoes: null,
  dismissed: null,
});
const opinion = (by: string, over: Partial<Parameters<typeof weigh>[0][number]> = {}) => ({
  by,
  said: said('APPROVED'),
  change: 'change-1',
  reason: '',
  ...over,
});

test('all approve this change: approved, by name', () => {
  expect(weigh([opinion('a'), opinion('b')], 'change-1')).toEqual({
    decision: 'APPROVE',
    reason: 'approved by a, b',
  });
});

test.each([
  ['asks for changes', { said: said('CHANGES_REQUESTED'), reason: 'say it twice' }, 'say it twice'],
  ['rejects, without a word', { said: said('REJECTED') }, 'b says REJECTED'],
  ['looked at another change', { change: 'change-0' }, 'b looked at another change'],
  ['looked at no change', { change: null }, 'b looked at another change'],
  ['gave no opinion', { said: null }, 'b gave no opinion'],
] as const)('one %s: no, whatever the other says', (_, over, reason) => {
  expect(weigh([opinion('a'), opinion('b', over)], 'change-1')).toEqual({ decision: 'REJECT', reason });
});

test('every objection is listed, within a line', () => {
  const no = { said: said('REJECTED'), reason: 'x'.repeat(1_500) };
  const { reason } = weigh([opinion('a', no), opinion('b', { ...no, reason: 'y'.repeat(1_500) })], 'change-1');
  expect(reason).toMatch(/^x{1500}; y+$/);
  expect(reason).toHaveLength(2_000);
});

test('only a review that asks for changes or rejects says no', () => {
  const all = [
    'SUCCESS',
    'PARTIAL',
    'COMPLETE',
    'NEEDS_REFINEMENT',
    'APPROVED',
    'CHANGES_REQUESTED',
    'REJECTED',
  ] as const;
  expect(all.filter((status) => saysNo(said(status)))).toEqual(['CHANGES_REQUESTED', 'REJECTED']);
});
