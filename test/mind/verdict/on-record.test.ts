/** The verdict of a task: when it is given, what it knows, and that the task follows it. */
import { describe, expect, test } from 'vitest';
import type { VerdictRecord } from '../../../src/mind/domain/events/verdict.ts';
import { statusOf } from '../../../src/mind/domain/task.ts';
import type { AnswerFacts, Findings } from '../../../src/mind/domain/values.ts';
import { given, type Input } from '../../support/given.ts';
import { expanded } from '../../support/workflow-file.ts';
import { CANDIDATE, create, ended, gate, grant, limits, placeIn, spec, taskIn, workflow } from '../samples.ts';
import { NONE, said } from './facts.ts';

type Report = Extract<Input, { type: 'gate.report' }>;
const reported = (name: string, over: Partial<Report> = {}): Input =>
  ({ ...(gate(1, name, 'pass') as Report), ...over }) as Input;
const score = (name: string, points: number, findings: Findings = NONE): Input =>
  reported(name, { score: points, findings });
const reviewed = (token: number, says: AnswerFacts, step = 'review'): Input =>
  ended(token, 'ok', { step, said: says, candidate: null, reason: says.status === 'APPROVED' ? '' : 'no good' });

const BUILD = { id: 'build', gates: ['tests', 'security'] } as const;
const build = (...more: Parameters<typeof workflow>[0]) => workflow([{ ...BUILD, gates: [...BUILD.gates] }, ...more]);
const begun = (definition = build()): Input[] => [create('t-1', { workflow: definition }), grant, ended(1, 'ok')];
const taskAfter = (...past: Input[]) => taskIn(given(...past).project);
const verdictAfter = (...past: Input[]): VerdictRecord | undefined => taskAfter(...past).verdict;

const PINNED = workflow([
  {
    id: 'build',
    gates: [
      { name: 'tests', kind: 'tests', weight: 3, canary: 'on' },
      { name: 'security', kind: 'security', weight: 1 },
      { name: 'tests-canary', kind: 'tests', weight: 0 },
    ],
  },
]);

