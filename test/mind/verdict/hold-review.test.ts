/** A critical finding of a review: the task waits, as for one of a gate, and only a person takes the finding back. */
import { describe, expect, test } from 'vitest';
import { questionsOf } from '../../../src/mind/approvals/question.ts';
import { statusOf } from '../../../src/mind/domain/task.ts';
import type { AnswerFacts, BlockingFinding } from '../../../src/mind/domain/values.ts';
import { given, type Input, type Sent } from '../../support/given.ts';
import { cancel, create, ended, gate, grant, limits, taskIn, workflow } from '../samples.ts';
import { NONE, said } from './facts.ts';

const CRITICAL: BlockingFinding = { id: 'r-11112222', severity: 'critical' };
const SECOND: BlockingFinding = { id: 'r-55556666', severity: 'critical' };
const HIGH: BlockingFinding = { id: 'r-33334444', severity: 'high' };
const ANSWER = 'a'.repeat(64);

const found = (open: BlockingFinding[], status: AnswerFacts['status'] = 'CHANGES_REQUESTED'): AnswerFacts => {
  const count = (wanted: string) => open.filter(({ severity }) => severity === wanted).length;
  const findings = { ...NONE, critical: count('critical'), high: count('high') };
  return said(status, 0.9, { findings, open, uncounted: 0 });
};
const reviewed = (token: number, says: AnswerFacts, step = 'review'): Input =>
  ended(token, 'ok', { step, said: says, candidate: null, answer: ANSWER, reason: `the reviewer says ${says.status}` });

const ONE = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build', rounds: 1 }]);
const LOST = workflow([{ id: 'build' }, { id: 'review', kind: 'answer' }]);
const PANEL = workflow([
  { id: 'build' },
  { id: 'a', kind: 'answer', needs: ['build'] },
  { id: 'b', kind: 'answer', needs: ['build'] },
  { id: 'panel', kind: 'join', needs: ['a', 'b'], on_reject: 'build', rounds: 1 },
]);
const begun = (definition = ONE): Input[] => [
  create('t-1', { workflow: definition }),
  limits({ slots: { total: 9, per_cli: {} } }),
  ...[grant, ended(1, 'ok'), grant],
];
const held = (...open: BlockingFinding[]): Input[] => [...begun(), reviewed(2, found(open))];
const resume = (over: object): Input => ({ type: 'task.resume', task: 't-1', reason: 'made up', ...over }) as Input;
const dismiss = (...ids: string[]): Input => resume({ dismiss: ids });
const taskAfter = (...past: Input[]) => taskIn(given(...past).project);
const refusal = (past: readonly Input[], command: Input | Sent): string | null => {
  const { decision } = given(...past).when(command);
  return decision.type === 'rejected' ? decision.code : null;
};

