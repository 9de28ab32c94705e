/** A change that wants another environment: its gates wait for people, and run with exactly what was allowed. */
import { describe, expect, test } from 'vitest';
import { parseApprovals } from '../../../src/mind/approvals/policy-file.ts';
import { questionsOf } from '../../../src/mind/approvals/question.ts';
import { wantedBy } from '../../../src/mind/domain/effects.ts';
import type { Project } from '../../../src/mind/domain/project.ts';
import { statusOf } from '../../../src/mind/domain/task.ts';
import { withApprovals } from '../../../src/mind/workflows/approval-step.ts';
import { compileWorkflow } from '../../../src/mind/workflows/workflow.ts';
import { given, type Input, type Sent } from '../../support/given.ts';
import { accepted, checks, land, moved, onTop } from '../landing-samples.ts';
import { CANDIDATE, create, ended, gate, grant, placeIn, taskIn, workflow } from '../samples.ts';

const GATED = workflow([{ id: 'build', gates: ['lint', 'tests'] }]);
const KEY = 'key-of-zod';
const TEXT = 'new: `zod` 1.0.0 from registry.example';
const wants = (token = 1, key = KEY, name = 'tests'): Input => ({
  ...(gate(token, name, 'error') as Extract<Input, { type: 'gate.report' }>),
  environment: { key, text: TEXT },
});
const answer = (decision: 'APPROVE' | 'REJECT', name = 'ana', about?: string): Sent => ({
  name,
  send: {
    type: 'step.answer',
    task: 't-1',
    step: 'build',
    decision,
    reason: 'so',
    ...(about === undefined ? {} : { about }),
  },
});
const past = (definition = GATED): Input[] => [create('t-1', { workflow: definition }), grant, ended(1, 'ok')];
const gates = (project: Project) =>
  wantedBy(project, 'task/t-1').effects.flatMap(({ work }) =>
    work.kind === 'gate.run' ? [[work.gate, work.environments]] : [],
  );

describe('a gate whose candidate wants another environment', () => {
  test('asks the operator, and no gate runs meanwhile', () => {
    const { project } = given(...past()).when(wants());
    const task = taskIn(project);
    expect([statusOf(task), gates(project)]).toEqual(['waiting', []]);
    expect(questionsOf(task, compileWorkflow(GATED))).toMatchObject([
      {
        asks: 'environment',
        text: 'The change needs another environment than its base. May it be prepared, and the gates run with it?',
        reason: TEXT,
        about: { kind: 'change', id: CANDIDATE.change_id },
        approve: expect.stringContaining('supervisor approve t-1 build --of'),
      },
    ]);
    expect(
      given(...past(), wants())
        .when(wants(1, KEY, 'lint'))
        .project.tasks.get('t-1'),
    ).toMatchObject({ closed: null });
  });

  test('runs with it after a yes, and every gate may use it', () => {
    const { project } = given(...past(), wants(), answer('APPROVE', 'ana', CANDIDATE.change_id));
    expect(gates(project)).toEqual([
      ['lint', [KEY]],
      ['tests', [KEY]],
    ]);
    const done = given(...past(), wants(), answer('APPROVE'), gate(1, 'lint', 'pass'), gate(1, 'tests', 'pass'));
    expect(taskIn(done.project).applying).not.toBeNull();
  });

  test('goes back after a no, with the reason', () => {
    const { project } = given(...past(), wants(), answer('REJECT'));
    expect(placeIn(project, 'build')).toMatchObject({ at: 'ready' });
    expect(taskIn(project).environments).toBeUndefined();
  });

  test('asks again for another environment, and not for the same one', () => {
    const allowed = [...past(), wants(), answer('APPROVE'), gate(1, 'lint', 'fail'), gate(1, 'tests', 'pass'), grant];
    const next = [...allowed, ended(3, 'ok')];
    expect(gates(given(...next).project)).toEqual([
      ['lint', [KEY]],
      ['tests', [KEY]],
    ]);
    const other = given(...next, wants(3, 'key-of-left-pad'));
    expect(statusOf(taskIn(other.project))).toBe('waiting');
    const both = given(...next, wants(3, 'key-of-left-pad'), answer('APPROVE'));
    expect(taskIn(both.project).environments).toEqual([KEY, 'key-of-left-pad']);
  });

  test('an answer about another change counts for nothing', () => {
    expect(given(...past(), wants()).when(answer('APPROVE', 'ana', 'another')).decision).toMatchObject({
      code: 'stale_answer',
    });
  });
});

describe('under a policy', () => {
  const read = (text: string) => {
    const parsed = parseApprovals(text, 'approvals.yaml');
    if (parsed.type === 'problem') throw new Error(parsed.message);
    return parsed.policy;
  };
  const two = read(`approval_gates:
  high_risk: {conditions: [lock_file_changes], action: require_multi_approval, approvers: [leads]}
groups: {leads: [ana, ben]}
`);
  const calm = read('approval_gates:\n  low_risk: {conditions: [file_count < 100], action: auto_approve}\n');

  test('the people whom it names for such a change have to agree', () => {
    const asked = [...past(withApprovals(GATED, [two])), wants()];
    expect(given(...asked).when(answer('APPROVE', 'mallory')).decision).toMatchObject({ code: 'not_approver' });
    expect(gates(given(...asked, answer('APPROVE')).project)).toEqual([]);
    expect(given(...asked, answer('APPROVE')).when(answer('APPROVE')).decision).toMatchObject({
      code: 'approved_already',
    });
    expect(gates(given(...asked, answer('APPROVE'), answer('APPROVE', 'ben')).project)).toHaveLength(2);
  });

  test('a policy that lets such changes through still asks a person: nothing is installed by itself', () => {
    const { project } = given(...past(withApprovals(GATED, [calm])), wants());
    expect(placeIn(project, 'build')).toMatchObject({ at: 'waiting', needed: { action: 'require_approval' } });
    expect(placeIn(project, 'build')).not.toHaveProperty('until');
  });
});

test('at landing another environment is no question: the task leaves the queue and says why', () => {
  const asked = { ...(checks(3, 'error') as object), environment: { key: KEY, text: TEXT } } as Input;
  const { decision, project } = given(...accepted(), land(), moved(1), onTop(2)).when(asked);
  expect(decision).toMatchObject({
    events: [
      { type: 'line.gated', data: expect.not.objectContaining({ environment: expect.anything() }) },
      {
        type: 'line.left',
        data: { code: 'gate_error', reason: expect.stringContaining(`not allowed yet (${TEXT})`) },
      },
      { type: 'task.not_landed' },
    ],
  });
  expect(taskIn(project).landed).toBeNull();
});
