/** `supervisor land [TASK]`: the operator's word that an accepted change, or with --all each of them, may move its branch. */
import { loadSettings } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { chosenTask, NO_TASKS, tasksToLand } from '../../../app/task-view.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT, UsageError } from '../command.ts';
import { type LandEnd, landOne } from '../land-one.ts';
import { onStop } from '../signals.ts';
import { tellSilence } from '../silence.ts';

export const run: CommandRun = async (context) => {
  const { args, flags, out, environment, dir } = context;
  const isAll = flags['all'] === true;
  if (isAll && args[0] !== undefined) throw new UsageError('--all lands every accepted task: leave TASK out');
  using silence = tellSilence(out, 'reading the repository and the branch …');
  const project = locateProject(dir);
  const loaded = loadSettings(environment, { id: project.id, top: (await readRepository(dir)).top });
  let own: TaskId | null = null;
  const opened = await openEngineDeps(environment, project, { own: () => own, real: { loaded: () => loaded } });
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  const landing = { context, project, opened, loaded, stop: stop.signal, silence };
  try {
    const known = await opened.store.knows(project.id);
    if (isAll) {
      const ids = known ? await tasksToLand(opened.store, project.id) : [];
      const ends: LandEnd[] = [];
      for (const [n, id] of ids.entries()) {
        if (stop.signal.aborted) break;
        own = id;
        silence.end();
        out.heading(`${n + 1} of ${ids.length}: ${id}`);
        ends.push(await landOne(landing, id));
      }
      const untried = ids.slice(ends.length).map((task) => ({ ...INTERRUPTED, task }));
      return tellAll(context, [...ends, ...untried], ids.length);
    }
    const id = known ? await chosenTask(opened.store, project.id, args[0]) : NO_TASKS;
    if (typeof id !== 'string') {
      out.error(id.code, id.message);
      return EXIT.failed;
    }
    own = id;
    const end = await landOne(landing, id);
    if (end.landed !== null) out.value({ task_id: id, ...end.landed });
    else out.error(end.code, end.message);
    return end.exit;
  } finally {
    stop.release();
    await opened.close();
  }
};

const INTERRUPTED = {
  exit: EXIT.interrupted,
  landed: null,
  code: 'interrupted',
  message: 'it was not tried: the command was stopped before',
};

/** What landed stays landed; the others are named, and each says why. */
function tellAll({ out }: Parameters<CommandRun>[0], ends: readonly LandEnd[], count: number): number {
  const left = ends.filter((end) => end.landed === null);
  out.value({
    landed: ends.flatMap(({ task, landed }) => (landed === null ? [] : [{ task_id: task, ...landed }])),
    not_landed: left.map(({ task, code, message }) => ({ task_id: task, code, reason: message })),
  });
  if (count === 0) out.line('nothing waits to be landed: no accepted task has a commit that is not on its branch yet');
  else out.line(`${ends.length - left.length} of ${count} landed`, left.length === 0 ? 'good' : 'note');
  for (const { task, message } of left) out.entry(`  ${task}`, message, 'note');
  if (left.some(({ code }) => code === 'interrupted')) return EXIT.interrupted;
  return left[0]?.exit ?? EXIT.done;
}
