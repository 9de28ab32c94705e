/** How the events of a task fold into its state. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { StepId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import type { LowerLevel } from '../workflows/step.ts';
import type { EventData, TaskEvent } from './events/index.ts';
import {
  analysed,
  awaiting,
  extended,
  FRESH_STEP,
  pick,
  put,
  reopened,
  reworked,
  stepOf,
  unpaused,
  youngAgain,
} from './evolve-back.ts';
import { outsideOfAttempts } from './evolve-effects.ts';
import { byPerson, notTaken, stoodBefore } from './evolve-person.ts';
import { approvedToLand, askedToLand, withEnvironment } from './fold-approvals.ts';
import { withRaised } from './open-review-findings.ts';
import { countedErrors, isSameError } from './sent-back.ts';
import {
  type Attempt,
  attemptOf,
  degradedSteps,
  type Evidence,
  redGates,
  type Step,
  type StepPlace,
  type Task,
} from './task.ts';
import { charged, giveUp, withEstimate } from './task-cost.ts';
import { type Asks, type AttemptKind, UNKNOWN_COST } from './values.ts';

export const TASK_REDUCER = 18;

export function evolveTask(task: Task | undefined, event: TaskEvent, time: number): Task {
  if (event.type === 'task.created') return created(event.data, time);
  if (task === undefined) throw new Error(`${event.type} on a stream without a task`);
  return { ...change(task, event, time), updated: time };
}

function created(data: EventData<'task.created'>, time: number): Task {
  return {
    id: data.task,
    title: data.title,
    spec: data.spec,
    onto: data.onto,
    base: data.base,
    workflow: data.workflow,
    priority: data.priority,
    order: data.order,
    trace: data.trace,
    created: time,
    opened: time,
    updated: time,
    steps: OrderedMap.from(data.opens.map((id) => [id, FRESH_STEP])),
    open: data.opens,
    token: 0,
    locks: [],
    candidate: null,
    applying: null,
    begun: data.opens.length,
    started: [],
    notify: false,
    attempts: 0,
    cost: UNKNOWN_COST,
    unpriced: 0,
    refused: 0,
    closed: null,
    landed: null,
  };
}

function change(task: Task, event: Exclude<TaskEvent, { type: 'task.created' }>, time: number): Task {
  switch (event.type) {
    case 'attempt.started':
      return started(task, event.data, time);
    case 'attempt.produced':
      return produced(task, event.data);
    case 'gate.reported':
      return reported(task, event.data);
    case 'attempt.settled':
      return settled(costed(task, event.data), event.data, time);
    case 'verdict.given':
      return { ...task, verdict: event.data };
    case 'step.woken':
      return woken(task, event.data);
    case 'step.joined':
      return joined(task, event.data);
    case 'step.waiting':
      return waiting(task, event.data);
    case 'step.answered':
      return answered(event.data.anew === true ? youngAgain(task, time) : task, event.data, time);
    case 'change.measured':
      return { ...task, facts: { change_id: event.data.on.change_id, facts: event.data.facts } };
    case 'step.agreed':
    case 'step.taken':
    case 'step.dropped':
    case 'finding.dismissed':
    case 'incident.resolved':
    case 'task.paused':
      return byPerson(task, event, time);
    case 'step.committed':
      return committed(task, event.data);
    case 'task.reworked':
      return reworked(task, event.data);
    case 'task.base_answered':
      return { ...task, spec: { ...task.spec, red_base: event.data.red_base } };
    case 'task.warned':
      return { ...task, warned: time };
    case 'task.resumed':
      return resumed(task, event.data, time);
    case 'effect.started':
    case 'effect.settled':
    case 'outcome.refused':
    case 'notice.held':
    case 'notice.due':
    case 'notice.dropped':
      return outsideOfAttempts(task, event, time);
    case 'task.applying':
      return applying(task, event.data);
    case 'task.closed':
      return closed(task, event.data);
    case 'task.landing':
    case 'task.landed':
    case 'task.not_landed':
    case 'task.based':
    case 'task.given_up':
    case 'task.approved':
      return onItsLine(task, event, time);
    case 'task.reopened':
      return reopened(stoodBefore(task), event.data, time);
    default:
      return assertNever(event, 'task event');
  }
}

/** A person has acted: a rework after its warning counts no longer. */
function resumed(task: Task, data: EventData<'task.resumed'>, opened: number): Task {
  const { lateRework: _, ...goesOn } = extended(unpaused(stoodBefore(task)), data);
  return { ...goesOn, opened };
}

