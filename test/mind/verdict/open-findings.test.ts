/** Findings of earlier reviews: who closes them, and what becomes of those that stay open. */
import { describe, expect, test } from 'vitest';
import type { AnswerFacts } from '../../../src/mind/domain/values.ts';
import { afterReview, asRaised, findingId, stillOpen } from '../../../src/mind/verdict/open-findings.ts';
import type { ReviewFinding } from '../../../src/mind/verdict/review-findings.ts';
import { withCounted } from '../../../src/mind/workers/answer.ts';
import { given, type Input } from '../../support/given.ts';
import { candidateOf, create, ended, grant, taskIn, workflow } from '../samples.ts';
import { NONE, said } from './facts.ts';

const finding = (message: string, over: Partial<ReviewFinding> = {}): ReviewFinding => ({
  ...{ severity: 'high', file: 'a.js', line: 1, message },
  ...over,
});
const EARLIER = [finding('loses data'), finding('is slow', { severity: 'low' })].map(asRaised);
const [LOSES, SLOW] = EARLIER.map(({ id }) => id) as [string, string];
const became = (id: string, what: 'fixed' | 'dismissed' | 'open', reason = 'I looked') => ({
  ...{ finding: id, became: what, reason },
});
const left = (...all: ReturnType<typeof became>[]) => afterReview(EARLIER, all, []).open.map(({ id }) => id);

describe('an earlier finding', () => {
  test.each<[string, ReturnType<typeof became>[], string[]]>([
    ['that is fixed is closed', [became(LOSES, 'fixed')], [SLOW]],
    ['that is dismissed is closed', [became(LOSES, 'dismissed')], [SLOW]],
    ['that nobody names stays open', [], [LOSES, SLOW]],
    ['that is said to be open stays open', [became(LOSES, 'open')], [LOSES, SLOW]],
    ['is not closed without a reason', [became(LOSES, 'fixed', ' ')], [LOSES, SLOW]],
    ['is not closed under a name that it does not have', [became('r-00000000', 'fixed')], [LOSES, SLOW]],
  ])('%s', (_, all, open) => {
    expect(left(...all)).toEqual(open);
  });

  test('that is raised again is open, whatever else the review says of it, and counts once', () => {
    const again = finding('Loses data!');
    const { open, standing, dismissed } = afterReview(EARLIER, [became(LOSES, 'dismissed')], [again]);
    expect([open.map(({ id }) => id), standing.map(({ id }) => id), dismissed]).toEqual([[LOSES, SLOW], [SLOW], 0]);
  });

  test('is known by its text, and found again in the answers of its step', () => {
    expect(findingId(finding('loses data', { line: 2 }))).not.toBe(LOSES);
    expect(findingId(finding('loses data', { severity: 'low' }))).toBe(LOSES);
    const answers = [[finding('loses data'), finding('other')], [finding('is slow')]];
    expect(stillOpen(answers, [{ id: SLOW }, { id: LOSES }, { id: 'r-gone' }]).map(({ message }) => message)).toEqual([
      ...['is slow', 'loses data'],
    ]);
  });
});

describe('a review', () => {
  const shown = new Map([['a.js', 9]]);
  const answer = (over: object) => ({
    ...{ status: 'APPROVED' as const, issues: [], suggestions: [], security_concerns: [], notes: '', next_step: null },
    ...over,
  });

  test('that approves and leaves a high finding open has it among its own', () => {
    const review = withCounted('review', answer({}), shown, EARLIER);
    expect(review?.answer).toMatchObject({ issues: [{ message: 'loses data' }, { message: 'is slow' }] });
    expect(review?.said).toEqual({
      uncounted: [],
      checked: [],
      dismissed: 0,
      owed: [LOSES],
      open: [
        { id: LOSES, severity: 'high' },
        { id: SLOW, severity: 'low' },
      ],
    });
  });

  test('counts what it dismisses', () => {
    const review = withCounted('review', answer({ earlier: [became(LOSES, 'dismissed')] }), shown, EARLIER);
    expect(review?.said).toMatchObject({ dismissed: 1, open: [{ id: SLOW }], owed: [] });
  });
});

describe('from round to round', () => {
  const REVIEWED = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build' }]);
  const says = (status: AnswerFacts['status'], open: AnswerFacts['open'], dismissed = 0): AnswerFacts =>
    said(status, 0.9, {
      ...{ findings: { ...NONE, high: open?.length ?? 0 }, uncounted: 0, dismissed },
      ...(open === undefined ? {} : { open }),
    });
  const HASH = (n: number) => `${n}`.repeat(64);
  const reviewed = (token: number, what: AnswerFacts): Input =>
    ended(token, 'ok', { step: 'review', candidate: null, said: what, answer: HASH(token), reason: 'no' });
  const made = (token: number): Input => ended(token, 'ok', { candidate: candidateOf(token) });
  const first: Input[] = [create('t-1', { workflow: REVIEWED }), grant, made(1), grant];
  const HIGH = [{ id: LOSES, severity: 'high' as const }];
  const raisedAfter = (...past: Input[]) => taskIn(given(...past).project).steps.get('review')?.raised;

  test('the next review is given what is open, and the answers that say it', () => {
    const past = [...first, reviewed(2, says('CHANGES_REQUESTED', HIGH)), grant, made(4), grant];
    expect(raisedAfter(...past)).toEqual({ open: HIGH, answers: [HASH(2)] });
    const again = [...past, reviewed(5, says('APPROVED', HIGH)), grant];
    expect(taskIn(given(...again).project).open).toEqual(['build']);
    expect(raisedAfter(...again)).toEqual({ open: HIGH, answers: [HASH(2), HASH(5)] });
    expect(raisedAfter(...again, made(7), grant, reviewed(8, says('APPROVED', [], 1)))).toBeUndefined();
  });

  test('a lost or unreadable review changes nothing about it', () => {
    const past = [...first, reviewed(2, says('CHANGES_REQUESTED', HIGH)), grant, made(4), grant];
    expect(raisedAfter(...past, ended(5, 'lost', { step: 'review' }))).toEqual({ open: HIGH, answers: [HASH(2)] });
  });

  test('only a person closes one, with resume --dismiss', () => {
    const past = [...first, reviewed(2, says('CHANGES_REQUESTED', HIGH))];
    const dismiss = (id: string): Input => ({ type: 'task.resume', task: 't-1', reason: 'not so', dismiss: [id] });
    expect(raisedAfter(...past, dismiss(LOSES.slice(0, 6)))).toBeUndefined();
    const { decision } = given(...past, dismiss(LOSES)).when(dismiss(LOSES));
    expect(decision).toMatchObject({ type: 'rejected', code: 'unknown_finding' });
    const by = given(...past).when({ send: dismiss(LOSES), by: 'planner' });
    // A model only proposes it.
    const events = by.decision.type === 'decided' ? by.decision.events.map(({ type }) => type) : [];
    expect(events).toEqual(['proposal.made']);
  });
});
