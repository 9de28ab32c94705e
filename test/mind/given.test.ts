/** The helper that all tests of the mind lean on sees what it promises to see. */
import { describe, expect, test } from 'vitest';
import { OrderedMap } from '../../src/kernel/ordered-map.ts';
import { rejected } from '../../src/kernel/result.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { fact, follow, given, NOON } from '../support/given.ts';
import { create, grant, started } from './samples.ts';

describe('given', () => {
  test('takes commands and events alike', () => {
    const event = { ...fact('goal', 'goal.set', { text: 'ship' }), time: NOON } as NewEvent;
    expect(given(event).project).toEqual(given({ type: 'goal.set', text: 'ship' }).project);
  });

  test('refuses a past that could not have been', () => {
    expect(() => given({ type: 'task.cancel', task: 't-1' })).toThrow('which is rejected: no task t-1');
  });

  test('fails on other events, on fewer, on more, and on a refusal in their place', () => {
    const when = given(create()).when(grant);
    when.then([started()]);
    expect(() => when.then([started({ attempt: 2 })])).toThrow();
    expect(() => when.then([])).toThrow();
    expect(() => when.then([started(), started()])).toThrow();
    expect(() => when.then(rejected('no', 'no'))).toThrow();
  });

  test('fails when an event does not say the same after it was stored', () => {
    const told = new Date(NOON) as unknown as string;
    const event = { ...fact('goal', 'goal.set', { text: told }), time: NOON } as NewEvent;
    expect(() => given(event)).toThrow();
    expect(() => follow(given().project, event)).toThrow();
  });

  test('compares ordered maps by what they hold', () => {
    const one = OrderedMap.from([['a', { deep: [1] }]]);
    expect(one).toEqual(OrderedMap.from([['a', { deep: [1] }]]));
    expect(one).not.toEqual(OrderedMap.from([['a', { deep: [2] }]]));
    expect(one).not.toEqual(OrderedMap.from([['b', { deep: [1] }]]));
    expect({ map: one }).not.toEqual({ map: OrderedMap.empty() });
  });
});
