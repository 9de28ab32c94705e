/** Effects and timers are derived from state alone: for every place exactly what is wanted there, under stable keys. */
import { describe, expect, test } from 'vitest';
import { DEADLINE_SLACK_MS, wantedBy } from '../../src/mind/domain/effects.ts';
import { RECOVERY } from '../../src/mind/domain/work.ts';
import { given, type Input, NOON, type Sent } from '../support/given.ts';
import {
  branchName,
  CANDIDATE,
  cancel,
  create,
  ended,
  GATED,
  gate,
  grant,
  limits,
  resume,
  spec,
  workflow,
} from './samples.ts';

const wanted = (...past: (Input | Sent)[]) => wantedBy(given(...past).project, 'task/t-1');
const SPEC = { version: 1, text: 'do it' };
const DAY = 24 * 3_600_000;
const age = { key: `t-1/-/0/age/${NOON + DAY}`, due: NOON + DAY, task: 't-1', timer: 'age', step: null, token: 0 };
const attempt = {
  number: 1,
  token: 1,
  kind: 'change',
  cli: 'claude',
  chain: 0,
  round: 1,
  on: null,
  reserve: 0,
  started: NOON,
  deadline: NOON + 1_800_000,
};
const start = (kind: 'candidate.apply' | 'notify.send', token: number): Input => ({
  type: 'effect.start',
  task: 't-1',
  stream: 'task/t-1',
  key: `t-1/-/${token}/${kind}`,
});

describe('a task wants', () => {
  test('nothing but its age timer while it is ready', () => {
    expect(wanted(create())).toEqual({ effects: [], timers: [age] });
  });

  test('a worker and its deadline while an attempt is under way; the attempt itself is the logged start', () => {
    const work = {
      kind: 'worker.run',
      attempt,
      spec: SPEC,
      input: null,
      start: null,
      config: {},
      contextScope: null,
      handOver: false,
      made: [],
      base: 'b0',
      feedback: null,
      repeated: false,
      findings: [],
      reviews: [],
      sentBack: { task: 't-1', step: 'build', trace: 'c-1', change: null, count: 0, until: 1_768_564_800_000 },
      attempts: 3,
      role: 'build',
      turns: 0,
      grants: [],
      scope: [],
      gates: [],
      before: [],
    };
    const due = NOON + 1_800_000 + DEADLINE_SLACK_MS;
    expect(wanted(create(), grant)).toEqual({
      effects: [
        {
          key: 't-1/build/1/1/worker.run',
          stream: 'task/t-1',
          task: 't-1',
          step: 'build',
          token: 1,
          started: true,
          work,
        },
      ],
      timers: [
        age,
        { key: `t-1/build/1/deadline/${due}`, due, task: 't-1', timer: 'deadline', step: 'build', token: 1 },
      ],
    });
  });

  test('a worker that reads what came before: the accepted candidate, and why it was sent back', () => {
    const two = workflow([{ id: 'build' }, { id: 'polish' }]);
    const { effects } = wanted(
      create('t-1', { workflow: two }),
      grant,
      ended(1, 'ok'),
      grant,
      ended(2, 'invalid', { step: 'polish', reason: 'no' }),
      grant,
    );
    expect(effects).toMatchObject([{ key: 't-1/polish/3/2/worker.run', work: { input: CANDIDATE, feedback: 'no' } }]);
  });

  test('the gates that have not reported while a candidate is checked', () => {
    const checking = [create('t-1', { workflow: GATED }), grant, ended(1, 'ok')];
    const run = (name: string) => ({
      ...{
        key: `t-1/build/1/1/gate.run/${name}`,
        stream: 'task/t-1',
        task: 't-1',
        step: 'build',
        token: 1,
        started: false,
      },
      work: { kind: 'gate.run', attempt: 1, gate: name, spec: SPEC, candidate: CANDIDATE, answer: null },
    });
    expect(wanted(...checking)).toEqual({ effects: [run('lint'), run('tests')], timers: [age] });
    expect(wanted(...checking, gate(1, 'lint', 'fail'))).toEqual({ effects: [run('tests')], timers: [age] });
  });

  test('a backoff timer while it is parked', () => {
    const due = NOON + 2_000;
    const backoff = { key: `t-1/build/1/backoff/${due}`, due, task: 't-1', timer: 'backoff', step: 'build', token: 1 };
    expect(wanted(create(), grant, ended(1, 'transient'))).toEqual({ effects: [], timers: [age, backoff] });
  });

  test('its candidate applied once all steps are done; the start is marked when it was logged', () => {
    const done = [create(), grant, ended(1, 'ok')];
    const work = {
      kind: 'candidate.apply',
      candidate: CANDIDATE,
      onto: 'main',
      branch: branchName(),
      title: 'task t-1',
      spec: SPEC,
      created: NOON,
      answer: null,
      red: [],
    };
    const apply = (started: boolean) => ({
      effects: [
        { key: 't-1/-/2/candidate.apply', stream: 'task/t-1', task: 't-1', step: null, token: 2, started, work },
      ],
      timers: [age],
    });
    expect(wanted(...done)).toEqual(apply(false));
    expect(wanted(...done, start('candidate.apply', 2))).toEqual(apply(true));
  });

  test('a person notified once it is closed, if its spec asks for it', () => {
    const end = [create('t-1', spec({ notify: true })), grant, cancel()];
    const work = { kind: 'notify.send', title: 'task t-1', spec: { ...SPEC, notify: true }, status: 'cancelled' };
    const tell = (started: boolean) => ({
      effects: [{ key: 't-1/-/1/notify.send', stream: 'task/t-1', task: 't-1', step: null, token: 1, started, work }],
      timers: [],
    });
    expect(wanted(...end)).toEqual(tell(false));
    expect(wanted(...end, start('notify.send', 1))).toEqual(tell(true));
    const told: Input = { type: 'notify.report', task: 't-1', token: 1, result: 'sent' };
    expect(wanted(...end, start('notify.send', 1), told)).toEqual({ effects: [], timers: [] });
  });

  test('nothing at all when it is closed, or unknown', () => {
    expect(wanted(create(), grant, cancel())).toEqual({ effects: [], timers: [] });
    expect(wanted()).toEqual({ effects: [], timers: [] });
  });
});

