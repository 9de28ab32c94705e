/** A task's step as it runs: the pinned workflow's, with the operator's later choices for this task. */
import type { StepId } from '../../kernel/ids.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { authorsOf } from './change-authors.ts';
import type { Project } from './project.ts';
import type { Task } from './task.ts';

/** A change is reviewed by another CLI than its author's, if the chain has two. */
export function taskStep(
  { workflows }: Pick<Project, 'workflows'>,
  task: Pick<Task, 'workflow' | 'cli' | 'steps' | 'candidate'>,
  id: StepId,
): WorkflowStep | undefined {
  const step = workflows.get(task.workflow)?.steps.get(id);
  if (step === undefined) return undefined;
  const chain = task.cli?.steps.includes(id) === true ? task.cli.chain : step.cli;
  const cli = step.kind === 'answer' && chain.length > 1 ? othersFirst(chain, authorsOf(task)) : chain;
  return cli === step.cli ? step : { ...step, cli };
}

/** Keeps the operator's order within the change's authors, and within the others. */
function othersFirst(chain: readonly string[], authors: readonly string[]): readonly string[] {
  const isAuthor = (cli: string) => authors.includes(cli);
  if (!chain.some(isAuthor) || chain.every(isAuthor)) return chain;
  return [...chain.filter((cli) => !isAuthor(cli)), ...chain.filter(isAuthor)];
}
