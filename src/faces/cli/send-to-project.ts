/** Sends one command to the project as a whole, beside a running process as well as without one. */
import { sendCommand } from '../../app/drive.ts';
import { type Opened, openEngineDeps } from '../../app/open.ts';
import { locateProject, type ProjectAt } from '../../app/open-store.ts';
import type { Command } from '../../mind/domain/commands.ts';
import { readRepository } from '../../os/git/repository.ts';
import { type CommandContext, EXIT } from './command.ts';
import { onStop } from './signals.ts';

export async function sendToProject(
  { out, environment, dir }: CommandContext,
  command: Command,
  done: (opened: Opened, project: ProjectAt) => Promise<void> | void,
): Promise<number> {
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project);
  const stop = onStop(() => {});
  try {
    // Also before the first task: a project can be halted, and a quota of the machine be over.
    if (!(await opened.store.knows(project.id))) {
      const { top, root } = await readRepository(dir);
      await opened.store.openProject(project.id, { path: top, root });
    }
    const rejection = await sendCommand({ environment, project, opened, signal: stop.signal, command });
    if (rejection !== null) {
      out.error(rejection.code, rejection.message);
      return rejection.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    }
    await done(opened, project);
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
}
