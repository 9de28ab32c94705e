/** Decisions about what hands report: outcomes of workers, gates and appliers. Worker text decides nothing here. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { backoffDelay, countsForBreaker, fixFor, followUp } from '../safeguards/after-outcome.ts';
import { categoryOf } from '../safeguards/category.ts';
import { parkCli, unparkCli } from '../safeguards/quota.ts';
import { laneOf, type Workflow, type WorkflowStep } from '../workflows/workflow.ts';
import type { AttemptReport, CommandOf } from './commands.ts';
import type { Draft } from './draft.ts';
import type { Next } from './events/task.ts';
import { dayOf, parkingName } from './host.ts';
import { taskStream } from './project.ts';
import { attemptOf, type Closed, type Step, type Task } from './task.ts';
import { type ClosedStatus, type Cost, MAX_LINE } from './values.ts';

type Outcome = Pick<AttemptReport, 'class' | 'reason' | 'candidate' | 'answer' | 'cost' | 'reset_at'> &
  Partial<Pick<AttemptReport, 'record' | 'category'>> & {
    /** The verdict of its gates is what counts. */
    readonly gates?: boolean;
  };

/** How many refused outcomes are kept per task; a sender gone mad must not fill the log. */
const MAX_REFUSED = 100;

export function reportAttempt(draft: Draft, told: AttemptReport): Rejection | null {
  const task = draft.project.tasks.get(told.task);
  const step = task?.steps.get(told.step);
  if (task === undefined || step === undefined)
    return rejected('unknown_attempt', `no attempt ${told.task}/${told.step} is known`);
  if (task.closed !== null || step.place.at !== 'working' || attemptOf(step).token !== told.token) {
    return refuse(draft, task, told.step, told.token, 'worker.run');
  }
  const definition = stepDefinition(draft, task, told.step);
  // An answer is made on a read-only tree: a candidate that comes with it was checked by nobody and must not land.
  const report = definition.kind === 'answer' ? { ...told, candidate: null } : told;
  if (report.class === 'ok' && definition.kind === 'change' && report.candidate === null) {
    settleAttempt(draft, task.id, report.step, {
      ...report,
      class: 'invalid',
      category: 'logic',
      reason: 'the worker changed nothing',
    });
  } else if (report.class === 'ok' && definition.gates.length > 0) {
    const { step: id, token, candidate, answer, record, cost } = report;
    draft.emit(taskStream(task.id), {
      type: 'attempt.produced',
      data: { step: id, token, candidate, answer, record, cost, gates: [...definition.gates] },
    });
  } else {
    settleAttempt(draft, task.id, report.step, report);
  }
  return null;
}

export function reportGate(draft: Draft, report: CommandOf<'gate.report'>): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  const place = task?.steps.get(report.step)?.place;
  if (task === undefined || place === undefined)
    return rejected('unknown_attempt', `no attempt ${report.task}/${report.step} is known`);
  if (task.closed !== null || place.at !== 'checking' || place.attempt.token !== report.token) {
    return refuse(draft, task, report.step, report.token, 'gate.run');
  }
  if (!place.product.gates.includes(report.gate) || place.evidence.some((one) => one.gate === report.gate)) {
    return rejected(
      'duplicate_outcome',
      `gate ${report.gate} of ${task.id}/${report.step} has reported or was not asked`,
    );
  }
  const { step, token, gate, status, evidence, ms } = report;
  draft.emit(taskStream(task.id), { type: 'gate.reported', data: { step, token, gate, status, evidence, ms } });
  const reports = [...place.evidence, report];
  if (reports.length < place.product.gates.length) return null;
  const names = (wanted: string) => reports.filter((one) => one.status === wanted).map((one) => one.gate);
  const { candidate, answer, cost } = place.product;
  const product = { candidate, answer, cost, reset_at: null, gates: true };
  const { advisory, escalating } = stepDefinition(draft, task, step);
  const red = names('fail').filter((one) => !advisory.has(one));
  const broken = names('error').filter((one) => !advisory.has(one));
  // A gate that could not run is nobody's fault and nobody's pass: a person has to look.
  if (broken.length > 0) {
    settleAttempt(draft, task.id, step, {
      ...product,
      class: 'blocked',
      reason: `gate could not run: ${broken.join(', ')}`,
    });
  } else if (red.length > 0) {
    settleAttempt(draft, task.id, step, {
      ...product,
      class: red.some((one) => escalating.has(one)) ? 'blocked' : 'invalid',
      reason: `gate failed: ${red.join(', ')}`,
    });
  } else {
    settleAttempt(draft, task.id, step, {
      ...product,
      class: 'ok',
      reason: passedText(names('pass'), [...names('fail'), ...names('error')]),
    });
  }
  return null;
}

const passedText = (passed: readonly string[], advised: readonly string[]): string =>
  [
    passed.length > 0 ? `gates passed: ${passed.join(', ')}` : 'no blocking gate failed',
    ...(advised.length > 0 ? [`not passed, not blocking: ${advised.join(', ')}`] : []),
  ].join('; ');

