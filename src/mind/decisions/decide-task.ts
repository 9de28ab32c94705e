/** Decisions about a whole task: create, cancel, reopen, and its timers. */
import type { StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { takenText } from '../approvals/taken-text.ts';
import { actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { ageDue } from '../domain/effects.ts';
import type { Guard } from '../domain/events/task.ts';
import { isPlayed } from '../domain/simulated-names.ts';
import { BOARD, taskStream, workflowStream } from '../domain/stream-name.ts';
import { attemptOf, holdsUntilLanded, isWithPerson, statusOf, type Task } from '../domain/task.ts';
import { MAX_SPEC_TEXT, UNKNOWN_COST } from '../domain/values.ts';
import { guardText } from '../safeguards/loops.ts';
import { checkWorkflow } from '../workflows/check-graph.ts';
import { compileWorkflow, workflowHashOf } from '../workflows/workflow.ts';
import { closeTask } from './decide-close.ts';
import { dismissFindings, freedSteps, isHeldTask, leftText, sendBackHeld } from './decide-finding.ts';
import { advance } from './decide-graph.ts';
import { landingExpired, withdrawLanding } from './decide-land.ts';
import { quietOver } from './decide-notice.ts';
import { approveInTime } from './decide-person.ts';
import { settleAttempt } from './decide-settle.ts';
import { opensAgain, taskIn, unknownTask } from './lookup.ts';

/** Fields that let a task do more than the project allows, or that speak for the operator. */
const OPERATOR_ONLY = ['allow', 'gates', 'unsafe_no_sandbox', 'red_base', 'author', 'own_words'] as const;

export function createTask(draft: Draft, command: CommandOf<'task.create'>): Rejection | null {
  const { project } = draft;
  if (project.tasks.has(command.task)) return rejected('task_exists', `task ${command.task} exists already`);
  const { actor } = draft.envelope;
  const asked = OPERATOR_ONLY.find((field) => command.spec[field] !== undefined);
  if (actor.kind !== 'operator' && asked !== undefined)
    return rejected('not_allowed', `only the operator may set ${asked} of a task, not ${actor.kind}`);
  const problem = checkWorkflow(command.workflow, project.board.limits.max_steps);
  if (problem !== null) return problem;
  const hash = workflowHashOf(command.workflow);
  const pinned = project.workflows.get(hash);
  if (pinned === undefined) {
    draft.emit(workflowStream(hash), {
      type: 'workflow.pinned',
      data: { hash, definition: command.workflow },
    });
  }
  const { task, title, spec, onto, base, priority } = command;
  const opens = [...(pinned ?? compileWorkflow(command.workflow, hash)).initial];
  const data = {
    task,
    title,
    spec,
    onto,
    base,
    workflow: hash,
    priority,
    order: project.holds.nextOrder,
    opens,
    trace: draft.envelope.id,
  };
  draft.emit(taskStream(task), { type: 'task.created', data });
  return null;
}

export function cancelTask(draft: Draft, command: CommandOf<'task.cancel'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.landing !== undefined) {
    const reason = command.reason || 'cancelled by the operator; nothing was landed';
    const late = withdrawLanding(draft, { task: task.id, reason }, 'cancelled');
    if (late !== null) return late;
  }
  if (holdsUntilLanded(task)) {
    draft.emit(taskStream(task.id), { type: 'task.given_up', data: { reason: command.reason } });
    return null;
  }
  if (task.landing !== undefined) return null;
  if (task.closed !== null) {
    const { status } = task.closed;
    const way =
      status === 'escalated' || status === 'blocked'
        ? `: \`supervisor incidents resolve ${task.id} --abandon\` gives it up`
        : '';
    return rejected('task_closed', `task ${task.id} is ${status} already${way}`);
  }
  // Only work that changes a branch is too late to stop; a message is not.
  if (task.applying !== null && task.started.length > 0)
    return rejected('too_late', `task ${task.id} is being applied: wait for it, then undo the commit`);
  closeTask(draft, task.id, { status: 'cancelled', reason: command.reason || 'cancelled by the operator' });
  return null;
}

/**
 * Stops a task until it is resumed. The runner interrupts a running attempt (see `wantedBy`), which reports as usual;
 * nothing new is granted. A candidate that is being applied is past the point where stopping makes sense.
 */
export function pauseTask(draft: Draft, command: CommandOf<'task.pause'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.landing !== undefined)
    return rejected(
      'landing',
      `task ${task.id} is in the landing queue of ${task.landing.onto}: \`supervisor cancel ${task.id}\` takes it out`,
    );
  if (task.closed !== null) return rejected('task_closed', `task ${task.id} is ${task.closed.status} already`);
  if (task.applying !== null)
    return rejected('too_late', `task ${task.id} has passed its gates and is being committed: wait for it`);
  if (task.paused) return null;
  draft.emit(taskStream(task.id), { type: 'task.paused', data: { reason: command.reason } });
  return null;
}

