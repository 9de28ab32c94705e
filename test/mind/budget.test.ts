/** Money: set aside while an attempt runs, charged when it is known, and never taken for zero when it is not. */
import { describe, expect, test } from 'vitest';
import { dayOf } from '../../src/mind/domain/host.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { fact, given, type Input, NOON, type Sent } from '../support/given.ts';
import {
  cancel,
  closed,
  create,
  ended,
  grant,
  limits,
  resume,
  settled,
  startedTasks,
  taskIn,
  workflow,
} from './samples.ts';

type Budget = NonNullable<Parameters<typeof limits>[0]['budget']>;
/** An attempt sets aside as little as there is, unless a test says more. */
const SMALL = { estimate_microusd: 1, least_microusd: 0, estimate_tokens: 1 };
const budget = (project_microusd: number | null, day_microusd: number | null = null, over: Partial<Budget> = {}) =>
  limits({ budget: { project_microusd, day_microusd, ...SMALL, ...over }, slots: { total: 10, per_cli: {} } });
const priced = (reserve_microusd: number) => ({
  workflow: workflow([{ id: 'build', kind: 'answer', reserve_microusd }]),
});
const cost = (microusd: number | null) => ({ microusd, tokens_in: 10, tokens_out: null });
const paid = (task: string, microusd: number | null) => ended(1, 'ok', { task, candidate: null, cost: cost(microusd) });
const startedBy = (...past: (Input | Sent)[]) => {
  const { decision } = given(...past.slice(0, -1)).when(past.at(-1) as Input | Sent);
  return decision.type === 'decided' ? startedTasks(decision.events) : decision;
};

describe('a budget', () => {
  test('of null is none', () => {
    expect(startedBy(budget(null, null), create('t-1', priced(1e12)), grant)).toEqual(['t-1']);
  });

  test.each([
    [0, null],
    [null, 0],
  ])('of 0 is zero, also for a step that sets nothing aside (project %s, day %s)', (project, day) => {
    expect(startedBy(budget(project, day), create(), grant)).toEqual([]);
  });

  test('must cover what a step sets aside', () => {
    expect(startedBy(budget(100), create('t-1', priced(100)), grant)).toEqual(['t-1']);
    expect(startedBy(budget(100), create('t-1', priced(101)), grant)).toEqual([]);
  });

  test('is held back by attempts under way, and free again when they end', () => {
    const tasks = ['t-1', 't-2', 't-3'].map((id) => create(id, priced(40)));
    expect(startedBy(budget(100), ...tasks, grant)).toEqual(['t-1', 't-2']);
    expect(given(budget(100), ...tasks, grant).project.holds.reserved).toBe(80);
    expect(startedBy(budget(100), ...tasks, grant, paid('t-1', 20), grant)).toEqual(['t-3']);
    expect(startedBy(budget(100), ...tasks, grant, paid('t-1', 21), grant)).toEqual([]);
  });

  const spent = (limit: Input) => [limit, create('t-1', priced(5)), grant, paid('t-1', 10), create('t-2', priced(5))];

  test('that is used up ends the task that wants to start: a person is told what to do', () => {
    given(...spent(budget(10)))
      .when(grant)
      .then([
        closed(
          'escalated',
          "the project's budget is used up: $0.00001 of $0.00001 (limits.budget.project_usd); raise limits.budget.project_usd, then `supervisor resume t-2`",
          {},
          't-2',
        ),
      ]);
    given(...spent(budget(null, 10)))
      .when(grant)
      .then([
        closed(
          'escalated',
          "this machine's budget for today is used up: $0.00001 of $0.00001 (limits.budget.day_usd); raise limits.budget.day_usd, then `supervisor resume t-2`, or resume it after 2026-01-16 00:00 UTC",
          {},
          't-2',
        ),
      ]);
  });

  test('that has less left than a step sets aside ends the task as well', () => {
    given(budget(100), create('t-1', priced(101)))
      .when(grant)
      .then([
        closed(
          'escalated',
          "the project's budget does not cover another attempt: $0.00 of $0.0001 (limits.budget.project_usd) is spent, and step build sets aside $0.000101; raise limits.budget.project_usd, then `supervisor resume t-1`",
        ),
      ]);
  });

  test('whose rest is set aside by others makes a task wait: something may come back', () => {
    const { project } = given(budget(100), ...['t-1', 't-2'].map((id) => create(id, priced(60))), grant);
    expect(statusOf(taskIn(project, 't-2'))).toBe('queued');
    expect(waitsFor(project, taskIn(project, 't-2'), NOON)).toEqual([
      "build: the project's budget: $0.0001 is left, and running attempts have reserved it",
    ]);
  });

  test('that is used up does not stop another attempt of the same task: its result is recorded first', () => {
    const two = workflow([
      { id: 'build', kind: 'answer', reserve_microusd: 5 },
      { id: 'look', kind: 'answer', reserve_microusd: 5 },
    ]);
    const past = [
      limits({ budget: { project_microusd: 12, day_microusd: null, ...SMALL }, slots: { total: 1, per_cli: {} } }),
      create('t-1', { workflow: two }),
      grant,
      limits({ budget: { project_microusd: 4, day_microusd: null, ...SMALL }, slots: { total: 2, per_cli: {} } }),
      grant,
    ];
    const { project } = given(...past);
    expect(taskIn(project).closed).toBeNull();
    expect(taskIn(given(...past, paid('t-1', 3), grant).project).closed?.status).toBe('escalated');
  });

  test('can be raised before a task starts, and after it has ended for it', () => {
    expect(startedBy(budget(0), create(), budget(1), grant)).toEqual(['t-1']);
    expect(startedBy(budget(0), create(), grant, budget(1), resume(), grant)).toEqual(['t-1']);
    // The control: without more money the resumed task ends again.
    expect(taskIn(given(budget(0), create(), grant, resume(), grant).project).closed?.status).toBe('escalated');
  });
});

