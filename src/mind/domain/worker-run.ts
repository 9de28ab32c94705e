/** The input of an attempt's worker, derived from the task's state: its step, where it starts, what it is told. */
import type { BlobHash, StepId, TaskId } from '../../kernel/ids.ts';
import type { LowerLevel } from '../workflows/step.ts';
import { stepsBefore, type Workflow, type WorkflowStep } from '../workflows/workflow.ts';
import type { Project } from './project.ts';
import { analysedChange, blockingSentBack, waitsForAnalysis } from './sent-back.ts';
import type { Attempt, Dismissed, EarlierChange, Evidence, Step, Task } from './task.ts';
import type { AttemptKind, Candidate, Spec } from './values.ts';

export type WorkerRun = {
  readonly kind: 'worker.run';
  readonly attempt: Attempt<AttemptKind>;
  /** How many candidates the step may make in all. */
  readonly attempts: number;
  readonly role: string;
  /** How often the worker may be asked again in the same session. */
  readonly turns: number;
  /** Protected paths that the step may change, and the only paths that it may change. If empty: none, and all. */
  readonly grants: readonly string[];
  readonly scope: readonly string[];
  /** The gates that can send its change back, or did. */
  readonly gates: readonly string[];
  /**
   * The answers of earlier steps. `asked`: the step needs them or names them as inputs; of others it gets only plans.
   */
  readonly before: readonly {
    readonly step: StepId;
    readonly role: string;
    readonly answer: BlobHash;
    readonly asked: boolean;
  }[];
  /** Settings of the step, which override its role's, and how far it may look. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly contextScope: string | null;
  /** The lower level of work it has fallen back to; absent for the first one. */
  readonly level?: LowerLevel;
  /** Whether its answer is checked before the next step builds on it. */
  readonly handOver: boolean;
  readonly spec: Spec;
  /** The change that it builds on, and against which it is judged; null for the base. */
  readonly input: Candidate | null;
  /** The rejected change in whose tree it starts; it is still judged against its input. Null to start in its input. */
  readonly start: Candidate | null;
  /**
   * A person dismissed everything that refused `start`, or a gate could not run on it: it is checked again unchanged,
   * and no worker runs.
   */
  readonly asItIs?: 'dismissed' | 'unchecked';
  /** Findings that a person dismissed, each for one change; absent if none. */
  readonly dismissed?: readonly Dismissed[];
  /** What this step made in earlier rounds. */
  readonly made: readonly EarlierChange[];
  readonly base: string | null;
  readonly feedback: string | null;
  /** Open findings of this step's earlier reviews; absent if there are none. */
  readonly raised?: NonNullable<Step['raised']>;
  /** Advisory gates that did not pass on its input; absent if there are none. */
  readonly advised?: readonly Pick<Evidence, 'gate' | 'status' | 'evidence'>[];
  /** What gates found on its input; absent if none ran. */
  readonly measured?: readonly Pick<Evidence, 'gate' | 'status' | 'excused' | 'tests'>[];
  /** The failure is the same as last time. */
  readonly repeated: boolean;
  readonly findings: readonly Evidence[];
  /** The answers that sent it back, such as reviews. */
  readonly reviews: readonly { readonly step: StepId; readonly role: string; readonly answer: BlobHash }[];
  /** What models say about the rejected change; absent if nothing was asked or said. */
  readonly analyses?: WorkerRun['reviews'];
  /** The attempt explains why this change failed its gates, and changes nothing. Absent if it does its own work. */
  readonly isAnalysis?: true;
  readonly sentBack: SentBack;
  /** Patterns of the approval policies, by class of paths, for each policy. Absent if no policy asks. */
  readonly classes?: readonly Readonly<Record<string, readonly string[]>>[];
  /** A blocking gate of the task looks for secrets and dangerous calls; absent if none does. */
  readonly secured?: true;
  /** No worker runs: a person's work is captured in their checkout. */
  readonly given?: NonNullable<Attempt['given']>;
};

/** What else is known of the rejected attempts. */
type SentBack = {
  readonly task: TaskId;
  readonly step: StepId;
  readonly trace: string;
  /** The change of the last one; null if none was captured. */
  readonly change: string | null;
  /** How many candidates of this round were sent back. */
  readonly count: number;
  /** When the task reaches its maximum age. */
  readonly until: number;
};

/**
 * Far more than fits into a packet. In a workflow of thousands of steps only the answers of the nearest ones are passed
 * on.
 */
const MAX_ANSWERS_TOLD = 200;

