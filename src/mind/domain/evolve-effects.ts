/** How events about commits and messages, which belong to no attempt, fold into a task. */
import type { EventData, TaskEvent } from './events/index.ts';
import { digestKey, questionKey, type Task } from './task.ts';

type NoticeEvent = Extract<TaskEvent, { type: 'notice.held' | 'notice.due' | 'notice.dropped' }>;
type EffectEvent = Extract<TaskEvent, { type: 'effect.started' | 'effect.settled' | 'outcome.refused' }>;

export function outsideOfAttempts(task: Task, event: EffectEvent | NoticeEvent, time: number): Task {
  if (event.type === 'effect.started') return { ...task, started: [...task.started, event.data.key] };
  if (event.type === 'effect.settled') return effectSettled(task, event.data);
  return event.type === 'outcome.refused' ? { ...task, refused: task.refused + 1 } : noticed(task, event, time);
}

/** A message to a person that waits for the end of quiet hours. */
function noticed(task: Task, event: NoticeEvent, time: number): Task {
  const { held, ...rest } = task;
  if (event.type === 'notice.dropped') return rest;
  if (event.type === 'notice.held')
    return { ...rest, steps: waitingLonger(task, event.data.until - time), held: event.data };
  const { by, asks, ended } = event.data;
  const until = held?.until ?? 0;
  const carried = { ...rest, held: { until, by } };
  return by === task.id ? { ...carried, digest: { token: until, asks, ended } } : carried;
}

/** The time to object begins when the message is sent: people cannot object to what they do not know. */
function waitingLonger({ steps, open }: Task, ms: number): Task['steps'] {
  return open.reduce((all, id) => {
    const step = all.get(id);
    if (step?.place.at !== 'waiting' || step.place.until === undefined) return all;
    return all.set(id, { ...step, place: { ...step.place, until: step.place.until + ms } });
  }, steps);
}

/** A newer message replaces the one that was held. */
function messageSettled(task: Task, { key, token }: EventData<'effect.settled'>): Task {
  const started = task.started.filter((one) => one !== key);
  const { held, digest, ...rest } = task;
  if (key === digestKey(task.id, token)) {
    const isNewer = held !== undefined && held.by !== task.id;
    return { ...rest, started, ...(isNewer ? { held } : {}) };
  }
  const told = { ...rest, started, ...(digest === undefined ? {} : { digest }) };
  return key === questionKey(task.id, token) ? { ...told, told: token } : { ...told, notify: false };
}

/** A refused commit is over: the task goes back. */
function effectSettled(task: Task, settled: EventData<'effect.settled'>): Task {
  const { kind, key, result } = settled;
  if (kind === 'notify.send') return messageSettled(task, settled);
  const started = task.started.filter((one) => one !== key);
  const isRefused = kind === 'candidate.apply' && result === 'refused';
  const applying = isRefused ? null : task.applying;
  return { ...task, started, applying };
}
