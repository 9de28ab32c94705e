/** Quotas: a CLI that has none left takes no work until it resets, in no task and no project; its chain may go on without it. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { tighten } from '../../src/mind/config/tighten.ts';
import { parkingTimers } from '../../src/mind/domain/effects.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { type LimitsConfig, resolveLimits } from '../../src/mind/domain/limits.ts';
import { EMPTY_PROJECT } from '../../src/mind/domain/project.ts';
import { evolve, restoreStream, snapshotOf } from '../../src/mind/domain/streams.ts';
import { fact, given, type Input, NOON, type Sent } from '../support/given.ts';
import {
  closed,
  counted,
  create,
  ended,
  grant,
  limits,
  placeIn,
  settled,
  spec,
  started,
  TOO_OLD,
  timer,
  warnedOfAge,
  workflow,
} from './samples.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const chain = workflow([{ id: 'build', cli: ['claude', 'codex'] }]);
const codexOnly = workflow([{ id: 'build', cli: ['codex'] }]);
const slots = limits({ slots: { total: 9, per_cli: {} } });

type Parked = Parameters<typeof fact<'cli.parked'>>[2];
const parked = (over: Partial<Parked>) =>
  fact('host', 'cli.parked', { cli: 'claude', at: NOON, until: NOON, told: true, tries: 1, why: '', ...over });
const unparked = (cli = 'claude', why = 'it works again') => fact('host', 'cli.unparked', { cli, why });
const waits = (token = 1, cli = 0) =>
  settled({ class: 'quota', token, next: { do: 'retry', at: null, cli, counter: 'quota' } });
const at = (time: number, send: Input): Sent => ({ send, at: time });
const hits = (token: number, time: number, reset: number | null = null): Sent[] => [
  at(time, grant),
  at(time, ended(token, 'quota', { reset_at: reset })),
];
/** Which tasks a grant at this time starts, and with which CLI. */
const startedAt = (time: number, ...past: readonly (Input | Sent)[]): [string, string][] => {
  const { decision } = given(...past).when(at(time, grant));
  if (decision.type !== 'decided') throw new Error(decision.message);
  return decision.events.flatMap((event) =>
    event.type === 'attempt.started' ? [[event.stream.slice('task/'.length), event.data.cli]] : [],
  );
};

describe('a quota with a known reset', () => {
  const reset = NOON + 10 * MINUTE;
  const past = [slots, create(), grant, ended(1, 'quota', { reset_at: reset })];

  test('parks its CLI until then, on the host, and leaves the step ready', () => {
    const when = given(slots, create(), grant).when(ended(1, 'quota', { reset_at: reset, reason: 'used up' }));
    when.then([
      { ...waits(), data: { ...(waits().data as object), reason: 'used up' } },
      parked({ until: reset, why: 'used up' }),
    ]);
    expect(placeIn(when.project)).toEqual({ at: 'ready', cli: 0 });
  });

  test('holds up every task of that CLI to the millisecond, and no other', () => {
    const more = [...past, create('t-2'), create('t-3', { workflow: codexOnly })];
    expect(startedAt(NOON, ...more)).toEqual([['t-3', 'codex']]);
    expect(startedAt(reset - 1, ...more)).toEqual([['t-3', 'codex']]);
    expect(startedAt(reset, ...more)).toEqual([
      ['t-1', 'claude'],
      ['t-2', 'claude'],
      ['t-3', 'codex'],
    ]);
  });

  test('counts in another project of the machine as soon as its log says so', () => {
    const event = { stream: 'host', type: 'cli.parked', time: NOON } as const;
    const told = { ...event, data: { cli: 'claude', at: NOON, until: reset, told: true, tries: 1, why: '' } };
    const { decision } = given(told as NewEvent, create()).when(at(reset - 1, grant));
    expect(decision).toMatchObject({ events: [] });
  });

  test('is over with the first success of an attempt that began after it, also if its gates refuse it', () => {
    for (const outcome of ['ok', 'invalid'] as const) {
      const { decision } = given(...past, at(reset, grant)).when(at(reset + 1, ended(2, outcome)));
      expect(decision.type === 'decided' && decision.events).toContainEqual({ ...unparked(), time: reset + 1 });
    }
  });

  test('is not over because of one that began before it', () => {
    const both = given(slots, create(), create('t-2'), grant, at(NOON + 1, ended(1, 'quota', { reset_at: reset })));
    const { decision, project } = both.when(at(NOON + 2, ended(1, 'ok', { task: 't-2' })));
    expect(decision.type === 'decided' && decision.events.map((event) => event.stream)).not.toContain('host');
    expect(project.host.parked.get('claude')?.until).toBe(reset);
  });

  test('that lies in the past is no knowledge', () => {
    given(create(), grant)
      .when(ended(1, 'quota', { reset_at: NOON }))
      .then([waits(), parked({ until: NOON + MINUTE, told: false })]);
  });

  test('that comes and goes without effect is believed less each time', () => {
    let past: (Input | Sent)[] = [create()];
    let now = NOON;
    const spans: number[] = [];
    for (let token = 1; token <= 8; token++) {
      past = [...past, ...hits(token, now, now + 1_000)];
      const until = given(...past).project.host.parked.get('claude')?.until ?? 0;
      spans.push(until - now);
      now = until;
    }
    expect(spans).toEqual([1_000, ...[1, 2, 4, 8, 15, 15, 15].map((minutes) => minutes * MINUTE)]);
  });

  test('is tried after a day, however far away it is said to be', () => {
    given(create(), grant)
      .when(ended(1, 'quota', { reset_at: 8.64e15 }))
      .then([waits(), parked({ until: NOON + 24 * HOUR })]);
  });

  test('does not keep a task for ever: its age ends it', () => {
    given(create(), grant, ended(1, 'quota', { reset_at: 8.64e15 }))
      .when(at(NOON + 24 * HOUR, timer('age')))
      .then([warnedOfAge()]);
    given(create(), grant, ended(1, 'quota', { reset_at: 8.64e15 }), at(NOON + 24 * HOUR, timer('age')))
      .when(at(NOON + 24.5 * HOUR, timer('age')))
      .then([closed('escalated', TOO_OLD)]);
  });
});

