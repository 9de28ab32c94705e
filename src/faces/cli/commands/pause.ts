/**
 * `supervisor pause TASK`: stops a task until `supervisor resume TASK`. `pause --all` is another spelling of `halt`.
 */
import { type CommandRun, text, UsageError } from '../command.ts';
import { sendToTask } from '../send-to-task.ts';
import { run as halt } from './halt.ts';

export const run: CommandRun = (context) => {
  const { args, flags } = context;
  if (flags['all'] === true) {
    if (args.length > 0) throw new UsageError(`--all means every task: leave out ${args[0]}`);
    return halt(context);
  }
  if (args.length === 0)
    throw new UsageError('TASK is missing: `supervisor status` lists tasks, --all means all of them');
  if (flags['now'] === true) throw new UsageError('--now belongs to --all: an attempt of a paused task is always cut');
  return sendToTask(
    context,
    (task) => ({ type: 'task.pause', task, reason: text(flags['reason']) ?? '' }),
    (task) => `${task} is paused; \`supervisor resume ${task}\` goes on with it`,
  );
};
