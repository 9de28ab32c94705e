/** A step of a task as it is done: what the pinned workflow says, with what the operator chose for this task since. */
import type { StepId } from '../../kernel/ids.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import type { Project } from './project.ts';
import { authorsOf, type Task } from './task.ts';

/** Who looks at a change is another CLI than the one that made it, where its chain has two. */
export function taskStep(
  { workflows }: Pick<Project, 'workflows'>,
  task: Pick<Task, 'workflow' | 'cli' | 'steps'>,
  id: StepId,
): WorkflowStep | undefined {
  const step = workflows.get(task.workflow)?.steps.get(id);
  if (step === undefined) return undefined;
  const chain = task.cli?.steps.includes(id) === true ? task.cli.chain : step.cli;
  const cli = step.kind === 'answer' && chain.length > 1 ? othersFirst(chain, authorsOf(task)) : chain;
  return cli === step.cli ? step : { ...step, cli };
}

/** The operator's order stays among the authors of the change, and among the others. */
function othersFirst(chain: readonly string[], authors: readonly string[]): readonly string[] {
  const isAuthor = (cli: string) => authors.includes(cli);
  if (!chain.some(isAuthor) || chain.every(isAuthor)) return chain;
  return [...chain.filter((cli) => !isAuthor(cli)), ...chain.filter(isAuthor)];
}
