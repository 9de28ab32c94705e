/** What a person is told outside of the terminal: a hint with no authority, and the command that shows the truth. */
import type { NotifySend } from '../domain/work.ts';

export type Notice = {
  readonly title: string;
  /** Ids and words of ours only: it may go to a public server. */
  readonly text: string;
  readonly asks: boolean;
  readonly status: string;
  readonly task: string;
  /** The task's own words; null where the channel is not the person's own. */
  readonly about: string | null;
  readonly command: string;
};

export function noticeOf(task: string, { title, status, asks }: NotifySend): Notice {
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
