/** How the events of a task fold into its state. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { StepId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import type { LowerLevel } from '../workflows/step.ts';
import type { TaskEvent } from './events/index.ts';
import { extended, FRESH_STEP, pick, put, reopened, reworked, stepOf, unpaused } from './evolve-back.ts';
import { withoutFinding, withRaised } from './raised.ts';
import { countedErrors, isSameError } from './sent-back.ts';
import {
  type Attempt,
  attemptOf,
  degradedSteps,
  type Evidence,
  questionKey,
  redGates,
  type Step,
  type StepPlace,
  type Task,
} from './task.ts';
import { charged, giveUp, withEstimate } from './task-cost.ts';
import { type Asks, type AttemptKind, UNKNOWN_COST } from './values.ts';

export const TASK_REDUCER = 13;

type DataOf<T extends TaskEvent['type']> = Extract<TaskEvent, { type: T }>['data'];

export function evolveTask(task: Task | undefined, event: TaskEvent, time: number): Task {
  if (event.type === 'task.created') return created(event.data, time);
  if (task === undefined) throw new Error(`${event.type} on a stream without a task`);
  return { ...change(task, event, time), updated: time };
}

function created(data: DataOf<'task.created'>, time: number): Task {
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
      return answered(task, event.data, time);
    case 'change.measured':
      return { ...task, facts: { change_id: event.data.on.change_id, facts: event.data.facts } };
    case 'step.agreed':
    case 'finding.dismissed':
    case 'incident.resolved':
      return byPerson(task, event, time);
    case 'step.committed':
      return committed(task, event.data);
    case 'task.reworked':
      return reworked(task, event.data);
    case 'task.base_answered':
      return { ...task, spec: { ...task.spec, red_base: event.data.red_base } };
    case 'task.warned':
      return { ...task, warned: time };
    case 'task.paused':
      // Its files are free for others meanwhile; the next attempt takes the locks again.
      return { ...task, paused: true, locks: [] };
    case 'task.resumed':
      return { ...extended(unpaused(task), event.data), opened: time };
    case 'effect.started':
      return { ...task, started: [...task.started, event.data.key] };
    case 'effect.settled':
      return effectSettled(task, event.data);
    case 'outcome.refused':
      return { ...task, refused: task.refused + 1 };
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
      return reopened(task, event.data, time);
    default:
      return assertNever(event, 'task event');
  }
}

/** A commit that was refused is not under way any more: the task goes back. */
function effectSettled(task: Task, { kind, key, result, token }: DataOf<'effect.settled'>): Task {
  const started = task.started.filter((one) => one !== key);
  const isRefused = kind === 'candidate.apply' && result === 'refused';
  const applying = isRefused ? null : task.applying;
  if (key === questionKey(task.id, token)) return { ...task, started, told: token };
  return { ...task, started, applying, notify: kind === 'notify.send' ? false : task.notify };
}

const costed = (task: Task, { step, cost, estimated }: DataOf<'attempt.settled'>): Task =>
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

/** A yes to the very same change still counts. */
function askedToLand({ landingAsk }: Task, { unapproved }: DataOf<'task.not_landed'>): Pick<Task, 'landingAsk'> {
  if (unapproved === undefined) return {};
  const { on, why } = unapproved;
  const agreed = landingAsk?.on.change_id === on.change_id ? landingAsk.agreed : [];
  return { landingAsk: { on, why, agreed } };
}

function approvedToLand(task: Task, { on, by }: DataOf<'task.approved'>, at: number): Task {
  const { landingAsk: ask } = task;
  if (ask?.on.change_id !== on.change_id) return task;
  return { ...task, landingAsk: { ...ask, agreed: [...ask.agreed, { by, at }] } };
}

function produced(task: Task, data: DataOf<'attempt.produced'>): Task {
  const { step: id, candidate, answer, said, cost, gates, diff } = data;
  const step = stepOf(task, id);
  const product = { candidate, answer, said, cost, gates, ...(diff === undefined ? {} : { diff }) };
  return put(task, id, { ...step, place: { at: 'checking', attempt: attemptOf(step), product, evidence: [] } });
}

function reported(task: Task, { step: id, token: _, ...report }: DataOf<'gate.reported'>): Task {
  const step = stepOf(task, id);
  if (step.place.at !== 'checking') return task;
  return put(task, id, { ...step, place: { ...step.place, evidence: [...step.place.evidence, report] } });
}

