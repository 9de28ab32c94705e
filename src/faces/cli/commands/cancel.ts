/** `supervisor cancel TASK`: stops a task for good. */
import { type CommandRun, text } from '../command.ts';
import { sendToTask } from '../send-to-task.ts';

export const run: CommandRun = (context) =>
  sendToTask(
    context,
    (task) => ({ type: 'task.cancel', task, reason: text(context.flags['reason']) ?? '' }),
    (task, status) =>
      status === 'cancelled'
        ? `${task} is cancelled`
        : `${task} stays ${status}, and does not land: \`supervisor land ${task}\` lands it after all`,
  );