describe('gates of the last change', () => {
  test('give the verdict, with all that metrics need', () => {
    const counted = reported('tests', { score: 0.9, tests: { run: 10, failed: 1, skipped: 2 }, excused: 1 });
    expect(verdictAfter(...begun(), counted, score('security', 0.7, { ...NONE, medium: 2 }))).toEqual({
      ...{ step: 'build', token: 1, on: CANDIDATE, round: 1, attempts: 1, rejections: 0 },
      // A test that fails at the base too says nothing about this change.
      ...{ decision: 'APPROVE', score: 0.925, reasons: ['gates_passed'], notes: ['unproven', 'red_base'] },
      gates: [
        {
          ...{ gate: 'tests', kind: 'tests', weight: 0.3, blocking: true, proven: 'unknown', status: 'pass' },
          ...{ excused: 1, score: 0.9, findings: null, tests: { run: 10, failed: 1, skipped: 2 }, flaky: null },
        },
        {
          ...{ gate: 'security', kind: 'command', weight: 0.1, blocking: true, proven: 'unknown', status: 'pass' },
          ...{ excused: 0, score: 0.7, findings: { ...NONE, medium: 2 }, tests: null, flaky: null },
        },
      ],
      ...{ reviews: [], tests: { run: 10, failed: 1, skipped: 2 }, coverage_delta: null },
    });
  });

  test('are on record in the order of the workflow, whichever ended first', () => {
    const ends = [score('tests', 0.9), score('security', 0.8)];
    expect(verdictAfter(...begun(), ...ends.toReversed())).toEqual(verdictAfter(...begun(), ...ends));
  });

  test('weigh what the pinned workflow says', () => {
    const past = [...begun(PINNED), score('tests', 1), score('security', 0.6), score('tests-canary', 1)];
    expect(verdictAfter(...past)).toMatchObject({
      ...{ decision: 'APPROVE', score: 0.9, notes: [] },
      gates: [
        { weight: 3, proven: 'on' },
        { kind: 'security', weight: 1, proven: 'unknown' },
        { weight: 0, proven: 'on' },
      ],
    });
  });

  test('are not proven by the config, nor by a canary that could prove nothing', () => {
    const past = [...begun(PINNED), score('tests', 1), score('security', 1)];
    expect(verdictAfter(...past, reported('tests-canary', { score: null }))).toMatchObject({
      ...{ decision: 'APPROVE', score: 1, notes: ['unproven'] },
      gates: [{ proven: 'unknown' }, { proven: 'unknown' }, { gate: 'tests-canary', proven: 'unknown' }],
    });
  });

  test('that all pass with too low a score send the change back, and the next worker reads why', () => {
    const past = [...begun(), score('tests', 0.6), score('security', 0.6)];
    expect(verdictAfter(...past)).toMatchObject({ decision: 'REJECT', score: 0.6, reasons: ['borderline'] });
    expect(taskAfter(...past)).toMatchObject({ candidate: null, closed: null, open: ['build'] });
    expect(taskAfter(...past).steps.get('build')).toMatchObject({
      feedback: 'the score is 0.6, and 0.7 is needed',
      used: { candidates: 1 },
    });
  });

  test('that find something critical need a person, also a gate that only advises', () => {
    const advising = workflow([{ id: 'build', gates: ['tests', { name: 'security', blocking: false }] }]);
    for (const definition of [build(), advising]) {
      const past = [...begun(definition), score('tests', 1), score('security', 1, { ...NONE, critical: 1 })];
      expect(verdictAfter(...past)).toMatchObject({ decision: 'REJECT', reasons: ['critical_finding'] });
      expect(statusOf(taskAfter(...past))).toBe('waiting');
      expect(placeIn(given(...past).project, 'build')).toMatchObject({
        ...{ at: 'waiting', asks: 'finding', on: CANDIDATE, reason: 'critical finding: security' },
        held: { evidence: [{ gate: 'tests' }, { gate: 'security' }] },
      });
    }
  });

  test('that failed for the last time end as the workflow says', () => {
    const past = (end: 'fail' | 'escalate'): Input[] => [
      limits({ attempts: 1 }),
      ...begun(workflow([{ id: 'build', gates: ['tests'] }], { on_exhausted: end })),
      reported('tests', { status: 'fail' }),
    ];
    const told = (end: 'fail' | 'escalate') => [
      verdictAfter(...past(end))?.decision,
      statusOf(taskAfter(...past(end))),
    ];
    expect([told('fail'), told('escalate')]).toEqual([
      ['REJECT', 'failed'],
      ['ESCALATE', 'escalated'],
    ]);
  });

  test.each<[Parameters<typeof spec>[0], number | null, string]>([
    [{ unsafe_no_sandbox: true }, 1, 'degraded'],
    [{ simulated: true }, null, 'played'],
  ])('of a task that is %o say so', (over, points, note) => {
    const past: Input[] = [
      create('t-1', { workflow: build(), ...spec(over) }),
      ...[grant, ended(1, 'ok'), score('tests', 1), score('security', 1)],
    ];
    expect(verdictAfter(...past)).toMatchObject({ decision: 'APPROVE', score: points, notes: ['unproven', note] });
  });

  test('are no verdict at a step on the way, and a change without gates has none', () => {
    const two = build({ id: 'polish' });
    expect(verdictAfter(...begun(two), score('tests', 1), score('security', 1))).toBeUndefined();
    expect(verdictAfter(create(), grant, ended(1, 'ok'))).toBeUndefined();
  });
});

const REVIEWED = build({ id: 'review', kind: 'answer', role: 'reviewer', cli: ['codex'], on_reject: 'build' });
const atReview = (tests = 1, security = 1): Input[] => [
  ...begun(REVIEWED),
  ...[score('tests', tests), score('security', security), grant],
];

