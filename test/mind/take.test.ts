/** A person does the work of a step: it is theirs until what they give is accepted, or they drop it. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { peopleOf } from '../../src/mind/domain/change-authors.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { recoveryOf } from '../../src/mind/domain/work.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { fact, given, type Input, NOON, type Sent } from '../support/given.ts';
import {
  candidateOf,
  closed,
  create,
  ended,
  gate,
  grant,
  pause,
  placeIn,
  resume,
  spec,
  startedTasks,
  taskIn,
  workflow,
} from './samples.ts';

const DIR = '/home/ana/shop-t-1';
const FLOW = workflow([{ id: 'build', gates: ['tests'], attempts: 1 }]);
const ana = (send: Input): Sent => ({ send, name: 'ana' });
const ben = (send: Input): Sent => ({ send, name: 'ben' });
const take: Input = { type: 'step.take', task: 't-1', dir: DIR };
const give = (attempt: number): Input => ({ type: 'step.give', task: 't-1', attempt });
const drop = (reason = ''): Input => ({ type: 'step.drop', task: 't-1', reason });
const OTHER = { base: 'b0', tree: 'tree-of-ana', change_id: 'change-of-ana' };
const mine = (token: number, over = {}): Input => ended(token, 'ok', { candidate: OTHER, cost: NOTHING, ...over });
const NOTHING = { microusd: 0, tokens_in: 0, tokens_out: 0 };

/** A worker's only attempt was red: the task has failed. */
const failed: Input[] = [create('t-1', { workflow: FLOW }), grant, ended(1, 'ok'), gate(1, 'tests', 'fail')];
const taken = (over = {}) =>
  fact('task/t-1', 'step.taken', { step: 'build', by: 'operator:ana', dir: DIR, base: 'b0', on: null, ...over });
const theirs = (over = {}) =>
  fact('task/t-1', 'attempt.started', {
    step: 'build',
    attempt: 2,
    token: 3,
    kind: 'change',
    round: 1,
    on: null,
    cli: '',
    reserve: 0,
    locks: [],
    deadline: NOON + DEFAULT_LIMITS.wall_ms,
    given: { by: 'operator:ana', dir: DIR },
    ...over,
  });
const reason = 'a person made the change';
const HAS = `ana has task t-1 since 2026-01-15 12:00 UTC, in ${DIR}: \`supervisor give t-1\` hands in what was made, \`supervisor take t-1 --drop\` leaves it to the workers`;

