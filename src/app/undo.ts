/** Makes the task that undoes another one's landing: git makes the change, and the project's gates check it. */
import type { TaskId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { terminalLine } from '../kernel/terminal-text.ts';
import { settingsHash } from '../mind/config/project-config.ts';
import type { CommandOf } from '../mind/domain/commands.ts';
import { statusOf } from '../mind/domain/task.ts';
import { type GateConfig, withOwnGates } from '../mind/gates/gate-config.ts';
import { fillWorkflow } from '../mind/roles/fill-workflow.ts';
import { withApprovals, withWord } from '../mind/workflows/approval-step.ts';
import { tryGit } from '../os/git/git.ts';
import type { Repository } from '../os/git/repository.ts';
import type { LoadedConfig } from './config/files.ts';
import { gitSpec } from './git-spec.ts';
import { lineOf } from './request.ts';
import type { TaskView } from './task-view.ts';

type UndoRequest = {
  readonly view: TaskView;
  readonly onto: string | null;
  readonly repository: Repository;
  readonly loaded: Pick<LoadedConfig, 'settings' | 'told' | 'approvals'>;
};

export async function undoRequest(
  { view, onto, repository, loaded }: UndoRequest,
  task: TaskId,
): Promise<CommandOf<'task.create'> | Rejection> {
  const { task: done } = view;
  const { landed } = done;
  if (landed === null)
    return rejected('not_landed', `task ${done.id} is ${statusOf(done)} and has not landed: there is nothing to undo`);
  const { commit } = landed;
  const { code, stdout } = await tryGit(['rev-parse', '--verify', '--quiet', `${commit}^1`], {
    dir: repository.commonDir,
  });
  if (code !== 0) return rejected('not_landed', `${commit.slice(0, 12)} is not in this repository, or has no parent`);
  if (commit !== done.closed?.commit && !(await isCommitOf(done.id, commit, repository)))
    return rejected(
      'not_landed',
      `${landed.onto} held the change of task ${done.id} already when it landed, by another commit: find it with \`git log\`, then \`git revert\` it`,
    );
  const line = await lineOf(onto ?? landed.onto, repository);
  const { settings, told, approvals } = loaded;
  const own = done.spec.gates ?? [];
  const workflow = undoWorkflow(view, withOwnGates(settings.gates, own), told.roles);
  if ('type' in workflow) return workflow;
  const text = `Undo "${done.title}"`;
  return {
    type: 'task.create',
    task,
    title: terminalLine(text, 100),
    spec: {
      version: 1,
      text: `${text}\n\nTakes back commit ${commit}, which landed task ${done.id}.`,
      undo: { task: done.id, commit, parent: stdout.trim() },
      ...(own.length === 0 ? {} : { gates: own }),
      settings: settingsHash(settings),
      ...(done.spec.unsafe_no_sandbox === true ? { unsafe_no_sandbox: true } : {}),
      ...(await gitSpec(settings, { commonDir: repository.commonDir, base: line.base })),
    },
    onto: line.onto,
    base: line.base,
    workflow: withApprovals(settings.git?.auto_commit === false ? withWord(workflow) : workflow, approvals),
    priority: 5,
  };
}

/** If the branch held the change already, the task has landed without a commit of its own. */
async function isCommitOf(task: TaskId, commit: string, { commonDir }: Repository): Promise<boolean> {
  const { stdout } = await tryGit(['show', '--no-patch', '--format=%B', commit, '--'], { dir: commonDir });
  return stdout.split('\n').includes(`Supervisor-Task: ${task}`);
}

/** No CLI is used; this name in the log says who made the change. */
const GIT = 'git';

/** Undo is checked like any change. It can undo a task that nothing checked, too. */
function undoWorkflow({ workflow }: TaskView, gates: readonly GateConfig[], roles: LoadedConfig['told']['roles']) {
  const wasChecked = [...workflow.steps.values()].some((step) => step.gates.length > 0);
  return fillWorkflow(
    { name: 'undo', version: 1, steps: [{ id: 'undo', kind: 'change', role: 'implementer', cli: [GIT], attempts: 1 }] },
    {
      gates,
      chosen: null,
      noGates: gates.length === 0 && !wasChecked,
      clis: () => [GIT],
      attempts: 1,
      role: (name) => roles.get(name),
      roles: new Set(roles.names()),
      chosenRole: null,
    },
  );
}
