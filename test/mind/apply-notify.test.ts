/** The end of a task: its candidate is applied once, its person is told at most once. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { fact, given, type Input } from '../support/given.ts';
import { branchName, cancel, closed, create, ended, grant, resume, spec, taskIn } from './samples.ts';

const key = (kind: string, token: number) => `t-1/-/${token}/${kind}`;
type Kind = 'worker.run' | 'gate.run' | 'candidate.apply' | 'notify.send';
const start = (kind: Kind, token: number): Input => ({
  type: 'effect.start',
  task: 't-1',
  stream: 'task/t-1',
  key: key(kind, token),
});
const startedFact = (kind: Kind, token: number) =>
  fact('task/t-1', 'effect.started', { key: key(kind, token), kind, token });
const settledFact = (kind: Kind, token: number, result: string) =>
  fact('task/t-1', 'effect.settled', { key: key(kind, token), kind, token, result });

type Apply = Extract<Input, { type: 'apply.report' }>;
const apply = (status: Apply['status'], over: Partial<Apply> = {}): Apply => ({
  type: 'apply.report',
  task: 't-1',
  token: 2,
  status,
  commit: null,
  ...over,
});
const checked: Input[] = [create(), grant, ended(1, 'ok')];

describe('an apply', () => {
  test('has its intent logged before the hand acts, once', () => {
    given(...checked)
      .when(start('candidate.apply', 2))
      .then([startedFact('candidate.apply', 2)]);
    given(...checked, start('candidate.apply', 2))
      .when(start('candidate.apply', 2))
      .then(rejected('duplicate_effect', 't-1/-/2/candidate.apply has started'));
  });

  test('that succeeded accepts the task with its commit', () => {
    given(...checked, start('candidate.apply', 2))
      .when(apply('applied', { commit: 'c0ffee', branch: 'ai/t-1' }))
      .then([
        settledFact('candidate.apply', 2, 'applied'),
        closed('accepted', 'all steps are done', { commit: 'c0ffee', branch: 'ai/t-1' }),
      ]);
  });

  test('that was only played accepts the task without commit and branch', () => {
    given(...checked, start('candidate.apply', 2))
      .when(apply('applied'))
      .then([settledFact('candidate.apply', 2, 'applied'), closed('accepted', 'all steps are done')]);
  });

  test.each(['conflict', 'error'] as const)('that ended with %s needs a person', (status) => {
    given(...checked, start('candidate.apply', 2))
      .when(apply(status))
      .then([
        settledFact('candidate.apply', 2, status),
        closed('escalated', `the candidate could not be applied: ${status}`),
      ]);
    given(...checked)
      .when(apply(status, { reason: 'main has moved' }))
      .then([settledFact('candidate.apply', 2, status), closed('escalated', 'main has moved')]);
  });

  test('is tried again under a new token when the operator resumes the task', () => {
    const { project } = given(...checked, start('candidate.apply', 2), apply('conflict'), resume());
    expect(taskIn(project)).toMatchObject({ applying: { token: 4, branch: branchName() }, started: [], closed: null });
  });

  test('of an unknown task is rejected', () => {
    given().when(apply('applied')).then(rejected('unknown_attempt', 'no task t-1 is known'));
  });
});

describe('an intent', () => {
  const stale = (kind: Kind, token: number) => rejected('stale_effect', `${key(kind, token)} is no longer wanted`);

  test('is refused when the effect is not wanted, or under another token', () => {
    given().when(start('candidate.apply', 1)).then(stale('candidate.apply', 1));
    given(create()).when(start('candidate.apply', 0)).then(stale('candidate.apply', 0));
    given(...checked)
      .when(start('candidate.apply', 1))
      .then(stale('candidate.apply', 1));
    given(...checked)
      .when(start('notify.send', 2))
      .then(stale('notify.send', 2));
    given(...checked, cancel())
      .when(start('candidate.apply', 2))
      .then(stale('candidate.apply', 2));
  });

  test.each(['worker.run', 'gate.run'] as const)(
    'of %s is never logged: the attempt itself says so, or it is repeated',
    (kind) => {
      given(create('t-1', spec({ notify: true })), grant, cancel())
        .when(start(kind, 1))
        .then(stale(kind, 1));
      given(...checked)
        .when(start(kind, 2))
        .then(stale(kind, 2));
    },
  );
});

describe('a notification', () => {
  const told: Input[] = [create('t-1', spec({ notify: true })), grant, cancel()];
  const report = (token: number): Input => ({ type: 'notify.report', task: 't-1', token, result: 'sent' });
  const refusal = rejected('duplicate_outcome', 'task t-1 waits for no notification');

  test('is wanted when the task is closed and its spec asks for it', () => {
    expect(taskIn(given(...told).project).notify).toBe(true);
    expect(taskIn(given(create(), cancel()).project).notify).toBe(false);
  });

  test('has its intent logged, and is then settled once', () => {
    given(...told)
      .when(start('notify.send', 1))
      .then([startedFact('notify.send', 1)]);
    given(...told, start('notify.send', 1))
      .when(report(1))
      .then([settledFact('notify.send', 1, 'sent')]);
    given(...told, start('notify.send', 1), report(1))
      .when(report(1))
      .then(refusal);
    expect(taskIn(given(...told, start('notify.send', 1), report(1)).project)).toMatchObject({
      notify: false,
      started: [],
    });
  });

  test('that is no longer wanted is rejected', () => {
    given().when(report(1)).then(refusal);
    given(create()).when(report(0)).then(refusal);
    given(...told)
      .when(report(0))
      .then(refusal);
  });

  test('of the task’s next life is another one, and the old report does not settle it', () => {
    const again: Input[] = [
      create('t-1', spec({ notify: true })),
      grant,
      ended(1, 'blocked'),
      start('notify.send', 1),
      resume(),
      cancel(),
    ];
    expect(taskIn(given(...again).project)).toMatchObject({ notify: true, token: 2, started: [] });
    given(...again)
      .when(report(1))
      .then(refusal);
    given(...again)
      .when(report(2))
      .then([settledFact('notify.send', 2, 'sent')]);
  });
});
