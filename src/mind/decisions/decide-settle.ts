/** Decisions about the end of an attempt: its cost, what counts against its CLI, and what follows. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { StepId, TaskId } from '../../kernel/ids.ts';
import type { AttemptReport } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import type { Guard, NextAction } from '../domain/events/task.ts';
import { sameErrorsOf } from '../domain/limits.ts';
import { countedAs } from '../domain/simulated-names.ts';
import { BOARD, taskStream } from '../domain/stream-name.ts';
import { attemptOf, isBusy, type Step, type Task } from '../domain/task.ts';
import { type Asks, type Candidate, MAX_LINE, type OutcomeClass } from '../domain/values.ts';
import { OUTCOME_TEXT } from '../protocol/outcome-text.ts';
import { backoffDelay, countsForBreaker, fixFor, followUp } from '../safeguards/after-outcome.ts';
import { categoryOf } from '../safeguards/category.ts';
import { guardText, sameError, usedLastRound, usedLastTry } from '../safeguards/loops.ts';
import { parkCli, unparkCli } from '../safeguards/quota.ts';
import { signatureOf } from '../safeguards/signature.ts';
import { isReview, saysNo } from '../verdict/weigh.ts';
import { laneOf, type WorkflowStep } from '../workflows/workflow.ts';
import { askPerson } from './ask-person.ts';
import { charge, closeTask, estimateNow } from './decide-close.ts';
import { advance, noRoundLeft, roundsLeft, sendBack } from './decide-graph.ts';
import { goesOn, isLeftToPerson, isLeftToReviewers, judgeReviews, objectionText } from './decide-verdict.ts';
import { opensAfter, stepDefinition, taskIn, workflowOf } from './lookup.ts';

export type Outcome = Pick<AttemptReport, 'class' | 'reason' | 'candidate' | 'answer' | 'cost' | 'reset_at'> &
  Partial<Pick<AttemptReport, 'record' | 'category' | 'said' | 'sent_back'>> & {
    /** The verdict of its gates counts. */
    readonly gates?: boolean;
    /** A gate of its workflow ends the task with this status. */
    readonly stop?: 'blocked' | null;
    /** The verdict is a rejection, whatever the answer says. */
    readonly rejected?: boolean;
    /** The review rejects the change without naming a line: a person decides whether it is right. */
    readonly unfounded?: boolean;
    /** A person sends it back: it goes on, whatever is used up. */
    readonly again?: boolean;
    /** A blocking gate could not run: the change is neither right nor wrong, and is checked again once it can. */
    readonly unchecked?: boolean;
    /** The signature of the gates' output; null: unknown, so the reason's sentence counts. */
    readonly signature?: string | null;
    /** A safeguard that stops it whatever else is left. */
    readonly guard?: Guard | null;
  };

/** Ends a step's running attempt, charges it, and records what follows. */
export function settleAttempt(draft: Draft, taskId: TaskId, stepId: StepId, told: Outcome): void {
  const task = taskIn(draft, taskId);
  const definition = stepDefinition(draft, task, stepId);
  if (definition.analyses === null) settleStep(draft, task, definition, told);
  else settleAnalysis(draft, task, definition, told);
}

