/** `supervisor reset CLI`: the operator says that it can work again; works beside a running process as well as without one. */
import { sendCommand } from '../../../app/drive.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async ({ args, out, environment, dir }) => {
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project);
  const stop = onStop(() => {});
  try {
    const cli = args[0] ?? '';
    const command = { type: 'cli.reset' as const, cli };
    // A quota is the machine's: any project may say that it is over.
    if (!(await opened.store.knows(project.id))) {
      const { top, root } = await readRepository(dir);
      await opened.store.openProject(project.id, { path: top, root });
    }
    const rejection = await sendCommand({ environment, project, opened, signal: stop.signal, command });
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
