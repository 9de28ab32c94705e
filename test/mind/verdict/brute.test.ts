/** The verdict against another implementation over thousands of small cases, and what holds properties of every verdict. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerFacts } from '../../../src/mind/domain/values.ts';
import { type GateFact, giveVerdict, type VerdictFacts } from '../../../src/mind/verdict/verdict.ts';
import { type ReviewFact, saysNo } from '../../../src/mind/verdict/weigh.ts';
import { bruteVerdict } from './brute.ts';
import { facts, gate, NONE, review, said } from './facts.ts';

const CRITICAL = { ...NONE, critical: 1 };
const TESTS: GateFact[][] = [
  [],
  ...[null, 1, 0.7, 0.69, 0.5, 0.49].map((score) => [gate('tests', { score })]),
  [gate('tests', { status: 'fail', score: 0.99 })],
  [gate('tests', { status: 'fail', score: null, stops: true })],
  [gate('tests', { status: 'error', score: null })],
];
const SECURITY: GateFact[][] = [
  [],
  ...[1, 0.7, 0.3].map((score) => [gate('security', { score })]),
  [gate('security', { status: 'fail', score: 0, findings: CRITICAL })],
  [gate('security', { status: 'fail', score: 0.3 })],
];
const COVERAGE: GateFact[][] = [
  [],
  [gate('coverage')],
  [gate('coverage', { score: 0.4, status: 'fail' })],
  [gate('coverage', { weight: 9, status: 'fail', score: null })],
  [gate('coverage', { status: 'error', score: null })],
];
const REVIEWS: ReviewFact[][] = [
  [],
  [review('claude')],
  [review('claude', said('APPROVED'))],
  [review('claude', said('REJECTED', 0.9))],
  [review('claude', said('APPROVED', 0.1)), review('codex', said('APPROVED', 0.2))],
  [
    review('claude', said('APPROVED', 0.8)),
    review('codex', said('APPROVED', 0.7)),
    review('gemini', said('REJECTED', 0.6)),
  ],
  [
    review('codex', said('APPROVED', 0.4)),
    review('gemini', said('APPROVED', 0.4)),
    review('claude', said('REJECTED', 0.6)),
  ],
  [review('claude'), review('codex', said('APPROVED', 1), { change_id: 'change-0' })],
  [review('claude'), review('codex'), review('gemini', said('REJECTED', 0), { role: 'security_auditor' })],
  [review('claude'), review('claude', said('CHANGES_REQUESTED'), { by: 'twin' }), review('acme')],
  [review('claude'), review('codex', said('APPROVED', 1, { findings: CRITICAL }))],
  [review('claude', said('APPROVED', 1, { findings: { ...NONE, high: 1 }, uncounted: 0 }))],
  [review('claude'), review('codex', said('REJECTED', 1, { findings: NONE, vetoes: 1, uncounted: 2 }))],
  [review('claude', said('CHANGES_REQUESTED', 1, { findings: NONE, uncounted: 0 }))],
  [
    review('claude', said('CHANGES_REQUESTED', 1, { findings: NONE, uncounted: 1 })),
    review('codex', said('CHANGES_REQUESTED', 1, { findings: { ...NONE, low: 1 }, uncounted: 0 })),
  ],
  [review('claude', said('REJECTED', 1, { findings: NONE, uncounted: 1 })), review('codex', null)],
  [
    review('claude', said('APPROVED', 0.1)),
    review('codex', said('REJECTED', 1, { findings: { ...NONE, low: 1 }, uncounted: 0 })),
  ],
];

test('over every combination of these it agrees with another implementation', () => {
  let cases = 0;
  const seen = new Set<string>();
  for (const tests of TESTS)
    for (const security of SECURITY)
      for (const coverage of COVERAGE)
        for (const reviews of REVIEWS)
          for (const rejections of [0, 2])
            for (const consensusAvailable of [false, true])
              for (const minApprovals of [null, 2]) {
                const context = { rejections, consensusAvailable, minApprovals };
                const whole = facts({ gates: [...tests, ...security, ...coverage], reviews, context });
                const { decision, score } = giveVerdict(whole);
                const expected = bruteVerdict(whole);
                if (decision !== expected.decision || score !== expected.score)
                  expect({ decision, score, of: whole }).toEqual({ ...expected, of: whole });
                cases += 1;
                seen.add(decision);
              }
  expect(cases).toBe(10 * 6 * 5 * 17 * 8);
  expect([...seen].sort()).toEqual(['APPROVE', 'CONSENSUS', 'ESCALATE', 'REJECT']);
});

const share = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
const gates: fc.Arbitrary<GateFact[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('tests', 'security', 'coverage', 'command'),
      weight: fc.constantFrom(0, 0.1, 0.15, 0.25, 0.3, 2),
      blocking: fc.boolean(),
      status: fc.oneof(
        { weight: 6, arbitrary: fc.constant('pass' as const) },
        fc.constantFrom('fail' as const, 'error' as const),
      ),
      score: fc.oneof(fc.constant(null), share),
      findings: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(null, NONE) }, fc.constant(CRITICAL)),
      proven: fc.constantFrom('on' as const, 'off' as const, 'unknown' as const),
    }),
    { maxLength: 6 },
  )
  .map((list) => list.map((one, n) => ({ ...one, name: `${one.kind}-${n}` })));
const opinion: fc.Arbitrary<AnswerFacts> = fc.record({
  status: fc.constantFrom<AnswerFacts['status']>('APPROVED', 'APPROVED', 'APPROVED', 'CHANGES_REQUESTED', 'REJECTED'),
  confidence: fc.oneof(fc.constant(null), share),
  findings: fc.constantFrom(null, null, NONE, { ...NONE, low: 1 }, { ...NONE, high: 1 }),
  vetoes: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.constant(1)),
  dismissed: fc.constant(null),
  uncounted: fc.constantFrom(undefined, 0, 2),
});
const reviews: fc.Arbitrary<ReviewFact[]> = fc
  .array(
    fc.record({
      cli: fc.constantFrom('claude', 'codex', 'gemini', 'acme'),
      role: fc.constantFrom('reviewer', 'security_auditor'),
      said: fc.oneof({ weight: 9, arbitrary: opinion }, fc.constant(null)),
      change_id: fc.constantFrom('change-1', 'change-1', 'change-1', 'change-0'),
    }),
    { maxLength: 5 },
  )
  .map((list) => list.map((one, n) => ({ ...one, by: `r-${n}` })));
const anything: fc.Arbitrary<VerdictFacts> = fc
  .record({
    gates,
    reviews,
    context: fc.record({
      rejections: fc.nat(4),
      minApprovals: fc.constantFrom(null, 2),
      everybody: fc.boolean(),
      consensusAvailable: fc.boolean(),
      waived: fc.boolean(),
    }),
  })
  .map(facts);

/** How much good a decision does to the candidate. */
const RANK = { APPROVE: 2, CONSENSUS: 1, REJECT: 0, ESCALATE: 0 } as const;
const rankOf = (whole: VerdictFacts): number => RANK[giveVerdict(whole).decision];