/** An accepted result with red tests is not revoked: then the answer comes too late. */
export function answerRedBase(draft: Draft, { task: id, red_base }: CommandOf<'task.answer_base'>): Rejection | null {
  const task = draft.project.tasks.get(id);
  if (task === undefined) return unknownTask(id);
  if (task.closed !== null) return rejected('task_closed', `task ${id} is ${task.closed.status} already`);
  const before = task.spec.red_base;
  if (before === red_base) return null;
  if (before !== undefined)
    return rejected('answered_already', `red tests of the base are settled for task ${id}: ${before}`);
  if (red_base === 'fix' && (task.applying !== null || hasExcused(task)))
    return rejected('too_late', `gates of task ${id} have passed with these tests red: it goes on unverified`);
  draft.emit(taskStream(id), { type: 'task.base_answered', data: { red_base } });
  return null;
}

function hasExcused({ red = [], open, steps }: Task): boolean {
  const reports = open.flatMap((id) => {
    const place = steps.get(id)?.place;
    return place?.at === 'checking' ? place.evidence : [];
  });
  return red.length > 0 || reports.some(({ excused }) => excused > 0);
}

/** `resume` on a task that needed a person: its open steps start afresh, and breakers in their way are reset. */
export function resumeTask(draft: Draft, command: CommandOf<'task.resume'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  const { taken } = task;
  if (taken !== undefined && command.dismiss === undefined && isWithPerson(task, taken.step))
    return rejected('taken', takenText(task.id, taken));
  return goOn(draft, command, task);
}

