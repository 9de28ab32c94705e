/** Where the next attempt at a change starts: in the tree that was sent back, or where the step began. It is judged by the latter. */
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { given, type Input, type Sent } from '../support/given.ts';
import {
  CANDIDATE,
  candidateOf,
  create,
  ended,
  FREE,
  gate,
  grant,
  resume,
  type StepInput,
  settled,
  taskIn,
  workflow,
} from './samples.ts';

const OTHER = { base: 'b0', tree: 'tree-2', change_id: 'change-2' };
const worker = (...past: (Input | Sent)[]) => {
  const work = wantedBy(given(...past).project, 'task/t-1').effects.find((one) => one.work.kind === 'worker.run')?.work;
  if (work?.kind !== 'worker.run') throw new Error('no worker is wanted');
  return work;
};
const flow = (step: Partial<StepInput> = {}) => workflow([{ id: 'build', gates: ['tests'], ...step }]);
const red = (step: Partial<StepInput> = {}): Input[] => [
  create('t-1', { workflow: flow(step) }),
  grant,
  ended(1, 'ok'),
  gate(1, 'tests', 'fail'),
];
const violating = (step: Partial<StepInput> = {}): Input[] => [
  create('t-1', { workflow: flow(step) }),
  grant,
  ended(1, 'invalid', { reason: 'test/a.js is protected', sent_back: CANDIDATE }),
];

describe('the log says which change was sent back', () => {
  test('by gates', () => {
    const { project } = given(...red());
    expect(taskIn(project).steps.get('build')?.sentBack).toEqual(CANDIDATE);
  });

  test('as it was captured, when the worker or its tree was at fault', () => {
    given(create('t-1', { workflow: flow() }), grant)
      .when(ended(1, 'invalid', { reason: 'no answer', sent_back: CANDIDATE }))
      .then([
        settled({
          ...{ class: 'invalid', category: 'parsing', reason: 'no answer', sent_back: CANDIDATE },
          next: { do: 'retry', at: null, cli: 0, counter: 'candidates' },
        }),
      ]);
  });

  test('never of a step that only answers', () => {
    const asked = create('t-1', { workflow: workflow([{ id: 'build', kind: 'answer' }]) });
    const { project } = given(asked, grant, ended(1, 'invalid', { reason: 'no answer', sent_back: CANDIDATE }));
    expect(taskIn(project).steps.get('build')?.sentBack).toBeUndefined();
  });
});

describe('the next attempt starts', () => {
  test('first where the step begins', () => {
    expect(worker(create('t-1', { workflow: flow() }), grant)).toMatchObject({ start: null, input: null });
  });

  test.each([
    ['gates', 'absent', {}, red, CANDIDATE],
    ['gates', 'last', { from: 'last' }, red, CANDIDATE],
    ['gates', 'line', { from: 'line' }, red, null],
    ['its tree or answer', 'absent', {}, violating, null],
    ['its tree or answer', 'last', { from: 'last' }, violating, CANDIDATE],
    ['its tree or answer', 'line', { from: 'line' }, violating, null],
  ] as const)('sent back by %s, from: %s', (_, __, step, past, start) => {
    // Judged against what the step was given, wherever it starts.
    expect(worker(...past(step), grant)).toMatchObject({ start, input: null, base: 'b0' });
  });

  test('in the same tree again after an attempt that was lost', () => {
    expect(worker(...red(), grant, ended(2, 'lost'), grant)).toMatchObject({ start: CANDIDATE });
  });

  test('in the newest one that was sent back', () => {
    const twice: Input[] = [grant, ended(3, 'ok', { candidate: OTHER }), gate(3, 'tests', 'fail'), grant];
    const past: Input[] = [...red(), grant, ended(2, 'lost')];
    expect(worker(...past, ...twice)).toMatchObject({ start: OTHER });
  });

  test('without what was sent back once the step is done', () => {
    const done = given(...red(), grant, ended(2, 'ok', { candidate: OTHER }), gate(2, 'tests', 'pass')).project;
    expect(taskIn(done).steps.get('build')?.sentBack).toBeUndefined();
  });
});

