/** How a task goes back or starts again: rework, reopening, and the operator's additions. */
import type { BlobHash, StepId } from '../../kernel/ids.ts';
import type { EventData } from './events/index.ts';
import { countedNo } from './sent-back.ts';
import type { Counter, Evidence, Step, Task } from './task.ts';
import { giveUp, withEstimate } from './task-cost.ts';

export function reworked(before: Task, data: EventData<'task.reworked'>): Task {
  const { from, to, voids, reason, answers, estimated, analyses, signature, late } = data;
  const anew = ({ sentBack: _, unchecked: __, from: ___, analyses: ____, ...step }: Step): Step => ({
    ...step,
    round: step.round + 1,
    used: {},
    feedback: null,
    findings: [],
    reviews: [],
    ...madeSoFar(step),
  });
  const task = withEstimate(voids.reduce(giveUp, before), estimated);
  let steps = task.steps;
  for (const id of voids) {
    const step = steps.get(id);
    if (step !== undefined) steps = steps.set(id, { ...anew(step), place: { at: 'void' } });
  }
  const target = stepOf(task, to);
  const findings = task.steps.get(from)?.findings ?? [];
  const no = countedNo(task.steps.get(from) ?? FRESH_STEP, signature);
  const told = { feedback: reason, findings, reviews: answers, ...no.told };
  steps = steps.set(to, { ...anew(target), ...told, place: { at: 'ready', cli: 0 } });
  const sender = steps.get(from);
  if (sender !== undefined) steps = steps.set(from, { ...sender, ...no.counted, reworks: sender.reworks + 1 });
  const { taken, ...left } = task;
  // A late report of a voided step's worker has an older token; a person's work on it is no longer wanted.
  const back: Task = {
    ...left,
    ...(taken === undefined || voids.includes(taken.step) ? {} : { taken }),
    ...(late === undefined ? {} : { lateRework: late }),
    steps,
    begun: task.begun + 1,
    token: task.token + 1,
    open: [...task.open.filter((id) => id !== to && !voids.includes(id)), to],
  };
  return awaiting(back, to, analyses);
}

/**
 * The step starts when these analyses of its change have ended. They take no part in the workflow's order, and do not
 * count as started.
 */
export function awaiting(task: Task, id: StepId, analyses: readonly StepId[] | undefined): Task {
  const step = stepOf(task, id);
  if (analyses === undefined || step.place.at !== 'ready') return task;
  const opened = analyses.reduce(
    (steps, one) => {
      const before = steps.get(one) ?? { ...FRESH_STEP, round: 0 };
      // Each failure is a separate round: a person may have the same change judged again.
      return steps.set(one, { ...before, round: before.round + 1, used: {}, place: { at: 'ready', cli: 0 } });
    },
    task.steps.set(id, { ...step, place: { ...step.place, awaits: analyses } }),
  );
  return { ...task, steps: opened, open: [...task.open.filter((one) => !analyses.includes(one)), ...analyses] };
}

/** An analysis has ended, with or without an answer: the waiting step can go on. */
export function analysed(task: Task, id: StepId, answer: BlobHash | null): Task {
  for (const other of task.open) {
    const step = stepOf(task, other);
    if (step.place.at !== 'ready' || step.place.awaits?.includes(id) !== true) continue;
    const { awaits: before, ...ready } = step.place;
    const awaits = before.filter((one) => one !== id);
    const place = awaits.length === 0 ? ready : { ...ready, awaits };
    const analyses = [...(step.analyses ?? []), ...(answer === null ? [] : [{ step: id, answer }])];
    return put(task, other, { ...step, place, ...(analyses.length === 0 ? {} : { analyses }) });
  }
  return task;
}

function madeSoFar({ made = [], place }: Step): Pick<Step, 'made'> {
  if (place.at !== 'done' || place.candidate === null) return {};
  return { made: [...made, { on: place.on, candidate: place.candidate }] };
}