describe('take', () => {
  test('of a task that failed: it begins with the change that was sent back, and the task stays as it is', () => {
    const after = given(...failed).when(ana(take));
    after.then([taken({ on: candidateOf(1) })]);
    expect(statusOf(taskIn(after.project))).toBe('failed');
  });

  test.each<[string, Input[], object]>([
    ['is queued', [create()], { on: null }],
    ['waits for its next attempt', [create(), grant, ended(1, 'transient')], { on: null }],
    ['is paused', [create(), pause()], { on: null }],
    ['is paused, and whose worker has not ended', [create(), grant, pause()], { on: null }],
    [
      'is paused while its gates run',
      [create('t-1', { workflow: FLOW }), grant, ended(1, 'ok'), pause()],
      { on: candidateOf(1) },
    ],
    [
      'asks whether to try again',
      [
        create('t-1', {
          workflow: workflow([{ id: 'build', gates: ['tests'], attempts: 1, on_failure: 'ask_human' }]),
        }),
        ...failed.slice(1),
      ],
      { on: candidateOf(1) },
    ],
  ])('of a task that %s', (_, past, over) => {
    given(...past)
      .when(ana(take))
      .then([taken(over)]);
  });

  test('no worker starts on it, and it says who has it', () => {
    const { project } = given(create(), ana(take)).when(grant);
    expect(placeIn(project)).toEqual({ at: 'ready', cli: 0 });
    expect(statusOf(taskIn(project))).toBe('waiting');
    expect(waitsFor(project, taskIn(project), NOON)).toEqual([
      `build: ana, who has it since 2026-01-15 12:00 UTC, in ${DIR}: \`supervisor give t-1\` hands in what was made, \`supervisor take t-1 --drop\` leaves it to the workers`,
    ]);
    expect(wantedBy(project, 'task/t-1')).toEqual({ effects: [], timers: [] });
  });

  test('again, by the same person for the same place, changes nothing: a checkout may still have to be made', () => {
    given(...failed, ana(take))
      .when(ana(take))
      .then([]);
  });

  const answers = create('t-1', { workflow: workflow([{ id: 'plan', kind: 'answer' }]) });
  test.each<[string, Input[], Input | Sent, string, string]>([
    ['no such task', [], take, 'unknown_task', 'no task t-1 in this project; `supervisor status` lists them'],
    [
      'a task at work',
      [create(), grant],
      take,
      'running',
      'task t-1 is running: `supervisor pause t-1` first, or wait until it has ended',
    ],
    [
      'a task that was cancelled',
      [create(), { type: 'task.cancel', task: 't-1' }],
      take,
      'task_closed',
      'task t-1 is cancelled: nothing is left to do',
    ],
    [
      'a task that is being committed',
      [create(), grant, ended(1, 'ok')],
      take,
      'too_late',
      'task t-1 has passed its gates and is being committed: wait for it',
    ],
    [
      'a step that makes no change',
      [answers],
      take,
      'no_change_step',
      'step plan of task t-1 makes no change: only a step that changes files can be taken',
    ],
    [
      'a step that is not open',
      [create()],
      { ...take, step: 'review' },
      'unknown_step',
      'no step review of task t-1 is open (open: build): `supervisor show t-1`',
    ],
    [
      'a change that waits for an approval: it goes back first',
      [create('t-1', { workflow: workflow([{ id: 'build' }, { id: 'look', kind: 'human' }]) }), grant, ended(1, 'ok')],
      take,
      'no_change_step',
      'step look of task t-1 makes no change: only a step that changes files can be taken. `supervisor pause t-1`, then `supervisor reject t-1 --reason "…"` sends its change back, and you can take it',
    ],
    [
      'a task that is only played',
      [create('t-1', spec({ simulated: true }))],
      take,
      'simulated',
      'task t-1 is only played: there is nothing to take',
    ],
    [
      'a task whose base is not known yet',
      [create('t-1', { ...spec({ queued: true }), base: null })],
      take,
      'no_base',
      'task t-1 has not begun: it gets its base with its first attempt, so wait for that',
    ],
  ])('is refused for %s', (_, past, command, code, message) => {
    given(...past)
      .when(command)
      .then(rejected(code, message));
  });

  test('is refused if another person has it, and if the same person has it elsewhere', () => {
    given(...failed, ana(take))
      .when(ben(take))
      .then(rejected('taken', HAS));
    given(...failed, ana(take))
      .when(ana({ type: 'step.take', task: 't-1', dir: '/home/ana/other' }))
      .then(rejected('taken', HAS));
  });

  test.each<[string, Sent | Input]>([
    ['a worker', { send: take, by: 'mcp' }],
    ['a planner', { send: take, by: 'planner' }],
  ])('is not for %s', (_, command) => {
    const { decision } = given(create()).when(command);
    expect(decision).toMatchObject({ type: 'rejected', code: 'not_allowed' });
  });

  test('keeps the task from being resumed: first it is given or dropped', () => {
    given(...failed, ana(take))
      .when(resume())
      .then(rejected('taken', HAS));
  });

  test('does not get too old while a person has it', () => {
    const { project } = given(create(), ana(take));
    expect(wantedBy(project, 'task/t-1').timers).toEqual([]);
  });
});