describe('the budget of a day', () => {
  const spent = [budget(null, 10), create('t-1', priced(5)), grant, paid('t-1', 10), create('t-2', priced(5))];
  const midnight = Date.UTC(2026, 0, 16);

  test('ends at midnight UTC, wherever the machine stands', () => {
    expect(startedBy(...spent, { send: grant, at: midnight - 1 })).toEqual([]);
    expect(startedBy(...spent, { send: grant, at: midnight })).toEqual(['t-2']);
    expect([dayOf(midnight - 1), dayOf(midnight)]).toEqual(['2026-01-15', '2026-01-16']);
  });

  test('belongs to the day on which an attempt ended', () => {
    const { project } = given(...spent, { send: grant, at: midnight }, { send: paid('t-2', 3), at: midnight + 1 });
    expect(project.host).toMatchObject({ day: '2026-01-16', spent: 3 });
    expect(project.board.spent).toBe(13);
  });

  test('is added up over all attempts of the day', () => {
    const tasks = [create('t-1', priced(1)), create('t-2', priced(1)), grant];
    expect(given(budget(null), ...tasks, paid('t-1', 4), paid('t-2', 5)).project.host).toMatchObject({
      day: '2026-01-15',
      spent: 9,
    });
  });
});

describe('an attempt', () => {
  const past = [create('t-1', priced(5)), grant];
  const end = (microusd: number) => settled({ class: 'ok', cost: cost(microusd), next: { do: 'complete', opens: [] } });
  const charge = (microusd: number) =>
    fact('board', 'board.charged', {
      ...{ task: 't-1', step: 'build', token: 1, microusd, tokens: 10 },
      ...{ tokens_in: 10, tokens_out: null },
    });

  test('is charged to the project and to the machine', () => {
    given(...past)
      .when(paid('t-1', 7))
      .then([
        end(7),
        charge(7),
        fact('host', 'host.charged', { day: '2026-01-15', microusd: 7, tokens: 10 }),
        closed('accepted', 'all steps are done'),
      ]);
  });

  test('that cost nothing is charged nothing but its tokens', () => {
    given(...past)
      .when(paid('t-1', 0))
      .then([
        end(0),
        charge(0),
        fact('host', 'host.charged', { day: '2026-01-15', microusd: 0, tokens: 10 }),
        closed('accepted', 'all steps are done'),
      ]);
  });

  test('of unknown cost is not charged zero: it is counted as unpriced', () => {
    const { project } = given(...past, paid('t-1', null));
    expect(taskIn(project)).toMatchObject({ unpriced: 1, cost: { microusd: null, tokens_in: 10, tokens_out: null } });
    expect(project.board.spent).toBe(0);
  });

  test('adds to what the task has cost, starting with the first number that was told', () => {
    const again = (token: number, microusd: number | null) => [
      grant,
      ended(token, 'invalid', { cost: cost(microusd) }),
    ];
    const { project } = given(create(), ...again(1, null), ...again(2, 3));
    expect(taskIn(project)).toMatchObject({ unpriced: 1, cost: { microusd: 3, tokens_in: 20, tokens_out: null } });
  });

  test('that failed is charged as well', () => {
    expect(given(create(), grant, ended(1, 'crash', { cost: cost(9) })).project.board.spent).toBe(9);
  });
});