export function reopened(task: Task, data: EventData<'task.reopened'>, time: number): Task {
  // A person has looked: earlier counts no longer matter, and a change may be judged once more.
  let steps = task.steps;
  for (const [id, { errors: _, tried: __, ...step }] of task.steps)
    steps = steps.set(id, step.made === undefined ? step : { ...step, forgiven: step.made.length });
  // An effect that does not begin again is given up: a late report of it is not counted twice.
  for (const id of task.open) {
    const step = steps.get(id);
    if (step !== undefined && !data.opens.includes(id)) steps = steps.set(id, { ...step, place: { at: 'void' } });
  }
  for (const id of data.opens) {
    const { level: _, ...step } = steps.get(id) ?? FRESH_STEP;
    steps = steps.set(id, { ...step, used: {}, reworks: 0, place: { at: 'ready', cli: 0 } });
  }
  if (wantsWorker(data)) steps = data.opens.reduce(withWorker(data.from), steps);
  if (data.from !== undefined) steps = data.opens.reduce(startingAt(data.from), steps);
  const { resolved: _, ...before } = youngAgain(task, time);
  // A new token gives later effects of the task other keys than earlier ones.
  return {
    ...extended(before, data),
    closed: null,
    notify: false,
    started: [],
    steps,
    open: data.opens,
    begun: data.opens.length,
    token: task.token + 1,
  };
}

type Addition = Pick<EventData<'task.resumed'>, 'say' | 'allow' | 'cli' | 'from'>;

/** The operator's answer becomes part of the task: later workers and gates see it. */
export function extended(task: Task, { say, allow, cli, from }: Addition): Task {
  const { spec } = task;
  const text = say === undefined ? spec.text : `${spec.text}\n\nThe operator adds:\n${say}`;
  const more = allow === undefined ? {} : { allow: [...new Set([...(spec.allow ?? []), ...allow])] };
  const anew = wantsWorker({ say, cli, from }) ? task.open.reduce(withWorker(from), task.steps) : task.steps;
  const chained = cli === undefined ? anew : task.open.reduce(atFirstCli, anew);
  const steps = from === undefined ? chained : task.open.reduce(startingAt(from), chained);
  return {
    ...task,
    steps,
    spec: { ...spec, text, ...more },
    ...(cli === undefined ? {} : { cli: { chain: cli, steps: task.open } }),
  };
}

/** A change that gates could not check is normally checked again as it is; this addition asks for a worker instead. */
export const wantsWorker = ({ say, cli, from }: Addition): boolean =>
  say !== undefined || cli !== undefined || from === 'line';

/** The worker starts anew, or in the unchecked change if the operator wants that. */
const withWorker =
  (from: Addition['from']) =>
  (steps: Task['steps'], id: StepId): Task['steps'] => {
    const step = steps.get(id);
    if (step?.unchecked === undefined) return steps;
    const { unchecked: _, sentBack, ...anew } = step;
    return steps.set(id, { ...anew, ...(from === 'last' && sentBack !== undefined ? { sentBack } : {}) });
  };

const startingAt =
  (from: 'last' | 'line') =>
  (steps: Task['steps'], id: StepId): Task['steps'] => {
    const step = steps.get(id);
    return step === undefined ? steps : steps.set(id, { ...step, from });
  };

/** A new chain starts with its first CLI; what the previous one used up says nothing about it. */
function atFirstCli(steps: Task['steps'], id: StepId): Task['steps'] {
  const step = steps.get(id);
  if (step === undefined || (step.place.at !== 'ready' && step.place.at !== 'parked')) return steps;
  const place = step.place.at === 'ready' ? { ...step.place, cli: 0 } : ({ at: 'ready', cli: 0 } as const);
  return steps.set(id, { ...step, used: pick(step.used, 'candidates', 'lost'), place });
}

/** Its age counts from here. */
export function youngAgain({ warned: _, lateRework: __, ...task }: Task, time: number): Task {
  return { ...task, opened: time };
}

export function unpaused({ paused: _, ...task }: Task): Task {
  return task;
}

export function pick(used: Step['used'], ...counters: readonly Counter[]): Step['used'] {
  return Object.fromEntries(Object.entries(used).filter(([counter]) => counters.includes(counter as Counter)));
}

export const FRESH_STEP: Step = {
  place: { at: 'ready', cli: 0 },
  attempts: 0,
  round: 1,
  reworks: 0,
  used: {},
  feedback: null,
  findings: [] as readonly Evidence[],
  reviews: [],
};

export function put(task: Task, id: StepId, step: Step): Task {
  return { ...task, steps: task.steps.set(id, step) };
}

export function stepOf(task: Task, id: StepId): Step {
  const step = task.steps.get(id);
  if (step === undefined) throw new Error(`task ${task.id} has no open step ${id}`);
  return step;
}
