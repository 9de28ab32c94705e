/** A task's state, folded from its own stream alone. It records what was decided; it decides nothing. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { BlobHash, StepId, TaskId, WorkflowHash } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import type { TaskEvent } from './events/index.ts';
import type { Next } from './events/task.ts';
import {
  type AttemptKind,
  type Candidate,
  type ClosedStatus,
  type Cost,
  type GateStatus,
  type OutcomeClass,
  type Spec,
  type TaskStatus,
  UNKNOWN_COST,
} from './values.ts';

export type Counter = Extract<Next, { do: 'retry' }>['counter'];

/** Where a step stands. Exactly one of these; a step that was never opened has no entry at all. */
export type StepPlace =
  | { readonly at: 'ready'; readonly cli: number }
  | { readonly at: 'parked'; readonly cli: number; readonly until: number; readonly why: OutcomeClass }
  | { readonly at: 'working'; readonly attempt: Attempt }
  | {
      readonly at: 'checking';
      readonly attempt: Attempt;
      readonly product: Product;
      readonly evidence: readonly Evidence[];
    }
  | { readonly at: 'done'; readonly candidate: Candidate | null; readonly answer: BlobHash | null };

export type Attempt = {
  readonly number: number;
  readonly token: number;
  readonly kind: AttemptKind;
  readonly cli: string;
  readonly chain: number;
  /** Where the step stood in its chain, when CLIs were passed over that could not work then; they may later. */
  readonly from?: number;
  readonly reserve: number;
  readonly started: number;
  readonly deadline: number;
};
export type Product = {
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
  readonly cost: Cost;
  readonly gates: readonly string[];
};
export type Evidence = {
  readonly gate: string;
  readonly status: GateStatus;
  readonly evidence: BlobHash | null;
  readonly ms: number | null;
};

export type Step = {
  readonly place: StepPlace;
  readonly attempts: number;
  readonly used: Readonly<Partial<Record<Counter, number>>>;
  /** Why the last candidate was sent back; the next attempt is told, also when one in between was lost. */
  readonly feedback: string | null;
  /** The one before it was sent back for the very same reason. */
  readonly repeated?: true;
  /** What the gates found in that candidate. */
  readonly findings: readonly Evidence[];
};

export type Applying = { readonly token: number; readonly candidate: Candidate; readonly branch: string };
export type Closed = {
  readonly status: ClosedStatus;
  readonly reason: string;
  readonly commit: string | null;
  readonly branch: string | null;
};

export type Task = {
  readonly id: TaskId;
  readonly title: string;
  readonly spec: Spec;
  readonly onto: string;
  readonly base: string | null;
  readonly workflow: WorkflowHash;
  readonly priority: number;
  readonly order: number;
  readonly trace: string;
  readonly created: number;
  /** When it was created or last reopened: its age counts from here. */
  readonly opened: number;
  readonly updated: number;
  /** Steps that were opened at least once. */
  readonly steps: OrderedMap<Step>;
  /** Steps that are neither done nor unopened, in the order they opened. */
  readonly open: readonly StepId[];
  /** The highest fencing token given out. */
  readonly token: number;
  readonly locks: readonly string[];
  /** The newest accepted candidate: what the next change builds on. */
  readonly candidate: Candidate | null;
  readonly applying: Applying | null;
  /** Effects whose start was logged and whose end was not; all but `repeat` kinds. */
  readonly started: readonly { readonly kind: string; readonly token: number }[];
  /** A person still has to be told how it ended. */
  readonly notify: boolean;
  readonly attempts: number;
  readonly cost: Cost;
  /** Attempts whose price nobody told. */
  readonly unpriced: number;
  readonly refused: number;
  readonly closed: Closed | null;
  /** Where the operator landed it. */
  readonly landed: { readonly onto: string; readonly commit: string } | null;
};

export const TASK_REDUCER = 3;

