/** Every field of a workflow file has an effect: what it says is in the graph that a task pins, or in what a worker gets; without it, it is not. */
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../../src/mind/domain/effects.ts';
import type { GateConfig } from '../../../src/mind/gates/gate-config.ts';
import { chooseGates } from '../../../src/mind/roles/choose-gates.ts';
import type { WorkflowDefinition } from '../../../src/mind/workflows/step.ts';
import { compileWorkflow, type WorkflowStep } from '../../../src/mind/workflows/workflow.ts';
import { given, type Input, NOON, type Sent } from '../../support/given.ts';
import { expanded, readText } from '../../support/workflow-file.ts';
import { create, ended, grant, limits, placeIn, taskIn } from '../samples.ts';

const stepsIn = (text: string, around: Parameters<typeof expanded>[1] = {}) =>
  new Map([...compileWorkflow(expanded(text, around).definition).steps].map(([id, step]) => [id as string, step]));
const one = (fields: string): WorkflowStep | undefined =>
  stepsIn(`steps:\n  a: {role: implementer${fields}}\n`).get('a');
/** Ids with what each needs. */
const edges = (text: string, around: Parameters<typeof expanded>[1] = {}): string[] =>
  [...stepsIn(text, around).values()].map(({ id, needs }) => (needs.length === 0 ? id : `${id} < ${needs.join(' ')}`));

describe('a field of one step', () => {
  test.each<[string, keyof WorkflowStep, unknown, unknown]>([
    ['attempts: 5', 'attempts', 5, null],
    ['retry_policy: {max_attempts: 5}', 'attempts', 5, null],
    ['retry_policy: {on_failure: ask_human}', 'asksPerson', true, false],
    ['retry_policy: default', 'retry', { tries: 3, first_ms: 2_000, factor: 2, max_ms: 30_000 }, null],
    ['retry_policy: aggressive', 'retry', { tries: 5, first_ms: 1_000, factor: 1.5, max_ms: 60_000 }, null],
    ['retry_policy: conservative', 'retry', { tries: 2, first_ms: 5_000, factor: 3, max_ms: 120_000 }, null],
    ['retry_policy: {tries: 1, first: 3s}', 'retry', { tries: 1, first_ms: 3_000, factor: 2, max_ms: 30_000 }, null],
    [
      'retry_policy: {policy: aggressive, max: 5s}',
      'retry',
      { tries: 5, first_ms: 1_000, factor: 1.5, max_ms: 5_000 },
      null,
    ],
    ['cli: [claude, codex]', 'cli', ['claude', 'codex'], ['scripted']],
    ['wall_ms: 5000', 'wallMs', 5_000, null],
    ['continue: 2', 'turns', 2, 0],
    ['grants: [test/**]', 'grants', ['test/**'], []],
    ['write_scope: [docs/**]', 'scope', ['docs/**'], []],
    ['reserve_microusd: 70', 'reserve', 70, 0],
    ['config: {tdd: true}', 'config', { tdd: true }, {}],
    ['context_scope: component_only', 'contextScope', 'component_only', null],
    ['hand_over: true', 'handOver', true, false],
    ['outputs: [code]', 'outputs', ['code'], []],
    ['from: line', 'from', 'line', null],
    ['degrade: [minimal]', 'degrade', ['minimal'], []],
    ['analyses: [planner]', 'analysts', ['a-analysis-planner'], []],
  ])('%s', (field, key, value, usual) => {
    expect(one(`, ${field}`)?.[key]).toEqual(value);
    expect(one('')?.[key]).toEqual(usual);
  });

  test('gates: what a failure means here', () => {
    const gates =
      ', gates: [lint, {name: tests, on_fail: block, stage: 2}, {name: docs, blocking: false}, {name: e2e, on_fail: escalate}]';
    const step = one(gates);
    expect([
      step?.gates,
      [...(step?.advisory ?? [])],
      [...(step?.stopping ?? [])],
      [...(step?.escalating ?? [])],
    ]).toEqual([['lint', 'tests', 'docs', 'e2e'], ['docs'], ['tests'], ['e2e']]);
    expect(step?.stages.get('tests')).toBe(2);
  });
});