describe('an unknown cost', () => {
  const estimate = { estimate_microusd: 4_000 };
  const cent = budget(10_000, null, estimate);
  const unknown = { cost: { microusd: null, tokens_in: null, tokens_out: null } };
  /** As many attempts as are started, each of which fails. */
  function attemptsUntilItStops(limit: Input, cost: { microusd: number | null; tokens: number | null }): number {
    const past: Input[] = [limit, create()];
    for (let token = 1; token < 50; token++) {
      const { project } = given(...past, grant);
      if (taskIn(project).closed !== null) return token - 1;
      const { microusd, tokens } = cost;
      // Another failure each time, so that only the budget stops it.
      past.push(
        grant,
        ended(token, 'invalid', {
          reason: 'x'.repeat(token),
          cost: { microusd, tokens_in: tokens, tokens_out: tokens },
        }),
      );
    }
    return 50;
  }
  const many = (over: Partial<Budget>, rest = {}) =>
    limits({ attempts: 100, budget: { project_microusd: null, day_microusd: null, ...over }, ...rest });

  test('uses up a budget of one cent: the estimate is set aside and charged, and the next attempt is not started', () => {
    const past = [cent, create(), grant];
    expect(given(...past).project.holds.reserved).toBe(4_000);
    const after = given(...past, ended(1, 'invalid', { ...unknown, reason: 'a' }));
    expect(after.project.board.spent).toBe(4_000);
    const third = [
      ...past,
      ended(1, 'invalid', { ...unknown, reason: 'a' }),
      grant,
      ended(2, 'invalid', { ...unknown, reason: 'b' }),
    ];
    given(...third)
      .when(grant)
      .then([
        closed(
          'escalated',
          "the project's budget does not cover another attempt: $0.008 of $0.01 (limits.budget.project_usd) is spent, and step build sets aside $0.004 (budget.estimate_usd); raise limits.budget.project_usd, then `supervisor resume t-1`",
        ),
      ]);
  });

  test('is on record as an estimate; what the task has cost stays unknown', () => {
    const { project } = given(cent, create(), grant, ended(1, 'ok', unknown));
    expect(taskIn(project)).toMatchObject({
      ...{ unpriced: 1, cost: { microusd: null }, estimated: { microusd: 4_000, tokens: 0 } },
    });
    const { decision } = given(cent, create(), grant).when(ended(1, 'ok', unknown));
    const events = decision.type === 'decided' ? decision.events : [];
    expect(events.find(({ type }) => type === 'board.charged')?.data).toMatchObject({
      ...{ microusd: 4_000, tokens_in: null, estimated: { microusd: 4_000, tokens: 0 } },
    });
  });

  test.each([
    ['task', { task_microusd: 10_000, ...estimate }],
    ['project', { project_microusd: 10_000, ...estimate }],
    ['day', { day_microusd: 10_000, ...estimate }],
    ['task, of tokens', { task_tokens: 500, estimate_tokens: 200 }],
    ['project, of tokens', { project_tokens: 500, estimate_tokens: 200 }],
    ['day, of tokens', { day_tokens: 500, estimate_tokens: 200 }],
  ])('stops after two attempts at the budget of the %s', (_, over) => {
    expect(attemptsUntilItStops(many(over), { microusd: null, tokens: null })).toBe(2);
  });

  test('that is reported stops the task at the reported sum: the control', () => {
    const over = { project_microusd: 10_000, estimate_microusd: 1_000 };
    expect(attemptsUntilItStops(many(over), { microusd: 1_000, tokens: 1 })).toBe(10);
    expect(attemptsUntilItStops(many({ task_tokens: 500, estimate_tokens: 1 }), { microusd: 0, tokens: 25 })).toBe(10);
  });

  test('is an estimate for tokens as well if only a part is reported, and a larger reported part counts', () => {
    const tokens = (told: number) =>
      given(
        many({ task_tokens: 10_000, estimate_tokens: 200 }),
        create(),
        grant,
        ended(1, 'ok', { cost: { microusd: 1, tokens_in: told, tokens_out: null } }),
      ).project.board.tokens;
    expect([tokens(50), tokens(700)]).toEqual([200, 700]);
  });

  test('is zero where the worker never began: its CLI was not logged in, missing or too old', () => {
    for (const outcome of ['auth', 'missing_cli', 'wrong_version'] as const)
      expect(given(cent, create(), grant, ended(1, outcome, unknown)).project.board.spent).toBe(0);
    expect(given(cent, create(), grant, ended(1, 'lost', unknown)).project.board.spent).toBe(4_000);
  });

  test('is charged when the task is cancelled or sent back while the attempt runs, and nothing stays set aside', () => {
    const { project } = given(cent, create(), grant, cancel());
    expect([project.board.spent, project.holds.reserved, taskIn(project).estimated?.microusd]).toEqual([
      4_000, 0, 4_000,
    ]);
  });

  test('counts nothing while there is no budget, and nothing for a simulated task', () => {
    const past = [create(), grant, ended(1, 'crash', unknown)];
    expect(given(...past).project.board.spent).toBe(0);
    const played = create('t-1', { spec: { version: 1, text: 'x', simulated: true } });
    expect(given(cent, played, grant, ended(1, 'ok', unknown)).project.board.spent).toBe(0);
  });
});