/** Each of these makes one fact worse, or leaves it. */
type Worse = { readonly gate?: (one: GateFact) => GateFact; readonly review?: (one: ReviewFact) => ReviewFact };
const heard = (change: (one: AnswerFacts) => AnswerFacts) => (one: ReviewFact) =>
  one.said === null || one.change_id !== 'change-1' ? one : { ...one, said: change(one.said) };
/** With a high finding it counts as a no, and less of a no is no worse fact. */
const isApproval = (one: AnswerFacts) => !saysNo(one);
const WORSE: Readonly<Record<string, Worse>> = {
  'a gate that passed fails': { gate: (one) => (one.status === 'pass' ? { ...one, status: 'fail' } : one) },
  'a blocking gate cannot run': { gate: (one) => (one.blocking ? { ...one, status: 'error' } : one) },
  'a gate has half the score': {
    gate: (one) => ({ ...one, score: (one.score ?? (one.status === 'pass' ? 1 : 0)) / 2 }),
  },
  'a gate finds something critical': { gate: (one) => ({ ...one, findings: CRITICAL }) },
  'a gate is not proven': { gate: (one) => ({ ...one, proven: 'unknown' }) },
  'a reviewer rejects': { review: heard((one) => ({ ...one, status: 'REJECTED' })) },
  'a reviewer vetoes': { review: heard((one) => ({ ...one, vetoes: 1 })) },
  'an approval is less sure': {
    review: heard((one) => (isApproval(one) ? { ...one, confidence: (one.confidence ?? 0.5) / 2 } : one)),
  },
  'a rejection is surer': { review: heard((one) => (isApproval(one) ? one : { ...one, confidence: 1 })) },
};

