/** `supervisor reset CLI`: the operator says that it can work again; works beside a running process as well as without one. */
import type { CommandRun } from '../command.ts';
import { sendToProject } from '../send-to-project.ts';

export const run: CommandRun = (context) => {
  const { args, out } = context;
  const cli = args[0] ?? '';
  // A quota is the machine's: any project may say that it is over.
  return sendToProject(context, { type: 'cli.reset', cli }, () => {
    out.value({ reset: cli });
    out.line(`${cli} may work again: its parked quota and its breakers are forgotten`);
  });
};
