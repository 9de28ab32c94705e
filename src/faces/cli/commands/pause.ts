/** `supervisor pause TASK`: stops a task until `supervisor resume TASK`. */
import { type CommandRun, text } from '../command.ts';
import { sendToTask } from '../send-to-task.ts';

export const run: CommandRun = (context) =>
  sendToTask(context, (task) => ({ type: 'task.pause', task, reason: text(context.flags['reason']) ?? '' }), {
    status: 'paused',
    text: (task) => `${task} is paused; \`supervisor resume ${task}\` goes on with it`,
  });