describe('a review', () => {
  test('gives the verdict on top of what the gates found', () => {
    expect(verdictAfter(...atReview(), reviewed(2, said('APPROVED', 0.5)))).toMatchObject({
      ...{ step: 'review', token: 2, decision: 'APPROVE', score: 0.85, reasons: ['gates_passed', 'reviews_approved'] },
      gates: [{ gate: 'tests' }, { gate: 'security' }],
      reviews: [{ step: 'review', role: 'reviewer', cli: 'codex', change_id: 'change-1', said: { confidence: 0.5 } }],
    });
  });

  test('that asks for changes sends it back', () => {
    const past = [...atReview(), reviewed(2, said('CHANGES_REQUESTED'))];
    expect(verdictAfter(...past)).toMatchObject({ decision: 'REJECT', reasons: ['review_rejected'] });
    expect(taskAfter(...past).steps.get('build')?.feedback).toBe('no good');
  });

  test('that approves without conviction sends back what the gates found middling', () => {
    const past = (confidence: number) => [...atReview(0.75, 0.75), reviewed(2, said('APPROVED', confidence))];
    expect(taskAfter(...past(0.9)).applying).not.toBeNull();
    expect(verdictAfter(...past(0.1))).toMatchObject({ decision: 'REJECT', score: 0.555, reasons: ['borderline'] });
    expect(taskAfter(...past(0.1))).toMatchObject({ applying: null, open: ['build'] });
  });

  test('in a workflow that does not say where a rejection leads needs a person', () => {
    const plain = build({ id: 'review', kind: 'answer' });
    const past: Input[] = [...begun(plain), score('tests', 0.75), score('security', 0.75), grant];
    for (const says of [said('APPROVED', 0.1), said('REJECTED')]) {
      expect(verdictAfter(...past, reviewed(2, says))).toMatchObject({ decision: 'ESCALATE' });
      expect(statusOf(taskAfter(...past, reviewed(2, says)))).toBe('escalated');
    }
  });
});

const PANEL = expanded(
  JSON.stringify({
    name: 'panel',
    version: 1,
    steps: [
      { id: 'build', kind: 'change', gates: ['tests'] },
      { id: 'panel', review: ['reviewer', 'security'], on_reject: 'build', rounds: 2, cli: ['claude', 'codex'] },
    ],
  }),
).definition;
const atPanel: Input[] = [...begun(PANEL), score('tests', 1), grant];

describe('a join', () => {
  test('gives the verdict: gates of the change, and every review with its CLI', () => {
    const past = [
      ...atPanel,
      reviewed(2, said('APPROVED', 0.8), 'panel-reviewer'),
      reviewed(3, said('APPROVED', 0.6), 'panel-security'),
    ];
    expect(verdictAfter(...past)).toMatchObject({
      ...{ step: 'panel', decision: 'APPROVE', score: 0.91, attempts: 1 },
      gates: [{ gate: 'tests' }],
      reviews: [
        { step: 'panel-reviewer', role: 'reviewer', cli: 'claude', said: { confidence: 0.8 } },
        { step: 'panel-security', role: 'security', cli: 'claude', said: { confidence: 0.6 } },
      ],
    });
    expect(taskAfter(...past).applying).not.toBeNull();
  });

  test('decides a borderline change: the gates leave it to the reviewers, none of whom may object', () => {
    const panel = (over: object = {}) => ({ needs: ['a', 'b'], on_reject: 'build', ...over });
    const two = build(...(['a', 'b'] as const).map((id) => ({ id, kind: 'answer' as const, needs: ['build'] })), {
      id: 'weigh',
      kind: 'join',
      ...panel(),
    });
    const scored = (definition: ReturnType<typeof build>): Input[] => [
      ...begun(definition),
      ...[score('tests', 0.6), score('security', 0.6)],
    ];
    expect(verdictAfter(...scored(two))).toMatchObject({ decision: 'CONSENSUS', score: 0.6, reasons: ['borderline'] });
    expect(taskAfter(...scored(two))).toMatchObject({ candidate: CANDIDATE, open: ['a', 'b'] });
    const voted = (other: AnswerFacts['status'], findings: Findings = NONE) => [
      ...[...scored(two), grant, grant],
      ...[reviewed(2, said('APPROVED', 0.8), 'a'), reviewed(3, said(other, 0.2, { findings }), 'b')],
    ];
    expect(verdictAfter(...voted('APPROVED'))).toMatchObject({
      decision: 'APPROVE',
      reasons: ['gates_passed', 'consensus_reached'],
    });
    expect(taskAfter(...voted('APPROVED')).applying).not.toBeNull();
    const against = voted('CHANGES_REQUESTED', { ...NONE, low: 1 });
    expect(verdictAfter(...against)).toMatchObject({ decision: 'REJECT' });
    expect(taskAfter(...against)).toMatchObject({ applying: null, open: ['build'] });
    const divided = taskAfter(...voted('CHANGES_REQUESTED'));
    expect(divided.verdict).toMatchObject({ decision: 'ESCALATE', notes: expect.arrayContaining(['disagreement']) });
    expect(divided.steps.get('weigh')?.place).toMatchObject({ at: 'waiting', asks: 'review' });
    // Two reviews one after the other are as good; one alone is no consensus, and sends the change back at once.
    const chain = build(
      { id: 'one', kind: 'answer', on_reject: 'build' },
      { id: 'two', kind: 'answer', on_reject: 'build' },
    );
    const approve = (token: number, step: string) => [grant, reviewed(token, said('APPROVED', 0.8), step)];
    const half = [...scored(chain), ...approve(2, 'one')];
    expect([verdictAfter(...half)?.decision, taskAfter(...half).open]).toEqual(['CONSENSUS', ['two']]);
    expect(verdictAfter(...half, ...approve(3, 'two'))).toMatchObject({ decision: 'APPROVE' });
    // Nobody says a word: that is no yes, and the change goes back.
    const silent = (token: number, step: string) => [grant, ended(token, 'ok', { step, candidate: null, said: null })];
    expect(taskAfter(...half, ...silent(3, 'two'))).toMatchObject({ applying: null, open: ['build'] });
    const single = build({ id: 'review', kind: 'answer', on_reject: 'build' });
    expect(verdictAfter(...scored(single))).toMatchObject({ decision: 'REJECT', reasons: ['borderline'] });
    // A vote after the commit is too late.
    const committed = build(
      { id: 'save', kind: 'commit' },
      ...(['a', 'b'] as const).map((id) => ({ id, kind: 'answer' as const, needs: ['save'] })),
      { id: 'weigh', kind: 'join', ...panel() },
    );
    expect(verdictAfter(...scored(committed))).toMatchObject({ decision: 'REJECT', reasons: ['borderline'] });
  });

  test('is vetoed by one finding that forbids the change, whatever everybody says', () => {
    const past = [
      ...atPanel,
      reviewed(2, said('APPROVED', 1), 'panel-reviewer'),
      reviewed(3, said('APPROVED', 1, { vetoes: 1 }), 'panel-security'),
    ];
    expect(verdictAfter(...past)).toMatchObject({ decision: 'REJECT', reasons: ['vetoed'] });
    expect(taskAfter(...past)).toMatchObject({ applying: null, open: ['build'] });
    expect(taskAfter(...past).steps.get('build')?.feedback).toBe('vetoed by a reviewer');
  });
});

