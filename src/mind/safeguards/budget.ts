/** Budgets of money and tokens: whether an attempt can reserve what it needs, and the message if it cannot. */
import { dayOf } from '../domain/host.ts';
import type { Project } from '../domain/project.ts';
import { isBusy, type Task, underWay } from '../domain/task.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { type Reserve, reserveOf, tokensOf } from './budget-count.ts';

export type BudgetObstacle = {
  /** `wait`: running attempts may still release something. `used_up`: nothing will. */
  readonly type: 'wait' | 'used_up';
  readonly why: string;
};

/** One budget, in millionths of a dollar or in tokens. */
type BudgetUse = {
  readonly name: string;
  readonly field: string;
  readonly of: 'microusd' | 'tokens';
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
};

/**
 * The first budget that does not cover an attempt of this step and of `then`, the step after it; null if all of them
 * do.
 */
export function budgetObstacle(
  project: Project,
  task: Task,
  definition: Pick<WorkflowStep, 'id' | 'reserve'>,
  now: number,
  then: Pick<WorkflowStep, 'reserve'> | null = null,
): BudgetObstacle | null {
  // Simulation costs nothing.
  if (task.spec.simulated === true) return null;
  const { budget: limits } = project.board.limits;
  const own = reserveOf(limits, definition, task.spec);
  const later = then === null ? null : reserveOf(limits, then, task.spec);
  const reserve =
    later === null ? own : { ...own, microusd: own.microusd + later.microusd, tokens: own.tokens + later.tokens };
  for (const budget of budgetsOf(project, task, now)) {
    // A budget of 0 is zero, not unlimited: even a step that reserves nothing needs something left.
    const need = Math.max(reserve[budget.of], 1);
    const left = budget.limit - budget.spent;
    if (left < need) {
      // Other attempts of the task go on: their results are recorded, and then it closes.
      const type = task.open.some((id) => isBusy(task.steps.get(id))) ? 'wait' : 'used_up';
      return { type, why: usedUpText(budget, definition, { ...reserve, need }) };
    }
    if (left - budget.reserved < need) {
      const rest = amountText(budget.of, left);
      return { type: 'wait', why: `${budget.name}: ${rest} is left, and running attempts have reserved it` };
    }
  }
  return null;
}

/** The reason with which a task closes. */
export function usedUpReason({ why }: BudgetObstacle, task: string, now: number): string {
  const next = `then \`supervisor resume ${task}\``;
  const field = /limits\.[\w.]+/.exec(why)?.[0] ?? 'limits.budget';
  const tomorrow = field.includes('.day_') ? `, or resume it after ${dayOf(now + 86_400_000)} 00:00 UTC` : '';
  return `${why}; raise ${field}, ${next}${tomorrow}`;
}

function budgetsOf({ board, host, holds }: Project, task: Task, now: number): BudgetUse[] {
  const { budget } = board.limits;
  const isToday = host.day >= dayOf(now);
  const { estimated = { microusd: 0, tokens: 0 } } = task;
  const ofTask = {
    microusd: (task.cost.microusd ?? 0) + estimated.microusd,
    tokens: tokensOf(task.cost) + estimated.tokens,
  };
  const ofProject = { microusd: board.spent, tokens: board.tokens ?? 0 };
  const today = { microusd: isToday ? host.spent : 0, tokens: isToday ? (host.tokens ?? 0) : 0 };
  const reserved = { microusd: holds.reserved, tokens: holds.reservedTokens ?? 0 };
  const scopes = [
    { name: "the task's budget", scope: 'task', spent: ofTask, reserved: reservedBy(task) },
    { name: "the project's budget", scope: 'project', spent: ofProject, reserved },
    { name: "this machine's budget for today", scope: 'day', spent: today, reserved },
  ] as const;
  return scopes.flatMap(({ name, scope, spent, reserved }) =>
    (['microusd', 'tokens'] as const).flatMap((of) => {
      const limit = budget[`${scope}_${of}`];
      if (limit == null) return [];
      const field = `limits.budget.${scope}_${of === 'microusd' ? 'usd' : of}`;
      return [{ name, field, of, limit, spent: spent[of], reserved: reserved[of] }];
    }),
  );
}

/** What this task's running attempts reserve. */
function reservedBy(task: Task): { readonly microusd: number; readonly tokens: number } {
  const attempts = task.open.flatMap((id) => underWay(task.steps.get(id))?.attempt ?? []);
  return {
    microusd: attempts.reduce((sum, { reserve }) => sum + reserve, 0),
    tokens: attempts.reduce((sum, { reserveTokens = 0 }) => sum + reserveTokens, 0),
  };
}

function usedUpText(
  { name, field, of, limit, spent }: BudgetUse,
  { id }: Pick<WorkflowStep, 'id'>,
  { need, isEstimate }: Reserve & { readonly need: number },
): string {
  const facts = `${amountText(of, spent)} of ${amountText(of, limit)} (${field})`;
  if (spent >= limit) return `${name} is used up: ${facts}`;
  const estimate = of === 'tokens' ? 'estimate_tokens' : 'estimate_usd';
  const from = of === 'tokens' || isEstimate ? ` (budget.${estimate})` : '';
  return `${name} does not cover another attempt: ${facts} is spent, and step ${id} sets aside ${amountText(of, need)}${from}`;
}

const amountText = (of: BudgetUse['of'], amount: number): string =>
  of === 'tokens' ? `${amount} tokens` : usd(amount);

/** Cents, or as many digits as a smaller amount needs. */
function usd(micro: number): string {
  const dollars = micro / 1e6;
  return `$${micro % 10_000 === 0 ? dollars.toFixed(2) : String(dollars)}`;
}
