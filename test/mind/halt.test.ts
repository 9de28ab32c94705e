/** A halted project: nothing new starts until a person lets it run again; running work may finish, or is cut. */
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { fact, given, type Input, NOON, type Sent } from '../support/given.ts';
import { create, ended, GATED, gate, grant, limits, startedTasks, taskIn, timer } from './samples.ts';

const halt = (now = false): Input => ({ type: 'board.halt', reason: 'release day', now });
const run: Input = { type: 'board.resume' };
const halted = fact('board', 'board.halted', { by: 'operator', reason: 'release day' });
const HOUR = 3_600_000;

const started = (when: ReturnType<typeof given>, at = NOON) => {
  const { decision } = when.when({ send: grant, at });
  return decision.type === 'decided' ? startedTasks(decision.events) : [];
};

describe('a halted project', () => {
  test('starts nothing, says why, and goes on after `resume`', () => {
    const when = given(create()).when(halt());
    when.then([halted]);
    expect(started(given(create(), halt()), NOON + HOUR)).toEqual([]);
    expect(waitsFor(when.project, taskIn(when.project), NOON)).toEqual([
      'build: `supervisor resume`: the project is halted',
    ]);
    given(create(), halt())
      .when(run)
      .then([fact('board', 'board.resumed', { by: 'operator', reason: '' })]);
    expect(started(given(create(), halt(), run))).toEqual(['t-1']);
  });

  test('is one state: a second halt and a second resume are no facts; --now may still be said', () => {
    given(halt()).when(halt()).then([]);
    given(halt())
      .when(halt(true))
      .then([fact('board', 'board.halted', { by: 'operator', reason: 'release day', now: true })]);
    given(halt(true)).when(halt()).then([]);
    given().when(run).then([]);
  });

  test('lets what is under way finish: the worker, its gates, the commit', () => {
    const past = [create('t-1', { workflow: GATED }), grant, halt()];
    const kinds = (...more: Input[]) =>
      wantedBy(given(...past, ...more).project, 'task/t-1').effects.map(({ work }) => work.kind);
    expect(kinds()).toEqual(['worker.run']);
    expect(kinds(ended(1, 'ok'))).toEqual(['gate.run', 'gate.run']);
    expect(kinds(ended(1, 'ok'), gate(1, 'lint', 'pass'), gate(1, 'tests', 'pass'))).toEqual(['candidate.apply']);
    expect(statusOf(taskIn(given(...past, ended(1, 'transient')).project))).not.toBe('running');
  });

  test('with --now cuts workers and stops gates; after `resume` they are wanted again', () => {
    const past = [create('t-1', { workflow: GATED }), grant];
    const wanted = (...more: Input[]) => wantedBy(given(...past, ...more).project, 'task/t-1');
    expect(wanted(halt(true))).toMatchObject({ interrupt: 'halted', effects: [{ work: { kind: 'worker.run' } }] });
    expect(wanted(halt()).interrupt).toBeUndefined();
    expect(wanted(ended(1, 'ok'), halt(true)).effects).toEqual([]);
    expect(wanted(ended(1, 'ok'), halt(true), run).effects).toEqual(wanted(ended(1, 'ok')).effects);
    expect(started(given(...past, halt(true), ended(1, 'interrupted')))).toEqual([]);
    expect(started(given(...past, halt(true), ended(1, 'interrupted'), run))).toEqual(['t-1']);
  });

  test('does not age its tasks: a halt over a weekend escalates nothing', () => {
    const { task_age_ms } = DEFAULT_LIMITS;
    const ageAt = (...more: (Input | Sent)[]) =>
      wantedBy(given(create(), ...more).project, 'task/t-1').timers.find((one) => one.timer === 'age')?.due;
    expect(ageAt()).toBe(NOON + task_age_ms);
    expect(ageAt(halt())).toBeUndefined();
    expect(ageAt(halt(), { send: run, at: NOON + 50 * HOUR })).toBe(NOON + 50 * HOUR + task_age_ms);
    const late = given(create(), halt()).when({ send: timer('age'), at: NOON + task_age_ms + HOUR });
    expect(late.decision).toMatchObject({ type: 'rejected', code: 'stale_timer' });
  });

  test('is halted by a model only as a proposal, and never set running by one', () => {
    const asked = given().when({ send: halt(), by: 'planner' });
    expect(asked.decision).toMatchObject({ type: 'decided', events: [{ type: 'proposal.made' }] });
    for (const by of ['planner', 'mcp', 'supervisor', 'watcher', 'hand'] as const)
      expect(given(halt()).when({ send: run, by }).decision).toMatchObject({ type: 'rejected', code: 'not_allowed' });
  });

  test('keeps its limits and breakers', () => {
    const { board } = given(limits({ attempts: 7 }), halt(), run).project;
    expect(board.limits.attempts).toBe(7);
  });
});
