/** What holds in every state of every history: nothing is mutated, nothing throws, and what is held is what the tasks hold. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OrderedMap } from '../../src/kernel/ordered-map.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { EVENTS } from '../../src/mind/domain/events/index.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import { isPlayed } from '../../src/mind/domain/simulated-names.ts';
import { holdsUntilLanded, type Step, statusOf, type Task } from '../../src/mind/domain/task.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { follow, judge } from '../support/given.ts';
import { moves, play } from './histories.ts';
import { landingEvents } from './landing-samples.ts';

describe('in any history', () => {
  test('decide and evolve never throw and never mutate: states, commands and events are frozen', () => {
    fc.assert(
      fc.property(moves, (list) => {
        play(list, deepFreeze);
      }),
      { numRuns: 300 },
    );
  });

  test('a history visits every kind of event there is', () => {
    const random = fc.sample(moves, { numRuns: 900, seed: 1 }).flatMap((list) => play(list).events);
    const seen = new Set([...random, ...landingEvents()].map((event) => event.type));
    expect([...seen].sort()).toEqual(EVENTS.map((declared) => declared.type).sort());
  });

  test('the same commands give the same facts', () => {
    fc.assert(
      fc.property(moves, (list) => {
        expect(play(list).events).toEqual(play(list).events);
      }),
      { numRuns: 30 },
    );
  });

  test('every event keeps to its declaration and says the same after it was stored', () => {
    fc.assert(
      fc.property(moves, (list) => {
        for (const { before, asked } of play(list).turns) {
          const decision = judge(before, asked);
          if (decision.type === 'decided') decision.events.reduce(follow, before);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('holds are exactly those of the open tasks', () => {
    fc.assert(
      fc.property(moves, (list) => {
        for (const { after } of play(list).turns) expect(heldIn(after)).toEqual(recounted(after));
      }),
      { numRuns: 100 },
    );
  });

  test('no two tasks hold locks that overlap', () => {
    fc.assert(
      fc.property(moves, (list) => {
        for (const { after } of play(list).turns) {
          const locks = [...after.holds.locks];
          for (const [lock, holder] of locks) {
            expect(
              locks.filter(
                ([other, owner]) =>
                  owner !== holder && (lock === other || (lock.endsWith('/') && other.startsWith(lock))),
              ),
            ).toEqual([]);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test('attempts start only within slots and budgets', () => {
    fc.assert(
      fc.property(moves, (list) => {
        for (const { decision, after } of play(list).turns) {
          const started =
            decision.type === 'rejected' ? [] : decision.events.filter((event) => event.type === 'attempt.started');
          if (started.length === 0) continue;
          const { holds, board } = after;
          expect(holds.busy).toBeLessThanOrEqual(board.limits.slots.total);
          expect(holds.busyPlayed).toBeLessThanOrEqual(board.limits.slots.total);
          // Only where something started now: limits that were lowered meanwhile stop nothing that is under way.
          for (const { data } of started) {
            const busy = holds.busyCli.get(data.cli) ?? 0;
            expect(busy).toBeLessThanOrEqual(board.limits.slots.per_cli[data.cli] ?? busy);
          }
          const { project_microusd, project_tokens } = board.limits.budget;
          expect(board.spent + holds.reserved).toBeLessThanOrEqual(project_microusd ?? Number.POSITIVE_INFINITY);
          expect((board.tokens ?? 0) + (holds.reservedTokens ?? 0)).toBeLessThanOrEqual(
            project_tokens ?? Number.POSITIVE_INFINITY,
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  test('a halted project starts no worker', () => {
    fc.assert(
      fc.property(moves, (list) => {
        for (const { before, decision } of play(list).turns) {
          if (before.board.halted === undefined || decision.type === 'rejected') continue;
          expect(decision.events.filter((one) => one.type === 'attempt.started' && one.data.kind !== 'gate')).toEqual(
            [],
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  test('every task is in one consistent place, can be explained, and wants effects under keys of their own', () => {
    fc.assert(
      fc.property(moves, (list) => {
        const { turns, project } = play(list);
        for (const { after } of turns) for (const task of after.tasks.values()) expectConsistent(after, task);
        const keys = [...project.tasks.keys()].flatMap((id) => {
          const { effects, timers } = wantedBy(project, `task/${id}`);
          return [...effects, ...timers].map((one) => one.key);
        });
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 100 },
    );
  });

  test('a rejection changes nothing, and tells a code and a sentence', () => {
    fc.assert(
      fc.property(moves, (list) => {
        for (const { before, decision, after } of play(list).turns) {
          if (decision.type !== 'rejected') continue;
          expect(after).toBe(before);
          expect(decision.code).toMatch(/^[a-z_]+$/);
          expect(decision.message.length).toBeGreaterThan(10);
        }
      }),
      { numRuns: 50 },
    );
  });
});

const openTasks = (project: Project) => [...project.tasks.values()].filter((task) => task.closed === null);
const openSteps = (task: Task) => task.open.map((id) => ({ id, step: task.steps.get(id)! }));

function heldIn({ holds }: Project) {
  const ready = [...holds.ready.values()].flatMap((lane) =>
    [...lane.values()].map(({ task, step }) => `${task}/${step}`),
  );
  return {
    busy: holds.busy,
    busyPlayed: holds.busyPlayed,
    busyCli: [...holds.busyCli],
    reserved: holds.reserved,
    reservedTokens: holds.reservedTokens ?? 0,
    locks: [...holds.locks],
    ready: ready.sort(),
  };
}

/** The same, counted anew from the tasks. */
function recounted(project: Project) {
  const steps = openTasks(project).flatMap((task) =>
    openSteps(task).map(({ id, step }) => ({ task, id, place: step.place })),
  );
  // A paused task waits for nobody's slot and runs no gates; a simulated one keeps its own books and reserves nothing.
  const attempts = steps.flatMap(({ task, place }) => {
    if (place.at !== 'working' && (place.at !== 'checking' || task.paused === true)) return [];
    if (place.attempt.kind === 'gate' || 'given' in place.attempt) return [];
    const { cli, reserve } = place.attempt;
    return task.spec.simulated === true ? [{ cli: `${cli} (played)`, reserve: 0 }] : [{ cli, reserve }];
  });
  const busyCli = Object.entries(Object.groupBy(attempts, (attempt) => attempt.cli)).map(
    ([cli, list]) => [cli, list?.length ?? 0] as const,
  );
  return {
    busy: attempts.filter(({ cli }) => !isPlayed(cli)).length,
    busyPlayed: attempts.filter(({ cli }) => isPlayed(cli)).length,
    busyCli: busyCli.sort(([a], [b]) => (a < b ? -1 : 1)),
    reserved: steps.reduce((sum, { task, place }) => sum + reserveOf(task, place).reserve, 0),
    reservedTokens: steps.reduce((sum, { task, place }) => sum + reserveOf(task, place).reserveTokens, 0),
    locks: openTasks(project)
      .flatMap((task) => task.locks.map((lock) => [task.spec.simulated === true ? `played ${lock}` : lock, task.id]))
      .sort(),
    ready: steps
      .filter(
        ({ task, place }) =>
          place.at === 'ready' && place.awaits === undefined && task.paused !== true && task.failing === undefined,
      )
      .filter(({ task, id }) => task.taken?.step !== id)
      .map(({ task, id }) => `${task.id}/${id}`)
      .sort(),
  };
}