/** Ends the attempt under way at a step, charges it, and writes down what follows. */
export function settleAttempt(draft: Draft, taskId: TaskId, stepId: StepId, outcome: Outcome): void {
  const task = draft.project.tasks.get(taskId) as Task;
  const step = task.steps.get(stepId) as Step;
  const attempt = attemptOf(step);
  const definition = stepDefinition(draft, task, stepId);
  const next = nextAfter(draft, task, step, definition, outcome);
  const { class: outcomeClass, cost, gates = false } = outcome;
  const category = categoryOf(outcomeClass, { told: outcome.category ?? null, gates });
  const reason = outcome.reason.slice(0, MAX_LINE);
  const kept = next.do === 'complete' || outcomeClass === 'ok' ? outcome : { candidate: null, answer: outcome.answer };
  draft.emit(taskStream(taskId), {
    type: 'attempt.settled',
    data: {
      step: stepId,
      token: attempt.token,
      class: outcomeClass,
      ...(category === null ? {} : { category }),
      reason,
      candidate: kept.candidate,
      answer: kept.answer,
      record: outcome.record ?? null,
      cost,
      next,
    },
  });
  charge(draft, task, stepId, attempt.token, cost);
  if (countsForBreaker(outcomeClass)) countFailure(draft, laneOf(definition, attempt.cli));
  const parking = parkingName(attempt.cli, task.spec);
  if (outcomeClass === 'quota') parkCli(draft, parking, attempt, outcome);
  // The model answered: a candidate that its gates refuse used the quota as well as one that they accept.
  if (outcomeClass === 'ok' || outcomeClass === 'invalid') unparkCli(draft, parking, attempt);
  if (next.do === 'close') {
    const why = reason || `step ${stepId} ended with ${outcomeClass}`;
    closeTask(draft, taskId, { status: next.status, reason: withFix(why, fixFor(outcomeClass, attempt.cli, taskId)) });
  }
  if (next.do === 'complete') finishIfDone(draft, taskId);
}

/** What to do about it is said whole, whatever a worker had to say before. */
function withFix(why: string, fix: string | null): string {
  if (fix === null) return why;
  return `${why.slice(0, Math.max(0, MAX_LINE - fix.length - 2))}; ${fix}`.slice(0, MAX_LINE);
}

function nextAfter(draft: Draft, task: Task, step: Step, definition: WorkflowStep, outcome: Outcome): Next {
  const { limits } = draft.project.board;
  const workflow = workflowOf(draft, task);
  const follow = followUp(outcome.class, limits, definition.attempts ?? limits.attempts);
  const { chain, from = chain } = attemptOf(step);
  switch (follow.do) {
    case 'check':
      return { do: 'complete', opens: opensAfter(workflow, task, definition.id) };
    case 'escalate':
      return { do: 'close', status: 'escalated' };
    case 'park':
      return { do: 'retry', at: null, cli: from, counter: 'quota' };
    case 'retry': {
      const { counter, max, wait, failover } = follow;
      const used = (step.used[counter] ?? 0) + 1;
      const at = wait === 'none' ? null : draft.envelope.at + backoffDelay(limits, used - 1, draft.envelope.dice);
      // What is counted per CLI is counted where it happened; for the rest, a CLI that was passed over may work by now.
      const cli = counter === 'crash' || counter === 'transient' || counter === 'unknown' ? chain : from;
      // `attempts: 3` means three candidates in all, `tries: 3` means three retries after the first failure.
      if (counter === 'candidates' ? used < max : used <= max) return { do: 'retry', at, cli, counter };
      if (failover && chain + 1 < definition.cli.length)
        return { do: 'retry', at: null, cli: chain + 1, counter: 'none' };
      return { do: 'close', status: follow.end === 'escalate' ? 'escalated' : workflow.onExhausted };
    }
    default:
      return assertNever(follow, 'what follows');
  }
}

/** Steps whose needs are all met once `done` is. */
function opensAfter(workflow: Workflow, task: Task, done: StepId): StepId[] {
  const isDone = (id: StepId) => id === done || task.steps.get(id)?.place.at === 'done';
  return (workflow.dependents.get(done) ?? []).filter((id) => workflow.steps.get(id)?.needs.every(isDone));
}

function charge(draft: Draft, task: Task, step: StepId, token: number, cost: Cost): void {
  if (cost.microusd === null) return;
  const { microusd, tokens_in, tokens_out } = cost;
  draft.emit('board', { type: 'board.charged', data: { task: task.id, step, token, microusd, tokens_in, tokens_out } });
  if (microusd === 0) return;
  draft.emit('host', { type: 'host.charged', data: { day: dayOf(draft.envelope.at), microusd } });
}

function countFailure(draft: Draft, lane: string): void {
  draft.emit('board', { type: 'breaker.counted', data: { lane, at: draft.envelope.at } });
  const breaker = draft.project.board.breakers.get(lane);
  const failures = breaker?.failures.length ?? 0;
  if (breaker?.open === false && failures >= draft.project.board.limits.breaker.failures) {
    draft.emit('board', { type: 'breaker.opened', data: { lane, failures } });
  }
}

