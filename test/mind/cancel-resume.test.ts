/** The operator's word on a task: cancel it at any place but one, resume what needed a person. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { NO_HOLDS } from '../../src/mind/domain/holds.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import { applying, BARE, cancel, closed, create, ended, GATED, gate, grant, resume, spec, taskIn } from './samples.ts';

const files = spec({ files: ['src/a.ts'] });
const start: Input = { type: 'effect.start', task: 't-1', kind: 'candidate.apply', token: 2 };
const gated = create('t-1', { workflow: GATED, ...files });

describe('a task can be cancelled', () => {
  test.each<[string, Input[], string]>([
    ['while it is ready', [create('t-1', files)], 'queued'],
    ['while it is parked', [create('t-1', files), grant, ended(1, 'transient')], 'waiting'],
    ['while a worker works', [create('t-1', files), grant], 'running'],
    ['while gates check', [gated, grant, ended(1, 'ok'), gate(1, 'lint', 'pass')], 'running'],
    ['before its apply has begun', [create('t-1', files), grant, ended(1, 'ok')], 'running'],
  ])('%s', (_, past, status) => {
    expect(statusOf(taskIn(given(...past).project))).toBe(status);
    const when = given(...past).when(cancel());
    when.then([closed('cancelled', 'enough')]);
    expect(statusOf(taskIn(when.project))).toBe('cancelled');
    expect(wantedBy(when.project, taskIn(when.project).id)).toEqual({ effects: [], timers: [] });
    expect(when.project.holds).toEqual({ ...NO_HOLDS, nextOrder: 2 });
    expect(taskIn(when.project)).toMatchObject({ locks: [], applying: null });
  });

  test('but not once its apply has begun', () => {
    given(create(), grant, ended(1, 'ok'), start)
      .when(cancel())
      .then(rejected('too_late', 'task t-1 is being applied: wait for it, then undo the commit'));
  });

  test('but not twice, and not when nobody knows it', () => {
    given(create(), cancel()).when(cancel()).then(rejected('task_closed', 'task t-1 is cancelled already'));
    given()
      .when(cancel())
      .then(rejected('unknown_task', 'no task t-1 in this project; `supervisor status` lists them'));
  });

  test('without a reason, which is then the plain one', () => {
    given(create())
      .when({ type: 'task.cancel', task: 't-1' })
      .then([closed('cancelled', 'cancelled by the operator')]);
  });
});

const reopened = (...opens: string[]) => fact('task/t-1', 'task.reopened', { opens, reason: 'again' });

describe('a task can be resumed', () => {
  test.each([
    ['fail', 'failed'],
    ['escalate', 'escalated'],
    ['block', 'blocked'],
  ] as const)('when its attempts were used up (%s): its step starts afresh', (on_exhausted, status) => {
    const past: Input[] = [create('t-1', { workflow: { ...BARE, on_exhausted } })];
    for (const token of [1, 2, 3]) past.push(grant, ended(token, 'invalid', { reason: 'no' }));
    expect(statusOf(taskIn(given(...past).project))).toBe(status);
    const when = given(...past).when(resume());
    when.then([reopened('build')]);
    expect(taskIn(when.project).steps.get('build')).toEqual({
      place: { at: 'ready', cli: 0 },
      attempts: 3,
      used: {},
      feedback: 'no',
      repeated: true,
      findings: [],
    });
    expect(statusOf(taskIn(when.project))).toBe('queued');
  });

  test('and its next attempt is numbered on, under a token of its own', () => {
    const { project } = given(create(), grant, ended(1, 'blocked'), resume(), grant);
    expect(taskIn(project).steps.get('build')?.place).toMatchObject({ attempt: { number: 2, token: 3 } });
  });

  test('and takes its locks anew', () => {
    const { project } = given(create('t-1', files), grant, ended(1, 'blocked'), resume(), grant);
    expect([...project.holds.locks]).toEqual([['file:src/a.ts', 't-1']]);
  });

  test('and goes straight to its apply when all steps were done', () => {
    const conflict: Input = { type: 'apply.report', task: 't-1', token: 2, status: 'conflict', commit: null };
    given(create(), grant, ended(1, 'ok'), conflict)
      .when(resume())
      .then([reopened(), applying(4)]);
  });

  test('and has a whole new age before it', () => {
    const day = 24 * 3_600_000;
    const age: Input = { type: 'timer.fire', task: 't-1', timer: 'age', step: null, token: 0 };
    const later = [create(), { send: age, at: NOON + day }, { send: resume(), at: NOON + 2 * day }];
    given(...later)
      .when({ send: age, at: NOON + 3 * day - 1 })
      .then(rejected('stale_timer', 'task t-1 no longer waits for its age timer'));
    given(...later)
      .when({ send: age, at: NOON + 3 * day })
      .then([closed('escalated', 'the task is older than task_age allows')]);
  });

  test('which resets the breakers of its open steps, and no others', () => {
    const counted = (lane: string) =>
      ({ stream: 'board', type: 'breaker.counted', data: { lane, at: NOON }, time: NOON }) as const;
    const lanes = ['build/claude', 'build/codex', 'builder/claude', 'alone/x'].map(counted);
    given(create(), grant, ended(1, 'blocked'), ...lanes)
      .when(resume())
      .then([
        fact('board', 'breaker.reset', { lane: 'build/claude' }),
        fact('board', 'breaker.reset', { lane: 'build/codex' }),
        reopened('build'),
      ]);
  });

  test('while it is open, which changes nothing', () => {
    given(create(), grant).when(resume()).then([]);
  });

  test('but not when it was accepted or cancelled, or when nobody knows it', () => {
    given(create(), cancel())
      .when(resume())
      .then(rejected('task_closed', 'task t-1 is cancelled: nothing is left to do'));
    const applied: Input = { type: 'apply.report', task: 't-1', token: 2, status: 'applied', commit: 'c0ffee' };
    given(create(), grant, ended(1, 'ok'), applied)
      .when(resume())
      .then(rejected('task_closed', 'task t-1 is accepted: nothing is left to do'));
    given()
      .when(resume())
      .then(rejected('unknown_task', 'no task t-1 in this project; `supervisor status` lists them'));
  });
});
