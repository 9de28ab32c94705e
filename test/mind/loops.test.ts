/** Loops of a worker: the same error again and again, a change that was sent back before. Each stops, and only then. */
import { describe, expect, test } from 'vitest';
import { given, type Input } from '../support/given.ts';
import { candidateOf, create, ended, GATED, gate, grant, limits, resume, taskIn, workflow } from './samples.ts';

const PATIENT = workflow([{ id: 'build', gates: ['tests'], attempts: 9 }], { on_exhausted: 'block' });
const tries = (n: number, tree = n): Input[] => [grant, ended(n, 'ok', { candidate: candidateOf(tree) })];
const red = (n: number, signature?: string): Input =>
  ({ ...gate(n, 'tests', 'fail'), ...(signature === undefined ? {} : { signature }) }) as Input;
const failing = (...signatures: string[]): Input[] => [
  create('t-1', { workflow: PATIENT }),
  ...signatures.flatMap((signature, n) => [...tries(n + 1), red(n + 1, signature)]),
];
const endOf = (past: readonly Input[]) => taskIn(given(...past).project);
const stepOf = (past: readonly Input[]) => endOf(past).steps.get('build');

describe('the same error', () => {
  test('the second time makes the next packet strict, the third ends the step as its workflow says', () => {
    expect(stepOf(failing('error/a'))?.repeated).toBeUndefined();
    expect(stepOf(failing('error/a', 'error/a'))?.repeated).toBe(true);
    expect(endOf(failing('error/a', 'error/a')).closed).toBeNull();
    expect(endOf(failing('error/a', 'error/a', 'error/a')).closed).toMatchObject({
      status: 'blocked',
      reason: 'gate failed: tests; the same error 3 times',
    });
  });

  test('counts over others in between', () => {
    expect(endOf(failing('error/a', 'error/b', 'error/a', 'error/c')).closed).toBeNull();
    expect(endOf(failing('error/a', 'error/b', 'error/a', 'error/c', 'error/a')).closed?.status).toBe('blocked');
  });

  test('other errors each time go on until the attempts are used up', () => {
    const many = Array.from({ length: 9 }, (_, n) => `error/${n}`);
    expect(endOf(failing(...many.slice(0, 8))).closed).toBeNull();
    expect(endOf(failing(...many)).closed).toMatchObject({ status: 'blocked', reason: 'gate failed: tests' });
  });

  test('is allowed as often as the limits say', () => {
    const past = [limits({ same_errors: 4 }), ...failing('error/a', 'error/a', 'error/a')];
    expect(endOf(past).closed).toBeNull();
  });

  test('is counted anew once a person has resumed the task', () => {
    const again = [grant, ended(5, 'ok', { candidate: candidateOf(5) }), red(5, 'error/a')];
    const past = [...failing('error/a', 'error/a', 'error/a'), resume(), ...again];
    expect(endOf(past).closed).toBeNull();
  });

  test('of an answer that cannot be read counts by its sentence', () => {
    const past = [1, 2, 3].flatMap((n) => [grant, ended(n, 'invalid', { reason: `half a JSON in line ${n}` })]);
    expect(endOf([create('t-1', { workflow: PATIENT }), ...past]).closed?.status).toBe('blocked');
  });

  test('without any sentence nothing is known to be equal', () => {
    const past = [1, 2, 3, 4].flatMap((n) => [grant, ended(n, 'invalid')]);
    expect(endOf([create('t-1', { workflow: PATIENT }), ...past]).closed).toBeNull();
  });
});

describe('the same error of a gate step', () => {
  const CHECKED = workflow(
    [{ id: 'build' }, { id: 'check', kind: 'gate', gates: ['tests'], on_fail: 'build', rounds: 9 }],
    { on_exhausted: 'block' },
  );
  /** Change, gates, rework: three tokens a round. */
  const round = (n: number, signature: string): Input[] => [
    ...[grant, ended(3 * n + 1, 'ok', { candidate: candidateOf(n + 1) })],
    { ...gate(3 * n + 2, 'tests', 'fail', { step: 'check' }), signature } as Input,
  ];
  const rounds = (...signatures: string[]): Input[] => [
    create('t-1', { workflow: CHECKED }),
    ...signatures.flatMap((signature, n) => round(n, signature)),
  ];

  test('the second time makes the packet of the worker that has to mend it strict', () => {
    expect(stepOf(rounds('error/a'))).not.toHaveProperty('repeated');
    expect(stepOf(rounds('error/a', 'error/a'))?.repeated).toBe(true);
    expect(stepOf(rounds('error/a', 'error/b'))).not.toHaveProperty('repeated');
  });

  test('the third time ends the step as its workflow says, whatever rounds are left', () => {
    expect(endOf(rounds('error/a', 'error/b', 'error/a', 'error/c')).closed).toBeNull();
    expect(endOf(rounds('error/a', 'error/b', 'error/a', 'error/a')).closed).toMatchObject({
      status: 'blocked',
      reason: 'gate failed: tests; the same error 3 times',
    });
  });

  test('is counted anew once a person has resumed the task, and its gates run again', () => {
    const past = [...rounds('error/a', 'error/a', 'error/a'), resume()];
    expect(endOf(past)).toMatchObject({ closed: null, open: ['check'] });
    expect(endOf(past).steps.get('check')?.place.at).toBe('checking');
  });
});

