/** Look-ups for decisions: the task's pinned workflow and its steps, and the answer to a late outcome. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { Draft } from '../domain/draft.ts';
import type { Landing, Line } from '../domain/line.ts';
import { taskStream } from '../domain/stream-name.ts';
import type { Task } from '../domain/task.ts';
import { taskStep } from '../domain/task-step.ts';
import type { Workflow, WorkflowStep } from '../workflows/workflow.ts';

export function workflowOf(draft: Draft, task: Task): Workflow {
  const workflow = draft.project.workflows.get(task.workflow);
  if (workflow === undefined)
    throw new Error(`task ${task.id} pins workflow ${task.workflow}, which is not in the log`);
  return workflow;
}

export function stepDefinition(draft: Draft, task: Task, id: StepId): WorkflowStep {
  const definition = taskStep(draft.project, task, id);
  if (definition === undefined) throw new Error(`workflow ${task.workflow} has no step ${id}`);
  return definition;
}

export const taskIn = (draft: Draft, id: TaskId): Task => draft.project.tasks.get(id) as Task;

/** Steps whose needs are all met once `done` is. */
export function opensAfter(workflow: Workflow, task: Task, done: StepId): StepId[] {
  const isDone = (id: StepId) => id === done || task.steps.get(id)?.place.at === 'done';
  return (workflow.dependents.get(done) ?? []).filter((id) => workflow.steps.get(id)?.needs.every(isDone));
}

/** The steps that begin afresh when the task is opened again: none of them waits for an analysis of what failed before. */
export const opensAgain = (draft: Draft, task: Task): StepId[] =>
  task.open.filter((id) => stepDefinition(draft, task, id).analyses === null);

export type LandingOnLine = { readonly line: Line; readonly landing: Landing };

export function landingOf(draft: Draft, { id, landing: at }: Pick<Task, 'id' | 'landing'>): LandingOnLine | null {
  const line = at === undefined ? undefined : draft.project.lines.get(at.onto);
  const landing = line?.queue.find(({ task }: { task: TaskId }) => task === id);
  return line === undefined || landing === undefined ? null : { line, landing };
}

export const nextToken = (draft: Draft, line: string): number => (draft.project.lines.get(line)?.token ?? 0) + 1;

export function unknownTask(id: string): Rejection {
  return rejected('unknown_task', `no task ${id} in this project; \`supervisor status\` lists them`);
}

/** How many refused outcomes are kept per task; a faulty sender must not fill the log. */
const MAX_REFUSED = 100;

/** Records a late or foreign outcome for diagnosis; it changes nothing. */
export function refuseOutcome(
  draft: Draft,
  task: Task,
  late: {
    readonly step: StepId | null;
    readonly token: number;
    readonly kind: 'worker.run' | 'gate.run' | 'candidate.apply';
  },
): Rejection | null {
  const { step, token, kind } = late;
  if (task.refused >= MAX_REFUSED) return rejected('late_outcome', `outcome ${token} of ${task.id} comes too late`);
  const reason = task.closed === null ? `token ${token} is not the one under way` : `the task is ${task.closed.status}`;
  draft.emit(taskStream(task.id), { type: 'outcome.refused', data: { step, token, kind, reason } });
  return null;
}
