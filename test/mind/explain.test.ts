/** Why a task does not move: there are words for every place and every obstacle. */
import { describe, expect, test } from 'vitest';
import type { StepPlace } from '../../src/mind/domain/task.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { given, type Input, NOON, type Sent } from '../support/given.ts';
import {
  CANDIDATE,
  cancel,
  create,
  ended,
  GATED,
  gate,
  grant,
  limits,
  placeIn,
  spec,
  taskIn,
  workflow,
} from './samples.ts';

const explained = (past: readonly (Input | Sent)[], id = 't-1', now = NOON) => {
  const { project } = given(...past);
  return waitsFor(project, taskIn(project, id), now);
};
const none = { slots: { total: 1, per_cli: {} } };

/** A place without a row here does not compile; a step that is done or void waits for nothing and is no longer open. */
const SHOWN = CANDIDATE.change_id.slice(0, 12);
const PLACES: Readonly<
  Record<Exclude<StepPlace['at'], 'done' | 'void'>, { readonly past: Input[]; readonly words: string }>
> = {
  ready: { past: [create()], words: 'build: its turn' },
  parked: {
    past: [create(), grant, ended(1, 'transient')],
    words: 'build: the next attempt at 12:00:02 UTC, after: a transient error',
  },
  working: { past: [create(), grant, ended(1, 'invalid'), grant], words: 'build: attempt 2 by claude' },
  waiting: {
    past: [
      create('t-1', {
        workflow: workflow([
          { id: 'build', kind: 'change' },
          { id: 'look', kind: 'human' },
        ]),
      }),
      grant,
      ended(1, 'ok'),
    ],
    words: `look: Is the change good? Answer: \`supervisor approve t-1 look --of ${SHOWN}\`, or \`supervisor reject t-1 look --of ${SHOWN} --reason "…"\``,
  },
  applying: {
    past: [
      create('t-1', {
        workflow: workflow([
          { id: 'build', kind: 'change' },
          { id: 'look', kind: 'commit' },
        ]),
      }),
      grant,
      ended(1, 'ok'),
    ],
    words: 'its candidate to be applied',
  },
  checking: { past: [create('t-1', { workflow: GATED }), grant, ended(1, 'ok')], words: 'build: gates lint, tests' },
};

describe('a task', () => {
  test.each(Object.entries(PLACES))('with a step that is %s says what it waits for', (at, { past, words }) => {
    const { project } = given(...past);
    expect([placeIn(project)?.at, placeIn(project, 'look')?.at]).toContain(at);
    expect(explained(past)).toEqual([words]);
  });

  test('at its gates names those that have not reported', () => {
    expect(explained([...PLACES.checking.past, gate(1, 'lint', 'pass')])).toEqual(['build: gates tests']);
  });

  test('whose steps are done waits for its candidate to be applied', () => {
    expect(explained([create(), grant, ended(1, 'ok')])).toEqual(['its candidate to be applied']);
  });

  test('that is closed waits for nothing', () => {
    expect(explained([create(), cancel()])).toEqual([]);
  });

  test('with steps side by side has a line for each', () => {
    const fork = workflow([
      { id: 'a', kind: 'answer' },
      { id: 'b', kind: 'answer', needs: [] },
    ]);
    expect(explained([limits(none), create('t-1', { workflow: fork }), grant])).toEqual([
      'a: attempt 1 by claude',
      'b: a free slot (1 of 1 busy)',
    ]);
  });
});