export function evolveTask(task: Task | undefined, event: TaskEvent, time: number): Task {
  if (event.type === 'task.created') {
    const { data } = event;
    return {
      ...{
        id: data.task,
        title: data.title,
        spec: data.spec,
        onto: data.onto,
        base: data.base,
        workflow: data.workflow,
      },
      ...{ priority: data.priority, order: data.order, trace: data.trace, created: time, opened: time, updated: time },
      steps: OrderedMap.from(data.opens.map((id) => [id, FRESH_STEP])),
      ...{ open: data.opens, token: 0, locks: [], candidate: null, applying: null, started: [], notify: false },
      ...{
        attempts: 0,
        cost: { microusd: null, tokens_in: null, tokens_out: null },
        unpriced: 0,
        refused: 0,
        closed: null,
        landed: null,
      },
    };
  }
  if (task === undefined) throw new Error(`${event.type} on a stream without a task`);
  return { ...change(task, event, time), updated: time };
}

function change(task: Task, event: Exclude<TaskEvent, { type: 'task.created' }>, time: number): Task {
  switch (event.type) {
    case 'attempt.started': {
      const { step: id, attempt: number, token, kind, cli, reserve, locks, deadline } = event.data;
      const step = stepOf(task, id);
      const from = step.place.at === 'ready' ? step.place.cli : 0;
      const stood = event.data.chain === undefined ? {} : { from };
      const chain = event.data.chain ?? from;
      const attempt = { number, token, kind, cli, chain, ...stood, reserve, started: time, deadline };
      const moved = put(task, id, { ...step, attempts: number, place: { at: 'working', attempt } });
      return { ...moved, token, attempts: task.attempts + 1, locks: locks.length > 0 ? locks : task.locks };
    }
    case 'attempt.produced': {
      const { step: id, candidate, answer, cost, gates } = event.data;
      const step = stepOf(task, id);
      const place = {
        at: 'checking',
        attempt: attemptOf(step),
        product: { candidate, answer, cost, gates },
        evidence: [],
      } as const;
      return put(task, id, { ...step, place });
    }
    case 'gate.reported': {
      const step = stepOf(task, event.data.step);
      if (step.place.at !== 'checking') return task;
      const { gate, status, evidence, ms } = event.data;
      const place = { ...step.place, evidence: [...step.place.evidence, { gate, status, evidence, ms }] };
      return put(task, event.data.step, { ...step, place });
    }
    case 'attempt.settled':
      return settle(addCost(task, event.data.cost), event.data, time);
    case 'step.woken': {
      const step = stepOf(task, event.data.step);
      const cli = step.place.at === 'parked' ? step.place.cli : 0;
      return put(task, event.data.step, { ...step, place: { at: 'ready', cli } });
    }
    case 'effect.started':
      return { ...task, started: [...task.started, { kind: event.data.kind, token: event.data.token }] };
    case 'effect.settled': {
      const { kind, token } = event.data;
      const started = task.started.filter((one) => one.kind !== kind || one.token !== token);
      return { ...task, started, notify: kind === 'notify.send' ? false : task.notify };
    }
    case 'outcome.refused':
      return { ...task, refused: task.refused + 1 };
    case 'task.applying':
      return { ...task, applying: event.data, token: event.data.token };
    case 'task.closed':
      return {
        ...task.open.reduce(giveUp, task),
        closed: event.data,
        applying: null,
        locks: [],
        notify: task.spec.notify === true,
      };
    case 'task.landed':
      return { ...task, landed: event.data };
    case 'task.reopened': {
      const steps = event.data.opens.reduce(
        (map, id) => map.set(id, { ...(map.get(id) ?? FRESH_STEP), used: {}, place: { at: 'ready', cli: 0 } }),
        task.steps,
      );
      // A new token, so that what the task wants from now on has other keys than what it wanted before.
      return {
        ...task,
        closed: null,
        notify: false,
        started: [],
        steps,
        open: event.data.opens,
        opened: time,
        token: task.token + 1,
      };
    }
    default:
      return assertNever(event, 'task event');
  }
}

type Settled = Extract<TaskEvent, { type: 'attempt.settled' }>['data'];