function settleStep(draft: Draft, task: Task, definition: WorkflowStep, told: Outcome): void {
  const [taskId, stepId] = [task.id, definition.id];
  const step = task.steps.get(stepId) as Step;
  const attempt = attemptOf(step);
  const outcome = judgedReview(draft, task, definition, told);
  const { class: outcomeClass, cost, gates = false, said = null } = outcome;
  const isNo = saysNoItself(definition, outcome);
  const signature = outcomeClass === 'invalid' ? (outcome.signature ?? signatureOf(outcome.reason)) : null;
  const isGiven = attempt.given !== undefined;
  const guard = isGiven || outcome.again === true ? null : guardOf(draft, task, step, { ...outcome, signature, isNo });
  const isStopped = guard?.state === 'escalate';
  const goesBack =
    isNo && !isStopped && task.failing === undefined && (outcome.again === true || roundsLeft(definition, step));
  const after = goesBack ? DONE : nextAfter(draft, task, step, definition, { ...outcome, guard });
  // The step stays open: a person is asked, and the task is not closed.
  const asks =
    task.failing === undefined ? asksFor(definition, outcome, { usedUp: after.usedUp === true, isNo }) : null;
  const next: NextAction =
    asks !== null
      ? { do: 'retry', at: null, cli: attempt.chain, counter: 'none' }
      : isGiven
        ? after.next
        : analysedFirst(after.next, definition, outcome);
  const category = categoryOf(outcomeClass, { told: outcome.category ?? null, gates });
  const why = outcome.reason.slice(0, MAX_LINE);
  const reason = isNo && !goesBack && !isStopped ? noRoundLeft(why, definition) : why;
  const sentBack = sentBackBy(definition, step, outcome);
  const hasWorker = attempt.kind !== 'gate' && !isGiven;
  const estimated = !hasWorker ? null : estimateNow(draft, task, { cost, outcome: outcomeClass });
  const kept = next.do === 'complete' || outcomeClass === 'ok' ? outcome : { candidate: null, answer: outcome.answer };
  draft.emit(taskStream(taskId), {
    type: 'attempt.settled',
    data: {
      step: stepId,
      token: attempt.token,
      class: outcomeClass,
      ...(category === null ? {} : { category }),
      reason,
      ...(signature === null || isGiven ? {} : { signature }),
      ...(guard === null ? {} : { guard }),
      candidate: kept.candidate,
      answer: kept.answer,
      record: outcome.record ?? null,
      said,
      cost,
      ...(estimated === null ? {} : { estimated }),
      next,
      ...(sentBack === null ? {} : { sent_back: sentBack }),
      ...(sentBack === null || outcomeClass === 'invalid' ? {} : { unchecked: true }),
    },
  });
  if (hasWorker) {
    charge(draft, task, { step: stepId, token: attempt.token, cost, outcome: outcomeClass });
    countForCli(draft, task, definition, { ...outcome, ownTries: ownTries(step, next) });
  }
  const words = endWords(outcomeClass, reason) || `step ${stepId} ended with ${outcomeClass}`;
  if (next.do === 'close') {
    closeTask(draft, taskId, {
      status: next.status,
      reason: withFix(endText(words, guard), fixFor(outcomeClass, attempt.cli, taskId)),
    });
    return;
  }
  if (asks !== null) askPerson(draft, taskId, definition, { asks, reason: words });
  else if (goesBack) sayNo(draft, taskId, definition, { ...outcome, reason, signature });
  advance(draft, taskId);
}

/** What a hand says of a worker begins with "it": at the end of a task it stands alone. */
const endWords = (outcome: OutcomeClass, reason: string): string =>
  reason.startsWith('it ') ? `${OUTCOME_TEXT[outcome]} (${reason})`.slice(0, MAX_LINE) : reason;

function sayNo(draft: Draft, task: TaskId, definition: WorkflowStep, no: Outcome): void {
  const { reason, answer, again, signature } = no;
  const answers = answer === null ? [] : [{ step: definition.id, answer }];
  const of = signature == null ? {} : { signature };
  sendBack(draft, task, definition, { reason, answers, ...of, ...(again === true ? { atPersonsWord: true } : {}) });
}

/** Gates refused its change: before the next attempt at the same level, the analysts are asked. */
function analysedFirst(
  next: NextAction,
  { analysts }: WorkflowStep,
  { class: outcome, gates = false }: Outcome,
): NextAction {
  if (next.do !== 'retry' || next.level !== undefined || !gates || outcome !== 'invalid') return next;
  return analysts.length === 0 ? next : { ...next, analyses: [...analysts] };
}

/**
 * An analysis only helps: however it ends, the waiting step goes on, with or without its answer. It is repeated only if
 * it ended because Supervisor did.
 */