describe('a worker who lies about its cost', () => {
  const cost = { microusd: 0, tokens_in: 0, tokens_out: 0 };
  const failing = (n: number) => ended(n, 'invalid', { cost, reason: 'y'.repeat(n) });

  test('and says that it cost nothing is charged the least that an attempt counts: the budget is used up all the same', () => {
    const limit = limits({
      attempts: 100,
      budget: { project_microusd: 3_000, day_microusd: null, estimate_microusd: 1_000, least_microusd: 1_000 },
    });
    const past = [limit, create(), grant, failing(1), grant, failing(2), grant, failing(3)];
    expect(given(...past).project.board.spent).toBe(3_000);
    expect(taskIn(given(...past, grant).project).closed?.status).toBe('escalated');
  });

  test('shows its reported cost: only the budget counts more', () => {
    const { project } = given(budget(9_000, null, { least_microusd: 1_000 }), create(), grant, failing(1));
    expect(taskIn(project)).toMatchObject({ cost, unpriced: 0, estimated: { microusd: 1_000, tokens: 0 } });
  });

  test('and one that reports more than the least is charged as reported: the control', () => {
    const { project } = given(budget(9_000, null, { least_microusd: 1_000 }), create(), grant, paid('t-1', 1_500));
    expect([project.board.spent, taskIn(project).estimated]).toEqual([1_500, undefined]);
  });

  test('cannot tell a cost below zero', () => {
    expect(() => given(create(), grant, ended(1, 'ok', { cost: { ...cost, microusd: -5 } }))).toThrow();
  });
});