const costed = (task: Task, { step, cost, estimated }: EventData<'attempt.settled'>): Task =>
  withEstimate(charged(task, step, cost), estimated);

type LineEvent = Extract<
  TaskEvent,
  { type: 'task.landing' | 'task.landed' | 'task.not_landed' | 'task.based' | 'task.given_up' | 'task.approved' }
>;

/** Between the task and the line that it builds on and lands on. */
function onItsLine(task: Task, event: LineEvent, at: number): Task {
  switch (event.type) {
    case 'task.landing':
      return { ...task, landing: event.data };
    case 'task.landed':
      return { ...notLanding(task), landed: event.data, locks: [] };
    case 'task.not_landed':
      return { ...notLanding(task), ...askedToLand(task, event.data) };
    case 'task.approved':
      return approvedToLand(task, event.data, at);
    case 'task.based':
      return { ...task, base: event.data.base };
    case 'task.given_up':
      return { ...task, locks: [] };
    default:
      return assertNever(event, 'event of a task and its line');
  }
}

function produced(task: Task, data: EventData<'attempt.produced'>): Task {
  const { step: id, candidate, answer, said, cost, gates, diff } = data;
  const step = stepOf(task, id);
  const product = { candidate, answer, said, cost, gates, ...(diff === undefined ? {} : { diff }) };
  return put(task, id, { ...step, place: { at: 'checking', attempt: attemptOf(step), product, evidence: [] } });
}

function reported(task: Task, { step: id, token: _, ...report }: EventData<'gate.reported'>): Task {
  const step = stepOf(task, id);
  if (step.place.at !== 'checking') return task;
  return put(task, id, { ...step, place: { ...step.place, evidence: [...step.place.evidence, report] } });
}

/** A rejection does not end the step: the task goes back, or it closes and `resume` asks the step again. */
function joined(task: Task, data: EventData<'step.joined'>): Task {
  const { step: id, decision, on, reason, opens, token } = data;
  if (decision === 'REJECT') return { ...task, token };
  return { ...done(task, id, opens, { candidate: null, answer: null, said: null, on, reason }), token };
}

function waiting(task: Task, data: EventData<'step.waiting'>): Task {
  const { step: id, token, for: whom, on, asks = 'approval', about = null, reason = '' } = data;
  const step = stepOf(task, id);
  // The gates need not run again: their results are judged once more after the person's answer.
  const isHeld = (asks === 'finding' || asks === 'environment') && step.place.at === 'checking';
  const held = isHeld ? { held: step.place } : {};
  const { needed, until, environment } = data;
  const policy = {
    ...(needed === undefined ? {} : { needed }),
    ...(until === undefined ? {} : { until }),
    ...(environment === undefined ? {} : { environment }),
  };
  const place: StepPlace = { at: 'waiting', for: whom, token, on, asks, about, reason, ...policy, ...held };
  return { ...put(task, id, { ...step, place }), token };
}

/** Questions whose answer makes the step try again. */
const TRIES_AGAIN: ReadonlySet<Asks> = new Set(['failure', 'rounds', 'question']);

function answered(task: Task, data: EventData<'step.answered'>, time: number): Task {
  const { step: id, decision, reason, opens, since = time } = data;
  const { answered = 0, ...before } = stepOf(task, id);
  const isCounted = task.spec.simulated === true && task.spec.script?.['people'] !== undefined;
  const step: Step = isCounted ? { ...before, answered: answered + 1 } : before;
  const { place } = step;
  if (place.at === 'waiting' && place.held !== undefined)
    return put(decision === 'APPROVE' ? withEnvironment(task, place) : task, id, { ...step, place: place.held });
  const again: Step = { ...step, place: { at: 'ready', cli: 0 } };
  if (decision === 'REJECT') return put(task, id, again);
  // A person lets it try again: earlier counts no longer matter.
  if (place.at === 'waiting' && TRIES_AGAIN.has(place.asks)) return put(task, id, { ...again, used: {}, reworks: 0 });
  if (place.at !== 'waiting')
    return done(task, id, opens, { candidate: null, answer: null, said: null, on: null, reason });
  const { on, needed } = place;
  const approved =
    needed === undefined || on === null ? {} : { approval: { change_id: on.change_id, needed, at: since } };
  return done({ ...task, ...approved }, id, opens, { candidate: null, answer: null, said: null, on, reason });
}