function settleAnalysis(draft: Draft, task: Task, definition: WorkflowStep, outcome: Outcome): void {
  const { id } = definition;
  const step = task.steps.get(id) as Step;
  const { token, chain, from = chain } = attemptOf(step);
  const { class: outcomeClass, cost } = outcome;
  const { lost_retries } = draft.project.board.limits;
  const counter = outcomeClass === 'lost' ? 'lost' : 'none';
  const isCut = outcomeClass === 'interrupted' || (outcomeClass === 'lost' && (step.used.lost ?? 0) < lost_retries);
  const next: NextAction =
    isCut && task.failing === undefined ? { do: 'retry', at: null, cli: from, counter } : { do: 'complete', opens: [] };
  const category = categoryOf(outcomeClass, { told: outcome.category ?? null });
  const estimated = estimateNow(draft, task, { cost, outcome: outcomeClass });
  draft.emit(taskStream(task.id), {
    type: 'attempt.settled',
    data: {
      step: id,
      token,
      class: outcomeClass,
      ...(category === null ? {} : { category }),
      reason: outcome.reason.slice(0, MAX_LINE),
      candidate: null,
      answer: outcomeClass === 'ok' ? outcome.answer : null,
      record: outcome.record ?? null,
      // The review decides nothing: its opinion on the change does not count.
      said: null,
      cost,
      ...(estimated === null ? {} : { estimated }),
      next,
    },
  });
  charge(draft, task, { step: id, token, cost, outcome: outcomeClass });
  countForCli(draft, task, definition, { ...outcome, ownTries: 0 });
  advance(draft, task.id);
}

/** The question for a person instead of closing the task; null if there is none. */
function asksFor(
  { asksPerson }: WorkflowStep,
  { class: outcomeClass, said = null, guard = null, unfounded = false }: Outcome,
  { usedUp, isNo }: { readonly usedUp: boolean; readonly isNo: boolean },
): Asks | null {
  if (unfounded) return 'review';
  const isStopped = outcomeClass === 'blocked' && said?.status === 'BLOCKED';
  if ((isStopped || outcomeClass === 'waiting_for_input') && guard?.state !== 'escalate') return 'question';
  if (!usedUp || !asksPerson) return null;
  return isNo ? 'rounds' : 'failure';
}

/** The step's change that is sent back by its gates, as it was captured, or because its gates could not run. */
function sentBackBy({ kind }: WorkflowStep, step: Step, outcome: Outcome): Candidate | null {
  const { class: outcomeClass, candidate, sent_back, unchecked = false } = outcome;
  // A person's change, and one of a lower level, would lose what it is on the way.
  const isKept = unchecked && attemptOf(step).given === undefined && step.level === undefined;
  return kind === 'change' && (outcomeClass === 'invalid' || isKept) ? (candidate ?? sent_back ?? null) : null;
}

/** The safeguard that applies to this end; one that stops comes before one that warns. */
function guardOf(draft: Draft, task: Task, step: Step, outcome: Outcome & { readonly isNo: boolean }): Guard | null {
  const { limits } = draft.project.board;
  const { class: outcomeClass, signature, guard, isNo } = outcome;
  if (guard != null || (outcomeClass === 'ok' && !isNo)) return guard ?? null;
  const { started } = attemptOf(step);
  const ended = { started, class: outcomeClass, now: draft.envelope.at };
  const old = isNo ? usedLastRound(task, ended.now, limits.task_age_ms) : usedLastTry(task, ended, limits.task_age_ms);
  return old ?? (signature == null ? null : sameError(step, signature, sameErrorsOf(limits)));
}

function endText(words: string, guard: Guard | null): string {
  if (guard?.state !== 'escalate') return words;
  const text = guardText(guard);
  return words === text ? words : `${words.slice(0, MAX_LINE - text.length - 2).replace(/\.$/, '')}; ${text}`;
}

/** `usedUp`: nothing is left to try. */
type After = { readonly next: NextAction; readonly usedUp?: true };
const DONE: After = { next: { do: 'complete', opens: [] } };

/**
 * A review that no join weighs gives the verdict itself. An approval may still be too uncertain given what the gates
 * found.
 */
