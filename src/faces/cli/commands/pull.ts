/**
 * `supervisor pull open|sync TASK`: opens a draft pull request for a task's branch, or fetches its comments and checks.
 */
import { loadSettings } from '../../../app/config/files.ts';
import { sendCommand } from '../../../app/drive.ts';
import { type OpenedProject, openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import { Forge } from '../../../app/pulls.ts';
import { findTask, NO_TASKS, type TaskView, viewTask } from '../../../app/task-view.ts';
import type { StepId } from '../../../kernel/ids.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { questionsOf } from '../../../mind/approvals/question.ts';
import { asksForChanges, pullBody, pullNews } from '../../../mind/protocol/pull-text.ts';
import { type RunReport, runReport } from '../../../mind/protocol/run-report.ts';
import { stepsBefore, type Workflow } from '../../../mind/workflows/workflow.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, UsageError } from '../command.ts';
import { onStop } from '../signals.ts';

type Pull = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly view: TaskView;
  readonly branch: string;
  readonly commit: string;
  readonly forge: Forge;
};

export const run: CommandRun = async (context) => {
  const { args, environment, out, dir } = context;
  const [what, named = ''] = args;
  if (what !== 'open' && what !== 'sync')
    throw new UsageError(`pull ${what ?? ''}: say \`pull open TASK\` or \`pull sync TASK\``);
  const project = locateProject(dir);
  const { top } = await readRepository(dir);
  const real = { loaded: () => loadSettings(environment, { id: project.id, top }) };
  const opened = await openEngineDeps(environment, project, { real });
  const refused = ({ code, message }: Rejection): number => {
    out.error(code, message);
    return code === 'no_gh' || code === 'forge' ? EXIT.notReady : EXIT.failed;
  };
  try {
    const known = await opened.store.knows(project.id);
    const task = known ? await findTask(opened.store, project.id, named) : NO_TASKS;
    if (typeof task !== 'string') return refused(task);
    const view = await viewTask(opened.store, project.id, task);
    const { closed, committed } = view.task;
    const branch = committed?.branch ?? closed?.branch ?? null;
    const commit = committed?.commit ?? closed?.commit ?? null;
    if (branch === null || commit === null)
      return refused(rejected('no_commit', `task ${task} has no commit on a branch yet: \`supervisor show ${task}\``));
    const pull = { context, project, opened, view, branch, commit, forge: new Forge(environment, top) };
    const done = what === 'open' ? await open(pull) : await sync(pull);
    return typeof done === 'number' ? done : refused(done);
  } finally {
    await opened.close();
  }
};

/** One pull request per branch: an existing one is reused. */
async function open(pull: Pull): Promise<number | Rejection> {
  const { context, view, branch, commit, forge } = pull;
  const { out } = context;
  const { task, workflow, events } = view;
  const { committed, candidate, onto, id } = task;
  if (committed !== undefined && committed.candidate.change_id !== candidate?.change_id)
    return rejected(
      'reworked',
      `task ${id} is being reworked, and ${branch} holds the change before: wait for its commit`,
    );
  if (onto === 'HEAD') return rejected('no_line', `task ${id} was made on a detached HEAD: \`gh pr create\` by hand`);
  const found = await forge.find(branch);
  if (found !== null && 'code' in found) return found;
  const isThere = found?.state === 'OPEN';
  if (isThere && found.headRefOid !== commit)
    return rejected(
      'forge',
      `${found.url} holds ${found.headRefOid.slice(0, 12)}, not ${commit.slice(0, 12)}: push the branch first, \`git push origin ${branch}\``,
    );
  const report = runReport(task, workflow, events);
  let url = isThere ? found.url : '';
  if (!isThere) {
    const question = report.waiting.find(({ asks }) => asks === 'pull_request');
    const body = pullBody(report, { text: task.spec.text, note: question?.text ?? null });
    const opened = await forge.open({ branch, onto, title: task.title, body });
    if (typeof opened !== 'string') return opened;
    url = opened;
  }
  for (const { gate, status, excused } of newestOf(report)) {
    const text = excused > 0 ? `${excused} red, same as base` : status;
    const told = await forge.status(commit, gate, status === 'pass' && excused === 0, text);
    if (told !== null) out.aside(told.message);
  }
  out.line(`${isThere ? 'there is one already' : 'a draft is open'}: ${url}`, 'good');
  const said = await answer(pull, 'pull_request', 'APPROVE', url);
  if (typeof said !== 'string') return said;
  out.value({ task_id: id, url, branch, commit, opened: !isThere });
  return EXIT.done;
}