describe('a critical finding of a review', () => {
  test.each(['CHANGES_REQUESTED', 'REJECTED', 'APPROVED'] as const)('in an answer %s holds the task', (status) => {
    for (const definition of [ONE, LOST]) {
      const { project } = given(...begun(definition), reviewed(2, found([CRITICAL, HIGH], status)));
      const task = taskIn(project);
      expect(statusOf(task)).toBe('waiting');
      expect(task.verdict).toMatchObject({
        ...{ decision: 'REJECT', reasons: expect.arrayContaining(['critical_finding']) },
        reviews: [{ step: 'review' }],
      });
      expect(questionsOf(task, project.workflows.get(task.workflow) as never)).toMatchObject([
        {
          ...{ step: 'review', asks: 'finding', about: { kind: 'change', id: 'change-1' } },
          text: expect.stringContaining('REJECT: critical finding: review: the reviewer says'),
          approve: 'supervisor resume t-1 --dismiss r-11112222 --reason "…"',
        },
      ]);
    }
  });

  test('is the only one that does: a high one goes back as before', () => {
    const two = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build', rounds: 2 }]);
    expect(taskAfter(...begun(two), reviewed(2, found([HIGH])))).toMatchObject({ open: ['build'], closed: null });
    expect(taskAfter(...held(HIGH)).closed?.status).toBe('failed');
  });

  test('that a person dismisses lets the task go on, with the review on record without it', () => {
    const task = taskAfter(...held(CRITICAL), dismiss('r-1111'));
    expect(task.verdict).toMatchObject({ decision: 'APPROVE', reviews: [{ said: { findings: NONE } }] });
    expect(task.applying?.candidate.change_id).toBe('change-1');
    expect(task.steps.get('review')?.raised).toBeUndefined();
  });

  test('does not excuse what else the review found', () => {
    expect(taskAfter(...held(CRITICAL, HIGH), dismiss(CRITICAL.id)).closed).toMatchObject({
      ...{ status: 'failed', reason: expect.stringContaining('taken back by a person: r-11112222: made up') },
    });
    expect(taskAfter(...held(CRITICAL, HIGH), dismiss(CRITICAL.id, HIGH.id)).applying).not.toBeNull();
    const left = taskAfter(...held(CRITICAL, SECOND), dismiss(CRITICAL.id));
    expect(statusOf(left)).toBe('waiting');
    expect(refusal([...held(CRITICAL, SECOND), dismiss(CRITICAL.id)], dismiss(CRITICAL.id))).toBe('unknown_finding');
    expect(taskAfter(...held(CRITICAL, SECOND), dismiss(CRITICAL.id), dismiss(SECOND.id)).applying).not.toBeNull();
    expect(taskAfter(...begun(LOST), reviewed(2, found([CRITICAL, HIGH])), dismiss(CRITICAL.id)).closed).toMatchObject({
      status: 'escalated',
    });
  });

  test('only the operator approves it or takes it back', () => {
    const answer = { type: 'step.answer', task: 't-1', step: 'review', reason: 'no' } as const;
    expect(refusal(held(CRITICAL), { ...answer, decision: 'APPROVE' })).toBe('dismiss');
    const auto: Input[] = [{ type: 'mode.set', mode: 'AUTO' }, ...held(CRITICAL)];
    expect(refusal(auto, { send: dismiss(CRITICAL.id), by: 'supervisor' })).toBe('not_allowed');
    expect(refusal(held(CRITICAL), dismiss('r-99999999'))).toBe('unknown_finding');
  });

  test.each<[string, Input]>([
    ['--allow', resume({ allow: ['config/'] })],
    ['--say', resume({ say: 'write it to the disk' })],
    ['reject', { type: 'step.answer', task: 't-1', step: 'review', decision: 'REJECT', reason: 'so' }],
  ])('goes back with %s, also when no round is left', (_, command) => {
    const task = taskAfter(...held(CRITICAL), command);
    expect(task).toMatchObject({ closed: null, open: ['build'] });
    expect(task.steps.get('build')).toMatchObject({
      ...{ place: { at: 'ready' }, round: 2, reviews: [{ step: 'review', answer: ANSWER }] },
      feedback: expect.stringContaining('critical finding: review'),
    });
    expect(task.steps.get('review')?.raised?.open).toEqual([CRITICAL]);
  });

  test('of one reviewer among several holds the task before the vote', () => {
    const both = [...begun(PANEL), grant];
    const first = [...both, reviewed(2, found([CRITICAL]), 'a')];
    const waits = taskAfter(...first, reviewed(3, said('APPROVED', 1), 'b'));
    expect([statusOf(waits), waits.open]).toEqual(['waiting', ['a']]);
    expect(taskAfter(...first, reviewed(3, said('APPROVED', 1), 'b'), dismiss(CRITICAL.id)).applying).not.toBeNull();
    expect(taskAfter(...first, dismiss(CRITICAL.id), reviewed(3, said('APPROVED', 1), 'b')).applying).not.toBeNull();
    const back = taskAfter(...first, reviewed(3, said('APPROVED', 1), 'b'), resume({ say: 'mend it' }));
    expect(back).toMatchObject({ closed: null, open: ['build'], verdict: { decision: 'REJECT' } });
    // Both found it: one word takes it back in both.
    const twice = taskAfter(...first, reviewed(3, found([CRITICAL]), 'b'), dismiss(CRITICAL.id));
    expect(twice.applying).not.toBeNull();
  });

  test('of a reviewer among several leaves no verdict of its own behind once it is taken back', () => {
    const first = [...begun(PANEL), grant, reviewed(2, found([CRITICAL, HIGH]), 'a')];
    expect(taskAfter(...first).verdict).toMatchObject({ decision: 'REJECT', reviews: [{ step: 'a' }] });
    const after = taskAfter(...first, dismiss(CRITICAL.id));
    expect(after.verdict).toMatchObject({ decision: 'APPROVE', reviews: [] });
    // The rest of what it says is weighed where all are.
    expect(taskAfter(...first, dismiss(CRITICAL.id), reviewed(3, said('APPROVED', 1), 'b'))).toMatchObject({
      applying: null,
      verdict: { reasons: expect.arrayContaining(['review_rejected']) },
    });
  });

  test('of an answer that is no review sends nothing back beyond the rounds', () => {
    const both = [...begun(PANEL), grant, reviewed(2, said('APPROVED', 1), 'a')];
    const odd = { ...found([CRITICAL]), status: 'SUCCESS' } as const;
    expect(taskAfter(...both, reviewed(3, odd, 'b')).closed).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('no round is left'),
    });
  });

  test('of a task that has ended is not taken back: the review is asked again when the task goes on', () => {
    const first = [...begun(PANEL), grant, reviewed(2, found([CRITICAL]), 'a')];
    const ended3 = ended(3, 'blocked', { step: 'b', candidate: null, reason: 'it cannot' });
    const closed = taskAfter(...first, ended3);
    expect(closed.closed?.status).toBe('escalated');
    expect(refusal([...first, ended3], dismiss(CRITICAL.id))).toBe('unknown_finding');
    const again: Input = { type: 'task.resume', task: 't-1', reason: 'again' };
    expect(taskAfter(...first, ended3, again, grant).steps.get('a')?.place).toMatchObject({ at: 'working' });
  });

  test('of a task that is cancelled ends with it, and its cost is charged', () => {
    const cost = { microusd: 70, tokens_in: null, tokens_out: null };
    const costly = { ...(reviewed(2, found([CRITICAL])) as object), cost } as Input;
    const { project } = given(...begun(), costly, cancel());
    expect(taskIn(project)).toMatchObject({ closed: { status: 'cancelled' }, cost: { microusd: 70 } });
    expect(project.holds).toMatchObject({ reserved: 0, busy: 0 });
  });

  test('of a step with gates of its own is heard when they have passed', () => {
    const gated = workflow([
      { id: 'build' },
      { id: 'review', kind: 'answer', gates: ['lint'], on_reject: 'build', rounds: 1 },
    ]);
    const first = [...begun(gated), reviewed(2, found([CRITICAL, HIGH]))];
    const past = [...first, gate(2, 'lint', 'pass', { step: 'review' })];
    expect(taskAfter(...past)).toMatchObject({ open: ['review'], verdict: { decision: 'REJECT' } });
    expect(statusOf(taskAfter(...past))).toBe('waiting');
    expect(taskAfter(...past, dismiss(CRITICAL.id, HIGH.id)).applying).not.toBeNull();
    expect(taskAfter(...past, dismiss(CRITICAL.id))).toMatchObject({ closed: { status: 'failed' } });
    expect(taskAfter(...past, resume({ say: 'mend it' }))).toMatchObject({ closed: null, open: ['build'] });
    expect(taskAfter(...first, gate(2, 'lint', 'fail', { step: 'review' })).verdict).toBeUndefined();
  });

  test('of a gate of the reviewing step can be taken back, and what was asked about is the change that it looked at', () => {
    const gated = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', gates: ['security'] }]);
    const red = gate(2, 'security', 'fail', { step: 'review' }) as object;
    const report = { ...red, findings: { ...NONE, critical: 1 }, blocked_by: [CRITICAL] } as Input;
    const past = [...begun(gated), reviewed(2, said('APPROVED', 1)), report];
    expect(taskAfter(...past).steps.get('review')?.place).toMatchObject({
      at: 'waiting',
      asks: 'finding',
      on: { change_id: 'change-1' },
    });
    expect(taskAfter(...past, dismiss(CRITICAL.id)).applying?.candidate.change_id).toBe('change-1');
  });

  test('is still a no where its step has gates and no way back: the reason says whose', () => {
    const gated = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', gates: ['lint'] }]);
    const past = [...begun(gated), reviewed(2, found([CRITICAL, HIGH])), gate(2, 'lint', 'pass', { step: 'review' })];
    expect(taskAfter(...past, dismiss(CRITICAL.id)).closed).toMatchObject({
      status: 'escalated',
      reason: expect.stringContaining('review says no to the change'),
    });
  });
});