const BUILD = 'steps:\n  implement: {role: implementer}\n';

describe('the way', () => {
  test('needs, next and the order of writing are three spellings of one edge', () => {
    const same = ['plan', 'implement < plan', 'docs < plan', 'commit < implement docs'];
    const steps = (plan: string, implement: string, docs: string, commit: string) =>
      `steps:\n  plan: {role: planner${plan}}\n  implement: {role: implementer${implement}}\n  docs: {role: planner${docs}}\n  commit: {kind: commit${commit}}\n`;
    expect(edges(steps('', '', ', needs: [plan]', ', needs: [implement, docs]'))).toEqual(same);
    expect(edges(steps(', next: [implement, docs]', ', next: commit', ', next: commit', ''))).toEqual(same);
    expect(edges(steps('', '', '', ''))).toEqual(['plan', 'implement < plan', 'docs < implement', 'commit < docs']);
  });

  test('max_retries is rounds without the first', () => {
    const gate = (bound: string) =>
      stepsIn(`${BUILD}  test: {gates: [tests], on_fail: implement${bound}}\n`).get('test')?.rework;
    expect([gate(', max_retries: 1'), gate(', rounds: 2'), gate('')]).toEqual([
      { to: 'implement', rounds: 2 },
      { to: 'implement', rounds: 2 },
      { to: 'implement', rounds: 3 },
    ]);
  });

  test('parallel and require: one after the other, and a vote', () => {
    const review = (more: string) => `${BUILD}  look: {review: [reviewer, reviewer_b]${more}}\n`;
    expect(edges(review(''))).toEqual([
      ...['implement', 'look-reviewer < implement', 'look-reviewer_b < implement'],
      'look < look-reviewer look-reviewer_b',
    ]);
    expect(edges(review(', parallel: false'))).toContain('look-reviewer_b < look-reviewer');
    expect(stepsIn(review(', require: consensus')).get('look')?.require).toBe('consensus');
    expect(stepsIn(review('')).get('look')?.require).toBe('all');
  });

  test('human_approval: what waits for a step waits for the person; before a change, its answer is shown', () => {
    const text = (more: string) => `steps:\n  plan: {role: planner${more}}\n  implement: {role: implementer}\n`;
    expect(edges(text(', human_approval: true'))).toEqual([
      'plan',
      'plan-approval < plan',
      'implement < plan-approval',
    ]);
    expect(stepsIn(text(', human_approval: true')).get('plan-approval')).toMatchObject({
      kind: 'human',
      about: 'plan',
    });
    // Through the approval the plan is still told.
    expect(stepsIn(text(', human_approval: true')).get('implement')?.inputs).toEqual(['plan']);
    expect(edges(text(''))).toEqual(['plan', 'implement < plan']);
  });
});

const PARENT = {
  base: `settings: {human_approval: true}
hooks: {pre_commit: [{kind: lint}]}
steps:
  plan: {role: planner, config: {depth: {most: 2, least: 1}, style: short}}
  implement: {role: implementer, attempts: 2}
  review: {review: [reviewer, reviewer_b], require: consensus, on_reject: implement}
  commit: {kind: commit}
`,
};
const child = (text: string) => `extends: base\n${text}`;

