import { describe, expect, test } from 'vitest';
import type { TaskId } from '../../src/kernel/ids.ts';
import type { Draft } from '../../src/mind/domain/draft.ts';
import { EVENTS, type NewEvent } from '../../src/mind/domain/events/index.ts';
import { currentForm } from '../../src/mind/domain/events/upcasts.ts';
import { EMPTY_PROJECT } from '../../src/mind/domain/project.ts';
import { BOARD, GOAL, streamId, streamKind, taskStream } from '../../src/mind/domain/stream-name.ts';
import { evolve, reducerOf, rowOf } from '../../src/mind/domain/streams.ts';

describe('a stream', () => {
  test('of every kind that an event is declared for is declared itself', () => {
    for (const { stream } of EVENTS) expect(reducerOf(`${stream}/x`)).toBeGreaterThanOrEqual(1);
  });

  test('takes only events of its own kind: anything else does not compile', () => {
    // Never called: the compiler is the test.
    const writes = (draft: Draft): void => {
      draft.emit(GOAL, { type: 'goal.set', data: { text: 'x' } });
      // @ts-expect-error a goal's event on the board
      draft.emit(BOARD, { type: 'goal.set', data: { text: 'x' } });
      // @ts-expect-error a board's event on a task
      draft.emit(taskStream('t-1' as TaskId), { type: 'breaker.reset', data: { lane: 'x' } });
      // @ts-expect-error a plain text is not the name of a stream
      draft.emit('board', { type: 'breaker.reset', data: { lane: 'x' } });
    };
    expect(writes).toBeTypeOf('function');
  });

  test('of a kind that is not declared is refused', () => {
    const event = { type: 'goal.set', data: { text: 'x' }, stream: 'toString/x', time: 1 } as const;
    expect(() => evolve(EMPTY_PROJECT, event)).toThrow('no kind of stream "toString" is declared');
  });

  test('has its id behind the slash, slashes included', () => {
    expect(['board', 'task/t-1', 'line/feature/x'].map(streamId)).toEqual(['', 't-1', 'feature/x']);
    expect(streamKind('line/feature/x')).toBe('line');
  });
});

describe('the row of a stream stays small, however large its state is:', () => {
  const event = (stream: string, type: string, data: object): NewEvent =>
    ({ stream, type, data, time: 1 }) as unknown as NewEvent;
  const sizeOf = (stream: string, events: readonly NewEvent[]): number =>
    JSON.stringify(rowOf(events.reduce(evolve, EMPTY_PROJECT), stream)).length;

  test('a goal of 20,000 characters', () => {
    const text = '🦊'.repeat(10_000);
    expect(sizeOf('goal', [event('goal', 'goal.set', { text })])).toBeLessThan(2_500);
    const { summary } = rowOf(evolve(EMPTY_PROJECT, event('goal', 'goal.set', { text })), 'goal');
    expect((summary as { text: string }).text).toMatch(/^(🦊)+…$/u);
  });

  test('a thousand open breakers, a thousand parked CLIs', () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `implementer/cli-${n}`);
    const opened = names.map((lane) => event('board', 'breaker.opened', { lane }));
    expect(sizeOf('board', opened)).toBeLessThan(2_500);
    const parked = { at: 1, until: 2, told: true, tries: 1, why: 'x'.repeat(2_000) };
    const all = names.map((cli) => event('host', 'cli.parked', { cli, ...parked }));
    expect(sizeOf('host', all)).toBeLessThan(4_000);
  });

  test('a task with a title of 2,000 characters', () => {
    const given = { task: 't-1', title: 'long '.repeat(400), spec: { version: 1, text: 'x'.repeat(100_000) } };
    const more = { onto: 'main', base: null, workflow: 'a'.repeat(64), priority: 5, order: 1, opens: [], trace: 'x' };
    const created = event('task/t-1', 'task.created', { ...given, ...more });
    expect(sizeOf('task/t-1', [created])).toBeLessThan(700);
  });
});

describe('a stored event', () => {
  test('of the newest version is taken as it is', () => {
    const stored = { type: 'goal.set.1', stream: 'goal', data: { text: 'x' } };
    expect(currentForm(stored)).toEqual({ type: 'goal.set', data: { text: 'x' } });
  });

  test.each(['goal.set.99', 'goal.moved.1', 'toString', 'constructor.1'])('of type %s is unknown', (type) => {
    expect(currentForm({ type, stream: 'goal', data: {} })).toBeNull();
  });
});