describe('a change that was sent back before', () => {
  const sentBack = (...trees: number[]): Input[] => [
    create('t-1', { workflow: PATIENT }),
    ...trees.flatMap((tree, n) => [...tries(n + 1, tree), red(n + 1, `error/${n}`)]),
  ];

  test.each([
    ['at once', [1], 1],
    ['after another one', [1, 2], 1],
    ['much later', [1, 2, 3, 4], 2],
  ])('is not judged again and the task is escalated: %s', (_, before, again) => {
    const n = before.length + 1;
    const { project } = given(...sentBack(...before), ...tries(n, again));
    expect(taskIn(project).closed).toMatchObject({
      status: 'escalated',
      reason: 'the worker made a change that was sent back before; it is not judged again',
    });
  });

  test('another change is judged', () => {
    const { project } = given(...sentBack(1, 2), ...tries(3, 3));
    expect(taskIn(project).steps.get('build')?.place).toMatchObject({ at: 'checking' });
  });

  test('may be judged once more when a person has resumed the task', () => {
    const { project } = given(
      ...sentBack(1),
      ...tries(2, 1),
      resume(),
      grant,
      ended(4, 'ok', { candidate: candidateOf(1) }),
    );
    expect(taskIn(project).steps.get('build')?.place).toMatchObject({ at: 'checking' });
  });

  test('also when it was a review that sent it back', () => {
    const reviewed = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build', rounds: 5 }]);
    const said = { confidence: null, findings: null, vetoes: null, dismissed: null };
    const no = (token: number) =>
      ended(token, 'ok', { step: 'review', candidate: null, said: { ...said, status: 'CHANGES_REQUESTED' } });
    const past = [create('t-1', { workflow: reviewed }), grant, ended(1, 'ok'), grant, no(2)];
    const token = taskIn(given(...past, grant).project).token;
    const other = given(...past, grant, ended(token, 'ok', { candidate: candidateOf(7) })).project;
    expect(taskIn(other).closed).toBeNull();
    const same = given(...past, grant, ended(token, 'ok', { candidate: candidateOf(1) })).project;
    expect(taskIn(same).closed?.status).toBe('escalated');
  });

  test('gates that could not be run say nothing about it', () => {
    const past = [create('t-1', { workflow: GATED }), ...tries(1), gate(1, 'lint', 'error'), gate(1, 'tests', 'pass')];
    expect(taskIn(given(...past).project).steps.get('build')?.tried).toBeUndefined();
  });
});

describe('a reviewer who always finds something', () => {
  const flow = (rounds: number) =>
    workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build', rounds }], {
      on_exhausted: 'escalate',
    });
  const round = (n: number, status: 'APPROVED' | 'CHANGES_REQUESTED'): Input[] => [
    grant,
    ended(tokenOf(n), 'ok', { candidate: candidateOf(n) }),
    grant,
    ended(tokenOf(n) + 1, 'ok', {
      ...{ step: 'review', candidate: null, answer: 'a'.repeat(64), reason: `point ${n}` },
      said: { status, confidence: null, findings: null, vetoes: null, dismissed: null },
    }),
  ];
  /** A rework takes a token of its own. */
  const tokenOf = (n: number) => 1 + 3 * (n - 1);
  const rounds = (many: number, last: 'APPROVED' | 'CHANGES_REQUESTED'): Input[] => [
    create('t-1', { workflow: flow(3) }),
    ...Array.from({ length: many }, (_, n) => round(n + 1, n + 1 === many ? last : 'CHANGES_REQUESTED')).flat(),
  ];

  test('stops after three rounds, though each change is a new one and each point is, too', () => {
    expect(endOf(rounds(2, 'CHANGES_REQUESTED')).closed).toBeNull();
    expect(endOf(rounds(3, 'CHANGES_REQUESTED')).closed).toMatchObject({
      status: 'escalated',
      reason: expect.stringContaining('no round is left (3 of 3)'),
    });
  });

  test('and one who approves in the third is followed: the control', () => {
    expect(endOf(rounds(3, 'APPROVED'))).toMatchObject({ closed: null, applying: { candidate: candidateOf(3) } });
  });
});

describe('a planner who always re-plans', () => {
  const plans = (rounds: number) =>
    workflow(
      [{ id: 'plan', kind: 'answer' }, { id: 'look', kind: 'answer', on_reject: 'plan', rounds }, { id: 'build' }],
      { on_exhausted: 'escalate' },
    );
  const replan = (n: number): Input[] => [
    grant,
    ended(1 + 3 * n, 'ok', { step: 'plan', candidate: null, answer: String(n % 10).repeat(64) }),
    grant,
    ended(2 + 3 * n, 'ok', {
      ...{ step: 'look', candidate: null, answer: 'b'.repeat(64), reason: `plan ${n} is not good enough` },
      said: { status: 'CHANGES_REQUESTED', confidence: null, findings: null, vetoes: null, dismissed: null },
    }),
  ];
  const times = (flow: ReturnType<typeof workflow>, many: number): Input[] => [
    create('t-1', { workflow: flow }),
    ...Array.from({ length: many }, (_, n) => replan(n)).flat(),
  ];

  test('stops after the rounds of the step that sends it back, before anything was built', () => {
    expect(endOf(times(plans(4), 3)).closed).toBeNull();
    const end = endOf(times(plans(4), 4));
    expect(end.closed).toMatchObject({
      status: 'escalated',
      reason: expect.stringContaining('no round is left (4 of 4)'),
    });
    expect(end.steps.get('build')).toBeUndefined();
  });

  test('stops at the steps that a task may take in all, whatever the rounds say', () => {
    const few = limits({ max_steps: 8 });
    expect(endOf([few, ...times(plans(20), 3)]).closed).toBeNull();
    const { closed } = endOf([few, ...times(plans(20), 4)]);
    expect(closed).toMatchObject({ status: 'escalated', reason: expect.stringContaining('8') });
  });
});
