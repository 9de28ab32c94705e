/** A critical finding of a gate: the task waits, and only a person takes the finding back. */
import { describe, expect, test } from 'vitest';
import { questionsOf } from '../../../src/mind/approvals/question.ts';
import { statusOf } from '../../../src/mind/domain/task.ts';
import type { BlockingFinding } from '../../../src/mind/domain/values.ts';
import { given, type Input, type Sent } from '../../support/given.ts';
import { cancel, create, ended, gate, grant, limits, placeIn, taskIn, workflow } from '../samples.ts';
import { NONE } from './facts.ts';

type Report = Extract<Input, { type: 'gate.report' }>;
type Resume = Extract<Input, { type: 'task.resume' }>;
const CRITICAL: BlockingFinding = { id: 'f-11112222', severity: 'critical' };
const HIGH: BlockingFinding = { id: 'f-33334444', severity: 'high' };

const found = (blocked_by: BlockingFinding[], token = 1): Input => ({
  ...(gate(token, 'security', 'fail') as Report),
  findings: { ...NONE, critical: blocked_by.filter(({ severity }) => severity === 'critical').length },
  score: 0,
  blocked_by,
});
const BUILD = workflow([{ id: 'build', gates: ['tests', 'security', { name: 'coverage', stage: 5 }] }]);
const begun = (...more: Input[]): Input[] => [create('t-1', { workflow: BUILD }), ...more, grant, ended(1, 'ok')];
const held = (...findings: BlockingFinding[]): Input[] => [...begun(), gate(1, 'tests', 'pass'), found(findings)];
const resume = (over: Partial<Resume>): Input => ({ type: 'task.resume', task: 't-1', reason: 'made up', ...over });
const dismiss = (...ids: string[]): Input => resume({ dismiss: ids });
const refusal = (past: readonly Input[], command: Input | Sent): string | null => {
  const { decision } = given(...past).when(command);
  return decision.type === 'rejected' ? decision.code : null;
};
const taskAfter = (...past: Input[]) => taskIn(given(...past).project);