describe('properties of every verdict', () => {
  test('the order in which facts came does not matter', () => {
    const shuffled = anything.chain((whole) =>
      fc.tuple(
        fc.constant(whole),
        fc.shuffledSubarray([...whole.gates], { minLength: whole.gates.length }),
        fc.shuffledSubarray([...whole.reviews], { minLength: whole.reviews.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([whole, otherGates, otherReviews]) => {
        expect(giveVerdict({ ...whole, gates: otherGates, reviews: otherReviews })).toEqual(giveVerdict(whole));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(Object.entries(WORSE))('a worse fact never helps: %s', (_, { gate: onGate, review: onReview }) => {
    fc.assert(
      fc.property(anything, fc.nat(5), (whole, at) => {
        const changed = <T>(list: readonly T[], change: ((one: T) => T) | undefined): readonly T[] =>
          change === undefined ? list : list.map((one, n) => (n === at % Math.max(1, list.length) ? change(one) : one));
        const worse = { ...whole, gates: changed(whole.gates, onGate), reviews: changed(whole.reviews, onReview) };
        expect(rankOf(worse)).toBeLessThanOrEqual(rankOf(whole));
      }),
      { numRuns: 2_000 },
    );
  });

  test('one more rejection never helps', () => {
    fc.assert(
      fc.property(anything, (whole) => {
        const { context } = whole;
        const worse = { ...whole, context: { ...context, rejections: context.rejections + 1 } };
        expect(rankOf(worse)).toBeLessThanOrEqual(rankOf(whole));
      }),
    );
  });

  test('after a blocking failure no measurement less and no opinion more turns it into a pass', () => {
    fc.assert(
      fc.property(anything, reviews, fc.nat(5), (whole, others, keep) => {
        const failed = gate('tests', { status: 'fail', score: null });
        const rest = whole.gates.slice(0, keep).map((one) => ({ ...one, score: null, findings: null }));
        for (const list of [[...whole.gates, failed], [...rest, failed], [failed]])
          for (const said of [whole.reviews, others, []]) {
            const { decision, score } = giveVerdict({ ...whole, gates: list, reviews: said });
            expect([['REJECT', 'ESCALATE'].includes(decision), score]).toEqual([true, 0]);
          }
      }),
      { numRuns: 500 },
    );
  });

  test('reviews lift nothing that gates decided, where no consensus is asked', () => {
    fc.assert(
      fc.property(anything, (whole) => {
        const context = { ...whole.context, minApprovals: null };
        const gated = { ...whole, gates: [...whole.gates, gate('syntax')], context };
        expect(rankOf(gated)).toBeLessThanOrEqual(rankOf({ ...gated, reviews: [] }));
      }),
      { numRuns: 2_000 },
    );
  });

  /** What a reviewer says that has not looked. */
  const ALWAYS: Readonly<Record<string, (reviews: readonly ReviewFact[]) => ReviewFact>> = {
    'always approves': () => review('gemini', said('APPROVED', 1, { findings: NONE, uncounted: 0 }), { by: 'always' }),
    'always rejects': () => review('gemini', said('REJECTED', 1, { findings: NONE, uncounted: 0 }), { by: 'always' }),
    'copies another': ([first]) => ({ ...(first ?? review('gemini')), by: 'always' }),
  };
  test.each(Object.entries(ALWAYS))('a reviewer that %s changes nothing that a gate decided', (_, always) => {
    fc.assert(
      fc.property(anything, (whole) => {
        const decided = giveVerdict({ ...whole, reviews: [] });
        const byGate = decided.reasons.filter((reason) =>
          ['critical_finding', 'gate_failed', 'gate_error', 'low_score'].includes(reason),
        );
        fc.pre(byGate.length > 0);
        for (const others of [[], whole.reviews]) {
          const verdict = giveVerdict({ ...whole, reviews: [...others, always(others)] });
          expect(verdict.decision).toBe(decided.decision);
          expect(verdict.next).toBe(decided.next);
          expect(verdict.reasons).toEqual(expect.arrayContaining(byGate));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('a reviewer that only rejects, and names nothing, never sends a good change back', () => {
    const empty = said('REJECTED', 1, { findings: NONE, vetoes: 1, uncounted: 3 });
    for (const reviews of [[review('claude', empty)], [review('claude', empty), review('codex')]])
      expect(giveVerdict(facts({ gates: [gate('tests')], reviews }))).toMatchObject({
        ...{ decision: 'ESCALATE', next: 'person', reasons: ['review_unfounded'] },
      });
  });

  test('the score is a share or unknown', () => {
    fc.assert(
      fc.property(anything, (whole) => {
        const { score } = giveVerdict(whole);
        expect(score === null || (score >= 0 && score <= 1)).toBe(true);
      }),
    );
  });
});