function judgedReview(draft: Draft, task: Task, definition: WorkflowStep, told: Outcome): Outcome {
  const { id: by, kind, role, rework } = definition;
  const { class: outcomeClass, said = null } = told;
  const { cli, token, round, on } = attemptOf(task.steps.get(by) as Step);
  // A person has confirmed its findings.
  if (told.again === true) return told;
  const isEnded = outcomeClass === 'ok' || outcomeClass === 'blocked';
  if (kind !== 'answer' || !isEnded || on === null || workflowOf(draft, task).weighed.has(by)) return told;
  const opinion = said !== null && isReview(said) ? said : null;
  if (opinion === null && !isOwed(task, definition, on)) return told;
  const review = { step: by, role, cli, change_id: on.change_id, said: opinion };
  const verdict = judgeReviews(draft, task, definition, { on, token, round, reviews: [review] });
  if (rework !== null && isLeftToPerson(verdict)) return { ...told, unfounded: true };
  if (goesOn(verdict) || (said !== null && saysNo(said))) return told;
  const reason = objectionText(verdict);
  return rework === null ? { ...told, class: 'blocked', reason } : { ...told, rejected: true, reason };
}

/**
 * A review without an opinion is no approval if the gates left the decision to reviewers, or if what this step said before
 * did not let the change pass.
 */
function isOwed(task: Task, { id, rework }: WorkflowStep, on: Candidate): boolean {
  const { verdict } = task;
  const didNotPass =
    verdict?.on.change_id === on.change_id &&
    verdict.decision !== 'APPROVE' &&
    verdict.reviews.some(({ step, said }) => step === id && said !== null);
  return didNotPass || (rework !== null && isLeftToReviewers(task, on));
}

/** The step itself rejects the change, and its workflow says where that leads: a review, or gates of a gate step. */
function saysNoItself({ kind, rework }: WorkflowStep, outcome: Outcome): boolean {
  const { class: outcomeClass, said = null, rejected = said !== null && saysNo(said) } = outcome;
  if (rework === null || outcome.unfounded === true) return false;
  return kind === 'gate' ? outcomeClass === 'invalid' : outcomeClass === 'ok' && rejected;
}

/**
 * What the outcome means for the CLI's breaker and quota. `ownTries`: how often the step itself has failed here, if its
 * retry policy still allows another try.
 */
function countForCli(
  draft: Draft,
  task: Task,
  definition: WorkflowStep,
  outcome: Outcome & { readonly ownTries: number },
): void {
  const attempt = attemptOf(task.steps.get(definition.id) as Step);
  const { class: outcomeClass, ownTries } = outcome;
  if (countsForBreaker(outcomeClass))
    countFailure(draft, countedAs(laneOf(definition, attempt.cli), task.spec), ownTries);
  const parking = countedAs(attempt.cli, task.spec);
  if (outcomeClass === 'quota') parkCli(draft, parking, attempt, outcome);
  // The model answered: a rejected candidate used the quota as much as an accepted one.
  if (outcomeClass === 'ok' || outcomeClass === 'invalid') unparkCli(draft, parking, attempt);
}

const ownTries = ({ used }: Step, next: NextAction): number =>
  next.do === 'retry' && next.counter === 'transient' ? (used.transient ?? 0) + 1 : 0;

/** If only one step fails, its retry policy is bound enough and the breaker does not open. */
function countFailure(draft: Draft, lane: string, ownTries: number): void {
  draft.emit(BOARD, { type: 'breaker.counted', data: { lane, at: draft.envelope.at } });
  const breaker = draft.project.board.breakers.get(lane);
  const failures = breaker?.failures.length ?? 0;
  if (failures <= ownTries) return;
  if (breaker?.open === false && failures >= draft.project.board.limits.breaker.failures) {
    draft.emit(BOARD, { type: 'breaker.opened', data: { lane, failures } });
  }
}

/** The fix is always complete, however long the worker's text is. */
function withFix(why: string, fix: string | null): string {
  if (fix === null) return why;
  return `${why.slice(0, Math.max(0, MAX_LINE - fix.length - 2))}; ${fix}`.slice(0, MAX_LINE);
}

