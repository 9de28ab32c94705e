/** Snapshots: a state that was written and read back is the same state, wherever the history is cut. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { streamKind } from '../../src/mind/domain/stream-name.ts';
import { evolve, reducerOf, restoreStream, snapshotOf, withStream } from '../../src/mind/domain/streams.ts';
import { given, type Input } from '../support/given.ts';
import { moves, play } from './histories.ts';
import { cancel, create, ended, grant, resume, spec, taskIn } from './samples.ts';

const fold = (events: readonly NewEvent[], from: Project = EMPTY_PROJECT) => events.reduce(evolve, from);

/** As the engine loads: stream by stream, the newest snapshot and what came after it. */
function loaded(events: readonly NewEvent[], cut: number): Project {
  const atCut = fold(events.slice(0, cut));
  const streams = new Set(events.map((event) => event.stream));
  let project = EMPTY_PROJECT;
  for (const stream of streams) {
    const own = (list: readonly NewEvent[]) => list.filter((event) => event.stream === stream);
    const early = own(events.slice(0, cut));
    const snapshot = early.length === 0 ? null : snapshotOf(atCut, stream);
    const base = snapshot === null ? fold(early) : restoreStream(EMPTY_PROJECT, stream, snapshot);
    project = withStream(project, stream, fold(own(events.slice(cut)), base));
  }
  return project;
}

/** All events that these commands lead to. */
function record(past: readonly Input[]): { events: NewEvent[]; project: Project } {
  const events = past.flatMap((input, n) => {
    const { decision } = given(...past.slice(0, n)).when(input);
    return decision.type === 'decided' ? decision.events : [];
  });
  return { events, project: fold(events) };
}

describe('snapshots', () => {
  test('with the events after them give the state that all events give, wherever the history is cut', () => {
    fc.assert(
      fc.property(moves, fc.double({ min: 0, max: 1, noNaN: true }), (list, where) => {
        const { events, project } = play(list);
        const restored = loaded(events, Math.round(where * events.length));
        // The next rank is only a hint among live tasks; a closed one that comes back from a snapshot does not raise it.
        expect({ ...restored, holds: { ...restored.holds, nextOrder: project.holds.nextOrder } }).toEqual(project);
        for (const task of restored.tasks.values())
          if (task.closed === null) expect(restored.holds.nextOrder).toBeGreaterThan(task.order);
      }),
      { numRuns: 150 },
    );
  });

  test('of a restored state are the same text again', () => {
    fc.assert(
      fc.property(moves, (list) => {
        const { events, project } = play(list);
        for (const stream of new Set(events.map((event) => event.stream))) {
          const text = snapshotOf(project, stream);
          if (text !== null) expect(snapshotOf(restoreStream(EMPTY_PROJECT, stream, text), stream)).toBe(text);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('bring back the lock of a task whose place another had taken in between', () => {
    const files = spec({ files: ['src/a.ts'] });
    const past = [
      create('t-1', files),
      grant,
      ended(1, 'blocked'),
      create('t-2', files),
      grant,
      cancel('t-2'),
      resume(),
      grant,
    ];
    const { events, project } = record(past);
    expect([...project.holds.locks]).toEqual([['file:src/a.ts', 't-1']]);
    for (let cut = 0; cut <= events.length; cut++) expect(loaded(events, cut).holds.locks).toEqual(project.holds.locks);
  });

  test('bring back a spec as it was, whatever it holds', () => {
    const odd = { version: 1, text: 'do it', a: { '~map': 5 }, b: { '~map': [['x', 1]] }, steps: [['y', 2]] } as const;
    const { project } = given(create('t-1', { spec: structuredClone(odd) as never }), grant);
    const restored = restoreStream(EMPTY_PROJECT, 'task/t-1', snapshotOf(project, 'task/t-1') ?? '');
    expect(taskIn(restored)).toEqual(taskIn(project));
    expect(JSON.stringify(taskIn(restored).spec)).toBe(JSON.stringify(odd));
  });

  test.each(['proposal/p-1', 'workflow/w-1'])('are not kept of short streams such as %s', (stream) => {
    expect(snapshotOf(EMPTY_PROJECT, stream)).toBeNull();
    expect(() => restoreStream(EMPTY_PROJECT, stream, '{}')).toThrow('keep no snapshots');
  });

  test('know the version of the reducer that made them, for every kind of stream', () => {
    const streams = ['task/t-1', 'board', 'goal', 'host', 'proposal/p-1', 'workflow/w-1'];
    for (const stream of streams) expect(reducerOf(stream)).toBeGreaterThanOrEqual(1);
    expect(new Set(streams.map(streamKind)).size).toBe(6);
    expect(() => reducerOf('nonsense')).toThrow('no kind of stream "nonsense" is declared');
  });
});
