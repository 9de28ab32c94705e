/** `supervisor approve TASK [STEP]`: approves a step that waits, then follows the task to its end. */
import { loadLimits, loadSettings } from '../../../app/config/files.ts';
import { sendCommand } from '../../../app/drive.ts';
import { type OpenedProject, openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import { findTask, NO_TASKS, type TaskView, viewTask } from '../../../app/task-view.ts';
import type { StepId, TaskId } from '../../../kernel/ids.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { LANDING } from '../../../mind/approvals/landing-approval.ts';
import { personOf } from '../../../mind/approvals/people.ts';
import { type Question, questionLine, questionsOf } from '../../../mind/approvals/question.ts';
import type { CommandOf } from '../../../mind/domain/commands.ts';
import { statusOf, waitsForPerson } from '../../../mind/domain/task.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, text, UsageError } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { makeReady } from '../make-ready.ts';
import { printToSign, type Signing, signAnswer, signedReason, signingIn } from '../sign-answer.ts';
import { ignoreHangup, onStop } from '../signals.ts';

type AnswerDecision = CommandOf<'step.answer'>['decision'];

export const run: CommandRun = (context) => answerStep(context, 'APPROVE');

export async function answerStep(context: CommandContext, decision: AnswerDecision): Promise<number> {
  const { environment, out, args } = context;
  const signing = signingIn(context);
  const said = saidIn(context, decision, signing);
  const hangup = ignoreHangup();
  const project = locateProject(context.dir);
  const { top } = await readRepository(context.dir);
  const loaded = () => loadSettings(environment, { id: project.id, top });
  const real = { loaded, network: context.flags['network'] === true, checkout: top };
  let own: TaskId | null = null;
  const opened = await openEngineDeps(environment, project, { real, own: (one) => one === own });
  try {
    const refused = (no: Rejection): number => {
      out.error(no.code, no.message);
      return no.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    };
    const known = await opened.store.knows(project.id);
    const task = known ? await findTask(opened.store, project.id, args[0] ?? '') : NO_TASKS;
    if (typeof task !== 'string') return refused(task);
    own = task;
    const before = await viewTask(opened.store, project.id, task);
    const command = commandFor(before, args[1], said, decision);
    if (command.type === 'rejected') return refused(command);
    const place = { project: project.id, top, view: before };
    if (signing.by === 'print') return printToSign(context, place, command, signing.as);
    const signed = await signAnswer(context, place, command, signing);
    if ('code' in signed) return refused(signed);
    const rejection = await send(context, project, opened, signed);
    if (rejection !== null) return refused(rejection);
    out.entry('task', `${task}: ${before.task.title}`);
    out.entry('  answered', `${command.step}: ${decision === 'APPROVE' ? 'approved' : 'rejected'}${aboutText(signed)}`);
    const after = await viewTask(opened.store, project.id, task);
    if (command.step === LANDING && before.task.closed !== null) return tellLanding(out, after);
    await prepare(context, opened, after);
    const { limits } = before.task.spec.simulated === true ? loadLimits(environment) : loaded();
    return await driveTask({ context, project, opened, task, command: null, limits });
  } finally {
    hangup.release();
    await opened.close();
  }
}

/** Approving a landing does not land anything yet. */
function tellLanding(out: CommandContext['out'], { task, workflow }: TaskView): number {
  const [open] = questionsOf(task, workflow, Date.now());
  const { id } = task;
  out.value({ task_id: id, about: task.landingAsk?.on.change_id ?? null, enough: open === undefined });
  out.line(
    open === undefined ? `Now land it: \`supervisor land ${id}\`` : open.text,
    open === undefined ? 'good' : 'note',
  );
  return open === undefined ? EXIT.done : EXIT.waiting;
}

type PersonAnswer = { readonly of: string | null; readonly reason: string };

/** The shortest prefix of an id that names it. */
const LEAST = 7;

function saidIn({ flags }: CommandContext, decision: AnswerDecision, signing: Signing): PersonAnswer {
  const reason = text(flags['reason'])?.trim() ?? signedReason(signing) ?? '';
  if (decision === 'REJECT' && reason === '')
    throw new UsageError('--reason is missing: say what is wrong, for the next worker');
  const of = text(flags['of'])?.trim().toLowerCase() ?? null;
  if (of !== null && !/^[0-9a-f]{7,64}$/.test(of))
    throw new UsageError(`--of ${of}: at least ${LEAST} characters of the id that \`supervisor show TASK\` prints`);
  return { of, reason };
}

/** The answer, tied to what the question is about now; a prefix of its id is enough. */
function commandFor(
  { task, workflow, events }: TaskView,
  named: string | undefined,
  { of, reason }: PersonAnswer,
  decision: AnswerDecision,
): CommandOf<'step.answer'> | Rejection {
  const questions = questionsOf(task, workflow, Date.now());
  const [first] = questions;
  if (named === undefined && first === undefined)
    return rejected(
      'not_waiting',
      `task ${task.id} has no open question: it is ${statusOf(task)}${lastAnswer(events)}`,
    );
  if (named === undefined && questions.length > 1) return rejected('ambiguous_step', severalText(task.id, questions));
  const known = [...workflow.steps.keys(), ...(task.closed === null ? [] : [LANDING])];
  if (named !== undefined && !known.includes(named)) return rejected('unknown_step', noSuchStep(named, known));
  // `human_approval` of a step becomes a step after it; a person may name either.
  const meant =
    questions.find(({ step }) => step === named) ?? questions.find(({ step }) => step === `${named}-approval`);
  const step = (meant?.step ?? named ?? first?.step) as StepId;
  const id = questions.find((question) => question.step === step)?.about?.id;
  const about = of === null || id?.startsWith(of) === true ? id : of;
  return { type: 'step.answer', task: task.id, step, decision, reason, ...(about === undefined ? {} : { about }) };
}

/** Tells the second of two people who answer at once what the first one said. */
function lastAnswer(events: TaskView['events']): string {
  const last = events.findLast((event) => event.type === 'step.answered');
  if (last?.type !== 'step.answered') return '';
  const { by, decision, step } = last.data;
  return ` (last answer: ${personOf(by)} ${decision === 'APPROVE' ? 'approved' : 'rejected'} ${step})`;
}

function noSuchStep(named: string, known: readonly string[]): string {
  const meant = nearest(named, known);
  return `its workflow has no step ${JSON.stringify(named)}${meant === null ? '' : `, did you mean ${meant}?`} (steps: ${known.join(', ')})`;
}

const severalText = (task: TaskId, questions: readonly Question[]): string =>
  `task ${task} asks about several steps, name one of them:\n${questions.map((one) => `  ${one.step}: ${questionLine(one)}`).join('\n')}`;

async function send(
  { environment, out }: CommandContext,
  project: ProjectAt,
  opened: OpenedProject,
  command: CommandOf<'step.answer'>,
): Promise<Rejection | null> {
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  try {
    return await sendCommand({ environment, project, opened, command, signal: stop.signal });
  } finally {
    stop.release();
  }
}

const aboutText = ({ about, signed }: CommandOf<'step.answer'>): string =>
  `${about === undefined ? '' : ` (about ${about.slice(0, 12)})`}${signed === undefined ? '' : `, signed by ${signed.as}`}`;

/** The answer is recorded. What follows may need a sandbox and CLIs. */
async function prepare(context: CommandContext, opened: OpenedProject, { task, workflow }: TaskView): Promise<void> {
  if (task.spec.simulated === true || task.closed !== null || task.paused === true || waitsForPerson(task)) return;
  const clis = task.cli?.chain ?? task.open.flatMap((id) => [...(workflow.steps.get(id)?.cli ?? [])]);
  await makeReady(context, await opened.real(), {
    base: task.base ?? '',
    unsafe: task.spec.unsafe_no_sandbox === true,
    clis,
  });
}
