/** A running task as a person watches it: folded from its events, and tolerant of missed ones. */
import type { EventData, NewEvent } from '../domain/events/index.ts';
import type { ClosedStatus, GateStatus } from '../domain/values.ts';
import type { Workflow, WorkflowStep } from '../workflows/workflow.ts';
import type { Numbering } from './event-text.ts';

export type LiveGate = {
  readonly name: string;
  readonly status: GateStatus | 'running';
  readonly ms: number | null;
  /** Failed tests that did not count, because they fail at the base too. */
  readonly excused?: number;
};

export type LiveStep = {
  readonly id: string;
  /** It is not on the workflow's path: no step waits for it before gates have failed. */
  readonly aside: boolean;
  readonly kind: WorkflowStep['kind'];
  /** `waiting`: for other steps. `ready`: for a slot. `parked`: for a time. `asking`: for a person. */
  readonly state: 'waiting' | 'asking' | 'ready' | 'parked' | 'working' | 'checking' | 'done' | 'failed';
  /** The newest attempt; 0 before the first. */
  readonly attempt: number;
  /** How many candidates the step may have, and how many were sent back. */
  readonly candidates: { readonly max: number; readonly used: number };
  readonly cli: string | null;
  /** When the newest attempt began. */
  readonly started: number | null;
  /** The time of earlier attempts. */
  readonly spentMs: number;
  readonly until: number | null;
  /** A quota ended the newest attempt; it goes on at the reset, or with another CLI. */
  readonly quota: boolean;
  readonly gates: readonly LiveGate[];
  /** Why the last candidate was sent back; the running attempt knows it. */
  readonly feedback: string | null;
};

export type LiveView = {
  readonly title: string;
  /** When the task was created or resumed; null before that. */
  readonly began: number | null;
  readonly steps: ReadonlyMap<string, LiveStep>;
  readonly applying: boolean;
  readonly closed: ClosedStatus | null;
};

/** Before the first event. `attempts` is the limit for steps without their own. */
export function liveView(title: string, workflow: Workflow, attempts: number): LiveView {
  const steps = [...workflow.steps.values()].map((step): [string, LiveStep] => [
    step.id,
    {
      id: step.id,
      aside: step.analyses !== null,
      kind: step.kind,
      state: 'waiting',
      attempt: 0,
      cli: null,
      started: null,
      spentMs: 0,
      until: null,
      quota: false,
      gates: [],
      feedback: null,
      candidates: { max: step.attempts ?? attempts, used: 0 },
    },
  ]);
  return { title, began: null, steps: new Map(steps), applying: false, closed: null };
}

/**
 * How many attempts a step may have; null once some did not count (lost, interrupted, before a resume): then no number
 * is meaningful.
 */
export function lastAttempt({ attempt, candidates, state }: LiveStep): number | null {
  const sentBack = state === 'ready' || state === 'parked' || state === 'failed' ? attempt : attempt - 1;
  return sentBack === candidates.used ? candidates.max : null;
}

/**
 * The attempt's number and the total, for an event that starts an attempt or leads to one. `view` already has the
 * event.
 */
export function numbering(view: LiveView, event: NewEvent): Numbering | null {
  if (event.type !== 'attempt.started' && event.type !== 'attempt.settled') return null;
  const step = view.steps.get(event.data.step);
  if (step === undefined) return null;
  const attempt = event.type === 'attempt.started' ? event.data.attempt : step.attempt + 1;
  return { attempt, of: lastAttempt(step) };
}

/** The step whose output is worth watching: the running one that started last. */
export function stepAtWork(view: LiveView): LiveStep | null {
  let found: LiveStep | null = null;
  for (const step of view.steps.values()) {
    const atWork = step.state === 'working' || step.state === 'checking';
    if (atWork && (step.started ?? 0) >= (found?.started ?? 0)) found = step;
  }
  return found;
}

export function watch(view: LiveView, event: NewEvent): LiveView {
  const { time } = event;
  switch (event.type) {
    case 'task.created':
      return { ...opened(view, event.data.opens), title: event.data.title, began: time };
    case 'attempt.started':
      return begun(view, event.data, time);
    case 'attempt.produced': {
      const gates = event.data.gates.map((name): LiveGate => ({ name, status: 'running', ms: null }));
      return change(view, event.data.step, (one) => ({ ...one, state: 'checking', gates }));
    }
    case 'gate.reported':
      return reported(view, event.data);
    case 'attempt.settled':
      return settled(view, event.data, time);
    case 'step.joined':
    case 'step.answered': {
      const { step, decision, opens } = event.data;
      const state = decision === 'APPROVE' ? 'done' : 'ready';
      return opened(
        change(view, step, (one) => ({ ...one, state })),
        opens,
      );
    }
    case 'step.waiting':
      return change(view, event.data.step, (one) => ({ ...one, state: 'asking' }));
    case 'task.reworked':
      return reworked(view, event.data);
    case 'step.woken':
      return change(view, event.data.step, (one) => ({ ...one, state: 'ready', until: null }));
    case 'task.applying':
      return { ...view, applying: true };
    case 'task.resumed':
      return { ...view, began: time };
    case 'task.reopened':
      return reopened(view, event.data.opens, time);
    case 'task.closed':
      return closed(view, event.data.status);
    default:
      return view;
  }
}

