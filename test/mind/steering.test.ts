/** What the operator says about the project as a whole: goal, mode, limits. */

import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { EVENTS, knownType, storedType } from '../../src/mind/domain/events/index.ts';
import { DEFAULT_LIMITS, limitsConfig, limits as limitsSchema, resolveLimits } from '../../src/mind/domain/limits.ts';
import { streamKind } from '../../src/mind/domain/stream-name.ts';
import { BACKOFFS } from '../../src/mind/workflows/retry-policies.ts';
import { fact, given } from '../support/given.ts';
import { limits } from './samples.ts';

describe('the operator', () => {
  test('sets the goal and the mode', () => {
    given()
      .when({ type: 'goal.set', text: 'ship' })
      .then([fact('goal', 'goal.set', { text: 'ship' })]);
    given()
      .when({ type: 'mode.set', mode: 'AUTO' })
      .then([fact('goal', 'mode.set', { mode: 'AUTO' })]);
    expect(given({ type: 'goal.set', text: 'ship' }, { type: 'mode.set', mode: 'AUTO' }).project.goal).toEqual({
      text: 'ship',
      mode: 'AUTO',
    });
  });

  test('works in MANUAL mode and without a goal by default', () => {
    expect(given().project.goal).toEqual({ text: null, mode: 'MANUAL' });
  });

  test('configures the board; the same limits again are no fact', () => {
    const changed = { ...DEFAULT_LIMITS, attempts: 5 };
    given()
      .when(limits({ attempts: 5 }))
      .then([fact('board', 'board.configured', { limits: changed })]);
    given(limits({ attempts: 5 }))
      .when(limits({ attempts: 5 }))
      .then([]);
    given().when(limits({})).then([]);
    given(limits({ attempts: 5 }))
      .when(limits({}))
      .then([fact('board', 'board.configured', { limits: DEFAULT_LIMITS })]);
  });
});

describe('limits from a file', () => {
  test('are the defaults where it says nothing, and those are valid', () => {
    expect(resolveLimits({})).toEqual(DEFAULT_LIMITS);
    expect(v.parse(limitsSchema, DEFAULT_LIMITS)).toEqual(DEFAULT_LIMITS);
  });

  test('are read in the units people write', () => {
    const config = v.parse(limitsConfig, {
      ...{ slots: { total: 4, per_cli: { claude: 1 } }, budget: { project_usd: 1.5, day_usd: 0 }, attempts: 2 },
      ...{ wall: '10m', task_age: 90, max_steps: 7, backoff: 'aggressive', jitter: 0 },
    });
    expect(resolveLimits(config)).toEqual({
      ...DEFAULT_LIMITS,
      ...{
        slots: { total: 4, per_cli: { claude: 1 } },
        budget: { project_microusd: 1_500_000, day_microusd: 0 },
        attempts: 2,
      },
      ...{ wall_ms: 600_000, task_age_ms: 90_000, max_steps: 7, backoff: BACKOFFS.aggressive, jitter: 0 },
    });
  });

  test('tell a budget of zero from none', () => {
    const budget = (usd: number | null) => resolveLimits({ budget: { project_usd: usd, day_usd: usd } }).budget;
    expect(budget(0)).toEqual({ project_microusd: 0, day_microusd: 0 });
    expect(budget(null)).toEqual({ project_microusd: null, day_microusd: null });
  });

  test.each([
    { attempts: 0 },
    { attempts: 1.5 },
    { wall: 'soon' },
    { wall: -1 },
    { slots: { total: 0 } },
    { budget: { day_usd: -1 } },
    { speed: 9 },
  ])('refuse %j', (config) => {
    expect(v.is(limitsConfig, config)).toBe(false);
  });
});

describe('event types', () => {
  test('are declared once each', () => {
    const names = EVENTS.map((declared) => declared.type);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(EVENTS.map((declared) => declared.type))('%s is stored with its version and known again', (type) => {
    expect(storedType(type)).toMatch(/\.\d+$/);
    expect(knownType(storedType(type))).toBe(type);
  });

  test.each(['', 'task.created', 'task.created.0', 'task.created.01', 'task.created.999', 'task.teleported.1', '.1'])(
    '%j is unknown',
    (stored) => {
      expect(knownType(stored)).toBeNull();
    },
  );

  test('that were never declared cannot be stored', () => {
    expect(() => storedType('task.teleported')).toThrow('no event type task.teleported is declared');
  });

  test('belong to the kind of stream that stands before the slash', () => {
    expect(['board', 'task/t-1', 'proposal/p/x'].map(streamKind)).toEqual(['board', 'task', 'proposal']);
  });
});
