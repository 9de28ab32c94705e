/** The cost of a task's attempts, from its events. */
import type { StepId } from '../../kernel/ids.ts';
import { type Task, underWay } from './task.ts';
import { type Cost, type Estimated, UNKNOWN_COST } from './values.ts';

/** The task closes while an attempt is running: its known cost counts, and an unknown price is counted as one. */
export function giveUp(task: Task, id: StepId): Task {
  const place = underWay(task.steps.get(id));
  if (place?.at === 'checking') return charged(task, id, place.product.cost);
  return place?.at === 'working' ? charged(task, id, UNKNOWN_COST) : task;
}

/** Gates and people cost no money: an attempt without a worker is neither priced nor unpriced. */
export function charged(task: Task, id: StepId, cost: Cost): Task {
  const attempt = underWay(task.steps.get(id))?.attempt;
  return attempt?.kind === 'gate' || attempt?.given !== undefined ? task : addCost(task, cost);
}

/** An unknown cost stays unknown: a sum starts with the first known number. */
function addCost(task: Task, cost: Cost): Task {
  const sum = (a: number | null, b: number | null) => (b === null ? a : (a ?? 0) + b);
  return {
    ...task,
    unpriced: task.unpriced + (cost.microusd === null ? 1 : 0),
    cost: {
      microusd: sum(task.cost.microusd, cost.microusd),
      tokens_in: sum(task.cost.tokens_in, cost.tokens_in),
      tokens_out: sum(task.cost.tokens_out, cost.tokens_out),
    },
  };
}

/** What budgets count beyond reported costs. */
export function withEstimate(task: Task, more: Estimated | undefined): Task {
  if (more === undefined) return task;
  const { microusd = 0, tokens = 0 } = task.estimated ?? {};
  return { ...task, estimated: { microusd: microusd + more.microusd, tokens: tokens + more.tokens } };
}