/** Until an attempt is settled its money is set aside, also of a paused task. */
function reserveOf(task: Task, now: Step['place']): { readonly reserve: number; readonly reserveTokens: number } {
  // What waits for a person's word about a finding is not settled yet.
  const place = now.at === 'waiting' ? (now.held ?? now) : now;
  const held = place.at === 'working' || place.at === 'checking';
  if (!held || task.spec.simulated === true) return { reserve: 0, reserveTokens: 0 };
  return { reserve: place.attempt.reserve, reserveTokens: place.attempt.reserveTokens ?? 0 };
}

function expectConsistent(project: Project, task: Task): void {
  const workflow = project.workflows.get(task.workflow)!;
  expect(new Set(task.open).size).toBe(task.open.length);
  for (const [id, step] of task.steps) {
    expect(task.open.includes(id as never)).toBe(step.place.at !== 'done' && step.place.at !== 'void');
    if (step.place.at === 'void') continue;
    for (const need of workflow.steps.get(id)!.needs) expect(task.steps.get(need)?.place.at).toBe('done');
    if (step.place.at === 'working' || step.place.at === 'checking')
      expect(step.place.attempt.token).toBeLessThanOrEqual(task.token);
  }
  expect(waitsFor(project, task, task.updated).every((words) => words.length > 0)).toBe(true);
  if (task.closed !== null) {
    expect(task.applying).toBeNull();
    // Only an accepted task of a queue keeps its files, until it has landed.
    expect(task.locks.length === 0 || holdsUntilLanded(task)).toBe(true);
    expect(statusOf(task)).toBe(task.closed.status);
  } else {
    expect(task.open.length > 0 || task.applying !== null).toBe(true);
    expect(['queued', 'running', 'waiting', 'paused']).toContain(statusOf(task));
  }
}

/** What is frozen already is frozen below as well: only new parts cost. */
function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const parts = value instanceof OrderedMap || value instanceof Map ? value.values() : Object.values(value);
  for (const part of parts) deepFreeze(part);
  return value;
}
