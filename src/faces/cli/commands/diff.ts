/** `supervisor diff [TASK]`: what a task has changed, read from git's objects. */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { chosenTask, NO_TASKS, type TaskView, viewTask } from '../../../app/task-view.ts';
import type { Candidate } from '../../../mind/domain/values.ts';
import { tryGit } from '../../../os/git/git.ts';
import { ownerOf } from '../../../os/git/owner.ts';
import { type CommandRun, EXIT } from '../command.ts';

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) {
    out.error(NO_TASKS.code, NO_TASKS.message);
    return EXIT.failed;
  }
  try {
    const task = await chosenTask(store, project.id, args[0]);
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    const view = await viewTask(store, project.id, task);
    const isLanding = flags['landing'] === true;
    if (isLanding && view.task.landingAsk === undefined) {
      out.error('no_candidate', `no question about the landing of task ${task} is open: \`supervisor diff ${task}\``);
      return EXIT.failed;
    }
    const candidate = isLanding ? (view.task.landingAsk?.on ?? null) : newestCandidate(view);
    if (candidate === null) {
      out.error('no_candidate', `task ${task} has changed nothing: \`supervisor show ${task}\` shows its state`);
      return EXIT.failed;
    }
    const { base, tree } = candidate;
    const form = flags['stat'] === true ? '--stat' : '--patch';
    const asked = ['diff-tree', '-r', '--no-ext-diff', '--no-textconv', '--no-renames', form, base, tree, '--'];
    const { code, stdout } = await tryGit(asked, {
      dir: project.commonDir,
      owner: ownerOf(project.commonDir),
      settings: ['core.quotePath=false'],
    });
    if (code !== 0) {
      out.error(
        'no_candidate',
        `what task ${task} changed is not kept any more (\`supervisor gc\`, or it was refused)`,
      );
      return EXIT.failed;
    }
    out.value({ task_id: task, base, tree, change_id: candidate.change_id, diff: stdout });
    for (const line of stdout.trimEnd().split('\n')) out.verbatim(line, toneOf(line));
    return EXIT.done;
  } finally {
    await store.close();
  }
};

/** The accepted candidate, else the last one that a worker produced. */
function newestCandidate({ task, events }: TaskView): Candidate | null {
  if (task.candidate !== null) return task.candidate;
  const produced = events.findLast((event) => event.type === 'attempt.produced' && event.data.candidate !== null);
  return produced?.type === 'attempt.produced' ? produced.data.candidate : null;
}

function toneOf(line: string): 'good' | 'bad' | 'note' | 'plain' {
  if (line.startsWith('@@')) return 'note';
  if (/^(?:\+\+\+|---) /.test(line)) return 'plain';
  return line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'plain';
}