describe('a step that is ready and does not start', () => {
  test.each<[string, (Input | Sent)[], string]>([
    ['no slot is free', [limits(none), create('t-1'), create('t-2'), grant], 'a free slot (1 of 1 busy)'],
    [
      'no slot of its CLI is free',
      [limits({ slots: { total: 2, per_cli: { claude: 1 } } }), create('t-1'), create('t-2'), grant],
      'a free slot for claude (1 of 1 busy)',
    ],
    [
      'its CLI has no slots at all',
      [limits({ slots: { total: 2, per_cli: { claude: 0 } } }), create('t-2')],
      'a free slot for claude (0 of 0 busy)',
    ],
    [
      'a lock is held',
      [create('t-1', spec({ files: ['a/'] })), grant, create('t-2', spec({ files: ['a/b'] }))],
      'file:a/b, held by task t-1',
    ],
    [
      'its breaker is open',
      [limits({ breaker: { failures: 1, window_ms: 1 } }), create('t-1'), grant, ended(1, 'crash'), create('t-2')],
      'breaker build/claude, open after repeated failures (`supervisor reset claude` when it works again)',
    ],
    [
      'attempts under way have set its money aside',
      [
        limits({ budget: { project_microusd: 30_000, day_microusd: null } }),
        create('t-1', { workflow: workflow([{ id: 'build', reserve_microusd: 20_000 }]) }),
        grant,
        create('t-2', { workflow: workflow([{ id: 'build', reserve_microusd: 20_000 }]) }),
      ],
      "the project's budget: $0.03 is left, and running attempts have reserved it",
    ],
  ])('says so when %s', (_, past, words) => {
    expect(explained(past, 't-2')).toEqual([`build: ${words}`]);
    const { decision } = given(...past).when(grant);
    expect(decision).toMatchObject({ type: 'decided', events: [] });
  });

  test('does not blame yesterday’s spending', () => {
    const paid = ended(1, 'invalid', { cost: { microusd: 10, tokens_in: null, tokens_out: null } });
    const past = [
      limits({ budget: { project_microusd: null, day_microusd: 10, estimate_microusd: 1, least_microusd: 0 } }),
      create(),
      grant,
      paid,
    ];
    expect(explained(past)).toEqual([
      "build: this machine's budget for today is used up: $0.00001 of $0.00001 (limits.budget.day_usd)",
    ]);
    expect(explained(past, 't-1', NOON + 12 * 3_600_000)).toEqual(['build: its turn']);
  });
});

describe('a step whose CLI has no quota left', () => {
  const quota = (reset: number | null) => [create(), grant, ended(1, 'quota', { reset_at: reset })];

  test('says until when, with the date when it is another day', () => {
    expect(explained(quota(NOON + 2 * 3_600_000 + 5 * 60_000))).toEqual(['build: claude quota, resets 14:05 UTC']);
    expect(explained(quota(NOON + 12 * 3_600_000))).toEqual(['build: claude quota, resets 2026-01-16 00:00 UTC']);
  });

  test('says so when the reset is unknown', () => {
    expect(explained(quota(null))).toEqual(['build: claude quota, next try 12:01 UTC']);
  });

  test('says it for other tasks too, and no longer when the time is over', () => {
    const past = [...quota(NOON + 60_000), create('t-2')];
    expect(explained(past, 't-2', NOON + 59_999)).toEqual(['build: claude quota, resets 12:01 UTC']);
    expect(explained(past, 't-2', NOON + 60_000)).toEqual(['build: its turn']);
  });

  test('names every CLI of its chain that keeps it waiting', () => {
    const chain = workflow([{ id: 'build', cli: ['claude', 'codex'] }]);
    const past = [
      limits({ breaker: { failures: 1, window_ms: 1 } }),
      create('t-0', { workflow: workflow([{ id: 'build', cli: ['codex'] }]) }),
      grant,
      ended(1, 'unknown', { task: 't-0' }),
      ...[create('t-1', { workflow: chain }), grant, ended(1, 'quota', { reset_at: NOON + 3_600_000 })],
    ];
    expect(explained(past)).toEqual([
      'build: claude quota, resets 13:00 UTC, or breaker build/codex, open after repeated failures (`supervisor reset codex` when it works again)',
    ]);
  });

  test('has words and an end when it resets at the end of all dates', () => {
    expect(explained(quota(8.64e15))).toEqual(['build: claude quota, resets 2026-01-16 12:00 UTC']);
    expect(() => given(...quota(8.64e15 + 1))).toThrow();
  });
});