describe('workflows that extend another', () => {
  test('extends: the child says it key by key, config is merged, another doer replaces the old one', () => {
    const text = child(
      'steps:\n  plan: {config: {depth: {most: 5}}}\n  implement: {cli: [codex]}\n  review: {role: security_auditor}\n',
    );
    const steps = stepsIn(text, { others: PARENT });
    expect(steps.get('plan')?.config).toEqual({ depth: { most: 5, least: 1 }, style: 'short' });
    expect(steps.get('implement')).toMatchObject({ attempts: 2, cli: ['codex'] });
    expect(steps.get('review')).toMatchObject({
      kind: 'answer',
      role: 'security_auditor',
      rework: { to: 'implement' },
    });
    expect(steps.has('review-reviewer')).toBe(false);
  });

  const RICH = {
    base: `steps:
  implement: {role: implementer, retry_policy: {max_attempts: 3, on_failure: ask_human}, degrade: [minimal]}
  test: {command: make test, on_fail: implement, max_retries: 3}
  review: {review: [reviewer, reviewer_b], require: consensus, on_reject: implement, rounds: 2, config: {deep: true}}
  commit: {kind: commit}
`,
  };
  test.each<[string, string, string, Partial<WorkflowStep>]>([
    [
      'rounds, where the parent says max_retries',
      'test: {rounds: 2}',
      'test',
      { rework: { to: 'implement', rounds: 2 } as never },
    ],
    [
      'max_retries, where the parent says rounds',
      'review: {max_retries: 4}',
      'review',
      { rework: { to: 'implement', rounds: 5 } as never },
    ],
    [
      'attempts, where the parent says max_attempts',
      'implement: {attempts: 7}',
      'implement',
      { attempts: 7, asksPerson: true },
    ],
    ['gates, where the parent says command', 'test: {gates: [lint]}', 'test', { kind: 'gate', gates: ['lint'] }],
    ['a person in place of gates', 'test: {kind: human}', 'test', { kind: 'human', rework: null }],
    ['a person in place of reviewers', 'review: {kind: human}', 'review', { kind: 'human', require: 'all' }],
    [
      'a worker in place of gates',
      'test: {role: reviewer, on_reject: implement}',
      'test',
      { kind: 'answer', role: 'reviewer' },
    ],
    [
      'one who answers in place of one who changes',
      'implement: {role: planner}\n  test: {role: implementer}',
      'implement',
      { kind: 'answer', degrade: [] },
    ],
  ])('a child writes %s: its word counts, and what no longer fits is gone', (_, steps, id, expected) => {
    expect(stepsIn(child(`steps:\n  ${steps}\n`), { others: RICH }).get(id)).toMatchObject(expected);
  });

  test("a child's key that its kind cannot have is refused, at the place where the child has it", () => {
    const text = child('steps:\n  test: {kind: human, command: make test}\n');
    expect(readText(text, { others: RICH })).toMatchObject({ type: 'problem', file: 'w.yaml', line: 3 });
  });

  test('position: right after that step, before all that waited for it', () => {
    const text = child('steps:\n  docs: {role: implementer, position: after implement}\n');
    expect(edges(text, { others: PARENT })).toContain('docs < implement');
    expect(edges(text, { others: PARENT })).toContain('review-reviewer < docs');
  });

  test('disable: what waited for a step waits for what it waited for', () => {
    expect(edges(child('disable: [review]\n'), { others: PARENT })).toContain('pre_commit < implement');
  });

  test('workflow: {template, overrides, disable, settings} of a config', () => {
    const choice = {
      template: 'base',
      overrides: { implement: { attempts: 4 }, risk: { position: 'after implement', role: 'risk_manager' } },
      disable: ['plan'],
      settings: { human_approval: false },
    };
    const composition = { choice, problem: () => ({}) as never };
    const plain = edges(PARENT.base);
    const chosen = stepsIn(PARENT.base, { composition });
    expect(chosen.get('implement')?.attempts).toBe(4);
    expect([...chosen.keys()]).toEqual([
      'implement',
      'risk',
      'review-reviewer',
      'review-reviewer_b',
      'review',
      'pre_commit',
      'commit',
    ]);
    expect(plain.map((edge) => edge.split(' ')[0])).toContain('plan');
    expect(plain).toContain('commit-approval < pre_commit');
  });

  test('required: it cannot be disabled; a gate step without a gate is refused instead of left out', () => {
    const text = (required: string) => `${BUILD}  ci: {gates: [{kind: e2e}]${required}}\n`.replace('e2e', 'coverage');
    const chosen = (required: string) =>
      chooseGates(expanded(text(required)), { gates: [gate('tests')], chosen: null, noGates: false });
    expect(chosen('')).toMatchObject({ type: 'chosen', left: [{ step: 'ci' }] });
    expect(chosen(', required: true')).toMatchObject({ type: 'rejected', code: 'no_gate' });
    expect(readText(`${text(', required: true')}disable: [ci]\n`).type).toBe('problem');
    expect(readText(`${text('')}disable: [ci]\n`).type).toBe('workflow');
  });
});