function goOn(draft: Draft, command: CommandOf<'task.resume'>, task: Task): Rejection | null {
  const { say, allow, cli, from } = command;
  let added: Pick<typeof command, 'say' | 'allow' | 'cli' | 'from'> = {
    ...(say === undefined ? {} : { say }),
    ...(allow === undefined ? {} : { allow }),
    ...(cli === undefined ? {} : { cli }),
    ...(from === undefined ? {} : { from }),
  };
  const { dismiss } = command;
  const isMore = Object.keys(added).length > 0;
  // In AUTO mode a model may resume a task. It must not speak as the operator, or grant itself protected paths.
  if ((isMore || dismiss !== undefined) && draft.envelope.actor.kind !== 'operator')
    return rejected('not_allowed', `only the operator may add to task ${task.id}`);
  if (from === 'last' && !task.open.some((id) => task.steps.get(id)?.sentBack !== undefined))
    return rejected('nothing_sent_back', `no change of task ${task.id} was sent back: leave --from last out`);
  if (task.spec.text.length + (say?.length ?? 0) > MAX_SPEC_TEXT)
    return rejected(
      'too_long',
      `with this answer the text of task ${task.id} is longer than ${MAX_SPEC_TEXT} characters`,
    );
  if (dismiss !== undefined) {
    if (isMore) return rejected('two_answers', `dismiss findings of task ${task.id} first, then add to the task`);
    const taken = takeBack(draft, task, { dismiss, reason: command.reason });
    if (taken.goesOn === false) return taken.refusal;
    added = taken.added;
  }
  if (task.closed === null) {
    if (isMore && isHeldTask(task) && task.paused !== true) {
      draft.emit(taskStream(task.id), { type: 'task.resumed', data: { reason: command.reason, ...added } });
      sendBackHeld(draft, task, say ?? '');
      return null;
    }
    if (say !== undefined && task.open.every((id) => asksApproval(task, id))) return nobodyListens(task);
    const asking = task.open.filter((id) => asksQuestion(task, id));
    if (isMore && task.paused !== true && asking.length === 0)
      return rejected(
        'not_paused',
        `task ${task.id} is ${statusOf(task)}: \`supervisor pause ${task.id}\` first, then add to it`,
      );
    if (task.paused !== true && !isMore) return command.wake === true ? wakeSteps(draft, task) : null;
    if (draft.envelope.actor.kind !== 'operator')
      return rejected('not_allowed', `the operator paused task ${task.id}: only the operator resumes it`);
    if (isMore) for (const id of asking) answerQuestion(draft, task, id);
    // A change from before the operator's addition does not answer it, and a new chain starts with a new attempt.
    if (task.paused === true && (say !== undefined || cli !== undefined || from !== undefined))
      for (const id of task.open) giveUpAttempt(draft, task, id);
    draft.emit(taskStream(task.id), { type: 'task.resumed', data: { reason: command.reason, ...added } });
    advance(draft, task.id);
    return null;
  }
  const { status } = task.closed;
  if (status !== 'failed' && status !== 'blocked' && status !== 'escalated') {
    return rejected('task_closed', closedText(task.id, status));
  }
  const workflow = draft.project.workflows.get(task.workflow);
  for (const id of task.open) {
    const role = workflow?.steps.get(id)?.role ?? id;
    for (const [lane] of draft.project.board.breakers.entries(`${role}/`)) {
      if (lane.startsWith(`${role}/`) && isPlayed(lane) === (task.spec.simulated === true))
        draft.emit(BOARD, { type: 'breaker.reset', data: { lane } });
    }
  }
  const data = { opens: opensAgain(draft, task), reason: command.reason, ...added };
  draft.emit(taskStream(task.id), { type: 'task.reopened', data });
  advance(draft, task.id);
  return null;
}

type TakenBack =
  | { readonly goesOn: false; readonly refusal: Rejection | null }
  | { readonly goesOn: true; readonly added: { readonly from?: 'last' } };

/** Dismisses findings. A change without refusing findings is accepted as it is; a closed or paused task goes on. */
function takeBack(
  draft: Draft,
  task: Task,
  what: { readonly dismiss: readonly string[]; readonly reason: string },
): TakenBack {
  const refusal = dismissFindings(draft, task, what);
  if (refusal !== null) return { goesOn: false, refusal };
  const after = taskIn(draft, task.id);
  const left = leftText(task, after);
  if (left !== null) return { goesOn: false, refusal: rejected('findings_left', left) };
  const freed = freedSteps(task, after);
  const added = freed.length > 0 ? { from: 'last' as const } : {};
  if (task.closed !== null || task.paused === true) return { goesOn: true, added };
  if (freed.length > 0) {
    draft.emit(taskStream(task.id), { type: 'task.resumed', data: { reason: what.reason, ...added } });
    for (const id of freed) answerQuestion(draft, task, id);
    advance(draft, task.id);
  }
  return { goesOn: false, refusal: null };
}

/** The operator does not want to wait for the next attempt. */
function wakeSteps(draft: Draft, task: Task): Rejection | null {
  if (draft.envelope.actor.kind !== 'operator')
    return rejected('not_allowed', `only the operator begins the next attempt of task ${task.id} early`);
  for (const step of task.open)
    if (task.steps.get(step)?.place.at === 'parked')
      draft.emit(taskStream(task.id), { type: 'step.woken', data: { step } });
  return null;
}

