/** Budgets of money: whether an attempt can set aside what it needs, and what is said when it cannot. */
import { dayOf } from '../domain/host.ts';
import type { Project } from '../domain/project.ts';
import { isBusy, type Task } from '../domain/task.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';

export type BudgetObstacle = {
  /** `wait`: attempts under way may still give something back. `used_up`: nothing will. */
  readonly type: 'wait' | 'used_up';
  readonly why: string;
};

/** One budget, in millionths of a dollar. */
type Budget = {
  readonly name: string;
  readonly field: string;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
};

/** The first budget that does not cover an attempt of this step; null: all of them do. */
export function budgetObstacle(
  project: Project,
  task: Task,
  definition: Pick<WorkflowStep, 'id' | 'reserve'>,
  now: number,
): BudgetObstacle | null {
  // Playing costs nothing.
  if (task.spec.simulated === true) return null;
  // A budget of 0 is zero, not unlimited: even a step that reserves nothing needs something left.
  const need = Math.max(definition.reserve, 1);
  for (const budget of budgetsOf(project, now)) {
    const left = budget.limit - budget.spent;
    if (left < need) {
      // Other attempts of the task are not stopped: what they bring is still recorded, and then it closes.
      const type = task.open.some((id) => isBusy(task.steps.get(id))) ? 'wait' : 'used_up';
      return { type, why: usedUpText(budget, definition, need) };
    }
    if (left - budget.reserved < need)
      return { type: 'wait', why: `${budget.name}: ${usd(left)} is left, and attempts under way have set it aside` };
  }
  return null;
}

/** The sentence that a task closes with. */
export function usedUpReason({ why }: BudgetObstacle, task: string, now: number): string {
  const next = `then \`supervisor resume ${task}\``;
  const field = /limits\.[\w.]+/.exec(why)?.[0] ?? 'limits.budget';
  const tomorrow = field.includes('.day_') ? `, or resume it after ${dayOf(now + 86_400_000)} 00:00 UTC` : '';
  return `${why}; raise ${field}, ${next}${tomorrow}`;
}

function budgetsOf({ board, host, holds }: Project, now: number): Budget[] {
  const { project_microusd: project, day_microusd: day } = board.limits.budget;
  const today = host.day >= dayOf(now) ? host.spent : 0;
  const { reserved } = holds;
  return [
    ...(project === null
      ? []
      : [
          {
            name: "the project's budget",
            field: 'limits.budget.project_usd',
            limit: project,
            spent: board.spent,
            reserved,
          },
        ]),
    ...(day === null
      ? []
      : [
          {
            name: "this machine's budget for today",
            field: 'limits.budget.day_usd',
            limit: day,
            spent: today,
            reserved,
          },
        ]),
  ];
}

function usedUpText({ name, field, limit, spent }: Budget, { id }: Pick<WorkflowStep, 'id'>, need: number): string {
  const facts = `${usd(spent)} of ${usd(limit)} (${field})`;
  if (spent >= limit) return `${name} is used up: ${facts}`;
  return `${name} does not cover another attempt: ${facts} is spent, and step ${id} sets aside ${usd(need)}`;
}

/** Cents, or as many digits as a smaller amount needs. */
function usd(micro: number): string {
  const dollars = micro / 1e6;
  return `$${micro % 10_000 === 0 ? dollars.toFixed(2) : String(dollars)}`;
}