export function finishIfDone(draft: Draft, id: TaskId): void {
  const task = draft.project.tasks.get(id) as Task;
  if (task.open.length > 0) return;
  if (task.candidate === null) {
    closeTask(draft, id, { status: 'accepted', reason: 'all steps are done' });
    return;
  }
  const branch = branchOf(task);
  draft.emit(taskStream(id), {
    type: 'task.applying',
    data: { token: task.token + 1, candidate: task.candidate, branch },
  });
}

/** `ai/t-1-fix-the-parser`: told apart by the id, recognised by the words. */
export function branchOf({ id, title }: Pick<Task, 'id' | 'title'>): string {
  let slug = '';
  for (const word of title.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    if (slug.length + word.length >= 40) break;
    slug += `-${word}`;
  }
  return `ai/${id}${slug}`;
}

export function reportApply(draft: Draft, report: CommandOf<'apply.report'>): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  if (task === undefined) return rejected('unknown_attempt', `no task ${report.task} is known`);
  if (task.applying?.token !== report.token) return refuse(draft, task, null, report.token, 'candidate.apply');
  draft.emit(taskStream(task.id), {
    type: 'effect.settled',
    data: { kind: 'candidate.apply', token: report.token, result: report.status },
  });
  if (report.status === 'applied')
    closeTask(draft, task.id, {
      status: 'accepted',
      reason: 'all steps are done',
      commit: report.commit,
      branch: report.branch,
    });
  else
    closeTask(draft, task.id, {
      status: 'escalated',
      reason: report.reason || `the candidate could not be applied: ${report.status}`,
    });
  return null;
}

export function reportNotify(draft: Draft, report: CommandOf<'notify.report'>): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  if (task === undefined || !task.notify || task.token !== report.token)
    return rejected('duplicate_outcome', `task ${report.task} waits for no notification`);
  draft.emit(taskStream(task.id), {
    type: 'effect.settled',
    data: { kind: 'notify.send', token: report.token, result: report.result },
  });
  return null;
}

/** The intent, logged before a hand acts, for effects that must not simply be repeated. */
export function startEffect(draft: Draft, command: CommandOf<'effect.start'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined || tokenWanted(task, command.kind) !== command.token)
    return rejected('stale_effect', `${command.kind} of ${command.task} is no longer wanted`);
  if (task.started.some((one) => one.kind === command.kind))
    return rejected('duplicate_effect', `${command.kind} of ${task.id} has started`);
  draft.emit(taskStream(task.id), { type: 'effect.started', data: { kind: command.kind, token: command.token } });
  return null;
}

/** The token under which an effect is wanted now. Workers begin with their attempt and gates are repeated: neither logs a start. */
function tokenWanted(task: Task, kind: CommandOf<'effect.start'>['kind']): number | null {
  if (kind === 'candidate.apply') return task.applying?.token ?? null;
  return kind === 'notify.send' && task.notify ? task.token : null;
}

export function closeTask(
  draft: Draft,
  id: TaskId,
  end: { status: ClosedStatus; reason: string; commit?: string | null; branch?: string | null },
): void {
  const task = draft.project.tasks.get(id) as Task;
  // What is known to have been spent is charged, also when nobody waits for the gates any more.
  for (const step of task.open) {
    const place = task.steps.get(step)?.place;
    if (place?.at === 'checking') charge(draft, task, step, place.attempt.token, place.product.cost);
  }
  const data: Closed = {
    status: end.status,
    reason: end.reason,
    commit: end.commit ?? null,
    branch: end.branch ?? null,
  };
  draft.emit(taskStream(id), { type: 'task.closed', data });
}

/** A late or foreign outcome is kept as a fact for the curious; it changes nothing. */
function refuse(
  draft: Draft,
  task: Task,
  step: StepId | null,
  token: number,
  kind: 'worker.run' | 'gate.run' | 'candidate.apply',
): Rejection | null {
  if (task.refused >= MAX_REFUSED) return rejected('late_outcome', `outcome ${token} of ${task.id} comes too late`);
  const reason = task.closed === null ? `token ${token} is not the one under way` : `the task is ${task.closed.status}`;
  draft.emit(taskStream(task.id), { type: 'outcome.refused', data: { step, token, kind, reason } });
  return null;
}

function workflowOf(draft: Draft, task: Task): Workflow {
  const workflow = draft.project.workflows.get(task.workflow);
  if (workflow === undefined)
    throw new Error(`task ${task.id} pins workflow ${task.workflow}, which is not in the log`);
  return workflow;
}

function stepDefinition(draft: Draft, task: Task, id: StepId): WorkflowStep {
  const definition = workflowOf(draft, task).steps.get(id);
  if (definition === undefined) throw new Error(`workflow ${task.workflow} has no step ${id}`);
  return definition;
}