/** A no does not end the step: the task goes back, or it closes and the step is asked again after `resume`. */
function joined(task: Task, data: DataOf<'step.joined'>): Task {
  const { step: id, decision, on, reason, opens, token } = data;
  if (decision === 'REJECT') return { ...task, token };
  return { ...done(task, id, opens, { candidate: null, answer: null, said: null, on, reason }), token };
}

function waiting(task: Task, data: DataOf<'step.waiting'>): Task {
  const { step: id, token, for: whom, on, asks = 'approval', about = null, reason = '', needed, until } = data;
  const step = stepOf(task, id);
  // Its gates need not run again: what they found is judged once more when the person has answered.
  const held = asks === 'finding' && step.place.at === 'checking' ? { held: step.place } : {};
  const policy = { ...(needed === undefined ? {} : { needed }), ...(until === undefined ? {} : { until }) };
  const place: StepPlace = { at: 'waiting', for: whom, token, on, asks, about, reason, ...policy, ...held };
  return { ...put(task, id, { ...step, place }), token };
}

/** What a person answers so that the step is tried again. */
const TRIES_AGAIN: ReadonlySet<Asks> = new Set(['failure', 'rounds', 'question']);

function agreed(task: Task, { step: id, by }: DataOf<'step.agreed'>, at: number): Task {
  const step = stepOf(task, id);
  const { place } = step;
  if (place.at !== 'waiting') return task;
  return put(task, id, { ...step, place: { ...place, agreed: [...(place.agreed ?? []), { by, at }] } });
}

function answered(task: Task, { step: id, decision, reason, opens }: DataOf<'step.answered'>, time: number): Task {
  const { answered = 0, ...before } = stepOf(task, id);
  const isCounted = task.spec.simulated === true && task.spec.script?.['people'] !== undefined;
  const step: Step = isCounted ? { ...before, answered: answered + 1 } : before;
  const { place } = step;
  if (place.at === 'waiting' && place.held !== undefined) return put(task, id, { ...step, place: place.held });
  const again: Step = { ...step, place: { at: 'ready', cli: 0 } };
  if (decision === 'REJECT') return put(task, id, again);
  // A person lets it try again: what was used up does not count any more.
  if (place.at === 'waiting' && TRIES_AGAIN.has(place.asks)) return put(task, id, { ...again, used: {}, reworks: 0 });
  if (place.at !== 'waiting')
    return done(task, id, opens, { candidate: null, answer: null, said: null, on: null, reason });
  const { on, needed } = place;
  const approved =
    needed === undefined || on === null ? {} : { approval: { change_id: on.change_id, needed, at: time } };
  return done({ ...task, ...approved }, id, opens, { candidate: null, answer: null, said: null, on, reason });
}

function woken(task: Task, { step: id }: DataOf<'step.woken'>): Task {
  const step = stepOf(task, id);
  const cli = step.place.at === 'parked' ? step.place.cli : 0;
  return put(task, id, { ...step, place: { at: 'ready', cli } });
}

type PersonEvent = Extract<TaskEvent, { type: 'step.agreed' | 'finding.dismissed' | 'incident.resolved' }>;

/** What a person says that does not answer a step by itself. */
function byPerson(task: Task, event: PersonEvent, time: number): Task {
  if (event.type === 'step.agreed') return agreed(task, event.data, time);
  return event.type === 'finding.dismissed' ? dismissed(task, event.data) : resolved(task, event.data, time);
}

/** An abandoned task is as good as cancelled: nothing of it goes on any more. */
function resolved(task: Task, data: DataOf<'incident.resolved'>, at: number): Task {
  const { closed } = task;
  const end = closed === null || data.how === 'skip' ? closed : { ...closed, status: 'cancelled' as const };
  return { ...task, resolved: { ...data, at }, closed: end };
}

function dismissed(task: Task, { step, gate, finding: id, severity, change_id }: DataOf<'finding.dismissed'>): Task {
  // A review found it, and no gate: it is no longer open.
  if (gate === '') return put(task, step, withoutFinding(stepOf(task, step), { id, severity }));
  return { ...task, dismissed: [...(task.dismissed ?? []), { gate, id, severity, change_id }] };
}

