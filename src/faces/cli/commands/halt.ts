/** `supervisor halt`: no attempt of the project starts before `supervisor resume`. */
import { type CommandRun, text } from '../command.ts';
import { sendToProject } from '../send-to-project.ts';

export const run: CommandRun = (context) => {
  const { flags, out } = context;
  const now = flags['now'] === true;
  const reason = text(flags['reason']) ?? '';
  return sendToProject(context, { type: 'board.halt', reason, now }, () => {
    out.value({ status: 'halted', now });
    const running = now ? 'attempts under way are cut' : 'attempts under way may finish (`--now` cuts them)';
    out.line(`the project is halted: nothing new starts, ${running}. \`supervisor resume\` lets it run again`);
  });
};
