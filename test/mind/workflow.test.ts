/** Workflows as graphs: mistakes are reported at once, and steps open when their needs are met. */
import { describe, expect, test } from 'vitest';
import type { StepId } from '../../src/kernel/ids.ts';
import { checkWorkflow } from '../../src/mind/workflows/check-graph.ts';
import type { WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import { compileWorkflow, laneOf, stepsBefore } from '../../src/mind/workflows/workflow.ts';
import { given } from '../support/given.ts';
import {
  applying,
  candidateOf,
  create,
  ended,
  FREE,
  grant,
  hashOf,
  settled,
  startedTasks,
  taskIn,
  workflow,
} from './samples.ts';

const problem = (definition: WorkflowDefinition) => checkWorkflow(definition, 50)?.message ?? null;

describe('a check of a workflow', () => {
  test('finds nothing wrong with a line, a fork and a join', () => {
    expect(problem(DIAMOND)).toBeNull();
    expect(problem(workflow([{}, {}, {}]))).toBeNull();
  });

  test.each<[string, Parameters<typeof workflow>[0], string]>([
    ['a step written twice', [{ id: 'a' }, { id: 'a' }], 'step a is written twice'],
    ['a need that is no step', [{ id: 'a', needs: ['b'] }], 'step a needs b, which is not a step'],
    ['a need named twice', [{ id: 'a' }, { id: 'b', needs: ['a', 'a'] }], 'step b names a need twice'],
    ['a gate named twice', [{ id: 'a', gates: ['g', 'g'] }], 'step a names a gate twice'],
    [
      'two changes side by side',
      [{ id: 'a' }, { id: 'b', needs: [] }],
      'steps a and b both change the tree and neither needs the other: make one need the other',
    ],
    [
      'a change beside a row of two',
      [{ id: 'a' }, { id: 'b' }, { id: 'c', needs: [] }],
      'steps a and c both change the tree and neither needs the other: make one need the other',
    ],
    ['a step that needs itself', [{ id: 'a', needs: ['a'] }], 'steps wait for each other in a circle: a'],
    [
      'a circle',
      [{ id: 'a' }, { id: 'b', needs: ['a', 'd'] }, { id: 'c' }, { id: 'd' }],
      'steps wait for each other in a circle: b, c, d',
    ],
  ])('finds %s', (_, steps, message) => {
    expect(problem(workflow(steps))).toBe(`workflow work: ${message}`);
  });

  test('tells all problems at once', () => {
    const bad = workflow([{ id: 'a' }, { id: 'a' }, { id: 'b', needs: ['x'], gates: ['g', 'g'] }]);
    expect(checkWorkflow(bad, 2)?.message).toBe(
      'workflow work: has 3 steps, at most 2 are allowed (limits.max_steps); step a is written twice; step b needs x, which is not a step; step b names a gate twice',
    );
  });

  test('walks a chain of 100,000 steps without recursion', () => {
    expect(checkWorkflow(workflow(Array.from({ length: 100_000 }, () => ({}))), 100_000)).toBeNull();
  });
});

describe('a compiled workflow', () => {
  test('fills in every default', () => {
    const definition: WorkflowDefinition = {
      name: 'w',
      version: 1,
      steps: [
        { id: 'a', kind: 'change' },
        { id: 'b', kind: 'answer' },
      ],
    };
    const usual = {
      cli: ['scripted'],
      gates: [],
      advisory: new Set(),
      escalating: new Set(),
      stopping: new Set(),
      stages: new Map(),
      rules: new Map(),
      attempts: null,
      wallMs: null,
      turns: 0,
      reserve: 0,
      grants: [],
      scope: [],
      rework: null,
      require: 'all' as const,
      retry: null,
      asksPerson: false,
      inputs: [],
      outputs: [],
      config: {},
      contextScope: null,
      handOver: false,
      requireChangelog: false,
      about: null,
      text: null,
      policies: [],
      ifAsked: false,
      from: null,
      degrade: [],
      analysts: [],
      analyses: null,
    };
    expect(compileWorkflow(definition)).toEqual({
      hash: hashOf(definition),
      name: 'w',
      onExhausted: 'failed',
      auditTrail: false,
      steps: new Map([
        ['a', { id: 'a', kind: 'change', role: 'a', needs: [], ...usual }],
        ['b', { id: 'b', kind: 'answer', role: 'b', needs: ['a'], ...usual }],
      ]),
      dependents: new Map([['a', ['b']]]),
      weighed: new Set(),
      initial: ['a'],
      secured: false,
      pathClasses: [],
    });
  });

  test('names the nearest steps before one where there are too many', () => {
    const whole = compileWorkflow(workflow(['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))));
    expect(stepsBefore(whole, 'e' as StepId)).toEqual(['a', 'b', 'c', 'd']);
    expect(stepsBefore(whole, 'e' as StepId, 2)).toEqual(['c', 'd']);
  });

  test('is secured where a security gate can block', () => {
    const secured = (gate: object) => compileWorkflow(workflow([{ id: 'a', gates: [gate] } as never])).secured;
    expect(secured({ name: 'security' })).toBe(true);
    expect(secured({ name: 'audit', kind: 'security' })).toBe(true);
    expect(secured({ name: 'security', blocking: false })).toBe(false);
    expect(secured({ name: 'security', kind: 'tests' })).toBe(false);
  });

  test('counts failures per role and CLI', () => {
    const { steps } = compileWorkflow(workflow([{ id: 'a', role: 'implementer' }]));
    expect(laneOf(steps.get('a')!, 'codex')).toBe('implementer/codex');
  });

  test('has one hash per content, whatever the order of its keys', () => {
    const { steps, version, name } = workflow([{ id: 'a' }]);
    expect(hashOf({ steps, version, name })).toBe(hashOf({ name, version, steps }));
    expect(hashOf({ steps, version, name, on_exhausted: 'block' })).not.toBe(hashOf({ steps, version, name }));
  });
});

/** plan, then two reviews side by side, then a change that waits for both. */
const DIAMOND = workflow([
  { id: 'plan', kind: 'answer' },
  { id: 'left', kind: 'answer' },
  { id: 'right', kind: 'answer', needs: ['plan'] },
  { id: 'join', needs: ['left', 'right'] },
]);
const answered = (step: string, token: number) => ended(token, 'ok', { step, candidate: null });

describe('a workflow with a fork and a join', () => {
  const planned = [create('t-1', { workflow: DIAMOND }), grant, answered('plan', 1)];
  const forked = [...planned, grant];

  test('opens all steps whose needs are met by the one that is done', () => {
    given(create('t-1', { workflow: DIAMOND }), grant)
      .when(answered('plan', 1))
      .then([settled({ step: 'plan', class: 'ok', next: { do: 'complete', opens: ['left', 'right'] } })]);
  });

  test('runs the steps of a fork side by side, each under its own token', () => {
    const { project, decision } = given(...planned).when(grant);
    expect(decision.type === 'decided' && startedTasks(decision.events)).toEqual(['t-1', 't-1']);
    const tokens = ['left', 'right'].map((id) => taskIn(project).steps.get(id)?.place);
    expect(tokens).toMatchObject([{ attempt: { token: 2 } }, { attempt: { token: 3 } }]);
  });

  test.each([
    ['left', 2, 'right', 3],
    ['right', 3, 'left', 2],
  ] as const)('opens the join only after both, here when %s is first', (first, one, second, two) => {
    const half = given(...forked).when(answered(first, one));
    half.then([settled({ step: first, token: one, class: 'ok', next: { do: 'complete', opens: [] } })]);
    expect(taskIn(half.project).open).toEqual([second]);
    given(...forked, answered(first, one))
      .when(answered(second, two))
      .then([settled({ step: second, token: two, class: 'ok', next: { do: 'complete', opens: ['join'] } })]);
  });

  test('is done when its last step is', () => {
    given(...forked, answered('left', 2), answered('right', 3), grant)
      .when(ended(4, 'ok', { step: 'join' }))
      .then([
        settled({
          step: 'join',
          token: 4,
          class: 'ok',
          candidate: candidateOf(4),
          cost: FREE,
          next: { do: 'complete', opens: [] },
        }),
        applying(5, 't-1', candidateOf(4)),
      ]);
  });

  test('starts only the open steps again when one side of the fork failed for good', () => {
    const failed = [
      ...forked,
      ended(2, 'blocked', { step: 'left' }),
      ended(3, 'lost', { step: 'right' }),
      { type: 'task.resume', task: 't-1' } as const,
    ];
    const { project } = given(...failed);
    expect(taskIn(project).open).toEqual(['left', 'right']);
    expect([...taskIn(project).steps].map(([id, step]) => [id, step.place.at])).toEqual([
      ['left', 'ready'],
      ['plan', 'done'],
      ['right', 'ready'],
    ]);
  });
});