function woken(task: Task, { step: id }: EventData<'step.woken'>): Task {
  const step = stepOf(task, id);
  const cli = step.place.at === 'parked' ? step.place.cli : 0;
  return put(task, id, { ...step, place: { at: 'ready', cli } });
}

function applying(task: Task, data: EventData<'task.applying'>): Task {
  const { step: id, token, candidate, branch } = data;
  const degraded = degradedSteps(task);
  const applying = {
    token,
    candidate,
    branch,
    red: task.red ?? [],
    ...(degraded.length === 0 ? {} : { degraded }),
    ...(id === undefined ? {} : { step: id }),
  };
  const next: Task = { ...task, applying, token };
  return id === undefined ? next : put(next, id, { ...stepOf(task, id), place: { at: 'applying', token } });
}

function committed(task: Task, data: EventData<'step.committed'>): Task {
  const { step: id, token, candidate, commit, branch, opens } = data;
  const next: Task = { ...task, applying: null, committed: { candidate, commit, branch } };
  const { place } = stepOf(task, id);
  // The task was sent back meanwhile: the step runs again, but the commit on the branch is remembered.
  if (place.at !== 'applying' || place.token !== token) return next;
  return done(next, id, opens, { candidate: null, answer: null, said: null, on: candidate, reason: commit ?? '' });
}

function started(task: Task, data: EventData<'attempt.started'>, time: number): Task {
  const { step: id, attempt: number, token, kind, round, on, cli, reserve, reserve_tokens, locks } = data;
  const step = stepOf(task, id);
  const from = step.place.at === 'ready' ? step.place.cli : 0;
  const chain = data.chain ?? from;
  const attempt: Attempt = {
    number,
    token,
    kind,
    round,
    on,
    cli,
    chain,
    ...(data.chain === undefined ? {} : { from }),
    reserve,
    ...(reserve_tokens === undefined ? {} : { reserveTokens: reserve_tokens }),
    started: time,
    deadline: data.deadline,
    ...(data.given === undefined ? {} : { given: data.given }),
  };
  // An attempt of a gate step has no worker: `attempt.produced` follows in the same append.
  const place: StepPlace = { at: 'working', attempt: attempt as Attempt<AttemptKind> };
  const moved = put(task, id, { ...step, attempts: number, place });
  const attempts = task.attempts + (kind === 'gate' ? 0 : 1);
  return { ...moved, token, attempts, locks: locks.length > 0 ? locks : task.locks };
}

