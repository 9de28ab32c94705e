/** `supervisor undo TASK`: makes a commit that undoes a landing; gates check it like any change. */
import { loadSettings } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { findTask, NO_TASKS, viewTask } from '../../../app/task-view.ts';
import { undoRequest } from '../../../app/undo.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import type { Rejection } from '../../../kernel/result.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { systemChance } from '../../../os/machine/clock.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { makeReady } from '../make-ready.ts';
import { ignoreHangup } from '../signals.ts';

export const run: CommandRun = async (context) => {
  const { args, flags, environment, out } = context;
  const hangup = ignoreHangup();
  const project = locateProject(context.dir);
  const repository = await readRepository(context.dir);
  const loaded = loadSettings(environment, { id: project.id, top: repository.top });
  const task = systemChance.id('t') as TaskId;
  const opened = await openEngineDeps(environment, project, {
    own: (one) => one === task,
    real: { loaded: () => loaded, network: flags['network'] === true, checkout: repository.top },
  });
  const refused = ({ code, message }: Rejection): number => {
    out.error(code, message);
    return EXIT.failed;
  };
  try {
    const known = await opened.store.knows(project.id);
    const landed = known ? await findTask(opened.store, project.id, args[0] ?? '') : NO_TASKS;
    if (typeof landed !== 'string') return refused(landed);
    const view = await viewTask(opened.store, project.id, landed);
    const command = await undoRequest({ view, onto: text(flags['onto']) ?? null, repository, loaded }, task);
    if (command.type === 'rejected') return refused(command);
    const unsafe = command.spec.unsafe_no_sandbox === true;
    await makeReady(context, await opened.real(), { clis: [], base: command.base ?? '', unsafe });
    out.entry('task', `${task}: ${command.title}`);
    return await driveTask({ context, project, opened, task, command, limits: loaded.limits });
  } finally {
    hangup.release();
    await opened.close();
  }
};