const gate = (name: string) => ({ name, command: 'true' }) as unknown as GateConfig;

describe('a setting of the workflow', () => {
  const WHOLE = `${BUILD}  look: {review: [reviewer, reviewer_b], on_reject: implement}\n  commit: {kind: commit}\n`;
  const set = (settings: string, steps = WHOLE) => `settings: {${settings}}\n${steps}`;

  test('parallel_reviews: false', () => {
    expect(edges(set('parallel_reviews: false'))).toContain('look-reviewer_b < look-reviewer');
    expect(edges(set('parallel_reviews: true'))).toContain('look-reviewer_b < implement');
  });

  test('require_tests: a project without tests is refused', () => {
    const type = (setting: string, name: string) =>
      chooseGates(expanded(set(setting)), { gates: [gate(name)], chosen: null, noGates: false }).type;
    expect([type('require_tests: true', 'lint'), type('require_tests: true', 'tests')]).toEqual(['rejected', 'chosen']);
    expect(type('require_tests: false', 'lint')).toBe('chosen');
  });

  test('human_approval: a person approves the commit, unless the commit says no', () => {
    expect(edges(set('human_approval: true'))).toContain('commit < commit-approval');
    expect(edges(set('human_approval: false'))).toContain('commit < look');
    expect(
      edges(set('human_approval: true', WHOLE.replace('kind: commit', 'kind: commit, human_approval: false'))),
    ).toContain('commit < look');
  });

  test('auto_pr: a pull request after the commit', () => {
    expect(edges(set('auto_pr: true')).at(-1)).toBe('pull_request < commit');
    expect(edges(set('auto_pr: false')).at(-1)).toBe('commit < look');
  });

  test('security_review: such a step is there, or disabled by its name', () => {
    const text = set('security_review: true');
    expect(readText(text).type).toBe('problem');
    expect(readText(text.replace('look:', 'security_review:')).type).toBe('workflow');
    expect(readText(`${text.replace('look:', 'security_review:')}disable: [security_review]\n`).type).toBe('workflow');
  });

  test('dual_review: two different roles in each review', () => {
    const with_ = (roles: string) => readText(set('dual_review: true').replace('reviewer, reviewer_b', roles)).type;
    expect([with_('reviewer, reviewer_b'), with_('reviewer'), with_('reviewer, reviewer')]).toEqual([
      ...['workflow', 'problem', 'problem'],
    ]);
    expect(readText(set('dual_review: false').replace('reviewer, reviewer_b', 'reviewer')).type).toBe('workflow');
  });

  test('require_changelog and audit_trail are pinned; what they do is tested where it is done', () => {
    expect(stepsIn(set('require_changelog: true')).get('commit')).toMatchObject({
      requireChangelog: true,
      rework: { to: 'implement' },
    });
    expect(stepsIn(set('require_changelog: false')).get('commit')).toMatchObject({
      requireChangelog: false,
      rework: null,
    });
    const trail = (setting: string) => compileWorkflow(expanded(set(setting)).definition).auditTrail;
    expect([trail('audit_trail: true'), trail('audit_trail: false')]).toEqual([true, false]);
  });

  test('hooks.pre_commit: gates before the commit, of the kinds that the project has', () => {
    const text = `hooks: {pre_commit: [{kind: lint}, {kind: types}]}\n${WHOLE}`;
    expect(edges(text)).toContain('commit < pre_commit');
    const chosen = (...names: string[]) =>
      chooseGates(expanded(text), { gates: names.map(gate), chosen: null, noGates: false });
    const steps = (names: string[]) => (chosen(...names) as { definition: WorkflowDefinition }).definition.steps;
    expect(steps(['lint', 'tests']).find(({ id }) => id === 'pre_commit')).toMatchObject({
      gates: [{ name: 'lint' }],
      on_fail: 'implement',
    });
    expect(steps(['tests']).map(({ id }) => id)).not.toContain('pre_commit');
  });
});

