/**
 * Decisions about messages to people. Messages in quiet hours are held; afterwards one message says what is still true.
 * One task carries that message for all, so it has an intent and an outcome like any other.
 */
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { effectKey } from '../domain/effects.ts';
import { taskStream } from '../domain/stream-name.ts';
import { asksPerson, digestKey, questionKey, type Task, untold } from '../domain/task.ts';

type NotifyReport = CommandOf<'notify.report'>;

export function reportNotify(draft: Draft, report: NotifyReport): Rejection | null {
  const { token, result, quiet_ms } = report;
  const task = draft.project.tasks.get(report.task);
  if (task === undefined || !isWanted(task, report))
    return rejected('duplicate_outcome', `task ${report.task} waits for no notification`);
  const about = report.digest === true ? carriedBy(draft, task) : [task];
  draft.emit(taskStream(task.id), {
    type: 'effect.settled',
    data: { key: keyOf(task, report), kind: 'notify.send', token, result },
  });
  for (const { id } of about) {
    const stream = taskStream(id);
    if (quiet_ms !== undefined)
      draft.emit(stream, { type: 'notice.held', data: { until: draft.envelope.at + quiet_ms } });
    else if (id !== task.id) draft.emit(stream, { type: 'notice.dropped', data: {} });
  }
  return null;
}

function isWanted(task: Task, { asks, digest, token }: NotifyReport): boolean {
  if (digest === true) return task.digest?.token === token;
  return asks === true ? untold(task) === token : task.notify && task.token === token;
}

function keyOf({ id }: Task, { asks, digest, token }: NotifyReport): string {
  if (digest === true) return digestKey(id, token);
  return asks === true ? questionKey(id, token) : effectKey(id, null, token, 'notify.send');
}

/** Tasks that this task's message covers and that have had no newer message. */
const carriedBy = ({ project }: Draft, { id }: Task): Task[] =>
  [...project.tasks.values()].filter(({ held }) => held?.by === id);

/** Quiet hours with ends this close are the same: hands measure them at slightly different times. */
const SAME_END_MS = 60_000;

/** Quiet hours are over: one message for everything held, without what is outdated by now. */
export function quietOver(draft: Draft, command: CommandOf<'timer.fire'>): Rejection | null {
  const { project, envelope } = draft;
  const first = project.tasks.get(command.task)?.held;
  if (first === undefined || first.by !== undefined || envelope.at < first.until)
    return rejected('stale_timer', `task ${command.task} has no message that waits for the end of quiet hours`);
  const held = [...project.tasks.values()].filter(
    (task) => task.held !== undefined && task.held.by === undefined && task.held.until <= envelope.at + SAME_END_MS,
  );
  const asks = held.filter((task) => asksPerson(task) && task.paused !== true).map(({ id }) => id);
  const ended = held.filter(hasEnded).map(({ id }) => id);
  const by = asks[0] ?? ended[0];
  for (const { id } of held) {
    const stream = taskStream(id);
    if (by === undefined || !(asks.includes(id) || ended.includes(id)))
      draft.emit(stream, { type: 'notice.dropped', data: {} });
    else {
      const lists = id === by ? { asks, ended } : { asks: [], ended: [] };
      draft.emit(stream, { type: 'notice.due', data: { by, ...lists } });
    }
  }
  return null;
}

/** And no person has resolved it since. */
const hasEnded = (task: Task): boolean =>
  task.closed !== null &&
  task.closed.status !== 'cancelled' &&
  task.landed === null &&
  task.resolved === undefined &&
  !asksPerson(task);