/** Failures of the work, which less of it may avoid. Failures of the CLI or machine stay the same with less. */
const OF_WORK: ReadonlySet<OutcomeClass> = new Set(['invalid', 'timeout', 'output_limit', 'resource_limit']);

/** When the attempts of a level are used up, the step goes on with less work, if its workflow allows that. */
function orWithLess(after: After, { level }: Step, { kind, degrade }: WorkflowStep, outcome: Outcome): After {
  if (after.usedUp !== true || kind !== 'change' || !OF_WORK.has(outcome.class)) return after;
  const lower = degrade[level === undefined ? 0 : degrade.indexOf(level) + 1];
  return lower === undefined ? after : { next: { do: 'retry', at: null, cli: 0, counter: 'none', level: lower } };
}

function nextAfter(draft: Draft, task: Task, step: Step, definition: WorkflowStep, outcome: Outcome): After {
  const after = orWithLess(nextAlone(draft, task, step, definition, outcome), step, definition, outcome);
  const { next } = after;
  if (next.do === 'complete') return after;
  if (next.do === 'retry')
    return task.failing === undefined ? after : { next: { do: 'fail', status: task.failing.status } };
  // Other attempts of the task are running: their results are still recorded, and then the task ends.
  const others = task.open.some((id) => id !== definition.id && isBusy(task.steps.get(id)));
  return others || task.failing !== undefined ? { ...after, next: { do: 'fail', status: next.status } } : after;
}

/** What follows if no other step is running. */
function nextAlone(draft: Draft, task: Task, step: Step, definition: WorkflowStep, outcome: Outcome): After {
  const { limits } = draft.project.board;
  const workflow = workflowOf(draft, task);
  const end: After = { next: { do: 'close', status: workflow.onExhausted }, usedUp: true };
  const { guard } = outcome;
  if (saysNoItself(definition, outcome) && guard?.state !== 'escalate') return end;
  const { chain, from = chain, given } = attemptOf(step);
  // The person goes on with it as often as they like: it uses up none of the workers' attempts.
  if (given !== undefined && outcome.class !== 'ok')
    return { next: { do: 'retry', at: null, cli: chain, counter: 'none' } };
  if (outcome.again === true && definition.kind === 'change')
    return { next: { do: 'retry', at: null, cli: chain, counter: 'candidates' } };
  if (guard?.state === 'escalate')
    return guard.name === 'same_error' ? end : { next: { do: 'close', status: 'escalated' } };
  // The same gates on the same tree would give the same result.
  const attempts = definition.kind === 'gate' ? 1 : (definition.attempts ?? limits.attempts);
  const backoff = definition.retry ?? limits.backoff;
  const follow = followUp(outcome.class, { ...limits, backoff }, attempts);
  switch (follow.do) {
    case 'check':
      return { next: { do: 'complete', opens: opensAfter(workflow, task, definition.id) } };
    case 'escalate':
      return { next: { do: 'close', status: outcome.stop ?? 'escalated' } };
    case 'park':
      return { next: { do: 'retry', at: null, cli: from, counter: 'quota' } };
    case 'retry': {
      const { counter, max, wait, failover } = follow;
      const used = (step.used[counter] ?? 0) + 1;
      const at =
        wait === 'none'
          ? null
          : draft.envelope.at + backoffDelay({ ...limits, backoff }, used - 1, draft.envelope.dice);
      // Failures that count per CLI are counted there; for others, a CLI that was skipped may work by now.
      const cli = counter === 'crash' || counter === 'transient' || counter === 'unknown' ? chain : from;
      // `attempts: 3` means three candidates in all, `tries: 3` means three retries after the first failure.
      if (counter === 'candidates' ? used < max : used <= max) return { next: { do: 'retry', at, cli, counter } };
      if (failover && chain + 1 < definition.cli.length)
        return { next: { do: 'retry', at: null, cli: chain + 1, counter: 'none' } };
      return follow.end === 'escalate' ? { ...end, next: { do: 'close', status: 'escalated' } } : end;
    }
    default:
      return assertNever(follow, 'what follows');
  }
}
