/** Failures that are tried again: with a wait, at another CLI, or as often as it takes; each by its own counter. */
import { describe, expect, test } from 'vitest';
import { statusOf } from '../../src/mind/domain/task.ts';
import type { OutcomeClass } from '../../src/mind/domain/values.ts';
import { given, type Input, NOON } from '../support/given.ts';
import {
  again,
  BARE,
  closed,
  counted,
  create,
  ended,
  ends,
  grant,
  history,
  limits,
  placeIn,
  settled,
  started,
  taskIn,
  workflow,
} from './samples.ts';

const LANE = 'build/claude';

describe('a transient failure', () => {
  const parked = (token: number, wait: number) =>
    settled({ class: 'transient', token, next: { do: 'retry', at: NOON + wait, cli: 0, counter: 'transient' } });
  const wake: Input = { type: 'timer.fire', task: 't-1', timer: 'backoff', step: 'build', token: 0 };
  const later = (n: number) => NOON + n * 60_000;
  const tries = (n: number) =>
    Array.from({ length: n }, (_, k) => [
      { send: grant, at: later(k) },
      { send: ended(k + 1, 'transient'), at: later(k) },
      { send: wake, at: later(k + 1) },
    ]).flat();

  test.each([
    [0, 1_800],
    [0.5, 2_000],
    [0.75, 2_100],
  ])('waits with a jitter by the dice: %d means %d ms', (dice, wait) => {
    const when = given(create(), grant).when({ send: ended(1, 'transient'), dice });
    when.then([parked(1, wait), counted(LANE)]);
    expect(placeIn(when.project)).toEqual({ at: 'parked', cli: 0, until: NOON + wait, why: 'transient' });
    expect(statusOf(taskIn(when.project))).toBe('waiting');
  });

  test.each([1, 2])('waits twice as long after %d more', (n) => {
    const past = tries(n);
    const now = later(n);
    given(create(), ...past, { send: grant, at: now })
      .when({ send: ended(n + 1, 'transient'), at: now })
      .then([
        settled({
          class: 'transient',
          token: n + 1,
          next: { do: 'retry', at: now + 2_000 * 2 ** n, cli: 0, counter: 'transient' },
        }),
        counted(LANE, now),
      ]);
  });

  test('has three retries, then the step is used up', () => {
    const now = later(3);
    given(limits({ breaker: { failures: 100, window_ms: 1 } }), create(), ...tries(3), { send: grant, at: now })
      .when({ send: ended(4, 'transient'), at: now })
      .then([ends('transient', 4, 'failed'), counted(LANE, now), closed('failed', 'step build ended with transient')]);
  });
});

describe('a chain of CLIs', () => {
  const chain = workflow([{ id: 'build', cli: ['claude', 'codex', 'gemini'] }]);

  test('moves on when the retries of the first are used up', () => {
    given(...history(['crash'], chain))
      .when(ended(2, 'crash'))
      .then([again('crash', 2, 'none', 1), counted(LANE)]);
    given(...history(['crash', 'crash'], chain).slice(0, -1))
      .when(grant)
      .then([started({ cli: 'codex', attempt: 3, token: 3 })]);
  });

  test('gives each further CLI its own retries, and ends with the last', () => {
    const outcomes: OutcomeClass[] = ['crash', 'timeout', 'killed', 'crash', 'crash'];
    given(...history(outcomes.slice(0, 2), chain))
      .when(ended(3, 'timeout'))
      .then([again('timeout', 3, 'crash', 1), counted('build/codex')]);
    given(...history(outcomes, chain))
      .when(ended(6, 'resource_limit'))
      .then([
        ends('resource_limit', 6, 'failed'),
        counted('build/gemini'),
        closed('failed', 'step build ended with resource_limit'),
      ]);
  });

  test('stays where it is for bad candidates, losses and interruptions', () => {
    for (const [outcome, counter] of [
      ['invalid', 'candidates'],
      ['lost', 'lost'],
      ['interrupted', 'none'],
    ] as const) {
      given(...history(['crash', 'crash'], chain))
        .when(ended(3, outcome))
        .then([again(outcome, 3, counter, 1)]);
    }
  });
});

describe('an attempt that failed without a fault of the change', () => {
  test('may be interrupted for ever', () => {
    given(...history(Array<OutcomeClass>(200).fill('interrupted')))
      .when(ended(201, 'interrupted'))
      .then([again('interrupted', 201, 'none')]);
  });

  test('may be lost ten times; then a person has to look, whatever the workflow says', () => {
    const lost = (n: number) => history(Array<OutcomeClass>(n).fill('lost'), { ...BARE, on_exhausted: 'block' });
    given(...lost(9))
      .when(ended(10, 'lost'))
      .then([again('lost', 10, 'lost')]);
    given(...lost(10))
      .when(ended(11, 'lost'))
      .then([ends('lost', 11, 'escalated'), closed('escalated', 'step build ended with lost')]);
  });

  test('that ends in an unknown way is tried once more, then a person has to look', () => {
    given(...history([]))
      .when(ended(1, 'unknown'))
      .then([again('unknown', 1, 'unknown'), counted(LANE)]);
    given(...history(['unknown']))
      .when(ended(2, 'unknown'))
      .then([ends('unknown', 2, 'escalated'), counted(LANE), closed('escalated', 'step build ended with unknown')]);
  });
});