describe('when a task runs', () => {
  const START = { a: 'a'.repeat(64) };
  const run = (text: string, ...past: Input[]) =>
    given(create('t-1', { workflow: expanded(text).definition }), grant, ...past);

  test.each([
    ['default', [2_000, 4_000, 8_000]],
    ['aggressive', [1_000, 1_500, 2_250, 3_375, 5_063]],
    ['conservative', [5_000, 15_000]],
  ])('retry_policy %s waits %j and then ends', (policy, waits) => {
    const text = `steps:\n  build: {role: implementer, retry_policy: ${policy}}\n`;
    // The breaker of the lane is not what is tested here.
    const many = limits({ breaker: { failures: 9, window_ms: 1_000 } });
    let past: (Input | Sent)[] = [many, create('t-1', { workflow: expanded(text).definition }), grant];
    let at = NOON;
    for (const [n, wait] of waits.entries()) {
      past = [...past, { send: ended(n + 1, 'transient'), at }];
      const place = placeIn(given(...past).project);
      expect(place).toMatchObject({ at: 'parked', until: at + wait });
      at += wait;
      const fire = { type: 'timer.fire', task: 't-1', timer: 'backoff', step: 'build', token: n + 1 } as const;
      past = [...past, { send: fire, at }, { send: grant, at }];
    }
    const last = given(...past, { send: ended(waits.length + 1, 'transient'), at });
    expect(taskIn(last.project).closed?.status).toBe('failed');
  });

  test('a worker gets the config, the scope, the grants, the inputs and how far it may look', () => {
    const text = `steps:
  plan: {role: planner}
  other: {role: planner}
  build: {role: implementer, needs: [other], inputs: [plan], config: {tdd: true}, context_scope: component_only, grants: [test/**], write_scope: [src/**]}
`;
    const answered = (token: number, step: string): Input[] => [
      ended(token, 'ok', { step, candidate: null, answer: START.a }),
      grant,
    ];
    const { project } = run(text, ...answered(1, 'plan'), ...answered(2, 'other'));
    const [effect] = wantedBy(project, 'task/t-1').effects;
    expect(effect?.work).toMatchObject({
      kind: 'worker.run',
      ...{ config: { tdd: true }, contextScope: 'component_only', grants: ['test/**'], scope: ['src/**'] },
      before: [
        { step: 'plan', asked: true },
        { step: 'other', asked: true },
      ],
    });
    const without = run(text.replace(', inputs: [plan]', ''), ...answered(1, 'plan'), ...answered(2, 'other'));
    expect(wantedBy(without.project, 'task/t-1').effects[0]?.work).toMatchObject({
      before: [{ asked: false }, { asked: true }],
    });
  });

  test('wall_ms is its deadline, reserve_microusd is set aside, on_failure asks a person', () => {
    const started = (fields: string) => {
      const place = placeIn(run(`steps:\n  build: {role: implementer${fields}}\n`).project);
      return place?.at === 'working' ? place.attempt : null;
    };
    expect(started(', wall_ms: 5000')?.deadline).toBe(NOON + 5_000);
    expect(started('')?.deadline).toBeGreaterThan(NOON + 5_000);
    expect([started(', reserve_microusd: 70')?.reserve, started('')?.reserve]).toEqual([70, 0]);
    const used = (fields: string) =>
      run(`steps:\n  build: {role: implementer, ${fields}}\n`, ended(1, 'invalid')).project;
    expect(placeIn(used('retry_policy: {max_attempts: 1, on_failure: ask_human}'))).toMatchObject({
      at: 'waiting',
      asks: 'failure',
    });
    expect(taskIn(used('attempts: 1')).closed?.status).toBe('failed');
  });
});