export function workerRun(
  project: Project,
  task: Task,
  stepId: StepId,
  step: Step,
  attempt: Attempt<AttemptKind>,
): WorkerRun {
  const { spec, base } = task;
  const workflow = project.workflows.get(task.workflow);
  const steps = workflow?.steps;
  const definition = steps?.get(stepId);
  const isAnalysis = definition?.analyses != null;
  const of = definition?.analyses ?? stepId;
  // An analysis gets the same feedback as the next attempt.
  const failed = isAnalysis ? (waitsForAnalysis(task, stepId) ?? step) : step;
  const { feedback, findings, reviews, analyses = [] } = failed;
  const { made = [] } = step;
  const attempts = definition?.attempts ?? project.board.limits.attempts;
  const roleOf = (id: StepId) => steps?.get(id)?.role ?? id;
  const asked = new Set([...(definition?.needs ?? []), ...(definition?.inputs ?? [])]);
  const answers = [
    ...new Set([...(workflow === undefined ? [] : stepsBefore(workflow, of, MAX_ANSWERS_TOLD)), ...asked]),
  ];
  const told = answers.flatMap((id) => {
    const place = task.steps.get(id)?.place;
    return place?.at === 'done' && place.answer !== null
      ? [{ step: id, answer: place.answer, asked: asked.has(id) }]
      : [];
  });
  return {
    kind: 'worker.run',
    attempt,
    attempts,
    role: roleOf(stepId),
    turns: definition?.turns ?? 0,
    grants: definition?.grants ?? [],
    scope: definition?.scope ?? [],
    gates: blockingFor(workflow, failed, steps?.get(of)),
    before: told.map((one) => ({ ...one, role: roleOf(one.step) })),
    reviews: reviews.map((one) => ({ ...one, role: roleOf(one.step) })),
    ...(analyses.length === 0 || isAnalysis
      ? {}
      : { analyses: analyses.map((one) => ({ ...one, role: roleOf(one.step) })) }),
    ...(isAnalysis ? { isAnalysis: true as const } : {}),
    sentBack: sentBackOf(project, task, of, failed),
    config: definition?.config ?? {},
    contextScope: definition?.contextScope ?? null,
    handOver: definition?.handOver ?? false,
    spec,
    input: isAnalysis ? analysedChange(task, stepId) : inputOf(task, step, definition),
    start: startOf(step, definition),
    made,
    base,
    feedback,
    findings,
    repeated: failed.repeated === true,
    ...(step.level === undefined ? {} : { level: step.level }),
    ...(step.raised === undefined ? {} : { raised: step.raised }),
    ...(task.dismissed === undefined ? {} : { dismissed: task.dismissed }),
    ...takenAsItIs(task, step, definition),
    ...advisedOn(task),
    ...classesOf(workflow, definition),
    ...(workflow?.secured === true ? { secured: true as const } : {}),
    ...(attempt.given === undefined ? {} : { given: attempt.given }),
  };
}

/** Why its last change is checked again without a worker, if it is. */
export function takenAsItIs(task: Task, step: Step, definition: WorkflowStep | undefined): Pick<WorkerRun, 'asItIs'> {
  if (startOf(step, definition) === null) return {};
  if (step.unchecked === true) return { asItIs: 'unchecked' };
  const isFree = task.dismissed !== undefined && blockingSentBack(task, step)?.length === 0;
  return isFree ? { asItIs: 'dismissed' } : {};
}

/** The step's own gates rejected its last change; a change of an earlier round was rejected by later gate steps. */
function blockingFor(
  workflow: Workflow | undefined,
  { sentBack, findings, made = [] }: Step,
  definition: WorkflowStep | undefined,
): readonly string[] {
  const blocking = ({ gates, advisory }: WorkflowStep) => gates.filter((gate) => !advisory.has(gate));
  const own = definition === undefined ? [] : blocking(definition);
  if (workflow === undefined || sentBack !== undefined || findings.length === 0 || made.length === 0) return own;
  const later = [...workflow.steps.values()].flatMap((step) => (step.kind === 'gate' ? blocking(step) : []));
  return [...new Set([...own, ...later])];
}

function advisedOn({ verdict, candidate }: Task): Pick<WorkerRun, 'advised' | 'measured'> {
  if (candidate === null || verdict?.on.change_id !== candidate.change_id) return {};
  const advised = verdict.gates
    .filter(({ blocking, status }) => !blocking && status !== 'pass')
    .map(({ gate, status, evidence = null }) => ({ gate, status, evidence }));
  const measured = verdict.gates.map(({ gate, status, excused, tests }) => ({ gate, status, excused, tests }));
  return { ...(advised.length === 0 ? {} : { advised }), ...(measured.length === 0 ? {} : { measured }) };
}

const sentBackOf = (project: Project, task: Task, stepId: StepId, step: Step): SentBack => ({
  task: task.id,
  step: stepId,
  trace: task.trace,
  change: (step.sentBack ?? step.made?.at(-1)?.candidate)?.change_id ?? null,
  count: step.used.candidates ?? 0,
  until: task.opened + project.board.limits.task_age_ms,
});

/** Only changes are measured, and only if a policy asks. */
function classesOf(workflow: Workflow | undefined, definition: WorkflowStep | undefined): Pick<WorkerRun, 'classes'> {
  const classes = workflow?.pathClasses ?? [];
  return definition?.kind !== 'change' || classes.length === 0 ? {} : { classes };
}

/**
 * In a later round a step builds on the change that was sent back to it, unless its workflow requires a fresh start.
 */
const inputOf = (task: Task, { made = [], from }: Step, definition: WorkflowStep | undefined): Candidate | null =>
  (from ?? definition?.from) === 'line' && made[0] !== undefined ? made[0].on : task.candidate;

/** By default only what gates sent back, or could not check, is continued: their findings are about that tree. */
function startOf(step: Step, definition: WorkflowStep | undefined): Candidate | null {
  const { sentBack, unchecked, findings, from: word } = step;
  if (sentBack === undefined || definition?.kind !== 'change') return null;
  const from = word ?? (unchecked === true ? 'last' : definition.from) ?? (findings.length > 0 ? 'last' : 'line');
  return from === 'last' ? sentBack : null;
}