describe('a quota with an unknown reset', () => {
  test('parks its CLI for a minute, then for twice as long each time, up to a quarter of an hour', () => {
    let past: (Input | Sent)[] = [create()];
    let now = NOON;
    const spans: number[] = [];
    for (let token = 1; token <= 7; token++) {
      past = [...past, ...hits(token, now)];
      const until = given(...past).project.host.parked.get('claude')?.until ?? 0;
      spans.push((until - now) / MINUTE);
      now = until;
    }
    expect(spans).toEqual([1, 2, 4, 8, 15, 15, 15]);
  });

  test('begins with a minute again after a success', () => {
    const later = NOON + MINUTE;
    const past = [create(), ...hits(1, NOON), at(later, grant), at(later, ended(2, 'invalid')), at(later, grant)];
    given(...past)
      .when(at(later, ended(3, 'quota')))
      .then([waits(3), parked({ at: later, until: later + MINUTE, told: false })]);
  });

  test('is one wall for all that run into it: it does not count twice, unless the second knows more', () => {
    const past = [slots, create(), create('t-2'), grant, at(NOON + 5, ended(1, 'quota'))];
    const second = (reset: number | null) =>
      given(...past).when(at(NOON + 6, ended(1, 'quota', { task: 't-2', reset_at: reset })));
    const other = { ...waits(), stream: 'task/t-2' };
    second(null).then([other]);
    second(NOON + 7).then([other]);
    second(NOON + HOUR).then([other, parked({ at: NOON + 6, until: NOON + HOUR })]);
  });
});

describe('a chain of CLIs', () => {
  const quota = (reset: number | null, wait?: number) => [
    ...(wait === undefined ? [] : [limits({ quota: { ...resolveLimits({}).quota!, wait_ms: wait } })]),
    create('t-1', { workflow: chain }),
    grant,
    ended(1, 'quota', { reset_at: reset }),
  ];

  test('waits for a near reset, and otherwise continues with the next CLI', () => {
    expect(startedAt(NOON, ...quota(NOON + 15 * MINUTE))).toEqual([]);
    expect(startedAt(NOON, ...quota(NOON + 15 * MINUTE + 1))).toEqual([['t-1', 'codex']]);
    expect(startedAt(NOON, ...quota(NOON + 15 * MINUTE + 1, HOUR))).toEqual([]);
    expect(startedAt(NOON, ...quota(NOON + 1, 0))).toEqual([['t-1', 'codex']]);
  });

  test('continues with the next CLI at once when the reset is unknown', () => {
    given(...quota(null))
      .when(grant)
      .then([started({ cli: 'codex', chain: 1, attempt: 2, token: 2 })]);
  });

  test('gives every task of that CLI to the next one, and comes back after the reset', () => {
    const past = [...quota(NOON + HOUR), create('t-2', { workflow: chain })];
    expect(startedAt(NOON, ...past).map(([, cli]) => cli)).toEqual(['codex', 'codex']);
    expect(startedAt(NOON + HOUR, ...past).map(([, cli]) => cli)).toEqual(['claude', 'claude']);
  });

  test('that has no quota anywhere takes the CLI that resets first', () => {
    const past = [...quota(NOON + 2 * HOUR), grant, ended(2, 'quota', { reset_at: NOON + HOUR })];
    expect(startedAt(NOON, ...past)).toEqual([]);
    expect(startedAt(NOON + HOUR, ...past)).toEqual([['t-1', 'codex']]);
    const other = [...quota(NOON + HOUR), grant, ended(2, 'quota', { reset_at: NOON + 2 * HOUR })];
    expect(startedAt(NOON + HOUR, ...other)).toEqual([['t-1', 'claude']]);
  });

  test('returns to a skipped CLI when the other’s candidate is refused, but not for a crash, which counts there', () => {
    const past = [...quota(NOON + HOUR), grant];
    given(...past)
      .when(ended(2, 'invalid'))
      .then([settled({ class: 'invalid', token: 2, next: { do: 'retry', at: null, cli: 0, counter: 'candidates' } })]);
    given(...past)
      .when(ended(2, 'crash'))
      .then([
        settled({ class: 'crash', token: 2, next: { do: 'retry', at: null, cli: 1, counter: 'crash' } }),
        counted('build/codex'),
      ]);
    const twice = given(...past, ended(2, 'crash'), grant).when(ended(3, 'crash'));
    expect(twice.decision).toMatchObject({ events: [{ data: { next: { do: 'close' } } }, {}, {}] });
  });

  test('passes over an open breaker', () => {
    const one = limits({ breaker: { failures: 1, window_ms: 1 }, crash_retries: 5 });
    const past = [one, create('t-1', { workflow: chain }), grant, ended(1, 'crash')];
    expect(startedAt(NOON, ...past)).toEqual([['t-1', 'codex']]);
    expect(startedAt(NOON, ...past, create('t-2', { workflow: chain })).map(([, cli]) => cli)).toEqual([
      'codex',
      'codex',
    ]);
    expect(startedAt(NOON, ...past, grant, ended(2, 'crash'))).toEqual([]);
  });
});

