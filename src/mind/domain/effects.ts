/**
 * Which effects a task wants, derived from its state alone: no queue is stored, so nothing can be queued twice or
 * forgotten.
 */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { gatesNow } from '../workflows/workflow.ts';
import type { Board } from './board.ts';
import { answerWith, judgedFor, landingTimers, madeByPeople, wantedByLine } from './line-effects.ts';
import type { Project } from './project.ts';
import { lineStream, streamId, streamKind, taskStream } from './stream-name.ts';
import {
  type Attempt,
  type Digest,
  digestKey,
  isBusy,
  questionKey,
  type Step,
  type Task,
  untold,
  waitsForPerson,
} from './task.ts';
import type { AttemptKind } from './values.ts';
import type { Effect, GateRun, NotifySend, Timer, WantedWork, Work } from './work.ts';
import { workerRun } from './worker-run.ts';

/** The hand ends a worker at its deadline and reports how; the timer acts only if the hand does not. */
export const DEADLINE_SLACK_MS = 10_000;

const NOTHING: WantedWork = { effects: [], timers: [] };
const NO_STAGES = { stages: new Map<string, number>() };

/** The streams that may want something. */
export const wantingStreams = (project: Project): string[] => [
  ...[...project.tasks.values()].map((task) => taskStream(task.id)),
  ...[...project.lines.values()].map((line) => lineStream(line.name)),
];

export function wantedBy(project: Project, stream: string): WantedWork {
  const kind = streamKind(stream);
  const task = kind === 'task' ? project.tasks.get(streamId(stream)) : undefined;
  if (task !== undefined) return wantedByTask(project, task);
  const line = kind === 'line' ? project.lines.get(streamId(stream)) : undefined;
  if (line === undefined) return NOTHING;
  return { effects: wantedByLine(project, line), timers: landingTimers(project, line) };
}

function wantedByTask(project: Project, task: Task): WantedWork {
  const wanted = ofItsWork(project, task);
  const { held, digest } = task;
  const effects = digest === undefined ? [] : [digestMessage(task, digest)];
  const timers =
    held === undefined || held.by !== undefined ? [] : [timer(task, 'quiet', null, held.until, held.until)];
  if (effects.length + timers.length === 0) return wanted;
  return { ...wanted, effects: [...wanted.effects, ...effects], timers: [...wanted.timers, ...timers] };
}

function ofItsWork(project: Project, task: Task): WantedWork {
  if (task.closed !== null)
    return task.notify ? { ...NOTHING, effects: [notification(task, task.closed.status)] } : NOTHING;
  if ((task.paused || project.board.halted?.now === true) && task.applying === null) return interruption(project, task);
  const effects: Effect[] = [];
  const question = untold(task);
  if (question !== null) effects.push(askedMessage(task, question));
  const aged = ageDue(task, project.board);
  const timers: Timer[] = aged === null ? [] : [timer(task, 'age', null, 0, aged)];
  if (task.applying !== null) effects.push(application(project, task, task.applying));
  for (const stepId of task.open) {
    const step = task.steps.get(stepId) as Step;
    const { place } = step;
    if (place.at === 'parked') timers.push(timer(task, 'backoff', stepId, task.token, place.until));
    if (place.at === 'waiting' && place.until !== undefined)
      timers.push(timer(task, 'approval', stepId, place.token, place.until));
    if (place.at === 'working') {
      effects.push(worker(project, task, stepId, step, place.attempt));
      // A person's work does not time out: it is captured again until that succeeds.
      if (place.attempt.given === undefined) timers.push(deadline(task, stepId, place.attempt));
    }
    if (place.at === 'checking') {
      const { candidate, answer, gates } = place.product;
      const definition = project.workflows.get(task.workflow)?.steps.get(stepId);
      const reported = new Set(place.evidence.map((one) => one.gate));
      for (const gate of gatesNow(definition ?? NO_STAGES, gates, reported)) {
        const attempt = place.attempt.number;
        const { spec, environments } = task;
        const allowed = environments === undefined ? {} : { environments };
        const work: GateRun = { kind: 'gate.run', attempt, gate, spec, candidate, answer, ...allowed };
        effects.push(effect(task, stepId, place.attempt.token, `${place.attempt.number}/gate.run/${gate}`, work));
      }
    }
  }
  return { effects, timers };
}