function begun(view: LiveView, { step, attempt, cli }: EventData<'attempt.started'>, time: number): LiveView {
  const next = change(view, step, (one) => ({
    ...one,
    state: 'working',
    attempt,
    cli,
    started: time,
    until: null,
    quota: false,
    gates: [],
  }));
  return { ...next, began: view.began ?? time };
}

function reported(view: LiveView, { step, gate, status, ms, excused }: EventData<'gate.reported'>): LiveView {
  const report = { name: gate, status, ms, ...(excused > 0 ? { excused } : {}) };
  return change(view, step, (one) => ({
    ...one,
    gates: [...one.gates.filter(({ name }) => name !== gate), report].sort(
      (a, b) => place(one.gates, a) - place(one.gates, b),
    ),
  }));
}

function reopened(view: LiveView, opens: EventData<'task.reopened'>['opens'], time: number): LiveView {
  const again = opens.reduce(
    (all, id) => change(all, id, (one) => ({ ...one, gates: [], candidates: { ...one.candidates, used: 0 } })),
    view,
  );
  return { ...opened(again, opens), began: time, applying: false, closed: null };
}

function closed(view: LiveView, status: EventData<'task.closed'>['status']): LiveView {
  const steps = [...view.steps].map(([id, one]): [string, LiveStep] => {
    const over = one.state === 'done' || one.state === 'waiting';
    return [id, over ? one : { ...one, state: 'failed', started: null, until: null }];
  });
  return { ...view, steps: new Map(steps), applying: false, closed: status };
}

function settled(
  view: LiveView,
  { step, class: outcome, reason, next }: EventData<'attempt.settled'>,
  time: number,
): LiveView {
  const ended = change(view, step, (one) => ({
    ...one,
    started: null,
    spentMs: one.spentMs + Math.max(0, time - (one.started ?? time)),
  }));
  if (next.do === 'complete')
    return opened(
      change(ended, step, (one) => ({ ...one, state: 'done', feedback: null })),
      next.opens,
    );
  const told = outcome === 'invalid' ? { feedback: reason } : {};
  if (next.do === 'close' || next.do === 'fail')
    return change(ended, step, (one) => ({ ...one, ...told, state: 'failed' }));
  const again = change(ended, step, (one) => ({
    ...one,
    ...told,
    state: next.at !== null && next.at > time ? 'parked' : 'ready',
    until: next.at,
    quota: outcome === 'quota',
    candidates: { ...one.candidates, used: one.candidates.used + (next.counter === 'candidates' ? 1 : 0) },
  }));
  return opened(again, next.analyses ?? []);
}

function reworked(
  view: LiveView,
  { to, voids, reason, analyses = [] }: Extract<NewEvent, { type: 'task.reworked' }>['data'],
): LiveView {
  const anew = (one: LiveStep, state: LiveStep['state'], feedback: string | null): LiveStep => ({
    ...one,
    state,
    feedback,
    gates: [],
    started: null,
    until: null,
    candidates: { ...one.candidates, used: 0 },
  });
  const voided = voids.reduce((all, id) => change(all, id, (one) => anew(one, 'waiting', null)), view);
  return opened(
    change(voided, to, (one) => anew(one, 'ready', reason)),
    analyses,
  );
}

const opened = (view: LiveView, ids: readonly string[]): LiveView =>
  ids.reduce((all, id) => change(all, id, (one) => ({ ...one, state: 'ready', until: null, quota: false })), view);

/** A step that the workflow lacks is ignored. */
function change(view: LiveView, id: string, by: (step: LiveStep) => LiveStep): LiveView {
  const step = view.steps.get(id);
  return step === undefined ? view : { ...view, steps: new Map(view.steps).set(id, by(step)) };
}

function place(gates: readonly LiveGate[], gate: LiveGate): number {
  const at = gates.findIndex(({ name }) => name === gate.name);
  return at < 0 ? gates.length : at;
}
