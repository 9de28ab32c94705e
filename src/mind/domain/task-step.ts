/** A step of a task as it is done: what the pinned workflow says, with what the operator chose for this task since. */
import type { StepId } from '../../kernel/ids.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import type { Project } from './project.ts';
import type { Task } from './task.ts';

export function taskStep(
  { workflows }: Pick<Project, 'workflows'>,
  { workflow, cli }: Pick<Task, 'workflow' | 'cli'>,
  id: StepId,
): WorkflowStep | undefined {
  const step = workflows.get(workflow)?.steps.get(id);
  return step === undefined || cli?.steps.includes(id) !== true ? step : { ...step, cli: cli.chain };
}