async function sync(pull: Pull): Promise<number | Rejection> {
  const { context, view, branch, commit, forge } = pull;
  const { out } = context;
  const found = await forge.find(branch);
  if (found === null)
    return rejected('no_pull', `branch ${branch} has no pull request: \`supervisor pull open ${view.task.id}\``);
  if ('code' in found) return found;
  const checked = { commit, since: sentBackAt(view) };
  const lineComments = asksForChanges(found, checked) ? await forge.lineComments(found.number) : [];
  if ('code' in lineComments) return lineComments;
  const news = pullNews(found, checked, lineComments);
  const { type, reason } = news;
  out.value({ task_id: view.task.id, url: found.url, state: found.state, news: type, reason });
  out.line(reason, type === 'merged' ? 'good' : 'note');
  if (type === 'closed' || type === 'moved') return EXIT.escalated;
  if (type === 'nothing') return EXIT.waiting;
  const said = await answer(pull, 'approval', type === 'merged' ? 'APPROVE' : 'REJECT', reason);
  if (typeof said !== 'string') return said;
  if (said === 'nobody asks' && type === 'sent_back')
    out.line(
      `no step of task ${view.task.id} waits for an answer: give it to a new task with \`supervisor run\``,
      'note',
    );
  return type === 'merged' ? EXIT.done : EXIT.waiting;
}

/** Answers only the step that waits for the forge's result on this change. */
async function answer(
  { context, project, opened, view }: Pull,
  asks: 'pull_request' | 'approval',
  decision: 'APPROVE' | 'REJECT',
  reason: string,
): Promise<'answered' | 'nobody asks' | Rejection> {
  const { environment, out } = context;
  const { task, workflow } = view;
  const change = (task.committed?.candidate ?? task.candidate)?.change_id;
  const question = questionsOf(task, workflow).find(({ asks: what, about, step }) => {
    if (what !== asks || about?.id !== change) return false;
    const place = task.steps.get(step)?.place;
    const isOfPolicy = place?.at === 'waiting' && place.needed !== undefined;
    return asks === 'pull_request' || (!isOfPolicy && isBehindPull(workflow, step as StepId));
  });
  if (question === undefined) return 'nobody asks';
  const { step, about } = question;
  const stop = onStop(() => {});
  try {
    const rejection = await sendCommand({
      environment,
      project,
      opened,
      signal: stop.signal,
      command: {
        type: 'step.answer',
        task: view.task.id,
        step: step as StepId,
        decision,
        reason,
        ...(about === null ? {} : { about: about.id }),
      },
    });
    if (rejection !== null) return rejection;
    out.line(
      `${step}: ${decision === 'APPROVE' ? 'approved' : 'sent back'}; \`supervisor resume ${view.task.id}\` goes on`,
      'note',
    );
    return 'answered';
  } finally {
    stop.release();
  }
}

const isBehindPull = (workflow: Workflow, step: StepId): boolean =>
  stepsBefore(workflow, step).some((id) => workflow.steps.get(id)?.kind === 'pull_request');

/** When a person or the forge last sent a change of the task back. */
const sentBackAt = ({ events }: TaskView): number =>
  events.findLast(({ type, data }) => type === 'step.answered' && data.decision === 'REJECT')?.time ?? 0;

/** The newest record of each gate. */
const newestOf = ({ steps }: RunReport) =>
  new Map(steps.flatMap(({ evidence }) => evidence.map((one) => [one.gate, one] as const))).values();