describe('give', () => {
  const reopened = fact('task/t-1', 'task.reopened', { opens: ['build'], reason });

  test('of a task that failed: the next attempt, by the person and no CLI; it uses no slot and no time', () => {
    const after = given(...failed, ana(take)).when(ana(give(2)));
    after.then([reopened, theirs()]);
    const { effects, timers } = wantedBy(after.project, 'task/t-1');
    expect(timers.map(({ timer }) => timer)).toEqual(['age']);
    expect(effects).toMatchObject([
      {
        key: 't-1/build/3/2/worker.run',
        token: 3,
        work: { kind: 'worker.run', given: { by: 'operator:ana', dir: DIR } },
      },
    ]);
    expect(effects.map(({ work }) => recoveryOf(work))).toEqual(['repeat']);
    expect([after.project.holds.busy, statusOf(taskIn(after.project))]).toEqual([0, 'running']);
  });

  test('is checked as every attempt; what passes is accepted, and the lease ends', () => {
    const past = [...failed, ana(take), ana(give(2)), mine(3)];
    const after = given(...past).when(gate(3, 'tests', 'pass'));
    expect(after.decision).toMatchObject({
      events: [
        { type: 'gate.reported' },
        { type: 'verdict.given', data: { decision: 'APPROVE', on: OTHER } },
        { type: 'attempt.settled', data: { class: 'ok', candidate: OTHER, next: { do: 'complete', opens: [] } } },
        { type: 'task.applying', data: { candidate: OTHER } },
      ],
    });
    const task = taskIn(after.project);
    expect([task.taken, peopleOf(task)]).toEqual([undefined, ['operator:ana']]);
    const [apply] = wantedBy(after.project, 'task/t-1').effects;
    expect(apply?.work).toMatchObject({ kind: 'candidate.apply', people: ['operator:ana'] });
  });

  test('a red change stays with the person, however often, and uses up no attempt of the workers', () => {
    const red = (token: number): (Input | Sent)[] => [
      mine(token, { candidate: { ...OTHER, tree: `tree-of-ana-${token}` } }),
      gate(token, 'tests', 'fail'),
    ];
    const past = [...failed, ana(take), ana(give(2)), ...red(3), ana(give(3)), ...red(4), ana(give(4)), ...red(5)];
    const { project } = given(...past).when(grant);
    const task = taskIn(project);
    expect([statusOf(task), task.taken?.by, task.steps.get('build')?.used]).toEqual(['waiting', 'operator:ana', {}]);
    expect(task.steps.get('build')).toMatchObject({
      attempts: 4,
      feedback: 'gate failed: tests',
      sentBack: { tree: 'tree-of-ana-5' },
    });
  });

  test('a forbidden change is sent back with its reason, as a worker’s is', () => {
    given(...failed, ana(take), ana(give(2)))
      .when(ended(3, 'invalid', { reason: 'test/a.js is protected', sent_back: OTHER, cost: NOTHING }))
      .then([
        fact('task/t-1', 'attempt.settled', {
          step: 'build',
          token: 3,
          class: 'invalid',
          category: 'parsing',
          reason: 'test/a.js is protected',
          candidate: null,
          answer: null,
          record: null,
          said: null,
          cost: NOTHING,
          sent_back: OTHER,
          next: { do: 'retry', at: null, cli: 0, counter: 'none' },
        }),
      ]);
  });

  test('of a paused task goes on with it; of one that asks, it is the answer; of one that waits, the wait is over', () => {
    given(create(), pause(), ana(take))
      .when(ana(give(1)))
      .then([fact('task/t-1', 'task.resumed', { reason }), theirs({ attempt: 1, token: 1 })]);
    given(create(), grant, ended(1, 'transient'), ana(take))
      .when(ana(give(2)))
      .then([fact('task/t-1', 'step.woken', { step: 'build' }), theirs({ token: 2 })]);
    const asking = workflow([{ id: 'build', gates: ['tests'], attempts: 1, on_failure: 'ask_human' }]);
    given(create('t-1', { workflow: asking }), ...failed.slice(1), ana(take))
      .when(ana(give(2)))
      .then([
        fact('task/t-1', 'step.answered', {
          step: 'build',
          token: 2,
          decision: 'APPROVE',
          by: 'operator:ana',
          reason,
          opens: [],
        }),
        theirs(),
      ]);
  });

  test('takes the place of a paused worker that no hand reports on, as after a kill; a later report is refused', () => {
    const past = [create('t-1', { workflow: FLOW }), grant, pause(), ana(take), ana(give(2))];
    const { project } = given(...past);
    expect(placeIn(project)).toMatchObject({ at: 'working', attempt: { number: 2, given: { by: 'operator:ana' } } });
    const { decision } = given(...past).when(ended(1, 'ok'));
    expect(decision).toMatchObject({ events: [{ type: 'outcome.refused' }] });
  });

  test('takes the place of an attempt whose gates were stopped by a pause', () => {
    const past = [create('t-1', { workflow: FLOW }), grant, ended(1, 'ok'), pause(), ana(take)];
    const { project } = given(...past).when(ana(give(2)));
    expect(placeIn(project)).toMatchObject({ at: 'working', attempt: { number: 2, given: { by: 'operator:ana' } } });
    expect(taskIn(project).paused).toBeUndefined();
  });

  test('twice is captured once', () => {
    const past = [...failed, ana(take), ana(give(2))];
    const given_ = 'your work on task t-1 is being checked: `supervisor attach t-1` shows how it goes';
    given(...past)
      .when(ana(give(2)))
      .then(rejected('given_already', given_));
    given(...past, mine(3))
      .when(ana(give(2)))
      .then(rejected('given_already', given_));
    given(...past, mine(3), gate(3, 'tests', 'fail'))
      .when(ana(give(2)))
      .then(rejected('stale', 'task t-1 has gone on since: `supervisor show t-1`, then give again'));
  });

  test('a late report of an older attempt changes nothing', () => {
    const { decision } = given(...failed, ana(take), ana(give(2))).when(ended(1, 'ok'));
    expect(decision).toMatchObject({ events: [{ type: 'outcome.refused' }] });
  });

  const locked = spec({ files: ['src/a.ts'] });
  test.each<[string, (Input | Sent)[], string, string]>([
    ['no such task', [], 'unknown_task', 'no task t-1 in this project; `supervisor status` lists them'],
    [
      'a task that nobody has',
      [...failed],
      'not_taken',
      'task t-1 is not taken: `supervisor take t-1` makes a checkout of it to work in',
    ],
    ['a task of somebody else', [...failed, ben(take)], 'taken', HAS.replace('ana has', 'ben has')],
    [
      'a halted project',
      [...failed, ana(take), { type: 'board.halt' }],
      'halted',
      'the project is halted: `supervisor resume` first, then give again',
    ],
    [
      'files that another task holds',
      [create('t-1', { workflow: FLOW, ...locked }), ...failed.slice(1), create('t-2', locked), grant, ana(take)],
      'locked',
      'task t-1 needs file:src/a.ts, held by task t-2: wait for it, then give again',
    ],
  ])('is refused for %s', (_, past, code, message) => {
    given(...past)
      .when(ana(give(2)))
      .then(rejected(code, message));
  });

  test('is not cut by a pause: what was made is read again after it', () => {
    const { project } = given(...failed, ana(take), ana(give(2)), pause());
    expect(wantedBy(project, 'task/t-1')).toEqual({ effects: [], timers: [], interrupt: 'paused' });
    const after = given(...failed, ana(take), ana(give(2)), pause(), resume());
    expect(wantedBy(after.project, 'task/t-1').effects).toHaveLength(1);
  });
});

