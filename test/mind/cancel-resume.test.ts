/** The operator's word on a task: cancel it at any place but one, resume what needed a person. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { NO_HOLDS } from '../../src/mind/domain/holds.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import {
  applying,
  BARE,
  cancel,
  closed,
  create,
  ended,
  GATED,
  gate,
  grant,
  limits,
  pause,
  resume,
  spec,
  taskIn,
  warnedOfAge,
  workflow,
} from './samples.ts';

const files = spec({ files: ['src/a.ts'] });
const start: Input = { type: 'effect.start', task: 't-1', stream: 'task/t-1', key: 't-1/-/2/candidate.apply' };
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
    expect(wantedBy(when.project, 'task/t-1')).toEqual({ effects: [], timers: [] });
    expect(when.project.holds).toEqual({ ...NO_HOLDS, nextOrder: 2 });
    expect(taskIn(when.project)).toMatchObject({ locks: [], applying: null });
  });

  test('but not once its apply has begun', () => {
    given(create(), grant, ended(1, 'ok'), start)
      .when(cancel())
      .then(rejected('too_late', 'task t-1 is being applied: wait for it, then undo the commit'));
  });

  test('but not what is escalated: the way to give it up is said', () => {
    given(create(), grant, ended(1, 'blocked'))
      .when(cancel())
      .then(
        rejected(
          'task_closed',
          'task t-1 is escalated already: `supervisor incidents resolve t-1 --abandon` gives it up',
        ),
      );
  });

  test('but not twice, and not an unknown one', () => {
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
      round: 1,
      reworks: 0,
      reviews: [],
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
    const end = { send: age, at: NOON + day + 30 * 60_000 };
    const later = [create(), { send: age, at: NOON + day }, end, { send: resume(), at: NOON + 2 * day }];
    given(...later)
      .when({ send: age, at: NOON + 3 * day - 1 })
      .then(rejected('stale_timer', 'task t-1 no longer waits for its age timer'));
    given(...later)
      .when({ send: age, at: NOON + 3 * day })
      .then([warnedOfAge()]);
  });

  test('and resets the breakers of its open steps, and no others', () => {
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

  test('with an answer, further paths and another chain: the task has them from then on', () => {
    const more = { say: 'the second way', allow: ['test/a.js'], cli: ['codex'] };
    const past = [create(), grant, ended(1, 'blocked')];
    const when = given(...past).when({ ...resume(), ...more } as Input);
    when.then([fact('task/t-1', 'task.reopened', { opens: ['build'], reason: 'again', ...more })]);
    expect(taskIn(when.project).spec).toMatchObject({
      text: 'do it\n\nThe operator adds:\nthe second way',
      allow: ['test/a.js'],
    });
    const next = given(...past, { ...resume(), ...more } as Input).when(grant);
    expect(next.decision.type === 'decided' && next.decision.events[0]?.data).toMatchObject({ cli: 'codex' });
  });

  test('but only the operator adds to it: a model that may resume tasks grants itself nothing', () => {
    const past = [{ type: 'mode.set', mode: 'AUTO' } as Input, create(), grant, ended(1, 'blocked')];
    for (const more of [{ say: 'yes' }, { allow: ['test/'] }, { cli: ['codex'] }])
      given(...past)
        .when({ send: { ...resume(), ...more } as Input, by: 'planner' })
        .then(rejected('not_allowed', 'only the operator may add to task t-1'));
    given(...past)
      .when({ send: resume(), by: 'planner' })
      .then([reopened('build')]);
  });

  test('an answer voids what was made before it: no candidate passes that never heard of it, and no old chain stays', () => {
    const two = create('t-1', { workflow: workflow([{ id: 'build', cli: ['claude', 'codex'], gates: ['tests'] }]) });
    const tired = limits({ crash_retries: 0 });
    const checking = [tired, two, grant, ended(1, 'crash'), grant, ended(2, 'ok')];
    const more = { ...resume(), say: 'do it otherwise', cli: ['gemini'] } as Input;
    const { project } = given(...checking, pause(), more);
    expect(taskIn(project).steps.get('build')?.place).toEqual({ at: 'ready', cli: 0 });
    const when = given(...checking, pause(), more).when(grant);
    expect(when.decision.type === 'decided' && when.decision.events[0]?.data).toMatchObject({ cli: 'gemini' });
    // Control: without an addition the gates simply go on.
    expect(taskIn(given(...checking, pause(), resume()).project).steps.get('build')?.place.at).toBe('checking');
  });

  test('a model resumes no task that the operator paused, and makes none with more rights than the project gives', () => {
    const auto = { type: 'mode.set', mode: 'AUTO' } as Input;
    given(auto, create(), pause())
      .when({ send: resume(), by: 'planner' })
      .then(rejected('not_allowed', 'the operator paused task t-1: only the operator resumes it'));
    given(auto)
      .when({ send: create('t-1', spec({ allow: ['**'] })), by: 'planner' })
      .then(rejected('not_allowed', 'only the operator may set allow of a task, not planner'));
  });

  test('a task that is running takes no addition: it is paused first', () => {
    given(create(), grant)
      .when({ ...resume(), say: 'wait' } as Input)
      .then(rejected('not_paused', 'task t-1 is running: `supervisor pause t-1` first, then add to it'));
  });

  test('but not when it was accepted or cancelled, nor an unknown one', () => {
    given(create(), cancel())
      .when(resume())
      .then(
        rejected(
          'task_closed',
          'task t-1 was cancelled, which is for good: start it again with `supervisor run` (`supervisor pause` stops a task for a while)',
        ),
      );
    const applied: Input = { type: 'apply.report', task: 't-1', token: 2, status: 'applied', commit: 'c0ffee' };
    given(create(), grant, ended(1, 'ok'), applied)
      .when(resume())
      .then(rejected('task_closed', 'task t-1 is accepted: nothing is left to do. `supervisor land t-1` lands it'));
    given()
      .when(resume())
      .then(rejected('unknown_task', 'no task t-1 in this project; `supervisor status` lists them'));
  });
});
