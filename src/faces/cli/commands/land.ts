/** `supervisor land TASK`: the operator's word that an accepted change may move a branch. */
import { loadSettings } from '../../../app/config/files.ts';
import { sendCommand } from '../../../app/drive.ts';
import { land } from '../../../app/land.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { realHands } from '../../../app/real.ts';
import { findTask, viewTask } from '../../../app/task-view.ts';
import { gateFeedback } from '../../../mind/gates/feedback.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const loaded = loadSettings(environment, { id: project.id, top: (await readRepository(dir)).top });
  const opened = await openEngineDeps(environment, project, {
    real: realHands({ environment, project, loaded: () => loaded }),
  });
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  try {
    const id = (await opened.store.knows(project.id))
      ? await findTask(opened.store, project.id, args[0] ?? '')
      : ({ type: 'rejected', code: 'unknown_task', message: 'this project has no tasks yet' } as const);
    if (typeof id !== 'string') {
      out.error(id.code, id.message);
      return EXIT.failed;
    }
    const view = await viewTask(opened.store, project.id, id);
    const landed = await land({
      view,
      real: await opened.real(),
      onto: text(flags['onto']) ?? null,
      unverified: flags['unverified'] === true,
      signal: stop.signal,
      read: async (hash) => {
        const blob = await opened.store.blob(hash);
        return blob.type === 'content' ? blob.content : null;
      },
      progress: {
        integrating: (head) =>
          out.line(`the line has moved to ${head.slice(0, 12)}: the change is put on top and its gates run again`),
        gate: (name, status, evidence) => {
          out.entry(`  ${name}`, status, status === 'pass' ? 'good' : 'bad');
          if (status === 'pass') return;
          const told = gateFeedback([{ gate: name, status, text: evidence }], 1_500);
          for (const line of told.split('\n')) out.line(`  | ${line}`, 'note');
        },
      },
    });
    if (landed.type === 'rejected') {
      out.error(landed.code, landed.message);
      return landed.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    }
    const { onto, commit } = landed;
    const refused = await sendCommand({
      ...{ environment, project, opened, signal: stop.signal },
      command: { type: 'task.land', task: id, onto, commit },
    });
    if (refused !== null) {
      out.error(refused.code, refused.message);
      return EXIT.failed;
    }
    out.value({ task_id: id, onto, commit });
    out.line(`${onto} is at ${commit.slice(0, 12)}: ${view.task.title}`, 'good');
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
};