describe('drop', () => {
  const dropped = (over = {}) =>
    fact('task/t-1', 'step.dropped', { step: 'build', by: 'operator:ana', reason: '', ...over });

  test('leaves the step to the workers', () => {
    const after = given(create(), ana(take)).when(ana(drop()));
    after.then([dropped()]);
    const { decision } = given(create(), ana(take), ana(drop())).when(grant);
    expect(decision.type === 'decided' && startedTasks(decision.events)).toEqual(['t-1']);
  });

  test('a task that had failed has failed again, also when something was given and sent back', () => {
    const red = [...failed, ana(take), ana(give(2)), mine(3), gate(3, 'tests', 'fail')];
    given(...failed, ana(take))
      .when(ana(drop()))
      .then([dropped()]);
    given(...red)
      .when(ana(drop()))
      .then([dropped(), closed('failed', 'gate failed: tests')]);
  });

  test('a task that was paused is paused again', () => {
    const red = [
      create('t-1', { workflow: FLOW }),
      pause(),
      ana(take),
      ana(give(1)),
      mine(1),
      gate(1, 'tests', 'fail'),
    ];
    given(...red)
      .when(ana(drop()))
      .then([dropped(), fact('task/t-1', 'task.paused', { reason: 'as before' })]);
  });

  test.each<[string, (Input | Sent)[], Sent, string, string]>([
    ['no such task', [], ana(drop()), 'unknown_task', 'no task t-1 in this project; `supervisor status` lists them'],
    [
      'a task that nobody has',
      [...failed],
      ana(drop()),
      'not_taken',
      'task t-1 is not taken: `supervisor take t-1` makes a checkout of it to work in',
    ],
    [
      'a task of somebody else, without a reason',
      [...failed, ana(take)],
      ben(drop()),
      'needs_reason',
      'ana has task t-1: say with --reason why it is taken away',
    ],
    [
      'what is being checked',
      [...failed, ana(take), ana(give(2))],
      ana(drop()),
      'given_already',
      'your work on task t-1 is being checked: `supervisor attach t-1` shows how it goes',
    ],
  ])('is refused for %s', (_, past, command, code, message) => {
    given(...past)
      .when(command)
      .then(rejected(code, message));
  });

  test('by another person, who says why', () => {
    given(...failed, ana(take))
      .when(ben(drop('she is on holiday')))
      .then([dropped({ by: 'operator:ben', reason: 'she is on holiday' })]);
  });

  test('the lease ends with a task that is given up for good', () => {
    const { project } = given(create(), ana(take), { type: 'task.cancel', task: 't-1' });
    expect(taskIn(project).taken).toBeUndefined();
  });
});