function settle(task: Task, data: Settled, time: number): Task {
  const { step: id, next } = data;
  const step = stepOf(task, id);
  if (next.do === 'complete') {
    const done = put(task, id, {
      ...step,
      feedback: null,
      findings: [],
      place: { at: 'done', candidate: data.candidate, answer: data.answer },
    });
    const steps = next.opens.reduce((map, opened) => map.set(opened, FRESH_STEP), done.steps);
    const open = [...task.open.filter((other) => other !== id), ...next.opens];
    return { ...done, steps, open, candidate: data.candidate ?? task.candidate };
  }
  const told = data.class === 'invalid';
  const feedback = told ? data.reason : step.feedback;
  const { repeated, ...unrepeated } = step;
  const kept = told ? (data.reason === step.feedback ? { repeated: true as const } : {}) : repeated ? { repeated } : {};
  const findings = told ? (step.place.at === 'checking' ? step.place.evidence : []) : step.findings;
  if (next.do === 'close')
    return put(task, id, { ...unrepeated, ...kept, feedback, findings, place: { at: 'ready', cli: 0 } });
  // What one CLI used up says nothing about the next; candidates and losses are counted over all of them.
  const before = next.cli === attemptOf(step).chain ? step.used : pick(step.used, 'candidates', 'lost');
  const used = next.counter === 'none' ? before : { ...before, [next.counter]: (before[next.counter] ?? 0) + 1 };
  const place: StepPlace =
    next.at !== null && next.at > time
      ? { at: 'parked', cli: next.cli, until: next.at, why: data.class }
      : { at: 'ready', cli: next.cli };
  return put(task, id, { ...unrepeated, ...kept, used, feedback, findings, place });
}

function pick(used: Step['used'], ...counters: readonly Counter[]): Step['used'] {
  return Object.fromEntries(Object.entries(used).filter(([counter]) => counters.includes(counter as Counter)));
}

const FRESH_STEP: Step = { place: { at: 'ready', cli: 0 }, attempts: 0, used: {}, feedback: null, findings: [] };

function put(task: Task, id: StepId, step: Step): Task {
  return { ...task, steps: task.steps.set(id, step) };
}

function stepOf(task: Task, id: StepId): Step {
  const step = task.steps.get(id);
  if (step === undefined) throw new Error(`task ${task.id} has no open step ${id}`);
  return step;
}

/** The attempt under way at a step; a step without one is a broken log. */
export function attemptOf(step: Step): Attempt {
  if (step.place.at === 'working' || step.place.at === 'checking') return step.place.attempt;
  throw new Error(`no attempt is under way, the step is ${step.place.at}`);
}

/** A task closes while an attempt is under way: what that is known to have cost counts, and an unknown price as one. */
function giveUp(task: Task, id: StepId): Task {
  const place = task.steps.get(id)?.place;
  if (place?.at === 'checking') return addCost(task, place.product.cost);
  return place?.at === 'working' ? addCost(task, UNKNOWN_COST) : task;
}

/** What is unknown stays unknown: a sum starts with the first number that was told. */
function addCost(task: Task, cost: Cost): Task {
  const sum = (a: number | null, b: number | null) => (b === null ? a : (a ?? 0) + b);
  return {
    ...task,
    unpriced: task.unpriced + (cost.microusd === null ? 1 : 0),
    cost: {
      microusd: sum(task.cost.microusd, cost.microusd),
      tokens_in: sum(task.cost.tokens_in, cost.tokens_in),
      tokens_out: sum(task.cost.tokens_out, cost.tokens_out),
    },
  };
}

/** The one word a person is told. */
export function statusOf(task: Task): TaskStatus {
  if (task.closed !== null) return task.closed.status;
  if (task.applying !== null) return 'running';
  const places = task.open.map((id) => task.steps.get(id)?.place.at);
  if (places.includes('working') || places.includes('checking')) return 'running';
  if (places.length > 0 && places.every((place) => place === 'parked')) return 'waiting';
  return 'queued';
}