describe('keys', () => {
  const keys = (...past: (Input | Sent)[]) =>
    [...wanted(...past).effects, ...wanted(...past).timers].map((one) => one.key);

  test('are all different, with steps and gates side by side', () => {
    const gates = ['lint', 'tests'];
    const fork = workflow([
      { id: 'a', kind: 'answer', gates },
      { id: 'b', kind: 'answer', needs: [], gates },
      { id: 'c', kind: 'answer', needs: [] },
    ]);
    const three = limits({ slots: { total: 3, per_cli: {} } });
    const answers = ['a', 'b'].map((step, n) => ended(n + 1, 'ok', { step, candidate: null }));
    const found = keys(three, create('t-1', { workflow: fork }), grant, ...answers);
    expect(found).toHaveLength(7);
    expect(new Set(found).size).toBe(7);
  });

  test('stay the same while other things happen', () => {
    expect(keys(create(), grant)).toEqual(
      keys(create(), grant, create('t-2'), { type: 'goal.set', text: 'ship' }, ended(9, 'ok')),
    );
  });

  test('are new with every attempt, and with every life of the task', () => {
    const first = wanted(create(), grant).effects;
    const second = wanted(create(), grant, ended(1, 'invalid'), grant).effects;
    expect([first, second].map(([effect]) => effect?.key)).toEqual([
      't-1/build/1/1/worker.run',
      't-1/build/2/2/worker.run',
    ]);
    const life = [create('t-1', spec({ notify: true })), grant, ended(1, 'blocked')];
    const again = wanted(...life, resume(), cancel()).effects;
    expect([wanted(...life).effects[0]?.key, again[0]?.key]).toEqual(['t-1/-/1/notify.send', 't-1/-/2/notify.send']);
  });
});

test('every kind of effect says how it is recovered', () => {
  expect(RECOVERY).toEqual({
    'worker.run': 'new-attempt',
    'gate.run': 'repeat',
    'candidate.apply': 'probe',
    'line.integrate': 'repeat',
    'line.move': 'probe',
    'line.read': 'repeat',
    'notify.send': 'at-most-once',
  });
});
