/** A task that the operator stopped: all its work stops until `resume`, and other tasks are not delayed. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import {
  cancel,
  closed,
  create,
  ended,
  GATED,
  gate,
  grant,
  pause,
  resume,
  settled,
  spec,
  startedTasks,
  taskIn,
} from './samples.ts';

const files = spec({ files: ['src/a.ts'] });
const gated = create('t-1', { workflow: GATED, ...files });
const paused = fact('task/t-1', 'task.paused', { reason: 'later' });
const resumed = fact('task/t-1', 'task.resumed', { reason: 'again' });
const started = (given_: ReturnType<typeof given>, at = NOON) => {
  const { decision } = given_.when({ send: grant, at });
  return decision.type === 'decided' ? startedTasks(decision.events) : [];
};

describe('a paused task', () => {
  test.each<[string, Input[]]>([
    ['ready', [create('t-1', files)]],
    ['parked', [create('t-1', files), grant, ended(1, 'transient')]],
    ['at work', [create('t-1', files), grant]],
    ['checked', [gated, grant, ended(1, 'ok'), gate(1, 'lint', 'pass')]],
  ])('that was %s gets no work, holds no lock and says what it waits for', (_, past) => {
    const when = given(...past).when(pause());
    when.then([paused]);
    const task = taskIn(when.project);
    expect(statusOf(task)).toBe('paused');
    expect(waitsFor(when.project, task, NOON)).toEqual(['`supervisor resume t-1`: it is paused']);
    expect(started(given(...past, pause()), NOON + 3_600_000)).toEqual([]);
    expect(started(given(...past, pause(), create('t-2', files)))).toEqual(['t-2']);
  });

  test('wants its worker interrupted, and a report of it', () => {
    const { project } = given(create(), grant, pause());
    const before = wantedBy(given(create(), grant).project, 'task/t-1');
    const wanted = wantedBy(project, 'task/t-1');
    expect(wanted.interrupt).toBe('paused');
    expect(wanted.effects.map(({ key }) => key)).toEqual(before.effects.map(({ key }) => key));
    expect(wanted.timers.map(({ timer }) => timer)).toEqual(['deadline']);
  });

  test('runs no gates; after resume the missing ones run under the same keys', () => {
    const past = [gated, grant, ended(1, 'ok'), gate(1, 'lint', 'pass')];
    const { project } = given(...past, pause());
    expect(wantedBy(project, 'task/t-1')).toEqual({ effects: [], timers: [], interrupt: 'paused' });
    const again = given(...past, pause(), resume()).project;
    const keys = (state: typeof again) => wantedBy(state, 'task/t-1').effects.map(({ key }) => key);
    expect(keys(again)).toEqual(keys(given(...past).project));
  });

  test('keeps its slot until the interrupted worker has ended, then gives it back', () => {
    const past = [create(), grant, pause()];
    expect(given(...past).project.holds.busy).toBe(1);
    const when = given(...past).when(ended(1, 'interrupted', { reason: 'the task was paused' }));
    when.then([
      settled({
        class: 'interrupted',
        reason: 'the task was paused',
        next: { do: 'retry', at: null, cli: 0, counter: 'none' },
      }),
    ]);
    expect(when.project.holds.busy).toBe(0);
    expect(statusOf(taskIn(when.project))).toBe('paused');
  });

  test('goes on with the next attempt after resume, with a whole new age before it', () => {
    const day = 24 * 3_600_000;
    const past = [create(), grant, pause(), ended(1, 'interrupted')];
    given(...past)
      .when(resume())
      .then([resumed]);
    expect(started(given(...past, resume()))).toEqual(['t-1']);
    const age: Input = { type: 'timer.fire', task: 't-1', timer: 'age', step: null, token: 0 };
    const stale = rejected('stale_timer', 'task t-1 no longer waits for its age timer');
    given(...past)
      .when({ send: age, at: NOON + 9 * day })
      .then(stale);
    given(...past, { send: resume(), at: NOON + 9 * day })
      .when({ send: age, at: NOON + 10 * day - 1 })
      .then(stale);
  });

  test('can be cancelled, and stays cancelled', () => {
    const when = given(create(), pause()).when(cancel());
    when.then([closed('cancelled', 'enough')]);
    expect(statusOf(taskIn(when.project))).toBe('cancelled');
  });
});

test('pausing twice is one fact; a closed task and one that is being committed cannot be paused', () => {
  given(create(), pause()).when(pause()).then([]);
  given(create(), cancel()).when(pause()).then(rejected('task_closed', 'task t-1 is cancelled already'));
  given(create(), grant, ended(1, 'ok'))
    .when(pause())
    .then(rejected('too_late', 'task t-1 has passed its gates and is being committed: wait for it'));
  given().when(pause()).then(rejected('unknown_task', 'no task t-1 in this project; `supervisor status` lists them'));
});
