/** Timers are reminders: they act when the state still waits for exactly this, and are stale otherwise. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { fact, given, type Input, NOON, type Sent } from '../support/given.ts';
import {
  cancel,
  candidateOf,
  closed,
  counted,
  create,
  ended,
  GATED,
  grant,
  limits,
  placeIn,
  settled,
  TOO_OLD,
  taskIn,
  timer,
  warnedOfAge,
  workflow,
} from './samples.ts';

const stale = (name: string) => rejected('stale_timer', `task t-1 no longer waits for its ${name} timer`);
const WALL = 30 * 60_000;
const DAY = 24 * 3_600_000;

describe('a backoff timer', () => {
  const parked: Input[] = [create(), grant, ended(1, 'transient')];

  test('wakes its step when the time has come', () => {
    const when = given(...parked).when({ send: timer('backoff'), at: NOON + 2_000 });
    when.then([fact('task/t-1', 'step.woken', { step: 'build' })]);
    expect(placeIn(when.project)).toEqual({ at: 'ready', cli: 0 });
  });

  test('is stale a millisecond too early, and once the step is awake', () => {
    given(...parked)
      .when({ send: timer('backoff'), at: NOON + 1_999 })
      .then(stale('backoff'));
    given(...parked, { send: timer('backoff'), at: NOON + 2_000 })
      .when({ send: timer('backoff'), at: NOON + 2_000 })
      .then(stale('backoff'));
  });

  test('leaves the step at the CLI it was parked with', () => {
    const chain = workflow([{ id: 'build', cli: ['claude', 'codex'] }]);
    const past = [
      limits({ crash_retries: 0 }),
      create('t-1', { workflow: chain }),
      grant,
      ended(1, 'crash'),
      grant,
      ended(2, 'transient'),
    ];
    const { project } = given(...past, { send: timer('backoff'), at: NOON + 2_000 });
    expect(placeIn(project)).toEqual({ at: 'ready', cli: 1 });
  });
});

describe('a deadline timer', () => {
  const at = NOON + WALL;

  test('ends an attempt that did not report, as a timeout of unknown cost', () => {
    given(create(), grant)
      .when({ send: timer('deadline', { token: 1 }), at })
      .then([
        settled({
          class: 'timeout',
          reason: 'no outcome before the deadline',
          next: { do: 'retry', at: null, cli: 0, counter: 'crash' },
        }),
        counted('build/claude', at),
      ]);
  });

  test('is stale too early, for another attempt, for a step at its gates and for one that is ready', () => {
    const early = { send: timer('deadline', { token: 1 }), at: at - 1 };
    const due = { send: timer('deadline', { token: 1 }), at };
    given(create(), grant).when(early).then(stale('deadline'));
    given(create(), grant, ended(1, 'invalid'), grant).when(due).then(stale('deadline'));
    given(create('t-1', { workflow: GATED }), grant, ended(1, 'ok'))
      .when(due)
      .then(stale('deadline'));
    given(create()).when(due).then(stale('deadline'));
  });

  test('lets a late outcome of the attempt it ended be refused', () => {
    const { project } = given(create(), grant, { send: timer('deadline', { token: 1 }), at }, ended(1, 'ok'));
    expect(taskIn(project).refused).toBe(1);
  });
});

describe('an age timer', () => {
  const old = (past: Input[]) => given(...past).when({ send: timer('age'), at: NOON + DAY });
  const warned = (past: (Input | Sent)[]) => [...past, { send: timer('age'), at: NOON + DAY }];
  const SOON = NOON + DAY + 1_000;

  test.each<[string, Input[]]>([
    ['ready', [create()]],
    ['working', [create(), grant]],
    ['parked', [create(), grant, ended(1, 'transient')]],
    ['checking', [create('t-1', { workflow: GATED }), grant, ended(1, 'ok')]],
  ])('warns a task that is too old, also while a step is %s', (_, past) => {
    old(past).then([warnedOfAge()]);
  });

  test('allows one more try: the next attempt that fails ends the task', () => {
    const late = warned([create(), grant]);
    const next = [
      { send: ended(1, 'invalid'), at: SOON },
      { send: grant, at: SOON },
    ];
    const { project } = given(...late, ...next);
    expect(placeIn(project)).toMatchObject({ at: 'working', attempt: { number: 2 } });
    const guard = { name: 'age', state: 'escalate', count: DAY + 1_000, limit: DAY } as const;
    given(...late, ...next)
      .when({ send: ended(2, 'crash'), at: SOON })
      .then([
        settled({ class: 'crash', token: 2, guard, next: { do: 'close', status: 'escalated' } }),
        counted('build/claude', SOON),
        closed('escalated', `step build ended with crash; ${TOO_OLD}`),
      ]);
  });

  test('and lets that try succeed', () => {
    const late = warned([create()]);
    const { project } = given(...late, { send: grant, at: SOON }, { send: ended(1, 'ok'), at: SOON });
    expect(taskIn(project)).toMatchObject({ closed: null, open: [] });
  });

  describe('counts a way back as well', () => {
    const REVIEWED = workflow([
      { id: 'build' },
      { id: 'review', kind: 'answer', on_reject: 'build', rounds: 9 },
      { id: 'look', kind: 'human', on_reject: 'build' },
    ]);
    const said = (status: 'APPROVED' | 'CHANGES_REQUESTED') => ({
      step: 'review',
      candidate: null,
      answer: 'a'.repeat(64),
      said: { status, confidence: null, findings: null, vetoes: null, dismissed: null },
    });
    /** Change, review, rework: three tokens a round. */
    const round = (n: number, status: 'APPROVED' | 'CHANGES_REQUESTED'): Sent[] =>
      [
        ...[grant, ended(3 * n + 1, 'ok', { candidate: candidateOf(n + 1) })],
        ...[grant, ended(3 * n + 2, 'ok', said(status))],
      ].map((send) => ({ send, at: SOON }));
    const late = warned([create('t-1', { workflow: REVIEWED })]);

    test('the first is one more try, the second ends the task', () => {
      const first = [...late, ...round(0, 'CHANGES_REQUESTED')];
      expect(taskIn(given(...first).project)).toMatchObject({ closed: null, open: ['build'] });
      const { closed: end } = taskIn(given(...first, ...round(1, 'CHANGES_REQUESTED')).project);
      expect(end).toMatchObject({ status: 'escalated', reason: expect.stringContaining(TOO_OLD) });
    });

    test('a person who pauses and resumes it gives it one more', () => {
      const again: Sent[] = [
        { send: { type: 'task.pause', task: 't-1', reason: '' }, at: SOON },
        { send: { type: 'task.resume', task: 't-1', reason: 'again' }, at: SOON },
      ];
      const { project } = given(...late, ...round(0, 'CHANGES_REQUESTED'), ...again, ...round(1, 'CHANGES_REQUESTED'));
      expect(taskIn(project)).toMatchObject({ closed: null, open: ['build'] });
    });

    test('the time of a person is not the age of a task: after an answer it counts anew', () => {
      const answer: Input = { type: 'step.answer', task: 't-1', step: 'look', decision: 'REJECT', reason: 'no' };
      const past: (Input | Sent)[] = [
        create('t-1', { workflow: REVIEWED }),
        ...round(0, 'APPROVED').map(({ send }) => send),
        { send: answer, at: NOON + 5 * DAY },
      ];
      given(...past)
        .when({ send: timer('age'), at: NOON + 6 * DAY - 1 })
        .then(stale('age'));
      given(...past)
        .when({ send: timer('age'), at: NOON + 6 * DAY })
        .then([warnedOfAge()]);
    });
  });

  test('an attempt that was lost or interrupted was no try', () => {
    const late = warned([create()]);
    const { project } = given(...late, { send: grant, at: SOON }, { send: ended(1, 'lost'), at: SOON });
    expect(placeIn(project)).toEqual({ at: 'ready', cli: 0 });
  });

  test('nothing is waited for beyond the time of one attempt: a second one ends the task', () => {
    const late = warned([create()]);
    given(...late)
      .when({ send: timer('age'), at: NOON + DAY + WALL - 1 })
      .then(stale('age'));
    given(...late)
      .when({ send: timer('age'), at: NOON + DAY + WALL })
      .then([closed('escalated', TOO_OLD)]);
    // What is under way may end.
    given(...late, { send: grant, at: SOON })
      .when({ send: timer('age'), at: NOON + DAY + WALL })
      .then(stale('age'));
  });

  test('waits for an apply, which must not be torn', () => {
    old([create(), grant, ended(1, 'ok')]).then(stale('age'));
  });

  test('is stale a millisecond too early, and follows the limits in force', () => {
    given(create())
      .when({ send: timer('age'), at: NOON + DAY - 1 })
      .then(stale('age'));
    given(create(), limits({ task_age_ms: 2 * DAY }))
      .when({ send: timer('age'), at: NOON + DAY })
      .then(stale('age'));
  });
});

describe('any timer', () => {
  test.each(['backoff', 'deadline', 'age'] as const)(
    '(%s) is stale for a task that is closed, unknown, or has no such step',
    (name) => {
      const at = NOON + DAY;
      given(create(), grant, cancel())
        .when({ send: timer(name), at })
        .then(stale(name));
      given()
        .when({ send: timer(name), at })
        .then(stale(name));
      if (name === 'age') return;
      given(create())
        .when({ send: timer(name, { step: 'other' }), at })
        .then(stale(name));
      given(create())
        .when({ send: timer(name, { step: null }), at })
        .then(stale(name));
    },
  );
});
