/** `supervisor reset CLI`: says that a CLI can work again, with or without a running process. */
import type { CommandRun } from '../command.ts';
import { sendToProject } from '../send-to-project.ts';

export const run: CommandRun = (context) => {
  const { args, out } = context;
  const cli = args[0] ?? '';
  // A quota belongs to the machine, so any project may reset it.
  return sendToProject(context, { type: 'cli.reset', cli }, () => {
    out.value({ reset: cli });
    out.line(`${cli} may work again: its parked quota and its breakers are forgotten`);
  });
};
