/** Which effects a task wants, derived from its state alone: no queue is stored, so nothing can be queued twice or forgotten. */
import type { BlobHash, StepId, TaskId } from '../../kernel/ids.ts';
import type { Project } from './project.ts';
import type { Attempt, Evidence, Step, Task } from './task.ts';
import type { Candidate, Spec } from './values.ts';

/**
 * What the engine does with an effect whose start was logged by a process that is gone:
 * `repeat` it, `probe` whether it happened, give it up for a `new-attempt`, or never do it again (`at-most-once`).
 */
export type Recovery = 'repeat' | 'probe' | 'new-attempt' | 'at-most-once';

export type WorkerRun = {
  readonly kind: 'worker.run';
  readonly attempt: Attempt;
  /** How many candidates the step may make in all. */
  readonly attempts: number;
  readonly role: string;
  /** How often the worker may be asked again in the same session. */
  readonly turns: number;
  /** Protected paths that the step may change, and the only ones it may change; empty: none, and all. */
  readonly grants: readonly string[];
  readonly scope: readonly string[];
  /** What the steps that it needs answered. */
  readonly before: readonly { readonly step: StepId; readonly role: string; readonly answer: BlobHash }[];
  readonly spec: Spec;
  readonly input: Candidate | null;
  readonly base: string | null;
  readonly feedback: string | null;
  /** It is the same as the time before. */
  readonly repeated: boolean;
  readonly findings: readonly Evidence[];
};
export type GateRun = {
  readonly kind: 'gate.run';
  readonly attempt: Attempt;
  readonly gate: string;
  readonly spec: Spec;
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
};
export type CandidateApply = {
  readonly kind: 'candidate.apply';
  readonly candidate: Candidate;
  readonly onto: string;
  readonly branch: string;
  readonly title: string;
  readonly spec: Spec;
  readonly created: number;
};
export type NotifySend = {
  readonly kind: 'notify.send';
  readonly title: string;
  readonly spec: Spec;
  readonly status: string;
};
export type Work = WorkerRun | GateRun | CandidateApply | NotifySend;
export type WorkKind = Work['kind'];

export const RECOVERY: Readonly<Record<WorkKind, Recovery>> = {
  'worker.run': 'new-attempt',
  'gate.run': 'repeat',
  'candidate.apply': 'probe',
  'notify.send': 'at-most-once',
};

export type Effect = {
  /** `(task, step, attempt, kind, part)`: doing the same key twice is harmless or refused. */
  readonly key: string;
  readonly task: TaskId;
  readonly step: StepId | null;
  readonly token: number;
  /** Whether the log already says that it began. */
  readonly started: boolean;
  readonly work: Work;
};

export type Timer = {
  readonly key: string;
  readonly due: number;
  readonly task: TaskId;
  readonly timer: 'backoff' | 'deadline' | 'age';
  readonly step: StepId | null;
  readonly token: number;
};

/** The hand ends a worker at its deadline and tells how; the clock speaks only when the hand does not. */
export const DEADLINE_SLACK_MS = 10_000;

export type Wanted = { readonly effects: readonly Effect[]; readonly timers: readonly Timer[] };
const NOTHING: Wanted = { effects: [], timers: [] };

export function wantedBy(project: Project, id: TaskId): Wanted {
  const task = project.tasks.get(id);
  if (task === undefined) return NOTHING;
  if (task.closed !== null)
    return task.notify ? { effects: [notification(task, task.closed.status)], timers: [] } : NOTHING;
  const effects: Effect[] = [];
  const timers: Timer[] = [timer(task, 'age', null, 0, task.opened + project.board.limits.task_age_ms)];
  if (task.applying !== null) effects.push(application(task, task.applying));
  for (const stepId of task.open) {
    const step = task.steps.get(stepId) as Step;
    const { place } = step;
    if (place.at === 'parked') timers.push(timer(task, 'backoff', stepId, task.token, place.until));
    if (place.at === 'working') {
      effects.push(worker(project, task, stepId, step, place.attempt));
      const due = place.attempt.deadline + DEADLINE_SLACK_MS;
      timers.push(timer(task, 'deadline', stepId, place.attempt.token, due));
    }
    if (place.at === 'checking') {
      const { candidate, answer, gates } = place.product;
      for (const gate of gates) {
        if (place.evidence.some((one) => one.gate === gate)) continue;
        const work: GateRun = { kind: 'gate.run', attempt: place.attempt, gate, spec: task.spec, candidate, answer };
        effects.push(
          effect(task, stepId, place.attempt.token, `${place.attempt.number}/gate.run/${gate}`, false, work),
        );
      }
    }
  }
  return { effects, timers };
}

/** Nobody's in particular: the scheduler looks again, whoever waits for that CLI. */
export type ParkingTimer = { readonly key: string; readonly due: number; readonly timer: 'quota' };

/** When CLIs that take no work can be asked again. */
export function parkingTimers({ host }: Project, now: number): ParkingTimer[] {
  return [...host.parked].flatMap(([cli, { until: due }]) =>
    due > now ? [{ key: `host/${cli}/${due}`, due, timer: 'quota' as const }] : [],
  );
}

function worker(project: Project, task: Task, stepId: StepId, step: Step, attempt: Attempt): Effect {
  const { spec, candidate: input, base } = task;
  const { feedback, findings } = step;
  const steps = project.workflows.get(task.workflow)?.steps;
  const definition = steps?.get(stepId);
  const attempts = definition?.attempts ?? project.board.limits.attempts;
  const roleOf = (id: StepId) => steps?.get(id)?.role ?? id;
  const work: WorkerRun = {
    ...{ kind: 'worker.run', attempt, attempts, role: roleOf(stepId), turns: definition?.turns ?? 0 },
    ...{ grants: definition?.grants ?? [], scope: definition?.scope ?? [] },
    before: (definition?.needs ?? []).flatMap((id) => {
      const place = task.steps.get(id)?.place;
      return place?.at === 'done' && place.answer !== null
        ? [{ step: id, role: roleOf(id), answer: place.answer }]
        : [];
    }),
    ...{ spec, input, base, feedback, findings, repeated: step.repeated === true },
  };
  return effect(task, stepId, attempt.token, `${attempt.number}/worker.run`, true, work);
}

function application(task: Task, { token, candidate, branch }: NonNullable<Task['applying']>): Effect {
  const { onto, title, spec, created } = task;
  return effect(task, null, token, 'candidate.apply', hasStarted(task, 'candidate.apply'), {
    kind: 'candidate.apply',
    candidate,
    onto,
    branch,
    title,
    spec,
    created,
  });
}

function notification(task: Task, status: string): Effect {
  return effect(task, null, task.token, 'notify.send', hasStarted(task, 'notify.send'), {
    kind: 'notify.send',
    title: task.title,
    spec: task.spec,
    status,
  });
}

const hasStarted = (task: Task, kind: WorkKind): boolean => task.started.some((one) => one.kind === kind);

function effect(task: Task, step: StepId | null, token: number, part: string, started: boolean, work: Work): Effect {
  return { key: `${task.id}/${step ?? '-'}/${token}/${part}`, task: task.id, step, token, started, work };
}

function timer(task: Task, name: Timer['timer'], step: StepId | null, token: number, due: number): Timer {
  return { key: `${task.id}/${step ?? '-'}/${token}/${name}/${due}`, due, task: task.id, timer: name, step, token };
}