test('a gate step adds its gates to what was found of the same change', () => {
  const checked = build({ id: 'check', kind: 'gate', gates: ['e2e'], on_fail: 'build' });
  const past = [...begun(checked), score('tests', 1), score('security', 1)];
  const verdict = verdictAfter(...past, gate(2, 'e2e', 'fail', { step: 'check' }));
  expect(verdict).toMatchObject({ step: 'check', decision: 'REJECT', score: 0 });
  expect(verdict?.gates.map((one) => one.gate)).toEqual(['tests', 'security', 'e2e']);
  expect(placeIn(given(...past, gate(2, 'e2e', 'fail', { step: 'check' })).project)).toMatchObject({ at: 'ready' });
});

describe('a review that names no line of the change', () => {
  const EMPTY: Partial<AnswerFacts> = { findings: NONE, uncounted: 1 };
  const no = said('CHANGES_REQUESTED', 0.9, EMPTY);
  const passed = [score('tests', 1), score('security', 1)];
  const back = { kind: 'answer', on_reject: 'build' } as const;
  const single: Input[] = [...begun(build({ id: 'review', ...back })), ...passed, grant, reviewed(2, no)];
  const answer = (decision: 'APPROVE' | 'REJECT', step = 'review'): Input => ({
    ...{ type: 'step.answer' as const, task: 't-1', step, decision },
    ...{ reason: 'I looked', about: CANDIDATE.change_id },
  });

  test('sends nothing back: a person is asked about this very change', () => {
    expect(verdictAfter(...single)).toMatchObject({ decision: 'ESCALATE', reasons: ['review_unfounded'] });
    expect(placeIn(given(...single).project, 'review')).toMatchObject({
      ...{ at: 'waiting', asks: 'review', on: CANDIDATE, reason: 'no good' },
    });
    // The control: one that counts.
    const founded = said('CHANGES_REQUESTED', 0.9, { findings: { ...NONE, low: 1 }, uncounted: 1 });
    expect(taskAfter(...single.slice(0, -1), reviewed(2, founded)).open).toEqual(['build']);
  });

  test('the person decides, and is not asked again by a later review', () => {
    expect(taskAfter(...single, answer('REJECT')).steps.get('build')).toMatchObject({
      ...{ place: { at: 'ready' }, feedback: 'I looked' },
    });
    expect(taskAfter(...single, answer('APPROVE'))).toMatchObject({ applying: { candidate: CANDIDATE } });
    const two = build({ id: 'review', ...back }, { id: 'audit', ...back });
    const past: Input[] = [...begun(two), ...passed, grant, reviewed(2, no), answer('APPROVE'), grant];
    const last = reviewed(4, said('APPROVED', 0.9, EMPTY), 'audit');
    expect(verdictAfter(...past, last)).toMatchObject({ decision: 'APPROVE', reviews: [{ step: 'audit' }] });
    expect(taskAfter(...past, last)).toMatchObject({ applying: { candidate: CANDIDATE } });
  });

  test('as one of two, it holds the join; beside one that counts, the change goes back', () => {
    const two = build(...(['a', 'b'] as const).map((id) => ({ id, kind: 'answer' as const, needs: ['build'] })), {
      id: 'weigh',
      kind: 'join',
      needs: ['a', 'b'],
      on_reject: 'build',
    });
    const past = (other: AnswerFacts): Input[] => [
      ...[...begun(two), ...passed, grant, grant],
      ...[reviewed(2, no, 'a'), reviewed(3, other, 'b')],
    ];
    const held = past(said('APPROVED', 1, EMPTY));
    expect(placeIn(given(...held).project, 'weigh')).toMatchObject({
      at: 'waiting',
      asks: 'review',
      reason: 'no good',
    });
    expect(taskAfter(...held, answer('APPROVE', 'weigh'))).toMatchObject({ applying: { candidate: CANDIDATE } });
    const founded = said('CHANGES_REQUESTED', 1, { findings: { ...NONE, medium: 1 }, uncounted: 0 });
    expect(taskAfter(...past(founded)).open).toEqual(['build']);
  });
});

