/** Outcomes that come too late, from a fenced-off worker or for a closed task: kept as facts, bounded, without effect. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { fact, given, type Input } from '../support/given.ts';
import { cancel, create, ended, GATED, gate, grant, taskIn } from './samples.ts';

type Kind = 'worker.run' | 'gate.run' | 'candidate.apply';
const refused = (token: number, kind: Kind, reason: string, step: string | null = 'build') =>
  fact('task/t-1', 'outcome.refused', { step, token, kind, reason });
const notUnderWay = (token: number) => `token ${token} is not the one under way`;
const applied = (token: number): Input => ({
  type: 'apply.report',
  task: 't-1',
  token,
  status: 'applied',
  commit: 'c0ffee',
});

describe('a late outcome', () => {
  test('of an older attempt is refused and recorded', () => {
    given(create(), grant, ended(1, 'invalid'), grant)
      .when(ended(1, 'ok'))
      .then([refused(1, 'worker.run', notUnderWay(1))]);
  });

  test('that came once already is refused and recorded', () => {
    given(create(), grant, ended(1, 'invalid'))
      .when(ended(1, 'invalid'))
      .then([refused(1, 'worker.run', notUnderWay(1))]);
  });

  test('under a token that was never given out is refused and recorded', () => {
    given(create(), grant)
      .when(ended(7, 'ok'))
      .then([refused(7, 'worker.run', notUnderWay(7))]);
  });

  test('of a worker whose candidate is being checked is refused and recorded', () => {
    given(create('t-1', { workflow: GATED }), grant, ended(1, 'ok'))
      .when(ended(1, 'ok'))
      .then([refused(1, 'worker.run', notUnderWay(1))]);
  });

  test('of a gate is refused when the attempt is another, or none', () => {
    const failed = [
      create('t-1', { workflow: GATED }),
      grant,
      ended(1, 'ok'),
      gate(1, 'lint', 'pass'),
      gate(1, 'tests', 'fail'),
    ];
    given(...failed)
      .when(gate(1, 'tests', 'pass'))
      .then([refused(1, 'gate.run', notUnderWay(1))]);
    given(...failed, grant, ended(2, 'ok'))
      .when(gate(1, 'tests', 'pass'))
      .then([refused(1, 'gate.run', notUnderWay(1))]);
  });

  test('of a closed task is refused with what became of the task', () => {
    given(create(), grant, cancel())
      .when(ended(1, 'ok'))
      .then([refused(1, 'worker.run', 'the task is cancelled')]);
    given(create('t-1', { workflow: GATED }), grant, ended(1, 'ok'), cancel())
      .when(gate(1, 'tests', 'pass'))
      .then([refused(1, 'gate.run', 'the task is cancelled')]);
    given(create(), grant, ended(1, 'ok'), cancel())
      .when(applied(2))
      .then([refused(2, 'candidate.apply', 'the task is cancelled', null)]);
  });

  test('of an apply that is not the one wanted is refused', () => {
    given(create(), grant, ended(1, 'ok'))
      .when(applied(1))
      .then([refused(1, 'candidate.apply', notUnderWay(1), null)]);
  });

  test('changes nothing but the count of those refused', () => {
    const before = given(create(), grant, ended(1, 'invalid'), grant);
    const after = before.when(ended(1, 'ok')).project;
    expect(taskIn(after)).toEqual({ ...taskIn(before.project), refused: 1 });
    expect(after.holds).toEqual(before.project.holds);
    expect(after.board).toBe(before.project.board);
  });

  test('does not settle an attempt of the task’s next life', () => {
    given(create(), grant, ended(1, 'blocked'), { type: 'task.resume', task: 't-1' }, grant)
      .when(ended(1, 'ok'))
      .then([refused(1, 'worker.run', notUnderWay(1))]);
  });
});

test('a hundred refused outcomes are recorded per task, no more', () => {
  const past = Array.from({ length: 100 }, () => ended(9, 'ok'));
  const { project } = given(create(), ...past);
  expect(taskIn(project).refused).toBe(100);
  for (const [late, token] of [
    [ended(9, 'ok'), 9],
    [gate(8, 'tests', 'pass'), 8],
    [applied(7), 7],
  ] as const) {
    given(create(), ...past)
      .when(late)
      .then(rejected('late_outcome', `outcome ${token} of t-1 comes too late`));
  }
});
