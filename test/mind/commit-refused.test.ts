/** A commit step that requires something of the change: what is refused goes back to the last change, in bounds. */
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { given, type Input } from '../support/given.ts';
import { expanded } from '../support/workflow-file.ts';
import { create, ended, grant, resume, taskIn } from './samples.ts';

const STEPS = 'steps:\n  build: {role: implementer, gates: []}\n  save: {kind: commit}\n';
const flow = (setting: boolean) => expanded(`settings: {require_changelog: ${setting}}\n${STEPS}`).definition;
const change = (n: number) => ({ base: 'b0', tree: `tree-${n}`, change_id: `change-${n}` });
const made = (token: number, n: number): Input => ended(token, 'ok', { candidate: change(n) });
const refuses = (token: number): Input => ({
  ...{ type: 'apply.report', task: 't-1', token, status: 'refused', reason: 'no entry', commit: null, branch: null },
});
const begun = (setting = true): Input[] => [create('t-1', { workflow: flow(setting) }), grant, made(1, 1)];

describe('a commit that requires a changelog entry', () => {
  test('asks the hand to look for one, and only where the setting says so', () => {
    const work = (setting: boolean) => wantedBy(given(...begun(setting)).project, 'task/t-1').effects[0]?.work;
    expect(work(true)).toMatchObject({ kind: 'candidate.apply', requireChangelog: true });
    expect(work(false)).not.toHaveProperty('requireChangelog');
  });

  test('that is refused sends the task back to its last change, with the reason', () => {
    const task = taskIn(given(...begun(), refuses(2)).project);
    expect(task).toMatchObject({ applying: null, closed: null, open: ['build'] });
    expect(task.steps.get('build')).toMatchObject({ round: 2, feedback: 'no entry' });
    expect(task.steps.get('save')?.place).toEqual({ at: 'void' });
  });

  test('is asked three times at most, then the task ends as its workflow says; a person can resume it', () => {
    const thrice: Input[] = [refuses(2), grant, made(4, 2), refuses(5), grant, made(7, 3), refuses(8)];
    expect(taskIn(given(...begun(), ...thrice).project).closed).toMatchObject({
      status: 'failed',
      reason: 'no entry; no round is left (3 of 3)',
    });
    expect(taskIn(given(...begun(), ...thrice, resume()).project)).toMatchObject({ closed: null });
  });

  test('is done when the entry is there', () => {
    const applied: Input = {
      ...{ type: 'apply.report', task: 't-1', token: 5, status: 'applied', commit: 'c2', branch: 'ai/t-1', reason: '' },
    };
    expect(taskIn(given(...begun(), refuses(2), grant, made(4, 2), applied).project).closed).toMatchObject({
      status: 'accepted',
      commit: 'c2',
    });
  });
});

describe('an audit trail', () => {
  const ASKS = 'steps:\n  build: {role: implementer, gates: []}\n  look: {kind: human}\n';
  const answer = (reason: string): Input => ({
    ...{ type: 'step.answer', task: 't-1', step: 'look', decision: 'APPROVE', reason },
  });
  const asked = (trail: boolean): Input[] => [
    create('t-1', { workflow: expanded(`settings: {audit_trail: ${trail}}\n${ASKS}`).definition }),
    ...[grant, made(1, 1)],
  ];

  test('takes no answer of a person without a reason', () => {
    const { decision } = given(...asked(true)).when(answer(' '));
    expect(decision).toMatchObject({
      type: 'rejected',
      code: 'needs_reason',
      message: expect.stringContaining('--reason'),
    });
    expect(taskIn(given(...asked(true), answer('read it twice')).project).applying).not.toBeNull();
  });

  test('without the setting, a yes is enough', () => {
    expect(taskIn(given(...asked(false), answer('')).project).applying).not.toBeNull();
  });
});
