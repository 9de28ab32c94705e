/** Breakers: failures of a role at a CLI are counted within a window; too many close the lane until a person resets it. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { fact, given, NOON, type Sent } from '../support/given.ts';
import {
  closed,
  counted,
  create,
  ended,
  ends,
  grant,
  limits,
  settled,
  startedTasks,
  taskIn,
  workflow,
} from './samples.ts';

const LANE = 'build/claude';
const opened = fact('board', 'breaker.opened', { lane: LANE, failures: 3 });
const three = limits({ breaker: { failures: 3, window_ms: 60_000 }, crash_retries: 100 });
const crash = (token: number, at: number): Sent[] => [
  { send: grant, at },
  { send: ended(token, 'crash'), at },
];
const retried = (token: number) =>
  settled({ class: 'crash', token, next: { do: 'retry', at: null, cli: 0, counter: 'crash' } });

describe('a breaker', () => {
  test('opens with the failure that makes too many within its window', () => {
    const now = NOON + 20_000;
    given(three, create(), ...crash(1, NOON), ...crash(2, NOON + 10_000), { send: grant, at: now })
      .when({ send: ended(3, 'crash'), at: now })
      .then([retried(3), counted(LANE, now), opened]);
  });

  test('forgets failures that are older than its window, to the millisecond', () => {
    const third = (now: number) =>
      given(three, create(), ...crash(1, NOON), ...crash(2, NOON + 10_000), { send: grant, at: now }).when({
        send: ended(3, 'crash'),
        at: now,
      });
    third(NOON + 59_999).then([retried(3), counted(LANE, NOON + 59_999), opened]);
    third(NOON + 60_000).then([retried(3), counted(LANE, NOON + 60_000)]);
    expect(third(NOON + 60_000).project.board.breakers.get(LANE)?.failures).toEqual([NOON + 10_000, NOON + 60_000]);
  });

  test('opens with five failures in five minutes where nothing else is said', () => {
    const many = limits({ crash_retries: 100 });
    const past = [1, 2, 3, 4].flatMap((token) => crash(token, NOON));
    const { project } = given(many, create(), ...past);
    expect(project.board.breakers.get(LANE)?.open).toBe(false);
    expect(given(many, create(), ...past, ...crash(5, NOON + 299_999)).project.board.breakers.get(LANE)?.open).toBe(
      true,
    );
    expect(given(many, create(), ...past, ...crash(5, NOON + 300_000)).project.board.breakers.get(LANE)?.open).toBe(
      false,
    );
  });

  test('counts per role and CLI: steps of one role share it, another CLI does not', () => {
    const answer = { kind: 'answer', role: 'coder', needs: [] as string[] } as const;
    const three = [
      { ...answer, id: 'a' },
      { ...answer, id: 'b' },
      { ...answer, id: 'c', cli: ['codex'] },
    ];
    const definition = workflow(three.map((step) => ({ ...step, needs: [] })));
    const ends = ['a', 'b', 'c'].map((step, n) => ended(n + 1, 'crash', { step }));
    const { project } = given(
      limits({ slots: { total: 3, per_cli: {} } }),
      create('t-1', { workflow: definition }),
      grant,
      ...ends,
    );
    expect([...project.board.breakers].map(([lane, { failures }]) => [lane, failures.length])).toEqual([
      ['coder/claude', 2],
      ['coder/codex', 1],
    ]);
  });
});

describe('retries of a transient failure', () => {
  const aggressive = { tries: 5, first_ms: 1_000, factor: 1.5, max_ms: 60_000 };
  const patient = workflow([{ id: 'build', retry: aggressive }]);
  const wake = (task: string): Sent['send'] => ({
    type: 'timer.fire',
    task,
    timer: 'backoff',
    step: 'build',
    token: 0,
  });
  const fails = (token: number, at: number, task = 't-1'): Sent[] => [
    { send: grant, at },
    { send: ended(token, 'transient', { task }), at },
    { send: wake(task), at: at + 9_000 },
  ];
  const seconds = (n: number) => NOON + n * 10_000;

  test('are all used by a step that fails alone; the last failure opens the breaker', () => {
    const past = [1, 2, 3, 4, 5].flatMap((n) => fails(n, seconds(n)));
    const five = given(create('t-1', { workflow: patient }), ...past);
    expect(five.project.board.breakers.get(LANE)).toMatchObject({ open: false, failures: { length: 5 } });
    const end = five.when({ send: grant, at: seconds(6) });
    expect(end.decision.type === 'decided' && startedTasks(end.decision.events)).toEqual(['t-1']);
    given(create('t-1', { workflow: patient }), ...past, { send: grant, at: seconds(6) })
      .when({ send: ended(6, 'transient'), at: seconds(6) })
      .then([
        ends('transient', 6, 'failed'),
        counted(LANE, seconds(6)),
        fact('board', 'breaker.opened', { lane: LANE, failures: 6 }),
        closed('failed', 'step build ended with transient'),
      ]);
  });

  test('stop at the limit as soon as another task fails in the same lane', () => {
    const one = [1, 2, 3, 4].flatMap((n) => fails(n, seconds(n)));
    const slots = limits({ slots: { total: 2, per_cli: {} } });
    const { project } = given(
      slots,
      ...[create('t-1', { workflow: patient }), ...one],
      { send: { type: 'task.cancel', task: 't-1', reason: 'enough' }, at: seconds(5) },
      ...[create('t-2', { workflow: patient }), ...fails(1, seconds(5), 't-2')],
    );
    expect(project.board.breakers.get(LANE)).toMatchObject({ open: true, failures: { length: 5 } });
  });
});

describe('an open breaker', () => {
  const broken = [three, create(), ...crash(1, NOON), ...crash(2, NOON), ...crash(3, NOON)];

  test('keeps every task of its lane waiting, and lets others pass', () => {
    const past = [...broken, create('t-2'), create('t-3', { workflow: workflow([{ id: 'build', cli: ['codex'] }]) })];
    const when = given(...past).when(grant);
    expect(when.decision.type === 'decided' && startedTasks(when.decision.events)).toEqual(['t-3']);
    for (const id of ['t-1', 't-2']) {
      expect(waitsFor(when.project, taskIn(when.project, id), NOON)).toEqual([
        'build: breaker build/claude, open after repeated failures (`supervisor reset claude` when it works again)',
      ]);
    }
  });

  test('stays open as time goes by', () => {
    given(...broken)
      .when({ send: grant, at: NOON + 23 * 3_600_000 })
      .then([]);
  });

  test('is closed by the operator’s word, and its failures are forgotten', () => {
    const reset = { type: 'breaker.reset', lane: LANE } as const;
    given(...broken)
      .when(reset)
      .then([fact('board', 'breaker.reset', { lane: LANE })]);
    const when = given(...broken, reset).when(grant);
    expect(when.decision.type === 'decided' && startedTasks(when.decision.events)).toEqual(['t-1']);
    expect(when.project.board.breakers.size).toBe(0);
  });

  test('is not opened again by failures of attempts that were still under way', () => {
    const slots = limits({
      breaker: { failures: 1, window_ms: 60_000 },
      crash_retries: 9,
      slots: { total: 2, per_cli: {} },
    });
    given(slots, create(), create('t-2'), grant, ended(1, 'crash'))
      .when(ended(1, 'crash', { task: 't-2' }))
      .then([
        settled({ class: 'crash', next: { do: 'retry', at: null, cli: 0, counter: 'crash' } }, 't-2'),
        counted(LANE),
      ]);
  });
});

test('a breaker that has counted nothing cannot be reset', () => {
  given()
    .when({ type: 'breaker.reset', lane: LANE })
    .then(rejected('unknown_breaker', 'no breaker build/claude has counted a failure'));
});