/** When to check the task's age next. First it is warned; then running work may end, and nothing else is waited for. */
export function ageDue(
  task: Task,
  { limits, halted, resumed = 0 }: Pick<Board, 'limits' | 'halted' | 'resumed'>,
): number | null {
  // A person may take their time: age limits the work, not the wait for an answer.
  if (task.paused || halted !== undefined || waitsForPerson(task)) return null;
  if (task.warned === undefined) return Math.max(task.opened, resumed) + limits.task_age_ms;
  return task.open.some((id) => isBusy(task.steps.get(id))) ? null : Math.max(task.warned, resumed) + limits.wall_ms;
}

/**
 * A paused task, or one of a project that is halted at once, has its workers ended, each with a report. Its gates, and
 * the capture of a person's work, simply stop and run again after `resume`.
 */
function interruption(project: Project, task: Task): WantedWork {
  const working = task.open.flatMap((id) => {
    const step = task.steps.get(id) as Step;
    const { place } = step;
    return place.at === 'working' && place.attempt.given === undefined ? [{ id, step, attempt: place.attempt }] : [];
  });
  return {
    effects: working.map(({ id, step, attempt }) => worker(project, task, id, step, attempt)),
    timers: working.map(({ id, attempt }) => deadline(task, id, attempt)),
    interrupt: task.paused ? 'paused' : 'halted',
  };
}

/** Belongs to no task: the scheduler checks all that wait for that CLI. */
export type ParkingTimer = { readonly key: string; readonly due: number; readonly timer: 'quota' };

/** When CLIs that take no work can be asked again. */
export function parkingTimers({ host }: Project, now: number): ParkingTimer[] {
  return [...host.parked].flatMap(([cli, { until: due }]) =>
    due > now ? [{ key: `host/${cli}/${due}`, due, timer: 'quota' as const }] : [],
  );
}

function worker(project: Project, task: Task, stepId: StepId, step: Step, attempt: Attempt<AttemptKind>): Effect {
  return effect(
    task,
    stepId,
    attempt.token,
    `${attempt.number}/worker.run`,
    workerRun(project, task, stepId, step, attempt),
  );
}

function application(project: Project, task: Task, applying: NonNullable<Task['applying']>): Effect {
  const { token, candidate, branch, red, step, degraded } = applying;
  const { onto, title, spec, created, committed } = task;
  const definition = step === undefined ? undefined : project.workflows.get(task.workflow)?.steps.get(step);
  const replaces = committed?.commit ?? null;
  return effect(task, null, token, 'candidate.apply', {
    kind: 'candidate.apply',
    candidate,
    onto,
    branch,
    title,
    spec,
    created,
    answer: answerWith(task, candidate),
    red,
    ...(degraded === undefined ? {} : { degraded }),
    ...judgedFor(task, candidate),
    ...madeByPeople(task),
    ...(replaces === null ? {} : { replaces }),
    ...(definition?.requireChangelog === true ? { requireChangelog: true } : {}),
  });
}

function notification(task: Task, status: string): Effect {
  return effect(task, null, task.token, 'notify.send', {
    kind: 'notify.send',
    title: task.title,
    spec: task.spec,
    status,
  });
}

/** Has its own key, because the task may end under the same token. */
function askedMessage(task: Task, token: number): Effect {
  const { title, spec } = task;
  const work = { kind: 'notify.send', title, spec, status: 'waiting', asks: true } as const;
  return message(task, token, questionKey(task.id, token), work);
}

function digestMessage(task: Task, { token, asks, ended }: Digest): Effect {
  const { title, spec } = task;
  const work = { kind: 'notify.send', title, spec, status: 'digest', digest: { asks, ended } } as const;
  return message(task, token, digestKey(task.id, token), work);
}

function message({ id, started }: Task, token: number, key: string, work: NotifySend): Effect {
  return { key, stream: taskStream(id), task: id, step: null, token, started: started.includes(key), work };
}

export const effectKey = (task: TaskId, step: StepId | null, token: number, part: string): string =>
  `${task}/${step ?? '-'}/${token}/${part}`;

function effect(task: Task, step: StepId | null, token: number, part: string, work: Work): Effect {
  const key = effectKey(task.id, step, token, part);
  // The event that starts an attempt is the logged intent of its worker.
  const started = work.kind === 'worker.run' || task.started.includes(key);
  return { key, stream: taskStream(task.id), task: task.id, step, token, started, work };
}

const deadline = (task: Task, step: StepId, attempt: Attempt): Timer =>
  timer(task, 'deadline', step, attempt.token, attempt.deadline + DEADLINE_SLACK_MS);

function timer(task: Task, name: Timer['timer'], step: StepId | null, token: number, due: number): Timer {
  return { key: `${task.id}/${step ?? '-'}/${token}/${name}/${due}`, due, task: task.id, timer: name, step, token };
}
