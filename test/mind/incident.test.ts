/** Incidents: a person's answers, when one halts the project, and the record of its cause. */
import { describe, expect, test } from 'vitest';
import { incidentName, incidentOf } from '../../src/mind/protocol/incident.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import { create, ended, GATED, gate, grant, resume, spec, taskIn, workflow } from './samples.ts';
import { NONE } from './verdict/facts.ts';

const flow = workflow([{ id: 'build', gates: ['lint', 'tests'] }], { on_exhausted: 'escalate' });
const stopped = (over: Parameters<typeof spec>[0] = {}): Input[] => [
  create('t-1', { workflow: flow, ...spec(over) }),
  grant,
  ended(1, 'ok'),
  gate(1, 'lint', 'pass'),
];
const broken = gate(1, 'tests', 'error');
const resolve = (how: 'skip' | 'abandon'): Input => ({ type: 'task.resolve', task: 't-1', how, notes: 'seen' });

describe('the operator resolves', () => {
  test.each(['skip', 'abandon'] as const)('escalations, each once: %s', (how) => {
    const past = [...stopped(), broken];
    const when = given(...past).when(resolve(how));
    when.then([fact('task/t-1', 'incident.resolved', { how, by: 'operator', notes: 'seen' })]);
    expect(taskIn(when.project).closed?.status).toBe(how === 'skip' ? 'escalated' : 'cancelled');
    const twice = given(...past, resolve(how)).when(resolve('skip'));
    expect(twice.decision).toMatchObject({ type: 'rejected', code: 'resolved_already' });
    const on = given(...past, resolve(how)).when(resume());
    expect(on.decision.type).toBe(how === 'skip' ? 'decided' : 'rejected');
    if (how === 'skip') expect(taskIn(on.project).resolved).toBeUndefined();
  });

  test('by an answer what a critical finding holds: a resolution is refused and names the answers', () => {
    const found: Input = {
      ...(gate(1, 'tests', 'fail') as Extract<Input, { type: 'gate.report' }>),
      findings: { ...NONE, critical: 1 },
      score: 0,
      blocked_by: [{ id: 'f-11112222', severity: 'critical' }],
    };
    const when = given(...stopped(), found).when(resolve('skip'));
    expect(when.decision).toMatchObject({ type: 'rejected', code: 'held' });
    expect(incidentOf(taskIn(when.project), [])).toMatchObject({
      cause: 'critical_finding',
      suggested: expect.arrayContaining([
        'supervisor resume t-1 --dismiss FINDING --reason "…"',
        'supervisor reject t-1 --reason "…"',
        'supervisor cancel t-1',
      ]),
    });
  });

  test('nothing else, and no model does', () => {
    expect(given(create()).when(resolve('skip')).decision).toMatchObject({ type: 'rejected', code: 'no_incident' });
    for (const by of ['planner', 'mcp', 'watcher', 'supervisor', 'hand'] as const)
      expect(given(...stopped(), broken).when({ send: resolve('skip'), by }).decision).toMatchObject({
        type: 'rejected',
      });
  });
});

describe('an incident halts the project', () => {
  test.each([
    ['by the policy of the person', { halt_on_incident: true }, true],
    ['and without it only its task waits', {}, false],
    ['but never a played one', { halt_on_incident: true, simulated: true }, false],
  ])('%s', (_, over, halts) => {
    const { board } = given(...stopped(over), broken).project;
    expect(board.halted?.by).toBe(halts ? 'policy' : undefined);
  });
});

test('has a name by its time, and a cause by what happened last', () => {
  expect(incidentName(NOON)).toBe('incident_20260115_120000');
  const { project } = given(...stopped(), broken);
  expect(incidentOf(taskIn(project), [])).toMatchObject({ incident: 'incident_20260115_120000', status: 'open' });
  expect(incidentOf(taskIn(given(create('t-1', { workflow: GATED }), grant).project), [])).toBeNull();
});
