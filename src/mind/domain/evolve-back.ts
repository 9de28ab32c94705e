/** How a task goes back or begins again: rework, reopening, and what the operator adds to it. */
import type { StepId } from '../../kernel/ids.ts';
import type { TaskEvent } from './events/index.ts';
import type { Counter, Evidence, Step, Task } from './task.ts';
import { giveUp, withEstimate } from './task-cost.ts';

type DataOf<T extends TaskEvent['type']> = Extract<TaskEvent, { type: T }>['data'];

export function reworked(before: Task, { from, to, voids, reason, answers, estimated }: DataOf<'task.reworked'>): Task {
  const anew = ({ sentBack: _, from: __, ...step }: Step): Step => ({
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
  const told = { feedback: reason, findings, reviews: answers };
  steps = steps.set(to, { ...anew(target), ...told, place: { at: 'ready', cli: 0 } });
  const sender = steps.get(from);
  if (sender !== undefined) steps = steps.set(from, { ...sender, reworks: sender.reworks + 1 });
  // What a worker of a voided step still brings comes under an older token.
  return {
    ...task,
    steps,
    begun: task.begun + 1,
    token: task.token + 1,
    open: [...task.open.filter((id) => id !== to && !voids.includes(id)), to],
  };
}

function madeSoFar({ made = [], place }: Step): Pick<Step, 'made'> {
  if (place.at !== 'done' || place.candidate === null) return {};
  return { made: [...made, { on: place.on, candidate: place.candidate }] };
}

export function reopened(task: Task, data: DataOf<'task.reopened'>, time: number): Task {
  // A person has looked: what was counted until now no longer stands in the way, and a change may be judged once more.
  let steps = task.steps;
  for (const [id, { errors: _, tried: __, ...step }] of task.steps)
    steps = steps.set(id, step.made === undefined ? step : { ...step, forgiven: step.made.length });
  for (const id of data.opens) {
    const { level: _, ...step } = steps.get(id) ?? FRESH_STEP;
    steps = steps.set(id, { ...step, used: {}, reworks: 0, place: { at: 'ready', cli: 0 } });
  }
  if (data.from !== undefined) steps = data.opens.reduce(startingAt(data.from), steps);
  const { warned: _, resolved: ____, ...before } = task;
  // A new token, so that what the task wants from now on has other keys than what it wanted before.
  return {
    ...extended(before, data),
    closed: null,
    notify: false,
    started: [],
    steps,
    open: data.opens,
    begun: data.opens.length,
    opened: time,
    token: task.token + 1,
  };
}

type Addition = Pick<DataOf<'task.resumed'>, 'say' | 'allow' | 'cli' | 'from'>;

/** The operator's answer becomes a part of the task: every later worker is told, and gates know its words. */
export function extended(task: Task, { say, allow, cli, from }: Addition): Task {
  const { spec } = task;
  const text = say === undefined ? spec.text : `${spec.text}\n\nThe operator adds:\n${say}`;
  const more = allow === undefined ? {} : { allow: [...new Set([...(spec.allow ?? []), ...allow])] };
  const chained = cli === undefined ? task.steps : task.open.reduce(atFirstCli, task.steps);
  const steps = from === undefined ? chained : task.open.reduce(startingAt(from), chained);
  return {
    ...task,
    steps,
    spec: { ...spec, text, ...more },
    ...(cli === undefined ? {} : { cli: { chain: cli, steps: task.open } }),
  };
}

const startingAt =
  (from: 'last' | 'line') =>
  (steps: Task['steps'], id: StepId): Task['steps'] => {
    const step = steps.get(id);
    return step === undefined ? steps : steps.set(id, { ...step, from });
  };

/** A new chain begins with its first CLI; what the one before used up says nothing about it. */
function atFirstCli(steps: Task['steps'], id: StepId): Task['steps'] {
  const step = steps.get(id);
  if (step === undefined || (step.place.at !== 'ready' && step.place.at !== 'parked')) return steps;
  return steps.set(id, { ...step, used: pick(step.used, 'candidates', 'lost'), place: { at: 'ready', cli: 0 } });
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
