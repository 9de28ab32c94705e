/** Which effects a task wants, derived from its state alone: no queue is stored, so nothing can be queued twice or forgotten. */
import { sha256 } from '../../kernel/hash.ts';
import type { BlobHash, StepId, TaskId } from '../../kernel/ids.ts';
import { gatesNow } from '../workflows/workflow.ts';
import { type Limits, landingMsOf } from './limits.ts';
import type { Landing, LandingPlace, Line } from './line.ts';
import type { Project } from './project.ts';
import { lineStream, streamId, streamKind, taskStream } from './stream-name.ts';
import { type Attempt, isBusy, type RedGate, redGates, type Step, type Task, waitsForPerson } from './task.ts';
import type { AttemptKind, Candidate, Spec } from './values.ts';
import { type WorkerRun, workerRun } from './worker-run.ts';

/**
 * What the engine does with an effect whose start was logged by a process that is gone:
 * `repeat` it, `probe` whether it happened, give it up for a `new-attempt`, or never do it again (`at-most-once`).
 */
export type Recovery = 'repeat' | 'probe' | 'new-attempt' | 'at-most-once';

export type GateRun = {
  readonly kind: 'gate.run';
  /** The number of the attempt; 0: the tree that shall land. */
  readonly attempt: number;
  readonly gate: string;
  readonly spec: Spec;
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
  /** Not from the cache, and not into it: whether a red gate stays red. */
  readonly fresh?: true;
};
export type CandidateApply = {
  readonly kind: 'candidate.apply';
  readonly candidate: Candidate;
  readonly onto: string;
  readonly branch: string;
  readonly title: string;
  readonly spec: Spec;
  readonly created: number;
  /** What the worker answered that made the candidate. */
  readonly answer: BlobHash | null;
  /** Gates of the candidate that are red as the base is. */
  readonly red: readonly RedGate[];
  /** The commit of an earlier candidate of the task, which the branch may move from. */
  readonly replaces?: string;
};
export type NotifySend = {
  readonly kind: 'notify.send';
  readonly title: string;
  readonly spec: Spec;
  readonly status: string;
};
/** The change on top of a branch that has moved. */
export type LineIntegrate = {
  readonly kind: 'line.integrate';
  readonly spec: Spec;
  readonly onto: string;
  readonly candidate: Candidate;
  readonly head: string;
  /** The branch of the task, for the sentence about a conflict. */
  readonly branch: string;
};
/** The user's branch moves to the task's commit, or to one for its integrated change, which is made first. */
export type LineMove = {
  readonly kind: 'line.move';
  readonly spec: Spec;
  readonly onto: string;
  readonly moveCheckout: boolean;
  /** What was accepted; nothing else may reach the branch. */
  readonly candidate: Candidate;
  readonly commit: string;
  readonly integrated: Omit<CandidateApply, 'kind' | 'onto' | 'spec'> | null;
};
/** Where a branch is now. */
export type LineRead = { readonly kind: 'line.read'; readonly spec: Spec; readonly onto: string };
export type LineWork = LineIntegrate | LineMove | LineRead;
export type Work = WorkerRun | GateRun | CandidateApply | NotifySend | LineWork;
type WorkKind = Work['kind'];

export const RECOVERY: Readonly<Record<WorkKind, Recovery>> = {
  'worker.run': 'new-attempt',
  'gate.run': 'repeat',
  'candidate.apply': 'probe',
  'notify.send': 'at-most-once',
  'line.integrate': 'repeat',
  'line.move': 'probe',
  'line.read': 'repeat',
};

export type Effect = {
  /** `(task, step, attempt, kind, part)`: doing the same key twice is harmless or refused. */
  readonly key: string;
  /** The stream that wants it. */
  readonly stream: string;
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
  readonly timer: 'backoff' | 'deadline' | 'age' | 'landing';
  readonly step: StepId | null;
  readonly token: number;
};

/** The hand ends a worker at its deadline and tells how; the clock speaks only when the hand does not. */
export const DEADLINE_SLACK_MS = 10_000;

export type Wanted = {
  readonly effects: readonly Effect[];
  readonly timers: readonly Timer[];
  /** The task is paused: these effects are interrupted, and report that they were. */
  readonly interrupt?: true;
};
const NOTHING: Wanted = { effects: [], timers: [] };
const NO_STAGES = { stages: new Map<string, number>() };