describe('a change that is refused for what its diff says', () => {
  const diff = { blocks: true, findings: { ...NONE, high: 2 }, rules: ['secret', 'tests-removed'] };
  const refused = (token: number, change: string): Input =>
    ended(token, 'invalid', {
      ...{ candidate: null, sent_back: { ...CANDIDATE, change_id: change }, diff },
      reason: 'The change is refused',
    });

  test('has a verdict, before any gate has run', () => {
    const past = [create('t-1', { workflow: build() }), grant, refused(1, 'c1')];
    expect(verdictAfter(...past)).toEqual({
      ...{ step: 'build', token: 1, on: { ...CANDIDATE, change_id: 'c1' }, round: 1, attempts: 1, rejections: 0 },
      ...{ decision: 'REJECT', score: 0, reasons: ['finding_blocks'], notes: [], gates: [], reviews: [] },
      ...{ diff, tests: null, coverage_delta: null },
    });
  });

  test('goes back, and is counted like any other', () => {
    const past = [create('t-1', { workflow: build() }), grant, refused(1, 'c1'), grant, refused(2, 'c2')];
    expect(verdictAfter(...past)).toMatchObject({ attempts: 2, rejections: 1, decision: 'REJECT' });
    expect(taskAfter(...past).closed).toBeNull();
  });

  test('has none where only the answer was wrong', () => {
    const past = [create('t-1', { workflow: build() }), grant, ended(1, 'invalid', { candidate: null })];
    expect(verdictAfter(...past)).toBeUndefined();
  });

  test('a mere warning is in the verdict of the gates, and of reviews after them', () => {
    const warned = { blocks: false, findings: { ...NONE, medium: 1 }, rules: ['work-put-off'] };
    const review = build({ id: 'review', kind: 'answer', needs: ['build'], on_reject: 'build' });
    const past: Input[] = [create('t-1', { workflow: review }), grant, ended(1, 'ok', { diff: warned })];
    const green = [score('tests', 1), score('security', 1)];
    expect(verdictAfter(...past, ...green)).toMatchObject({ step: 'build', decision: 'APPROVE', diff: warned });
    expect(verdictAfter(...past, ...green, grant, reviewed(2, said('APPROVED', 0.9)))).toMatchObject({
      ...{ step: 'review', decision: 'APPROVE', diff: warned },
    });
  });
});

test('coverage against the base is in the verdict, with what was covered', () => {
  const coverage = { line: 0.72, delta: -1.5 };
  expect(verdictAfter(...begun(), reported('tests', { coverage }), score('security', 1))).toMatchObject({
    coverage_delta: -1.5,
    gates: [{ gate: 'tests', coverage }, { gate: 'security' }],
  });
});
