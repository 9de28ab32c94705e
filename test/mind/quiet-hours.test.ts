/** Messages in a person's quiet hours: held, and afterwards joined into one, without those that are obsolete. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import { isLive } from '../../src/mind/domain/task.ts';
import type { AnswerFacts } from '../../src/mind/domain/values.ts';
import { noticeOf } from '../../src/mind/protocol/notice.ts';
import { fact, given, type Input, NOON, type Sent } from '../support/given.ts';
import { cancel, create, ended, grant, limits, pause, resume, spec, taskIn } from './samples.ts';

const HOUR = 3_600_000;
const MORNING = NOON + 8 * HOUR;
const said: AnswerFacts = { status: 'BLOCKED', confidence: null, findings: null, vetoes: null, dismissed: null };
const start = (task: string, key: string): Input => ({ type: 'effect.start', task, stream: `task/${task}`, key });

/** A task that asks a person at night. `token`: that of its question. */
function asks(task: string): (Input | Sent)[] {
  return [
    create(task, spec({ notify: true })),
    grant,
    { ...ended(1, 'blocked', { task, reason: 'which one?', said, answer: 'a'.repeat(64) }) },
    start(task, `${task}/-/2/notify.ask`),
  ];
}
const report = (task: string, token: number, over: object): Input =>
  ({ type: 'notify.report', task, token, result: 'held', ...over }) as Input;
const heldQuestion = (task: string, at = NOON): (Input | Sent)[] => [
  ...asks(task),
  { send: report(task, 2, { asks: true, quiet_ms: MORNING - at }), at },
];
const ring = (task: string, at = MORNING): Sent => ({
  send: { type: 'timer.fire', task, timer: 'quiet', step: null, token: MORNING },
  at,
});
const wanted = (project: Project, task: string) => wantedBy(project, `task/${task}`);
const digestOf = (project: Project, task: string) =>
  wanted(project, task).effects.flatMap(({ work }) => (work.kind === 'notify.send' ? [work.digest] : []));

const two = [limits({ slots: { total: 4, per_cli: {} } }), ...heldQuestion('t-1'), ...heldQuestion('t-2')];

describe('a message in quiet hours', () => {
  test('is held until they are over: the task wants a timer, and nothing else', () => {
    const when = given(...asks('t-1')).when(report('t-1', 2, { asks: true, quiet_ms: MORNING - NOON }));
    expect(when.decision).toMatchObject({
      events: [{ type: 'effect.settled' }, { type: 'notice.held', data: { until: MORNING } }],
    });
    expect(wanted(when.project, 't-1')).toMatchObject({ effects: [], timers: [{ timer: 'quiet', due: MORNING }] });
  });

  test('that was sent elsewhere is not held: control', () => {
    const { project } = given(...asks('t-1')).when(report('t-1', 2, { asks: true }));
    expect(wanted(project, 't-1')).toMatchObject({ effects: [], timers: [] });
  });

  test('also one about the end keeps its task in memory until it is sent', () => {
    const end = [create('t-1', spec({ notify: true })), grant, cancel(), start('t-1', 't-1/-/1/notify.send')];
    const { project } = given(...end).when(report('t-1', 1, { quiet_ms: HOUR }));
    expect(isLive(taskIn(project))).toBe(true);
  });
});

describe('when they are over', () => {
  test('one message covers all that still wait; it is sent once', () => {
    const when = given(...two).when(ring('t-2'));
    when.then([
      fact('task/t-1', 'notice.due', { by: 't-1', asks: ['t-1', 't-2'], ended: [] }),
      fact('task/t-2', 'notice.due', { by: 't-1', asks: [], ended: [] }),
    ]);
    expect([digestOf(when.project, 't-1'), digestOf(when.project, 't-2')]).toEqual([
      [{ asks: ['t-1', 't-2'], ended: [] }],
      [],
    ]);
    expect(wanted(when.project, 't-1').timers).toEqual([]);
    given(...two, ring('t-2'))
      .when(ring('t-1'))
      .then(rejected('stale_timer', 'task t-1 has no message that waits for the end of quiet hours'));
    const key = `t-1/-/${MORNING}/notify.quiet`;
    const told = given(...two, ring('t-2'), start('t-1', key)).when(report('t-1', MORNING, { digest: true }));
    told.then([
      fact('task/t-1', 'effect.settled', { key, kind: 'notify.send', token: MORNING, result: 'held' }),
      fact('task/t-2', 'notice.dropped', {}),
    ]);
    for (const task of ['t-1', 't-2']) expect(wanted(told.project, task)).toEqual({ effects: [], timers: [] });
    given(...two, ring('t-2'), start('t-1', key), report('t-1', MORNING, { digest: true }))
      .when(report('t-1', MORNING, { digest: true }))
      .then(rejected('duplicate_outcome', 'task t-1 waits for no notification'));
  });

  test('an answered, cancelled or paused question is no longer announced', () => {
    const answered: Input = { ...resume('t-1'), say: 'the second' } as Input;
    const when = given(...two, answered).when(ring('t-2'));
    expect(when.decision).toMatchObject({
      events: [
        { stream: 'task/t-1', type: 'notice.dropped' },
        { stream: 'task/t-2', type: 'notice.due', data: { by: 't-2', asks: ['t-2'], ended: [] } },
      ],
    });
    const none = given(...two, pause('t-1'), cancel('t-2')).when(ring('t-2'));
    expect([digestOf(none.project, 't-1'), none.decision]).toMatchObject([
      [],
      { events: [{ type: 'notice.dropped' }, { type: 'notice.dropped' }] },
    ]);
  });

  test('nothing happens before; hands that measured a moment apart mean one end', () => {
    given(...two)
      .when(ring('t-1', MORNING - 1))
      .then(rejected('stale_timer', 'task t-1 has no message that waits for the end of quiet hours'));
    const later = [
      limits({ slots: { total: 4, per_cli: {} } }),
      ...heldQuestion('t-1'),
      ...heldQuestion('t-2', NOON - 40),
    ];
    expect(digestOf(given(...later).when(ring('t-1')).project, 't-1')).toEqual([{ asks: ['t-1', 't-2'], ended: [] }]);
  });

  test('and it is night again, as after a day without a process: all of it waits for the next morning', () => {
    const night = MORNING + 15 * HOUR;
    const key = `t-1/-/${MORNING}/notify.quiet`;
    const again: Sent = { send: report('t-1', MORNING, { digest: true, quiet_ms: 9 * HOUR }), at: night };
    const { project } = given(...two, ring('t-1', night), start('t-1', key)).when(again);
    for (const task of ['t-1', 't-2'])
      expect(wanted(project, task)).toMatchObject({ effects: [], timers: [{ due: night + 9 * HOUR }] });
  });
});

test('the message names who waits and who has ended, and no words of the tasks', () => {
  const work = {
    kind: 'notify.send',
    title: 'secret plan',
    status: 'digest',
    spec: { version: 1, text: 'x' },
  } as const;
  const many = ['t-1', 't-2', 't-3', 't-4', 't-5', 't-6', 't-7'] as never[];
  const told = noticeOf('t-1', { ...work, digest: { asks: many, ended: ['t-9' as never] } });
  expect(told).toMatchObject({ asks: true, status: 'digest', about: null, tasks: [...many, 't-9'] });
  expect(told.text).toBe(
    '7 tasks wait for you: t-1, t-2, t-3, t-4, t-5 and 2 more; 1 task has ended: t-9: supervisor status',
  );
});
