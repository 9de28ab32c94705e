/** A notification: a hint without authority, and the command that shows the facts. */
import type { NotifySend } from '../domain/work.ts';

export type Notice = {
  readonly title: string;
  /** Only ids and our own words: it may go to a public server. */
  readonly text: string;
  readonly asks: boolean;
  readonly status: string;
  readonly task: string;
  /** After quiet hours: everything that it is about. Absent: only `task`. */
  readonly tasks?: readonly string[];
  /** The task's own words; null if the channel is not private. */
  readonly about: string | null;
  readonly command: string;
};

export function noticeOf(task: string, { title, status, asks, digest }: NotifySend): Notice {
  if (digest !== undefined) return digestNotice(task, digest);
  const command = `supervisor show ${task}`;
  const what = asks === true ? 'waits for you' : `is ${status}`;
  return {
    title: asks === true ? 'Supervisor waits for you' : `Supervisor: task ${status}`,
    text: `task ${task} ${what}: ${command}`,
    asks: asks === true || status === 'escalated' || status === 'blocked',
    status,
    task,
    about: title,
    command,
  };
}

/** How many are named; `status` lists the rest. */
const MOST_NAMED = 5;

/** A night in one message: what still waits, and what has ended. */
function digestNotice(task: string, { asks, ended }: NonNullable<NotifySend['digest']>): Notice {
  const command = 'supervisor status';
  const parts = [
    ...(asks.length === 0 ? [] : [`${counted(asks)} ${asks.length === 1 ? 'waits' : 'wait'} for you: ${named(asks)}`]),
    ...(ended.length === 0 ? [] : [`${counted(ended)} ${ended.length === 1 ? 'has' : 'have'} ended: ${named(ended)}`]),
  ];
  return {
    title: asks.length === 0 ? 'Supervisor: what ended in your quiet hours' : 'Supervisor waits for you',
    text: `${parts.join('; ')}: ${command}`,
    asks: asks.length > 0,
    status: 'digest',
    task,
    tasks: [...asks, ...ended],
    about: null,
    command,
  };
}

const counted = ({ length }: readonly string[]): string => `${length} ${length === 1 ? 'task' : 'tasks'}`;

const named = (tasks: readonly string[]): string =>
  tasks.length > MOST_NAMED
    ? `${tasks.slice(0, MOST_NAMED).join(', ')} and ${tasks.length - MOST_NAMED} more`
    : tasks.join(', ');