function applying(task: Task, data: DataOf<'task.applying'>): Task {
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

function committed(task: Task, data: DataOf<'step.committed'>): Task {
  const { step: id, token, candidate, commit, branch, opens } = data;
  const next: Task = { ...task, applying: null, committed: { candidate, commit, branch } };
  const { place } = stepOf(task, id);
  // The task went back meanwhile: the step is asked again, and what is on the branch is known all the same.
  if (place.at !== 'applying' || place.token !== token) return next;
  return done(next, id, opens, { candidate: null, answer: null, said: null, on: candidate, reason: commit ?? '' });
}

function started(task: Task, data: DataOf<'attempt.started'>, time: number): Task {
  const { step: id, attempt: number, token, kind, round, on, cli, reserve, reserve_tokens, locks, deadline } = data;
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
    deadline,
  };
  // An attempt of a gate step has no worker: `attempt.produced` follows in the same append.
  const place: StepPlace = { at: 'working', attempt: attempt as Attempt<AttemptKind> };
  const moved = put(task, id, { ...step, attempts: number, place });
  const attempts = task.attempts + (kind === 'gate' ? 0 : 1);
  return { ...moved, token, attempts, locks: locks.length > 0 ? locks : task.locks };
}

function settled(ended: Task, data: DataOf<'attempt.settled'>, time: number): Task {
  const { step: id, next, candidate, answer, said, reason } = data;
  const task = put(ended, id, withRaised(stepOf(ended, id), data));
  const step = stepOf(task, id);
  const reports = step.place.at === 'checking' ? step.place.evidence : [];
  const isInvalid = data.class === 'invalid';
  if (next.do === 'complete') {
    const { on, cli } = attemptOf(step);
    const result = { candidate, answer, said, on, reason, ...(said === null ? {} : { cli }) };
    const { red: before = [], ...rest } = done(task, id, next.opens, result, isInvalid ? reports : []);
    const red = [...before.filter(({ gate }) => !reports.some((one) => one.gate === gate)), ...redGates(reports)];
    return { ...rest, ...(red.length === 0 ? {} : { red }), candidate: candidate ?? task.candidate };
  }
  const { repeated, sentBack: earlier, from, ...unrepeated } = step;
  const change = isInvalid ? data.sent_back : earlier;
  const isRepeated = isInvalid ? isSameError(step, data) : repeated === true;
  const again: Step = {
    ...unrepeated,
    ...(isRepeated ? { repeated: true } : {}),
    // The operator's word was about one attempt: it has been made.
    ...(from === undefined || isInvalid ? {} : { from }),
    ...(change === undefined ? {} : { sentBack: change }),
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
  return put(task, id, { ...again, used, place });
}

/** A lower level begins anew: with attempts of its own, and not in the tree that was sent back. */
function atLevel(step: Step, level: LowerLevel, cli: number): Step {
  const { repeated: _, sentBack: __, errors: ___, ...kept } = step;
  return { ...kept, level, used: {}, place: { at: 'ready', cli } };
}

/** The step is done, and those that waited only for it open. `findings`: by which it is about to send the task back. */
function done(
  task: Task,
  id: StepId,
  opens: readonly StepId[],
  result: Omit<Extract<StepPlace, { at: 'done' }>, 'at'>,
  findings: readonly Evidence[] = [],
): Task {
  const { repeated: _, sentBack: __, from: ___, ...step } = stepOf(task, id);
  const finished = task.steps.set(id, {
    ...step,
    feedback: null,
    findings,
    reviews: [],
    place: { at: 'done', ...result },
  });
  return {
    ...task,
    begun: task.begun + opens.length,
    steps: opens.reduce(open, finished),
    open: [...task.open.filter((other) => other !== id), ...opens],
  };
}

const open = (steps: Task['steps'], id: StepId): Task['steps'] =>
  steps.set(id, { ...(steps.get(id) ?? FRESH_STEP), place: { at: 'ready', cli: 0 } });

/** A task from a queue keeps its locks until it has landed. A simulated one never lands. */
function closed(task: Task, { estimated, ...end }: DataOf<'task.closed'>): Task {
  const { failing: _, ...rest } = unpaused(withEstimate(task.open.reduce(giveUp, task), estimated));
  const { queued, simulated, notify } = task.spec;
  const lands = queued === true && simulated !== true && end.status === 'accepted';
  return { ...rest, closed: end, applying: null, locks: lands ? task.locks : [], notify: notify === true };
}

function notLanding({ landing: _, ...task }: Task): Task {
  return { ...task, started: task.started.filter((key) => !key.startsWith('line/')) };
}
