/** The scheduler: slots in all and per CLI, by priority, then first come, first served. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given, type Input } from '../support/given.ts';
import { create, ended, grant, limits, spec, started, startedTasks, workflow } from './samples.ts';

const slots = (total: number, per_cli: Record<string, number> = {}) => limits({ slots: { total, per_cli } });
const by = (cli: string) => ({ workflow: workflow([{ id: 'build', cli: [cli] }]) });
const granted = (...past: Input[]) => {
  const { decision } = given(...past).when(grant);
  return decision.type === 'decided' ? startedTasks(decision.events) : decision;
};

describe('slots', () => {
  test('are all given out at once, and no more than there are', () => {
    given(create('t-1'), create('t-2'), create('t-3'))
      .when(grant)
      .then([started({}, 't-1'), started({}, 't-2')]);
  });

  test('are given out again when an attempt ends, and not before', () => {
    const busy = [slots(1), create('t-1'), create('t-2'), grant];
    expect(granted(...busy)).toEqual([]);
    expect(granted(...busy, ended(1, 'ok'))).toEqual(['t-2']);
  });

  test('stay taken while gates check', () => {
    const gated = { workflow: workflow([{ id: 'build', gates: ['tests'] }]) };
    expect(granted(slots(1), create('t-1', gated), create('t-2'), grant, ended(1, 'ok'))).toEqual([]);
  });

  test('of one CLI can be fewer than there are in all', () => {
    const tasks = [
      create('t-1', by('claude')),
      create('t-2', by('claude')),
      create('t-3', by('codex')),
      create('t-4', by('codex')),
    ];
    expect(granted(slots(4, { claude: 1 }), ...tasks)).toEqual(['t-1', 't-3', 't-4']);
    expect(granted(slots(4, { claude: 0, codex: 1 }), ...tasks)).toEqual(['t-3']);
  });

  test('of one CLI are never more than there are in all', () => {
    expect(granted(slots(1, { claude: 5 }), create('t-1'), create('t-2'))).toEqual(['t-1']);
  });

  test('that were taken away while attempts run are not given out', () => {
    expect(
      granted(slots(3), create('t-1'), create('t-2'), create('t-3'), grant, slots(1), create('t-4'), ended(1, 'ok')),
    ).toEqual([]);
  });

  test('go to several steps of one task', () => {
    const fork = workflow([
      { id: 'a', kind: 'answer' },
      { id: 'b', kind: 'answer', needs: [] },
    ]);
    expect(granted(create('t-1', { workflow: fork }))).toEqual(['t-1', 't-1']);
  });
});

describe('the order', () => {
  test('is by priority, nine first', () => {
    expect(granted(slots(3), create('t-1', { priority: 0 }), create('t-2', { priority: 9 }), create('t-3'))).toEqual([
      't-2',
      't-3',
      't-1',
    ]);
  });

  test('is first come, first served among equals, whatever the names', () => {
    expect(granted(slots(3), create('z'), create('m'), create('a'))).toEqual(['z', 'm', 'a']);
  });

  test('holds across workflows and CLIs', () => {
    const tasks = [
      create('z', by('codex')),
      create('y', by('claude')),
      create('x', by('codex')),
      create('w', { ...by('gemini'), priority: 6 }),
    ];
    expect(granted(slots(3), ...tasks)).toEqual(['w', 'z', 'y']);
  });

  test('is that of arrival also after an attempt failed: the older task goes first', () => {
    expect(granted(slots(1), create('z'), create('a'), grant, ended(1, 'invalid', { task: 'z' }))).toEqual(['z']);
  });

  test('is by priority and arrival for any number of tasks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 12 }), (priorities) => {
        const tasks = priorities.map((priority, n) => create(`t-${n}`, { priority }));
        const expected = priorities
          .map((priority, n) => ({ priority, n }))
          .sort((a, b) => b.priority - a.priority || a.n - b.n);
        expect(granted(slots(20), ...tasks)).toEqual(expected.map(({ n }) => `t-${n}`));
      }),
      { numRuns: 25 },
    );
  });
});

describe('a task that cannot start', () => {
  test('does not keep others from starting', () => {
    const held = spec({ files: ['a'] });
    expect(granted(slots(3), create('t-1', held), grant, create('t-2', held), create('t-3'))).toEqual(['t-3']);
  });

  test('is looked past a bounded number of times', () => {
    const holder = create('holder', { ...spec({ files: ['a'] }), priority: 9 });
    const behind = (n: number) => Array.from({ length: n }, (_, k) => create(`b-${k}`, spec({ files: ['a'] })));
    expect(granted(slots(5), holder, grant, ...behind(256), create('free'))).toEqual(['free']);
    expect(granted(slots(5), holder, grant, ...behind(257), create('free'))).toEqual([]);
  });
});

test('nothing to grant is no fact', () => {
  given().when(grant).then([]);
});
