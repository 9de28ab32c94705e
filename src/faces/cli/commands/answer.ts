/** `supervisor answer TASK TEXT`: answers a worker's question and continues its task. */
import { type CommandRun, UsageError } from '../command.ts';
import { run as resume } from './resume.ts';

export const run: CommandRun = (context) => {
  const [task = '', say = ''] = context.args;
  if (say.trim() === '') throw new UsageError(`the answer is empty: \`supervisor answer ${task} "…"\``);
  return resume({ ...context, args: [task], flags: { ...context.flags, say } });
};