/** The streams that may want something. */
export const wantingStreams = (project: Project): string[] => [
  ...[...project.tasks.values()].map((task) => taskStream(task.id)),
  ...[...project.lines.values()].map((line) => lineStream(line.name)),
];

export function wantedBy(project: Project, stream: string): Wanted {
  const kind = streamKind(stream);
  const task = kind === 'task' ? project.tasks.get(streamId(stream)) : undefined;
  if (task !== undefined) return wantedByTask(project, task);
  const line = kind === 'line' ? project.lines.get(streamId(stream)) : undefined;
  if (line === undefined) return NOTHING;
  return { effects: wantedByLine(project, line), timers: landingTimers(project, line) };
}

export const landingKey = ({ name }: Line, { task, token }: Landing, part: string): string =>
  `line/${name}/${task}/${token}/${part}`;

function wantedByLine(project: Project, line: Line): Effect[] {
  const effects: Effect[] = [];
  const landing = underWay(line);
  const task = landing === null ? undefined : project.tasks.get(landing.task);
  if (landing !== null && task !== undefined) effects.push(...landingEffects(project, line, landing, task));
  const { look, name: onto, token } = line;
  const reader = look.state === 'wanted' ? project.tasks.get(look.by) : undefined;
  if (reader !== undefined && reader.closed === null) {
    const key = `line/${onto}/${reader.id}/${token}/line.read`;
    const work: LineRead = { kind: 'line.read', spec: reader.spec, onto };
    effects.push({ key, stream: lineStream(onto), task: reader.id, step: null, token, started: false, work });
  }
  return effects;
}

/** The landing that the line works on; null: none, or the line is red by itself. */
const underWay = ({ queue: [first], stopped }: Line): Landing | null =>
  first === undefined || stopped !== undefined ? null : first;

/** When the present step of a landing is given up. Git has time limits of its own, so a branch that is being moved has none here. */
export function landingDue(line: Line, limits: Limits): { readonly landing: Landing; readonly due: number } | null {
  const landing = underWay(line);
  if (landing === null || landing.place.at === 'moving') return null;
  return { landing, due: landing.since + landingMsOf(limits) };
}

function landingTimers(project: Project, line: Line): Timer[] {
  const next = landingDue(line, project.board.limits);
  if (next === null) return [];
  const { task, token } = next.landing;
  const key = `${landingKey(line, next.landing, 'landing')}/${next.due}`;
  return [{ key, due: next.due, task, timer: 'landing', step: null, token }];
}

/** Stages of all gates of a task; a name means the same gate at every step. */
function stagesOf(project: Project, task: Task): { readonly stages: ReadonlyMap<string, number> } {
  const steps = project.workflows.get(task.workflow)?.steps.values() ?? [];
  return { stages: new Map([...steps].flatMap((step) => [...step.stages])) };
}

function landingEffects(project: Project, line: Line, landing: Landing, task: Task): Effect[] {
  const { place, token } = landing;
  const { spec, candidate, closed } = task;
  if (candidate === null || closed === null) return [];
  const onto = line.name;
  const wanted = (part: string, work: Work): Effect => {
    const key = landingKey(line, landing, part);
    const started = task.started.includes(key);
    return { key, stream: lineStream(onto), task: task.id, step: null, token, started, work };
  };
  const branch = closed.branch ?? '';
  if (place.at === 'integrating') {
    const { head } = place;
    return [wanted('line.integrate', { kind: 'line.integrate', spec, onto, candidate, head, branch })];
  }
  if (place.at === 'gating' || place.at === 'rechecking') {
    const reported = new Set(place.evidence.map((one) => one.gate));
    const checked = place.at === 'rechecking' && place.on === 'tip' ? tipOf(place) : place.candidate;
    const fresh = place.at === 'rechecking' && place.on === 'change' ? { fresh: true as const } : {};
    return gatesNow(stagesOf(project, task), place.gates, reported).map((gate) =>
      wanted(`gate.run/${gate}`, {
        kind: 'gate.run',
        attempt: 0,
        gate,
        spec,
        candidate: checked,
        answer: null,
        ...fresh,
      }),
    );
  }
  const integrated =
    place.candidate === null
      ? null
      : {
          candidate: place.candidate,
          branch: `${branch}-on-${place.candidate.base.slice(0, 12)}`,
          title: task.title,
          created: task.created,
          answer: answerWith(task, candidate),
          red: redGates(place.evidence),
        };
  const moveCheckout = task.landing?.move_checkout === true;
  const commit = closed.commit ?? '';
  return [wanted('line.move', { kind: 'line.move', spec, onto, moveCheckout, candidate, commit, integrated })];
}