test('a played quota says nothing about the CLI that is played', () => {
  const played = create('t-1', spec({ simulated: true }));
  const past = [slots, played, grant, ended(1, 'quota', { reset_at: NOON + HOUR }), create('t-2')];
  expect(startedAt(NOON, ...past, create('t-3', spec({ simulated: true })))).toEqual([['t-2', 'claude']]);
  expect([...given(...past).project.host.parked.keys()]).toEqual(['claude (played)']);
});

describe('the operator’s word', () => {
  const reset: Input = { type: 'cli.reset', cli: 'claude' };
  const past = [create(), grant, ended(1, 'quota', { reset_at: NOON + HOUR })];

  test('unparks a CLI', () => {
    given(...past)
      .when(reset)
      .then([unparked('claude', 'reset by the operator')]);
    expect(startedAt(NOON, ...past, reset)).toEqual([['t-1', 'claude']]);
  });

  test('closes its breakers, of every role, or of the one it names', () => {
    const roles = ['coder', 'reviewer'].map((role) => workflow([{ id: 'build', role }]));
    const broken = [
      limits({ breaker: { failures: 1, window_ms: 1 }, slots: { total: 9, per_cli: {} } }),
      ...roles.map((definition, n) => create(`t-${n}`, { workflow: definition })),
      create('t-9', { workflow: codexOnly }),
      grant,
      ...['t-0', 't-1', 't-9'].map((task) => ended(1, 'crash', { task })),
    ];
    const lanes = (command: Input) => [...given(...broken, command).project.board.breakers.keys()];
    expect(lanes(reset)).toEqual(['build/codex']);
    expect(lanes({ type: 'cli.reset', cli: 'coder/claude' })).toEqual(['build/codex', 'reviewer/claude']);
  });

  test('is refused when nothing is in its way', () => {
    given(create())
      .when(reset)
      .then(
        rejected(
          'nothing_to_reset',
          'claude is neither parked nor stopped by a breaker; `supervisor status` lists what is',
        ),
      );
  });
});

test('the clock is asked to look again when each parked CLI resets, not at those that have', () => {
  const { project } = given(
    slots,
    create('t-1'),
    create('t-2', { workflow: codexOnly }),
    grant,
    ended(1, 'quota', { reset_at: NOON + HOUR }),
    ended(1, 'quota', { task: 't-2' }),
  );
  const due = (now: number) => parkingTimers(project, now).map((one) => one.due - NOON);
  expect(due(NOON)).toEqual([HOUR, MINUTE]);
  expect(due(NOON + MINUTE)).toEqual([HOUR]);
  expect(due(NOON + HOUR)).toEqual([]);
});

test('parked CLIs survive in a snapshot', () => {
  const { project } = given(create(), grant, ended(1, 'quota', { reset_at: NOON + HOUR }));
  const restored = restoreStream(EMPTY_PROJECT, 'host', snapshotOf(project, 'host') as string);
  expect(JSON.stringify(restored.host)).toBe(JSON.stringify(project.host));
  expect(restored.host.parked.get('claude')?.until).toBe(NOON + HOUR);
});

test('a log without limits for quotas has the usual ones', () => {
  const { quota: _, ...old } = resolveLimits({});
  const event = { stream: 'board', type: 'board.configured', time: NOON, data: { limits: old } } as NewEvent;
  expect(evolve(EMPTY_PROJECT, event).board.limits).toEqual(old);
  given(event, create(), grant)
    .when(ended(1, 'quota'))
    .then([waits(), parked({ until: NOON + MINUTE, told: false })]);
});

test('the config sets how long a step waits for a quota', () => {
  expect(resolveLimits({}).quota?.wait_ms).toBe(15 * MINUTE);
  expect(resolveLimits({ quota_wait: 0 }).quota?.wait_ms).toBe(0);
  const cascade = (...files: [LimitsConfig, LimitsConfig]) => resolveLimits(tighten(...files)).quota?.wait_ms;
  expect([cascade({ quota_wait: 1 }, { quota_wait: 2 }), cascade({}, { quota_wait: 2 })]).toEqual([1, 2]);
});
