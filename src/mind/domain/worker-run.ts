/** What the worker of an attempt is given, derived from the task's state: its step, where it starts, what it is told. */
import type { BlobHash, StepId, TaskId } from '../../kernel/ids.ts';
import type { LowerLevel } from '../workflows/step.ts';
import { stepsBefore, type Workflow, type WorkflowStep } from '../workflows/workflow.ts';
import type { Project } from './project.ts';
import type { Attempt, Evidence, Made, Step, Task } from './task.ts';
import type { AttemptKind, Candidate, Spec } from './values.ts';

export type WorkerRun = {
  readonly kind: 'worker.run';
  readonly attempt: Attempt<AttemptKind>;
  /** How many candidates the step may make in all. */
  readonly attempts: number;
  readonly role: string;
  /** How often the worker may be asked again in the same session. */
  readonly turns: number;
  /** Protected paths that the step may change, and the only ones it may change; empty: none, and all. */
  readonly grants: readonly string[];
  readonly scope: readonly string[];
  /** The gates that its candidate will have to pass. */
  readonly gates: readonly string[];
  /** What the steps before it answered. `asked`: it needs them or names them as inputs; of the others it is told plans only. */
  readonly before: readonly {
    readonly step: StepId;
    readonly role: string;
    readonly answer: BlobHash;
    readonly asked: boolean;
  }[];
  /** Settings of the step, over those of its role, and how far it may look. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly contextScope: string | null;
  /** The lower level of work that it has fallen back to. Absent: the first one. */
  readonly level?: LowerLevel;
  /** Whether its answer is checked before the next step builds on it. */
  readonly handOver: boolean;
  readonly spec: Spec;
  /** The change that it builds on, and against which it is judged. Null: the base. */
  readonly input: Candidate | null;
  /** The change that was sent back, in whose tree it starts. It is judged against its input all the same. Null: in its input. */
  readonly start: Candidate | null;
  /** What this step made in earlier rounds. */
  readonly made: readonly Made[];
  readonly base: string | null;
  readonly feedback: string | null;
  /** What earlier reviews of this step found and nobody has closed. Absent: nothing. */
  readonly raised?: NonNullable<Step['raised']>;
  /** Gates that only advise and did not pass on the change that it looks at. Absent: there are none. */
  readonly advised?: readonly Pick<Evidence, 'gate' | 'status' | 'evidence'>[];
  /** It is the same as the time before. */
  readonly repeated: boolean;
  readonly findings: readonly Evidence[];
  /** The answers that sent it back, such as reviews. */
  readonly reviews: readonly { readonly step: StepId; readonly role: string; readonly answer: BlobHash }[];
  readonly sentBack: SentBack;
  /** Patterns of the approval policies, by class of paths, for each policy. Absent: nobody asks what the change is. */
  readonly classes?: readonly Readonly<Record<string, readonly string[]>>[];
  /** A blocking gate of the task looks for secrets and dangerous calls. Absent: none does. */
  readonly secured?: true;
};

/** What else is known of the attempts that were sent back. */
type SentBack = {
  readonly task: TaskId;
  readonly step: StepId;
  readonly trace: string;
  /** The change of the last one. Null: none was captured. */
  readonly change: string | null;
  /** How many candidates of this round were sent back. */
  readonly count: number;
  /** When the task is as old as it may be. */
  readonly until: number;
};

export function workerRun(
  project: Project,
  task: Task,
  stepId: StepId,
  step: Step,
  attempt: Attempt<AttemptKind>,
): WorkerRun {
  const { spec, base } = task;
  const { feedback, findings, reviews, made = [] } = step;
  const workflow = project.workflows.get(task.workflow);
  const steps = workflow?.steps;
  const definition = steps?.get(stepId);
  const attempts = definition?.attempts ?? project.board.limits.attempts;
  const roleOf = (id: StepId) => steps?.get(id)?.role ?? id;
  const asked = new Set([...(definition?.needs ?? []), ...(definition?.inputs ?? [])]);
  const answers = [...new Set([...(workflow === undefined ? [] : stepsBefore(workflow, stepId)), ...asked])];
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
    gates: definition?.gates.filter((gate) => !definition.advisory.has(gate)) ?? [],
    before: told.map((one) => ({ ...one, role: roleOf(one.step) })),
    reviews: reviews.map((one) => ({ ...one, role: roleOf(one.step) })),
    sentBack: sentBackOf(project, task, stepId, step),
    config: definition?.config ?? {},
    contextScope: definition?.contextScope ?? null,
    handOver: definition?.handOver ?? false,
    spec,
    input: inputOf(task, step, definition),
    start: startOf(step, definition),
    made,
    base,
    feedback,
    findings,
    repeated: step.repeated === true,
    ...(step.level === undefined ? {} : { level: step.level }),
    ...(step.raised === undefined ? {} : { raised: step.raised }),
    ...advisedOn(task),
    ...classesOf(workflow, definition),
    ...(isSecured(workflow) ? { secured: true as const } : {}),
  };
}

function advisedOn({ verdict, candidate }: Task): Pick<WorkerRun, 'advised'> {
  if (candidate === null || verdict?.on.change_id !== candidate.change_id) return {};
  const advised = verdict.gates
    .filter(({ blocking, status }) => !blocking && status !== 'pass')
    .map(({ gate, status, evidence = null }) => ({ gate, status, evidence }));
  return advised.length === 0 ? {} : { advised };
}

const sentBackOf = (project: Project, task: Task, stepId: StepId, step: Step): SentBack => ({
  task: task.id,
  step: stepId,
  trace: task.trace,
  change: (step.sentBack ?? step.made?.at(-1)?.candidate)?.change_id ?? null,
  count: step.used.candidates ?? 0,
  until: task.opened + project.board.limits.task_age_ms,
});

/** A gate without a kind is of the kind that its name tells. */
const isSecured = (workflow: Workflow | undefined): boolean =>
  [...(workflow?.steps.values() ?? [])].some(({ rules, advisory }) =>
    [...rules.values()].some(({ name, kind }) => (kind ?? name) === 'security' && !advisory.has(name)),
  );

/** Only a change is measured, and only where a policy asks about it. */
function classesOf(workflow: Workflow | undefined, definition: WorkflowStep | undefined): Pick<WorkerRun, 'classes'> {
  const policies = [...(workflow?.steps.values() ?? [])].flatMap((one) => one.policies);
  return definition?.kind !== 'change' || policies.length === 0 ? {} : { classes: policies.map(({ paths }) => paths) };
}

/** In a later round a step builds on the change that was sent back to it, unless its workflow wants it to begin anew. */
const inputOf = (task: Task, { made = [], from }: Step, definition: WorkflowStep | undefined): Candidate | null =>
  (from ?? definition?.from) === 'line' && made[0] !== undefined ? made[0].on : task.candidate;

/** By default only what gates sent back is gone on with: their findings are about that very tree. */
function startOf({ sentBack, findings, from: word }: Step, definition: WorkflowStep | undefined): Candidate | null {
  if (sentBack === undefined || definition?.kind !== 'change') return null;
  const from = word ?? definition.from ?? (findings.length > 0 ? 'last' : 'line');
  return from === 'last' ? sentBack : null;
}
