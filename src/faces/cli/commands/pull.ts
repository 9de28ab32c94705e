/** `supervisor pull open|sync TASK`: a draft pull request of a task's branch, and what people and checks say of it. */
import { loadSettings } from '../../../app/config/files.ts';
import { sendCommand } from '../../../app/drive.ts';
import { type Opened, openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import { Forge } from '../../../app/pulls.ts';
import { findTask, NO_TASKS, type TaskView, viewTask } from '../../../app/task-view.ts';
import type { StepId } from '../../../kernel/ids.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { questionsOf } from '../../../mind/approvals/question.ts';
import { pullBody, pullNews } from '../../../mind/protocol/pull-text.ts';
import { runReport } from '../../../mind/protocol/run-report.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, UsageError } from '../command.ts';
import { onStop } from '../signals.ts';

type Pull = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: Opened;
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

/** One pull request per branch: one that is there is found, not made again. */
async function open(pull: Pull): Promise<number | Rejection> {
  const { context, view, branch, commit, forge } = pull;
  const { out } = context;
  const { task, workflow, events } = view;
  const found = await forge.find(branch);
  if (found !== null && 'code' in found) return found;
  const isThere = found?.state === 'OPEN';
  const report = runReport(task, workflow, events);
  let url = isThere ? found.url : '';
  if (!isThere) {
    const question = report.waiting.find(({ asks }) => asks === 'pull_request');
    const body = pullBody(report, { text: task.spec.text, note: question?.text ?? null });
    const opened = await forge.open({ branch, onto: task.onto, title: task.title, body });
    if (typeof opened !== 'string') return opened;
    url = opened;
  }
  for (const { gate, status, excused } of report.steps.flatMap(({ evidence }) => evidence)) {
    const text = excused > 0 ? `${excused} red, same as base` : status;
    const told = await forge.status(commit, gate, status === 'pass' && excused === 0, text);
    if (told !== null) out.aside(told.message);
  }
  out.line(`${isThere ? 'there is one already' : 'a draft is open'}: ${url}`, 'good');
  await answer(pull, 'pull_request', 'APPROVE', url);
  out.value({ task_id: task.id, url, branch, commit, opened: !isThere });
  return EXIT.done;
}

async function sync(pull: Pull): Promise<number | Rejection> {
  const { context, view, branch, commit, forge } = pull;
  const { out } = context;
  const found = await forge.find(branch);
  if (found === null)
    return rejected('no_pull', `branch ${branch} has no pull request: \`supervisor pull open ${view.task.id}\``);
  if ('code' in found) return found;
  const news = pullNews(found, commit);
  const { type, reason } = news;
  out.value({ task_id: view.task.id, url: found.url, state: found.state, news: type, reason });
  out.line(reason, type === 'merged' ? 'good' : 'note');
  if (type === 'merged') {
    await answer(pull, 'approval', 'APPROVE', reason);
    return EXIT.done;
  }
  if (type !== 'sent_back') return type === 'nothing' ? EXIT.waiting : EXIT.escalated;
  const sent = await answer(pull, 'approval', 'REJECT', reason);
  if (!sent)
    out.line(
      `no step of task ${view.task.id} waits for an answer: give it to a new task with \`supervisor run\``,
      'note',
    );
  return EXIT.waiting;
}

/** Answers the step that waits for it; false: none does. */
async function answer(
  { context, project, opened, view }: Pull,
  asks: 'pull_request' | 'approval',
  decision: 'APPROVE' | 'REJECT',
  reason: string,
): Promise<boolean> {
  const { environment, out } = context;
  const question = questionsOf(view.task, view.workflow).find((one) => one.asks === asks);
  if (question === undefined) return false;
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
    if (rejection !== null) out.error(rejection.code, rejection.message);
    else
      out.line(
        `${step}: ${decision === 'APPROVE' ? 'approved' : 'sent back'}; \`supervisor resume ${view.task.id}\` goes on`,
        'note',
      );
    return rejection === null;
  } finally {
    stop.release();
  }
}