describe('a review that said no', () => {
  const again: Input = { type: 'task.resume', task: 't-1', reason: 'again' };
  const silent = (token: number, step = 'review') =>
    reviewed(token, said('SUCCESS', null, { findings: null, open: undefined, uncounted: undefined }), step);

  test.each([
    ['without a way back', LOST],
    ['with one', ONE],
  ])('is not taken back by an answer that judges nothing, %s', (_, definition) => {
    const no = [...begun(definition), reviewed(2, found([HIGH]))];
    const before = taskAfter(...no);
    expect(before.closed).not.toBeNull();
    const after = taskAfter(...no, again, grant, silent(4));
    expect(after.applying).toBeNull();
    expect(after.verdict).toMatchObject({ reasons: expect.arrayContaining(['review_missing']) });
    expect(after.verdict?.decision).not.toBe('APPROVE');
    // Its next review may well be a yes.
    expect(taskAfter(...no, again, grant, reviewed(4, said('APPROVED', 1))).applying).not.toBeNull();
  });

  test('or approved too hesitantly is not taken back by an answer that judges nothing', () => {
    const gated = workflow([
      { id: 'build', gates: ['lint'] },
      { id: 'review', kind: 'answer', on_reject: 'build', rounds: 1 },
    ]);
    const passed = { ...(gate(1, 'lint', 'pass') as object), score: 0.75 } as Input;
    const hesitant = reviewed(2, said('APPROVED', 0.1, { findings: NONE, open: [], uncounted: 0 }));
    const first = [create('t-1', { workflow: gated }), grant, ended(1, 'ok'), passed, grant, hesitant];
    expect(taskAfter(...first)).toMatchObject({
      closed: { status: 'failed' },
      verdict: { reviews: [{ step: 'review' }] },
    });
    const after = taskAfter(...first, again, grant, silent(4));
    expect(after.applying).toBeNull();
    expect(after.verdict?.decision).not.toBe('APPROVE');
    expect(taskAfter(...first, again, grant, reviewed(4, said('APPROVED', 1))).applying).not.toBeNull();
  });

  test('changes nothing else: an answer that never judged stays as it is', () => {
    expect(taskAfter(...begun(LOST), silent(2)).applying).not.toBeNull();
  });
});
