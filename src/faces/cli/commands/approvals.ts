/** `supervisor approvals`: everything that waits for a person; on a terminal, a screen for the answers. */

import { isPlainTerminal } from '../../../app/config/terminal.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { asksOf } from '../../../app/open-questions.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT } from '../command.ts';
import { canAsk } from '../confirm.ts';
import { answerOnScreen } from '../live/approval-screen.ts';

export const run: CommandRun = async (context) => {
  const { flags, out } = context;
  return canAsk(out.json) && !isPlainTerminal() && flags['list'] !== true ? onScreen(context) : listed(context);
};

const NOTHING = 'nothing waits for you';

async function listed({ out, environment, dir }: CommandContext): Promise<number> {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  try {
    const asks = store === null ? [] : await asksOf(store, project);
    out.value({
      approvals: asks.map(({ ask, question }) => ({
        task_id: ask.task,
        title: ask.title,
        ...question,
        level: ask.level,
        files: ask.files,
        checks: ask.checks,
      })),
    });
    if (asks.length === 0) out.line(NOTHING);
    for (const { ask, question } of asks) {
      out.heading(`${ask.task}  ${ask.title}`);
      out.entry(`  ${ask.step}`, `${ask.text}${ask.reason === '' ? '' : ` (${ask.reason})`}`, 'note');
      out.entry('    yes', question.approve);
      out.entry('    no', question.reject);
    }
    return asks.length === 0 ? EXIT.done : EXIT.waiting;
  } finally {
    await store?.close();
  }
}

async function onScreen(context: CommandContext): Promise<number> {
  const { out, environment, dir } = context;
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project);
  try {
    const known = await opened.store.knows(project.id);
    const asks = known ? await asksOf(opened.store, project) : [];
    if (asks.length === 0) {
      out.line(NOTHING);
      return EXIT.done;
    }
    const left = await answerOnScreen(
      { environment, project, opened, out, top: (await readRepository(dir)).top },
      asks.map(({ ask }) => ask),
    );
    return left === 0 ? EXIT.done : EXIT.waiting;
  } finally {
    await opened.close();
  }
}
