/** `supervisor land [TASK]`: lets an accepted change move its branch; with --all every accepted change. */
import { loadSettings } from '../../../app/config/files.ts';
import { sendCommand } from '../../../app/drive.ts';
import { endsOf } from '../../../app/land.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { chosenTask, NO_TASKS, tasksToLand, viewTask } from '../../../app/task-view.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import type { Command } from '../../../mind/domain/commands.ts';
import { landingBatchOf } from '../../../mind/domain/limits.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT, UsageError } from '../command.ts';
import { commandFor, isPreviewed, type LandContext, type LandEnd, landedMeanwhile, landOne } from '../land-one.ts';
import { onStop } from '../signals.ts';
import { tellSilence } from '../silence.ts';

export const run: CommandRun = async (context) => {
  const { args, flags, out, environment, dir } = context;
  const isAll = flags['all'] === true;
  if (isAll && args[0] !== undefined) throw new UsageError('--all lands every accepted task: leave TASK out');
  using silence = tellSilence(out, 'reading the repository and the branch …');
  const project = locateProject(dir);
  const loaded = loadSettings(environment, { id: project.id, top: (await readRepository(dir)).top });
  const own = new Set<TaskId>();
  const real = { loaded: () => loaded };
  const opened = await openEngineDeps(environment, project, { own: (task) => own.has(task), real });
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  const landing = { context, project, opened, loaded, stop: stop.signal, silence };
  try {
    const known = await opened.store.knows(project.id);
    if (isAll) {
      const ids = known ? await tasksToLand(opened.store, project.id) : [];
      for (const id of ids) own.add(id);
      return tellAll(context, await landAll(landing, ids), ids.length);
    }
    const id = known ? await chosenTask(opened.store, project.id, args[0]) : NO_TASKS;
    if (typeof id !== 'string') {
      out.error(id.code, id.message);
      return EXIT.failed;
    }
    own.add(id);
    const end = await landOne(landing, id);
    if (end.landed !== null) out.value({ task_id: id, ...end.landed });
    else out.error(end.code, end.message);
    return end.exit;
  } finally {
    stop.release();
    await opened.close();
  }
};

/** One after the other. Where batches are allowed, all of them join the queue first, and may land together. */
async function landAll(landing: LandContext, ids: readonly TaskId[]): Promise<LandEnd[]> {
  const { context, opened, project, loaded, stop, silence } = landing;
  const send = (command: Command, signal: AbortSignal) =>
    sendCommand({ environment: context.environment, project, opened, command, signal });
  const isBatch = landingBatchOf(loaded.limits) > 1 && !isPreviewed(landing);
  const known = new Map<TaskId, number>();
  const queued = new Set<TaskId>();
  for (const id of ids) {
    const view = await viewTask(opened.store, project.id, id);
    known.set(id, endsOf(view));
    // A refusal is printed when the turn of its task comes.
    if (isBatch && (await send(commandFor(landing, view), stop)) === null) queued.add(id);
  }
  const ends: LandEnd[] = [];
  for (const [n, id] of ids.entries()) {
    if (stop.aborted) break;
    silence.end();
    context.out.heading(`${n + 1} of ${ids.length}: ${id}`);
    ends.push((await landedMeanwhile(landing, id, known.get(id) ?? 0)) ?? (await landOne(landing, id)));
  }
  const untried = ids.slice(ends.length);
  for (const task of untried)
    if (queued.has(task)) await send({ type: 'task.unland', task, reason: '' }, new AbortController().signal);
  return [...ends, ...untried.map((task) => ({ ...INTERRUPTED, task }))];
}

const INTERRUPTED = {
  exit: EXIT.interrupted,
  landed: null,
  code: 'interrupted',
  message: 'not tried: the command was stopped first',
};

/** What landed stays landed; the other tasks are listed with their reasons. */
function tellAll({ out }: Parameters<CommandRun>[0], ends: readonly LandEnd[], count: number): number {
  const left = ends.filter((end) => end.landed === null);
  out.value({
    landed: ends.flatMap(({ task, landed }) => (landed === null ? [] : [{ task_id: task, ...landed }])),
    not_landed: left.map(({ task, code, message }) => ({ task_id: task, code, reason: message })),
  });
  if (count === 0) out.line('nothing to land: the commit of every accepted task is on its branch already');
  else out.line(`${ends.length - left.length} of ${count} landed`, left.length === 0 ? 'good' : 'note');
  for (const { task, message } of left) out.entry(`  ${task}`, message, 'note');
  if (left.some(({ code }) => code === 'interrupted')) return EXIT.interrupted;
  return left[0]?.exit ?? EXIT.done;
}