/** The id of an empty diff. */
const NO_CHANGE = sha256('');

/** The branch without the change, as a candidate that changes nothing. */
function tipOf({ candidate, tipTree }: Extract<LandingPlace, { at: 'rechecking' }>): Candidate {
  const { base } = candidate;
  return { base, tree: tipTree ?? base, change_id: NO_CHANGE };
}

function wantedByTask(project: Project, task: Task): Wanted {
  if (task.closed !== null)
    return task.notify ? { ...NOTHING, effects: [notification(task, task.closed.status)] } : NOTHING;
  if (task.paused && task.applying === null) return interruption(project, task);
  const effects: Effect[] = [];
  const aged = ageDue(task, project.board.limits);
  const timers: Timer[] = aged === null ? [] : [timer(task, 'age', null, 0, aged)];
  if (task.applying !== null) effects.push(application(task, task.applying));
  for (const stepId of task.open) {
    const step = task.steps.get(stepId) as Step;
    const { place } = step;
    if (place.at === 'parked') timers.push(timer(task, 'backoff', stepId, task.token, place.until));
    if (place.at === 'working') {
      effects.push(worker(project, task, stepId, step, place.attempt));
      timers.push(deadline(task, stepId, place.attempt));
    }
    if (place.at === 'checking') {
      const { candidate, answer, gates } = place.product;
      const definition = project.workflows.get(task.workflow)?.steps.get(stepId);
      const reported = new Set(place.evidence.map((one) => one.gate));
      for (const gate of gatesNow(definition ?? NO_STAGES, gates, reported)) {
        const attempt = place.attempt.number;
        const work: GateRun = { kind: 'gate.run', attempt, gate, spec: task.spec, candidate, answer };
        effects.push(effect(task, stepId, place.attempt.token, `${place.attempt.number}/gate.run/${gate}`, work));
      }
    }
  }
  return { effects, timers };
}

/** When the task's age is looked at next. First it is warned; then what is under way may end, and nothing else is waited for. */
export function ageDue(task: Task, limits: Pick<Limits, 'task_age_ms' | 'wall_ms'>): number | null {
  // A person may take their time: age bounds the work, not the wait for an answer.
  if (task.paused || waitsForPerson(task)) return null;
  if (task.warned === undefined) return task.opened + limits.task_age_ms;
  return task.open.some((id) => isBusy(task.steps.get(id))) ? null : task.warned + limits.wall_ms;
}

/** A paused task wants its workers ended, and a report of each; its gates simply stop and run again after `resume`. */
function interruption(project: Project, task: Task): Wanted {
  const working = task.open.flatMap((id) => {
    const step = task.steps.get(id) as Step;
    return step.place.at === 'working' ? [{ id, step, attempt: step.place.attempt }] : [];
  });
  return {
    effects: working.map(({ id, step, attempt }) => worker(project, task, id, step, attempt)),
    timers: working.map(({ id, attempt }) => deadline(task, id, attempt)),
    interrupt: true,
  };
}

/** Nobody's in particular: the scheduler looks again, whoever waits for that CLI. */
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

function application(task: Task, { token, candidate, branch, red }: NonNullable<Task['applying']>): Effect {
  const { onto, title, spec, created, committed } = task;
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
    ...(replaces === null ? {} : { replaces }),
  });
}

/** What the worker answered that made this candidate. */
function answerWith(task: Task, candidate: Candidate): BlobHash | null {
  for (const { place } of task.steps.values())
    if (place.at === 'done' && place.candidate?.change_id === candidate.change_id) return place.answer;
  return null;
}

function notification(task: Task, status: string): Effect {
  return effect(task, null, task.token, 'notify.send', {
    kind: 'notify.send',
    title: task.title,
    spec: task.spec,
    status,
  });
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
