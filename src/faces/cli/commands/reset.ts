/** `supervisor reset CLI`: the operator says that it can work again; works beside a running process as well as without one. */
import { sendCommand } from '../../../app/drive.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async ({ args, out, environment, dir }) => {
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project);
  const stop = onStop(() => {});
  try {
    const cli = args[0] ?? '';
    const command = { type: 'cli.reset' as const, cli };
    const rejection = (await opened.store.knows(project.id))
      ? await sendCommand({ environment, project, opened, signal: stop.signal, command })
      : { code: 'nothing_to_reset', message: 'this project has no tasks yet' };
    if (rejection !== null) {
      out.error(rejection.code, rejection.message);
      return rejection.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    }
    out.value({ reset: cli });
    out.line(`${cli} may work again: its parked quota and its breakers are forgotten`);
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
};
