/**
 * What budgets reserve for an attempt, and what they count for it: an unknown cost counts as the configured estimate.
 */
import { type BudgetLimits, estimateOf } from '../domain/limits.ts';
import type { Cost, Estimated, OutcomeClass, Spec } from '../domain/values.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';

const isSet = (...budgets: readonly (number | null | undefined)[]): boolean => budgets.some((one) => one != null);
const hasMoney = ({ task_microusd, project_microusd, day_microusd }: BudgetLimits): boolean =>
  isSet(task_microusd, project_microusd, day_microusd);
const hasTokens = ({ task_tokens, project_tokens, day_tokens }: BudgetLimits): boolean =>
  isSet(task_tokens, project_tokens, day_tokens);

/** What an attempt reserves, in money and tokens. `isEstimate`: the step has no value of its own. */
export type Reserve = { readonly microusd: number; readonly tokens: number; readonly isEstimate: boolean };

export function reserveOf(
  budget: BudgetLimits,
  { reserve }: Pick<WorkflowStep, 'reserve'>,
  { simulated }: Pick<Spec, 'simulated'>,
): Reserve {
  // Simulation costs nothing.
  if (simulated === true) return { microusd: reserve, tokens: 0, isEstimate: false };
  const estimate = estimateOf(budget);
  const isEstimate = reserve === 0 && hasMoney(budget);
  return {
    microusd: isEstimate ? estimate.microusd : reserve,
    tokens: hasTokens(budget) ? estimate.tokens : 0,
    isEstimate,
  };
}

/** Such an attempt never reached a model. */
const NEVER_BEGAN: ReadonlySet<OutcomeClass> = new Set(['auth', 'missing_cli', 'wrong_version']);

/**
 * What budgets count beyond the reported cost; null if nothing. A worker's report is no proof: no attempt counts less
 * than the minimum, so that one which understates its cost still uses up a budget.
 */
export function estimatedFor(budget: BudgetLimits, cost: Cost, outcome: OutcomeClass | null): Estimated | null {
  if (outcome !== null && NEVER_BEGAN.has(outcome)) return null;
  const { microusd: unknown, tokens: unknownTokens, least } = estimateOf(budget);
  const told = cost.microusd ?? 0;
  const microusd = hasMoney(budget) ? Math.max((cost.microusd === null ? unknown : least) - told, 0) : 0;
  const isWhole = cost.tokens_in !== null && cost.tokens_out !== null;
  const tokens = hasTokens(budget) && !isWhole ? Math.max(unknownTokens - tokensOf(cost), 0) : 0;
  return microusd === 0 && tokens === 0 ? null : { microusd, tokens };
}

/** The sum of the known numbers. */
export const tokensOf = ({ tokens_in, tokens_out }: Cost): number => (tokens_in ?? 0) + (tokens_out ?? 0);
