/** Sends one command to the whole project, with or without a running process. */
import { sendCommand } from '../../app/drive.ts';
import { takeRequestAway } from '../../app/halt-request.ts';
import { openEngineDeps } from '../../app/open.ts';
import { locateProject } from '../../app/open-store.ts';
import type { Rejection } from '../../kernel/result.ts';
import type { Command } from '../../mind/domain/commands.ts';
import { readRepository } from '../../os/git/repository.ts';
import { type CommandContext, EXIT } from './command.ts';
import { onStop } from './signals.ts';

export async function sendToProject(
  { out, environment, dir }: CommandContext,
  command: Command,
  done: () => void,
  explain: (refusal: Rejection) => Promise<Rejection> = async (refusal) => refusal,
): Promise<number> {
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project, { anyway: true });
  const stop = onStop(() => {});
  try {
    // Removed before the log says that the project runs; otherwise the file would halt it again.
    if (command.type === 'board.resume') takeRequestAway({ environment, project });
    // Works before the first task: a project can be halted, and a machine's quota can be reset.
    if (!(await opened.store.knows(project.id))) {
      const { top, root } = await readRepository(dir);
      await opened.store.openProject(project.id, { path: top, root });
    }
    const refusal = await sendCommand({ environment, project, opened, signal: stop.signal, command });
    if (refusal !== null) {
      const rejection = await explain(refusal);
      out.error(rejection.code, rejection.message);
      return rejection.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    }
    done();
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
}
