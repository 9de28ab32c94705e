/** The verdict in tables: every number of sections 2.3, 2.4, 3.1 (gate 5), 9.1 and of appendix B of the supervisor's design. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/mind/domain/limits.ts';
import { COVERAGE_TARGETS } from '../../../src/mind/gates/coverage/score.ts';
import { type GateKind, gateConfig } from '../../../src/mind/gates/gate-config.ts';
import { gateTimeout, gateWeight } from '../../../src/mind/gates/kinds.ts';
import { type GateFact, giveVerdict, THRESHOLDS } from '../../../src/mind/verdict/verdict.ts';
import { countVotes, type ReviewFact } from '../../../src/mind/verdict/weigh.ts';
import { saidOf } from '../../../src/mind/workers/answer.ts';
import { facts, gate, NONE, review, said } from './facts.ts';

const verdict = (partly: Parameters<typeof facts>[0]) => giveVerdict(facts(partly));
const scores = (syntax: number, tests: number, security: number, coverage: number): GateFact[] => [
  gate('syntax', { score: syntax }),
  gate('tests', { score: tests }),
  gate('security', { score: security }),
  gate('coverage', { score: coverage }),
];

describe('2.3: the score', () => {
  test.each([
    ['syntax', 0.15],
    ['tests', 0.3],
    ['security', 0.25],
    ['coverage', 0.1],
  ] as const)('%s weighs %s', (name, weight) => {
    expect(gateWeight({ name, kind: name })).toBe(weight);
    const whole = verdict({ gates: scores(1, 1, 1, 1), reviews: [review('claude')] });
    expect(whole.score).toBe(1);
    const without = scores(1, 1, 1, 1).map((one) => (one.name === name ? { ...one, score: 0 } : one));
    expect(verdict({ gates: without, reviews: [review('claude')] }).score).toBeCloseTo(1 - weight, 6);
  });

  test('the review weighs 0.2', () => {
    const no = review('claude', said('APPROVED', 0));
    expect(verdict({ gates: scores(1, 1, 1, 1), reviews: [no] }).score).toBe(0.8);
  });

  test.each<[string, GateFact[], number | null]>([
    ['all five of the seed but the review', scores(1, 1, 1, 1), 1],
    ['0.15 + 0.3 + 0.25 * 0.3 + 0.1 * 0.5, of 0.8', scores(1, 1, 0.3, 0.5), 0.71875],
    ['tests alone', [gate('tests', { score: 0.97 })], 0.97],
    ['tests and security', [gate('tests'), gate('security', { score: 0.3 })], 0.681818],
    ['a gate without a score counts as its status', [gate('tests', { score: null })], 1],
    ['nothing at all is unknown', [], null],
    [
      'a gate that could not run is unknown, and so is the whole',
      [gate('syntax'), gate('tests', { status: 'error' })],
      null,
    ],
    ['one that only advises and could not run has no say', [gate('tests'), gate('coverage', { status: 'error' })], 1],
  ])('normalised over what was measured: %s', (_, gates, score) => {
    expect(verdict({ gates }).score).toBe(score);
  });

  test.each(['syntax', 'tests', 'security'] as const)('a failure of %s overrides it: 0', (name) => {
    const gates = scores(1, 1, 1, 1).map((one) => (one.name === name ? { ...one, status: 'fail' as const } : one));
    expect(verdict({ gates, reviews: [review('claude')] })).toMatchObject({
      ...{ decision: 'REJECT', score: 0, reasons: ['gate_failed'], next: 'rework' },
    });
  });

  test('coverage only advises: its failure lowers the score and rejects nothing', () => {
    const failed = gate('coverage', { status: 'fail', score: 0 });
    const gates = [gate('syntax'), gate('tests'), gate('security'), failed];
    expect(verdict({ gates })).toMatchObject({ decision: 'APPROVE', score: 0.875, notes: ['advisory_failed'] });
    // As in the seed: with a review of 0 beside it, 0.7 is left, which is enough.
    const review0 = review('claude', said('APPROVED', 0));
    expect(verdict({ gates, reviews: [review0] })).toMatchObject({ decision: 'APPROVE', score: 0.7 });
  });

  test('however few gates there are, what only advises holds at most 0.3 of the weight', () => {
    const gates = [gate('syntax'), gate('coverage', { weight: 100, status: 'fail', score: 0 })];
    expect(verdict({ gates })).toMatchObject({ decision: 'APPROVE', score: 0.7 });
  });

  test('a gate without weight blocks all the same', () => {
    const canary = gate('tests', { name: 'tests-canary', weight: 0 });
    expect(verdict({ gates: [gate('tests'), canary] })).toMatchObject({ decision: 'APPROVE', score: 1 });
    const failed = { ...canary, status: 'fail' } as const;
    expect(verdict({ gates: [gate('tests'), failed] })).toMatchObject({ decision: 'REJECT', score: 0 });
    expect(verdict({ gates: [canary] })).toMatchObject({ decision: 'APPROVE', score: null });
  });
});

describe('2.4: the decision', () => {
  test.each<[number, boolean, string, string[]]>([
    [1, false, 'APPROVE', ['gates_passed']],
    [0.7, false, 'APPROVE', ['gates_passed']],
    [0.699999, false, 'REJECT', ['borderline']],
    [0.699999, true, 'CONSENSUS', ['borderline']],
    [0.5, false, 'REJECT', ['borderline']],
    [0.5, true, 'CONSENSUS', ['borderline']],
    [0.499999, false, 'REJECT', ['low_score']],
    [0.499999, true, 'REJECT', ['low_score']],
    [0, true, 'REJECT', ['low_score']],
  ])('score %s, consensus available: %s -> %s', (score, consensusAvailable, decision, reasons) => {
    const gates = [gate('tests', { score })];
    expect(verdict({ gates, context: { consensusAvailable } })).toMatchObject({ decision, reasons, score });
  });

  test('a critical finding is REJECT and waits for a person, however often it was rejected, whatever else passed', () => {
    const findings = { ...NONE, critical: 1 };
    for (const status of ['pass', 'fail'] as const)
      for (const rejections of [0, 3])
        for (const name of ['security', 'coverage'] as const)
          expect(
            verdict({ gates: [gate('tests'), gate(name, { status, findings })], context: { rejections } }),
          ).toMatchObject({ decision: 'REJECT', next: 'person' });
  });

  test('a finding of a gate is dismissed by a person only', () => {
    const gates = [gate('security', { findings: { ...NONE, critical: 1 } })];
    const by = (who: 'person' | 'reviewer' | 'worker') =>
      verdict({ gates, dismissed: [{ of: 'security', severity: 'critical', by: who }] }).decision;
    expect([by('person'), by('reviewer'), by('worker')]).toEqual(['APPROVE', 'REJECT', 'REJECT']);
  });

  test('a critical finding of a reviewer rejects, unless the reviewer or a person took it back', () => {
    const found = review('claude', said('APPROVED', 1, { findings: { ...NONE, critical: 1 } }));
    const by = (who: 'person' | 'reviewer' | 'worker') =>
      verdict({
        gates: [gate('tests')],
        reviews: [found],
        dismissed: [{ of: found.by, severity: 'critical', by: who }],
      }).decision;
    expect([by('person'), by('reviewer'), by('worker')]).toEqual(['APPROVE', 'APPROVE', 'REJECT']);
  });

  test('a critical finding of a reviewer waits for a person, however often the task was rejected; a high one goes back', () => {
    for (const [severity, rejections, next] of [
      ['critical', 0, 'person'],
      ['critical', 9, 'person'],
      ['high', 0, 'rework'],
      ['high', 9, 'end'],
    ] as const) {
      const no = review('claude', said('CHANGES_REQUESTED', 1, { findings: { ...NONE, [severity]: 1 } }));
      const reviews = [no, review('codex'), review('gemini')];
      for (const minApprovals of [null, 2]) {
        const given = verdict({ gates: [gate('tests')], reviews, context: { rejections, minApprovals } });
        if (severity === 'critical' || minApprovals === null) expect(given.next).toBe(next);
        if (severity === 'critical') expect(given).toMatchObject({ decision: 'REJECT' });
      }
    }
  });

  test.each<[number, 'fail' | 'pass', string, string]>([
    [0, 'fail', 'REJECT', 'rework'],
    [1, 'fail', 'REJECT', 'rework'],
    [2, 'fail', 'ESCALATE', 'end'],
    [3, 'fail', 'ESCALATE', 'end'],
    [3, 'pass', 'APPROVE', 'accept'],
  ])('after %s rejections one that is %s: %s', (rejections, status, decision, next) => {
    expect(verdict({ gates: [gate('tests', { status })], context: { rejections } })).toMatchObject({ decision, next });
  });

  test('used-up attempts end as the workflow says', () => {
    const failing = { gates: [gate('tests', { status: 'fail' })] };
    const end = (onExhausted: 'failed' | 'escalated' | 'blocked') =>
      verdict({ ...failing, context: { rejections: 2, onExhausted } }).decision;
    expect([end('failed'), end('escalated'), end('blocked')]).toEqual(['REJECT', 'ESCALATE', 'ESCALATE']);
  });

  test('a gate that could not run, or that asks for a person, escalates', () => {
    expect(verdict({ gates: [gate('tests', { status: 'error' })] })).toMatchObject({
      ...{ decision: 'ESCALATE', reasons: ['gate_error'], next: 'person' },
    });
    expect(verdict({ gates: [gate('tests', { status: 'fail', stops: true })] })).toMatchObject({
      ...{ decision: 'ESCALATE', score: 0, next: 'person' },
    });
  });

  test('nothing that checks is no pass, unless the operator said so', () => {
    expect(verdict({})).toMatchObject({ decision: 'ESCALATE', score: null, reasons: ['nothing_checked'] });
    expect(verdict({ gates: [gate('coverage')] })).toMatchObject({ decision: 'ESCALATE', score: 1 });
    expect(verdict({ context: { waived: true } })).toMatchObject({
      ...{ decision: 'APPROVE', score: null, reasons: ['checks_waived'] },
    });
  });

  test('a canary that proved nothing is noted, also beside gates that are proven', () => {
    const canary = gate('tests', { name: 'unit-canary', weight: 0, proven: 'unknown', proves: false });
    const [proven, unproven] = [gate('tests'), gate('tests', { name: 'unit', proven: 'unknown' })];
    expect(verdict({ gates: [proven, unproven, canary] }).notes).toEqual(['unproven']);
    // A canary that proves its gate does not speak for another one.
    expect(verdict({ gates: [unproven, { ...canary, proven: 'on', proves: true }] }).notes).toEqual(['unproven']);
    expect(verdict({ gates: [proven, { ...canary, proven: 'on', proves: true }] }).notes).toEqual([]);
  });

  test('notes for a reader are shown and decide nothing', () => {
    const gates = [gate('tests', { proven: 'unknown' })];
    expect(verdict({ gates, context: { degraded: true, redBase: true } })).toMatchObject({
      ...{ decision: 'APPROVE', notes: ['unproven', 'red_base', 'degraded'] },
    });
  });
});

describe('3.1 gate 5 and appendix B: reviews', () => {
  const B: ReviewFact[] = [
    review('claude', said('APPROVED', 0.8)),
    review('codex', said('APPROVED', 0.7)),
    review('gemini', said('CHANGES_REQUESTED', 0.6)),
  ];
  const voted = (reviews: ReviewFact[], over: { tests?: number; consensusAvailable?: boolean } = {}) =>
    verdict({
      gates: [gate('tests', { score: over.tests ?? 1 })],
      reviews,
      context: { minApprovals: 2, consensusAvailable: over.consensusAvailable ?? false },
    });

  test("the seed's own example: 0.4 * 0.8 + 0.3 * 0.7 against 0.3 * 0.6", () => {
    expect(countVotes(B, 'change-1')).toMatchObject({ approve: 0.53, reject: 0.18, approvals: 2 });
    expect(voted(B)).toMatchObject({
      ...{ decision: 'APPROVE', reasons: ['gates_passed', 'consensus_reached'], notes: ['disagreement'] },
    });
  });

  test.each<[string, ReviewFact[], number]>([
    ['claude alone', [review('claude')], 1],
    ['claude 0.4 against codex 0.3', [review('claude'), review('codex', said('REJECTED', 1))], 0.571429],
    ['codex 0.3 against gemini 0.3', [review('codex'), review('gemini', said('REJECTED', 1))], 0.5],
    ['any other CLI weighs 0.3', [review('opencode'), review('claude', said('REJECTED', 1))], 0.428571],
    [
      'two reviews by one CLI share its weight',
      [review('claude'), review('claude', said('REJECTED', 1), { by: 'b' }), review('codex')],
      0.714286,
    ],
    ['no confidence counts 0.5', [review('claude', said('APPROVED'))], 0.5],
  ])('weights over those present: %s', (_, reviews, approve) => {
    expect(countVotes(reviews, 'change-1').approve).toBeCloseTo(approve, 6);
  });

  test('an unknown confidence is noted', () => {
    const reviews = [review('claude', said('APPROVED')), review('codex', said('APPROVED'))];
    expect(voted(reviews).notes).toEqual(['confidence_unknown']);
  });

  test('one approval is no consensus, and a tie rejects', () => {
    expect(voted([review('claude')])).toMatchObject({ decision: 'REJECT', reasons: ['too_few_approvals'] });
    // 0.3 * 0.4 + 0.3 * 0.4 against 0.4 * 0.6.
    const tie = [review('codex', said('APPROVED', 0.4)), review('gemini', said('APPROVED', 0.4))];
    const against = (confidence: number) => voted([...tie, review('claude', said('REJECTED', confidence))]);
    expect(against(0.6)).toMatchObject({ decision: 'REJECT', reasons: ['outvoted'] });
    expect(against(0.59)).toMatchObject({ decision: 'APPROVE' });
  });

  test.each<[string, ReviewFact]>([
    ['vetoes', review('gemini', said('APPROVED', 0.1, { vetoes: 1 }))],
    ['rejects for security', review('gemini', said('REJECTED', 0.1, { vetoes: 1 }), { role: 'anybody' })],
  ])('one that %s decides, whatever the others say', (_, vetoer) => {
    const reviews = [review('claude'), review('codex'), vetoer];
    expect(voted(reviews)).toMatchObject({ decision: 'REJECT', reasons: ['vetoed'] });
  });

  test('the name of a role is no right to veto: what its file says it answers with is', () => {
    const rejects = review('gemini', said('REJECTED', 0.1, { vetoes: 0 }), { role: 'security_auditor' });
    expect(voted([review('claude'), review('codex'), rejects])).toMatchObject({ decision: 'APPROVE' });
    const finding = { severity: 'high', file: 'a.ts', line: 1, message: 'x' } as const;
    const no = { status: 'REJECTED' as const, notes: '', next_step: null };
    expect(saidOf('security', { ...no, findings: [finding] })?.vetoes).toBe(1);
    expect(saidOf('review', { ...no, issues: [finding], suggestions: [], security_concerns: [] })?.vetoes).toBe(0);
  });

  test('a review by the CLI that made the change is noted, a scripted one is not', () => {
    const by = (authors: string[], cli = 'claude') =>
      verdict({ gates: [gate('tests')], reviews: [review(cli)], context: { authors } }).notes;
    expect([by(['claude']), by(['codex']), by(['scripted'], 'scripted')]).toEqual([['same_cli'], [], []]);
  });

  test('a security role that asks for changes votes and does not veto', () => {
    const asks = review('gemini', said('CHANGES_REQUESTED', 0.1), { role: 'security_auditor' });
    expect(voted([review('claude'), review('codex'), asks])).toMatchObject({ decision: 'APPROVE' });
  });

  test('opinions on another change count for nothing: no approval, no rejection, no veto', () => {
    const old = (cli: string, says = said('APPROVED', 1)) => review(cli, says, { change_id: 'change-0' });
    expect(voted([old('claude'), old('codex'), review('gemini')])).toMatchObject({ decision: 'REJECT' });
    const reviews = [review('claude'), review('codex'), old('gemini', said('REJECTED', 1, { vetoes: 1 }))];
    expect(voted(reviews)).toMatchObject({ decision: 'APPROVE', notes: [] });
  });

  test('a borderline change is for the consensus to decide; one below the warning is not', () => {
    const approvals = [review('claude'), review('codex')];
    expect(voted([], { tests: 0.6, consensusAvailable: true })).toMatchObject({ decision: 'CONSENSUS' });
    expect(voted([], { tests: 0.6 })).toMatchObject({ decision: 'REJECT' });
    expect(voted(approvals, { tests: 0.6 })).toMatchObject({ decision: 'APPROVE' });
    expect(voted(approvals, { tests: 0.49 })).toMatchObject({ decision: 'REJECT', reasons: ['low_score'] });
  });

  test('without a required consensus, every review has to approve this change', () => {
    const one = (reviews: ReviewFact[]) => verdict({ gates: [gate('tests')], reviews });
    expect(one([review('claude'), review('codex')])).toMatchObject({
      ...{ decision: 'APPROVE', reasons: ['gates_passed', 'reviews_approved'] },
    });
    const low = review('gemini', said('REJECTED', 1, { findings: { ...NONE, low: 1 } }));
    expect(one([review('claude'), low])).toMatchObject({
      ...{ decision: 'REJECT', reasons: ['review_rejected'], notes: ['disagreement'], next: 'rework' },
    });
    expect(one([review('claude'), review('codex', null)])).toMatchObject({ reasons: ['review_missing'] });
  });

  test('if one approves and another rejects without a finding that counts, a person decides', () => {
    const bare = review('gemini', said('REJECTED', 1, { findings: NONE, uncounted: 0 }));
    const person = { decision: 'ESCALATE', next: 'person', notes: ['disagreement'] };
    for (const tests of [1, 0.6])
      for (const consensusAvailable of [false, true]) {
        const on = (...reviews: ReviewFact[]) =>
          verdict({ gates: [gate('tests', { score: tests })], reviews, context: { consensusAvailable } });
        expect(on(review('claude'), bare)).toMatchObject(person);
        // Nobody counted its findings: that is not the same as none.
        expect(on(review('claude'), review('codex', said('CHANGES_REQUESTED', 1))).next).not.toBe('person');
      }
    // Controls: nobody approves, somebody is missing, somebody vetoes, somebody names a line, or a gate has decided.
    const one = (tests: 'pass' | 'fail', ...reviews: ReviewFact[]) =>
      verdict({ gates: [gate('tests', { status: tests, score: null })], reviews }).next;
    const named = review('codex', said('REJECTED', 1, { findings: { ...NONE, low: 1 } }));
    const veto = review('codex', said('REJECTED', 1, { findings: { ...NONE, low: 1 }, vetoes: 1 }));
    expect(one('pass', review('claude', said('REJECTED', 1)), review('codex', said('REJECTED', 1)))).toBe('rework');
    for (const other of [review('codex', null), named, veto])
      expect(one('pass', review('claude'), bare, other)).toBe('rework');
    expect(one('fail', review('claude'), bare)).toBe('rework');
  });

  test('approvals lift nothing: not a failed gate, not a borderline score', () => {
    const reviews = ['claude', 'codex', 'gemini'].map((cli) => review(cli));
    for (const minApprovals of [null, 2]) {
      const failed = verdict({ gates: [gate('tests', { status: 'fail' })], reviews, context: { minApprovals } });
      expect(failed).toMatchObject({ decision: 'REJECT', score: 0, reasons: ['gate_failed'] });
    }
    const gates = scores(1, 1, 0.3, 0);
    expect(verdict({ gates })).toMatchObject({ decision: 'REJECT', score: 0.65625 });
    // The seed's sum says 0.725; the decision takes the lower one.
    expect(verdict({ gates, reviews })).toMatchObject({ decision: 'REJECT', score: 0.725, decisive: 0.65625 });
  });

  test('a hesitant approval lowers a middling score', () => {
    const gates = scores(1, 1, 0.3, 0.5);
    expect(verdict({ gates })).toMatchObject({ decision: 'APPROVE', score: 0.71875 });
    expect(verdict({ gates, reviews: [review('claude', said('APPROVED', 0.2))] })).toMatchObject({
      decision: 'REJECT',
    });
  });
});

describe('9.1: what a project gets that says nothing', () => {
  const parsed = (name: GateKind) =>
    v.parse(gateConfig, {
      ...{ name, kind: name },
      ...(name === 'coverage' ? { command: 'x', coverage: { format: 'lcov', file: 'a' } } : {}),
      ...(name === 'tests' ? { command: 'x' } : {}),
    });
  test.each([
    ['syntax', true, 30],
    ['tests', true, 300],
    ['security', true, 180],
    ['coverage', false, 300],
  ] as const)('gate %s: blocking %s, timeout %s s', (name, blocking, seconds) => {
    expect([parsed(name).blocking, gateTimeout(parsed(name)) / 1_000]).toEqual([blocking, seconds]);
  });

  test('review: timeout 180 s', () => {
    expect(gateTimeout({ name: 'review' })).toBe(180_000);
  });

  test('coverage: target 70 (that a drop of more than 5 points is a regression: coverage/score.test.ts)', () => {
    expect(COVERAGE_TARGETS.line).toBe(70);
  });

  test('thresholds: approval 0.7, warning 0.5, 3 tries, 24 hours', () => {
    expect(THRESHOLDS).toEqual({ approval: 0.7, warning: 0.5 });
    expect([DEFAULT_LIMITS.attempts, DEFAULT_LIMITS.task_age_ms / 3_600_000]).toEqual([3, 24]);
  });
});
