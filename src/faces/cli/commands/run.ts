/** `supervisor run "TEXT"`: one task now. */
import { loadLimits, loadScript, loadWorkflow } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { terminalLine } from '../../../kernel/terminal-text.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT, text, UsageError } from '../command.ts';
import { driveTask } from '../drive-task.ts';

export const run: CommandRun = async (context) => {
  const { flags, environment, out } = context;
  const what = (context.args[0] ?? '').trim();
  if (what === '') throw new UsageError('TEXT is empty: say what is to be done');
  if (what.length > 100_000) throw new UsageError(`TEXT has ${what.length} characters, at most 100000 are allowed`);
  if (flags['simulate'] !== true && flags['script'] === undefined) {
    out.error(
      'no_worker',
      'this version has no real workers yet: use --simulate, or --script FILE to say what the scripted worker does',
    );
    return EXIT.notReady;
  }
  const limits = loadLimits(environment);
  const script = loadScript(text(flags['script']));
  const { definition } = loadWorkflow(text(flags['workflow']) ?? 'default', limits);
  const project = locateProject(context.dir);
  const repository = await readRepository(context.dir);
  const files = text(flags['files'])
    ?.split(',')
    .map((file) => file.trim())
    .filter((file) => file !== '');
  const opened = await openEngineDeps(environment, project, script);
  try {
    await opened.store.openProject(project.id, { path: repository.top, root: repository.root });
    const task = opened.deps.chance.id('t') as TaskId;
    out.entry('task', `${task}: ${terminalLine(what, 100)}`);
    const command = {
      type: 'task.create' as const,
      task,
      title: terminalLine(what.split('\n')[0] ?? what, 100),
      spec: {
        version: 1 as const,
        text: what,
        ...(files === undefined ? {} : { files }),
        ...(script.notify === true ? { notify: true } : {}),
      },
      onto: text(flags['onto']) ?? repository.branch ?? 'HEAD',
      base: repository.head,
      workflow: definition,
      priority: 5,
    };
    return await driveTask({ context, project, opened, task, command, limits, simulated: true });
  } finally {
    await opened.close();
  }
};