function settled(ended: Task, data: EventData<'attempt.settled'>, time: number): Task {
  const { step: id, next, candidate, answer, said, reason } = data;
  const task = put(ended, id, withRaised(stepOf(ended, id), data));
  const step = stepOf(task, id);
  const reports = step.place.at === 'checking' ? step.place.evidence : [];
  const isInvalid = data.class === 'invalid';
  if (next.do === 'complete') {
    const { on, cli, given } = attemptOf(step);
    const maker = { ...(said === null ? {} : { cli }), ...(given === undefined ? {} : { by: given.by }) };
    const result = { candidate, answer, said, on, reason, ...maker };
    const ready = given === undefined ? task : notTaken(task);
    const { red: before = [], ...rest } = done(ready, id, next.opens, result, isInvalid ? reports : []);
    const red = [...before.filter(({ gate }) => !reports.some((one) => one.gate === gate)), ...redGates(reports)];
    return { ...rest, ...(red.length === 0 ? {} : { red }), candidate: candidate ?? task.candidate };
  }
  const { repeated, sentBack: earlier, unchecked, from, analyses, ...unrepeated } = step;
  const change = isInvalid || data.unchecked === true ? data.sent_back : earlier;
  const isUnchecked = !isInvalid && (data.unchecked ?? unchecked) === true;
  const isRepeated = isInvalid ? isSameError(step, data) : repeated === true;
  const again: Step = {
    ...unrepeated,
    ...(isRepeated ? { repeated: true } : {}),
    // The operator's choice was for one attempt, which has been made.
    ...(from === undefined || isInvalid ? {} : { from }),
    ...(change === undefined ? {} : { sentBack: change }),
    ...(isUnchecked ? { unchecked: true } : {}),
    ...(isInvalid || analyses === undefined ? {} : { analyses }),
    ...countedErrors(step, data),
    feedback: isInvalid ? reason : step.feedback,
    findings: isInvalid ? reports : step.findings,
  };
  if (next.do === 'close' || next.do === 'fail') {
    const stopped = put(task, id, { ...again, place: { at: 'ready', cli: 0 } });
    if (next.do === 'close' || stopped.failing !== undefined) return stopped;
    return { ...stopped, failing: { status: next.status, reason: reason || `step ${id} ended with ${data.class}` } };
  }
  if (next.level !== undefined) return put(task, id, atLevel(again, next.level, next.cli));
  // What one CLI used up says nothing about the next; candidates and losses are counted over all of them.
  const before = next.cli === attemptOf(step).chain ? step.used : pick(step.used, 'candidates', 'lost');
  const used = next.counter === 'none' ? before : { ...before, [next.counter]: (before[next.counter] ?? 0) + 1 };
  const place: StepPlace =
    next.at !== null && next.at > time
      ? { at: 'parked', cli: next.cli, until: next.at, why: data.class }
      : { at: 'ready', cli: next.cli };
  return awaiting(put(task, id, { ...again, used, place }), id, next.analyses);
}

/** A lower level starts anew: with its own attempts, and not in the rejected tree. */
function atLevel(step: Step, level: LowerLevel, cli: number): Step {
  const { repeated: _, sentBack: __, unchecked: ___, errors: ____, ...kept } = step;
  return { ...kept, level, used: {}, place: { at: 'ready', cli } };
}

/** The step is done, and steps that waited only for it open. `findings`: those that send the task back. */
function done(
  task: Task,
  id: StepId,
  opens: readonly StepId[],
  result: Omit<Extract<StepPlace, { at: 'done' }>, 'at'>,
  findings: readonly Evidence[] = [],
): Task {
  const { repeated: _, sentBack: __, unchecked: ___, from: ____, analyses: _____, ...step } = stepOf(task, id);
  const finished = task.steps.set(id, {
    ...step,
    feedback: null,
    findings,
    reviews: [],
    place: { at: 'done', ...result },
  });
  const next: Task = {
    ...task,
    begun: task.begun + opens.length,
    steps: opens.reduce(open, finished),
    open: [...task.open.filter((other) => other !== id), ...opens],
  };
  return analysed(next, id, result.answer);
}

const open = (steps: Task['steps'], id: StepId): Task['steps'] =>
  steps.set(id, { ...(steps.get(id) ?? FRESH_STEP), place: { at: 'ready', cli: 0 } });

/** A task from a queue keeps its locks until it has landed. A simulated one never lands. */
function closed(task: Task, { estimated, ...end }: EventData<'task.closed'>): Task {
  const { failing: _, ...ended } = unpaused(withEstimate(task.open.reduce(giveUp, task), estimated));
  // A person can continue a failed task, but not an accepted or abandoned one.
  const rest = /^(failed|blocked|escalated)$/.test(end.status) ? ended : notTaken(ended);
  const { queued, simulated, notify } = task.spec;
  const lands = queued === true && simulated !== true && end.status === 'accepted';
  return { ...rest, closed: end, applying: null, locks: lands ? task.locks : [], notify: notify === true };
}

function notLanding({ landing: _, ...task }: Task): Task {
  return { ...task, started: task.started.filter((key) => !key.startsWith('line/')) };
}