describe('after a gate that could not run', () => {
  const broken = (step: Partial<StepInput> = {}): Input[] => [
    create('t-1', { workflow: flow(step) }),
    grant,
    ended(1, 'ok'),
    gate(1, 'tests', 'error'),
  ];
  const added = (more: object): Input => ({ type: 'task.resume', task: 't-1', reason: 'again', ...more });

  test.each(['last', 'line', undefined] as const)('resume has the change checked as it is, from: %s', (from) => {
    const step = from === undefined ? {} : { from };
    expect(worker(...broken(step), resume(), grant)).toMatchObject({
      start: CANDIDATE,
      input: null,
      asItIs: 'unchecked',
    });
  });

  test('the same after that check was cut off', () => {
    const cut: Input[] = [resume(), grant, ended(3, 'lost'), grant];
    expect(worker(...broken(), ...cut)).toMatchObject({ start: CANDIDATE, asItIs: 'unchecked' });
  });

  test.each([{ say: 'try it in another way' }, { cli: ['claude'] }, { from: 'line' }])(
    'a worker makes another change if the operator adds %j',
    (more) => {
      const work = worker(...broken(), added(more), grant);
      expect(work).toMatchObject({ start: null, findings: [] });
      expect(work.asItIs).toBeUndefined();
    },
  );

  test('a worker goes on in the unchecked change if the operator says so', () => {
    const work = worker(...broken(), added({ say: 'also the docs', from: 'last' }), grant);
    expect(work.start).toEqual(CANDIDATE);
    expect(work.asItIs).toBeUndefined();
  });

  test('a worker mends the change if the gate runs then and fails', () => {
    const red: Input[] = [resume(), grant, ended(3, 'ok', { candidate: CANDIDATE }), gate(3, 'tests', 'fail'), grant];
    const work = worker(...broken(), ...red);
    expect(work.start).toEqual(CANDIDATE);
    expect(work.asItIs).toBeUndefined();
  });

  test('a worker mends a change that another gate refused, if only an advisory gate could not run', () => {
    const advised = flow({ gates: ['tests', { name: 'lint', blocking: false }] });
    const past: Input[] = [create('t-1', { workflow: advised }), grant, ended(1, 'ok'), gate(1, 'lint', 'error')];
    const work = worker(...past, gate(1, 'tests', 'fail'), grant);
    expect(work.start).toEqual(CANDIDATE);
    expect(work.asItIs).toBeUndefined();
  });
});

describe('in a later round', () => {
  const reviewed = (from?: 'last' | 'line') =>
    workflow([
      { id: 'plan', kind: 'answer' },
      { id: 'build', ...(from === undefined ? {} : { from }) },
      { id: 'review', kind: 'answer', on_reject: 'build' },
    ]);
  const no = { status: 'CHANGES_REQUESTED', confidence: null, findings: null, vetoes: 0, dismissed: null } as const;
  const past = (from?: 'last' | 'line'): Input[] => [
    create('t-1', { workflow: reviewed(from) }),
    grant,
    ended(1, 'ok', { step: 'plan', candidate: null, answer: 'a'.repeat(64) }),
    grant,
    ended(2, 'ok', { step: 'build' }),
    grant,
    { type: 'attempt.report', task: 't-1', step: 'review', token: 3, class: 'ok', said: no, cost: FREE },
    grant,
  ];

  test('it builds on the change that was sent back, or begins anew where its workflow says so', () => {
    expect(worker(...past())).toMatchObject({ start: null, input: candidateOf(2) });
    expect(worker(...past('last'))).toMatchObject({ start: null, input: candidateOf(2) });
    expect(worker(...past('line'))).toMatchObject({ start: null, input: null });
  });
});