const asksQuestion = (task: Task, id: StepId): boolean => {
  const place = task.steps.get(id)?.place;
  return place?.at === 'waiting' && place.asks === 'question';
};

const asksApproval = (task: Task, id: StepId): boolean => {
  const place = task.steps.get(id)?.place;
  return place?.at === 'waiting' && place.asks === 'approval';
};

const nobodyListens = ({ id }: Task): Rejection =>
  rejected(
    'asks_approval',
    `task ${id} waits for an approval, and no worker would read it: \`supervisor reject ${id} --reason "…"\` sends its change back with your words`,
  );

/** The worker gets its answer in the task's text: the step starts again. */
function answerQuestion(draft: Draft, task: Task, step: StepId): void {
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting') return;
  const by = actorText(draft.envelope.actor);
  const data = { step, token: place.token, decision: 'APPROVE' as const, by, reason: 'answered', opens: [] };
  draft.emit(taskStream(task.id), { type: 'step.answered', data });
}

/** The running attempt does not count: the operator wants something else now. */
export function giveUpAttempt(draft: Draft, task: Task, id: StepId, reason = 'the operator added to the task'): void {
  const place = task.steps.get(id)?.place;
  if (place?.at !== 'working' && place?.at !== 'checking') return;
  settleAttempt(draft, task.id, id, {
    class: 'interrupted',
    reason,
    candidate: null,
    answer: null,
    cost: place.at === 'checking' ? place.product.cost : UNKNOWN_COST,
    reset_at: null,
  });
}

function closedText(id: string, status: string): string {
  if (status === 'accepted') return `task ${id} is accepted: nothing is left to do. \`supervisor land ${id}\` lands it`;
  if (status === 'cancelled')
    return `task ${id} was cancelled, which is for good: start it again with \`supervisor run\` (\`supervisor pause\` stops a task for a while)`;
  return `task ${id} is ${status}: nothing is left to do`;
}

/** A timer is only a reminder: it acts only if the state still waits for it. */
export function fireTimer(draft: Draft, command: CommandOf<'timer.fire'>): Rejection | null {
  const { project, envelope } = draft;
  const task = project.tasks.get(command.task);
  if (command.timer === 'landing') return landingExpired(draft, command);
  if (command.timer === 'quiet') return quietOver(draft, command);
  if (task === undefined || task.closed !== null) return stale(command);
  if (command.timer === 'age') {
    const due = ageDue(task, project.board);
    if (due === null || task.applying !== null || envelope.at < due) return stale(command);
    const { task_age_ms: limit } = project.board.limits;
    const guard: Guard = { name: 'age', state: 'warn', count: Math.max(0, envelope.at - task.opened), limit };
    if (task.warned === undefined) draft.emit(taskStream(task.id), { type: 'task.warned', data: { guard } });
    else closeTask(draft, task.id, { status: 'escalated', reason: guardText({ ...guard, state: 'escalate' }) });
    return null;
  }
  const step = command.step === null ? undefined : task.steps.get(command.step);
  if (step === undefined || command.step === null) return stale(command);
  if (command.timer === 'approval')
    return step.place.at === 'waiting' && step.place.token === command.token
      ? approveInTime(draft, task, command.step)
      : stale(command);
  if (command.timer === 'backoff') {
    if (task.paused || step.place.at !== 'parked' || envelope.at < step.place.until) return stale(command);
    draft.emit(taskStream(task.id), { type: 'step.woken', data: { step: command.step } });
    return null;
  }
  if (step.place.at !== 'working' || attemptOf(step).token !== command.token || envelope.at < attemptOf(step).deadline)
    return stale(command);
  settleAttempt(draft, task.id, command.step, {
    class: 'timeout',
    reason: 'no outcome before the deadline',
    candidate: null,
    answer: null,
    cost: UNKNOWN_COST,
    reset_at: null,
  });
  return null;
}

function stale(command: CommandOf<'timer.fire'>): Rejection {
  return rejected('stale_timer', `task ${command.task} no longer waits for its ${command.timer} timer`);
}