describe('a critical finding', () => {
  test('holds the attempt: the task waits, and says how it is answered', () => {
    const { project } = given(...held(CRITICAL));
    const task = taskIn(project);
    expect(statusOf(task)).toBe('waiting');
    expect(task.verdict).toMatchObject({ decision: 'REJECT', reasons: ['critical_finding', 'gate_failed'] });
    const [question] = questionsOf(task, project.workflows.get(task.workflow) as never);
    expect(question).toMatchObject({
      text: 'REJECT: critical finding: security. Is it wrong, or should the change go back?',
      approve: 'supervisor resume t-1 --dismiss f-11112222 --reason "…"',
      about: { kind: 'change', id: 'change-1' },
    });
  });

  test('that a person dismisses no longer fails its gate, and the gates that were not run yet follow', () => {
    const past = [...held(CRITICAL), dismiss('f-1111')];
    expect(placeIn(given(...past).project, 'build')).toMatchObject({ at: 'checking', evidence: [{}, {}] });
    const task = taskAfter(...past, gate(1, 'coverage', 'pass'));
    expect(task.verdict).toMatchObject({
      ...{ decision: 'APPROVE', reasons: ['gates_passed'] },
      gates: [{}, { gate: 'security', status: 'fail', cleared: true }, {}],
    });
    expect(task.applying?.candidate.change_id).toBe('change-1');
    expect(task.dismissed).toEqual([{ ...CRITICAL, gate: 'security', change_id: 'change-1' }]);
    expect(task.attempts).toBe(1);
  });

  test('does not excuse what else the gate found', () => {
    const one = taskAfter(...held(CRITICAL, HIGH), dismiss(CRITICAL.id));
    expect(one.verdict).toMatchObject({ decision: 'REJECT', reasons: ['gate_failed'] });
    expect(one.steps.get('build')).toMatchObject({ place: { at: 'ready' }, feedback: 'gate failed: security' });
    expect(placeIn(given(...held(CRITICAL, HIGH), dismiss(CRITICAL.id, HIGH.id)).project, 'build')?.at).toBe(
      'checking',
    );
    const second: BlockingFinding = { id: 'f-55556666', severity: 'critical' };
    expect(placeIn(given(...held(CRITICAL, second), dismiss(CRITICAL.id)).project, 'build')?.at).toBe('waiting');
  });

  test('counts again in the next change', () => {
    const past = [...held(CRITICAL, HIGH), dismiss(CRITICAL.id), grant, ended(3, 'ok')];
    const again = taskAfter(...past, gate(3, 'tests', 'pass'), found([CRITICAL], 3));
    expect(again.steps.get('build')?.place).toMatchObject({ at: 'waiting', on: { change_id: 'change-3' } });
  });

  test.each<[string, Input]>([
    ['an unknown id', dismiss('f-99999999')],
    ['a beginning that fits two', dismiss('f-')],
  ])('is not dismissed by %s', (_, command) => {
    expect(refusal(held(CRITICAL, HIGH), command)).toBe('unknown_finding');
  });

  test('is dismissed by the operator alone, and only while the task waits for it', () => {
    const auto: Input[] = [{ type: 'mode.set', mode: 'AUTO' }, ...held(CRITICAL)];
    expect(refusal(auto, { send: dismiss(CRITICAL.id), by: 'supervisor' })).toBe('not_allowed');
    expect(refusal(begun(), dismiss(CRITICAL.id))).toBe('unknown_finding');
  });

  test('is not approved: a reason is asked for', () => {
    const answer = { type: 'step.answer', task: 't-1', step: 'build', reason: 'no' } as const;
    expect(refusal(held(CRITICAL), { ...answer, decision: 'APPROVE' })).toBe('dismiss');
    const back = taskAfter(...held(CRITICAL), { ...answer, decision: 'REJECT' });
    expect(back.steps.get('build')).toMatchObject({
      ...{ place: { at: 'ready' }, feedback: 'critical finding: security; no', used: { candidates: 1 } },
      findings: [{ gate: 'tests' }, { gate: 'security' }],
    });
  });

  test.each([{ say: 'read it from the environment' }, { allow: ['config/'] }])(
    'sends the change back with %o, also when no attempt is left',
    (over) => {
      const task = taskAfter(limits({ attempts: 1 }), ...held(CRITICAL), resume(over));
      expect(task.closed).toBeNull();
      expect(task.steps.get('build')?.place.at).toBe('ready');
      expect(over.say === undefined ? task.spec.allow : task.spec.text.includes(over.say)).toBeTruthy();
    },
  );

  test('of a task that is cancelled ends with it, and its cost is charged', () => {
    const priced = { microusd: 70, tokens_in: null, tokens_out: null };
    const past: Input[] = [
      create('t-1', { workflow: BUILD }),
      grant,
      ended(1, 'ok', { cost: priced }),
      gate(1, 'tests', 'pass'),
      found([CRITICAL]),
    ];
    const { project } = given(...past, cancel());
    expect(taskIn(project)).toMatchObject({ closed: { status: 'cancelled' }, cost: { microusd: 70 } });
    expect(project.board.spent).toBe(70);
    expect(project.holds).toMatchObject({ reserved: 0, busy: 0 });
  });

  test('at a gate step sends the change back to where its workflow says', () => {
    const two = workflow([
      { id: 'build' },
      { id: 'check', kind: 'gate', gates: ['security'], on_fail: 'build', rounds: 1 },
    ]);
    const report = { ...(found([CRITICAL], 2) as Report), step: 'check' };
    const past: Input[] = [create('t-1', { workflow: two }), grant, ended(1, 'ok'), report];
    expect(placeIn(given(...past).project, 'check')).toMatchObject({ at: 'waiting', asks: 'finding' });
    expect(taskAfter(...past, resume({ say: 'no keys' })).open).toEqual(['build']);
    expect(taskAfter(...past, dismiss(CRITICAL.id)).applying).not.toBeNull();
  });
});
