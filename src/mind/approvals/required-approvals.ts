/**
 * What all approval policies together require for a change: all of their demands hold, and the strictest action counts.
 */
import {
  ACTIONS,
  type Action,
  type ApprovalPolicy,
  type ApprovalRule,
  type Demand,
  LEVELS,
  type Level,
  type Needed,
} from '../workflows/approval-policy.ts';
import { classify, type RiskFacts } from './classify.ts';

/** How long a person may reject what would otherwise continue by itself. */
export const TIMEOUT_MS = 30 * 60_000;

/** `timeoutMs`: for `notify_and_timeout`, the task goes on after this time without an answer. */
export function neededFor(
  policies: readonly ApprovalPolicy[],
  facts: RiskFacts,
): Needed & { readonly timeoutMs: number } {
  const each = policies.map((policy) => {
    const risk = classify(policy, facts);
    return { risk, demand: demandOf(policy, risk.level), timeoutMs: timeoutOf(policy, risk.level) };
  });
  const action = ACTIONS[Math.max(0, ...each.map(({ demand }) => ACTIONS.indexOf(demand.action)))] as Action;
  const level = LEVELS[Math.max(0, ...each.map(({ risk }) => LEVELS.indexOf(risk.level)))] as Level;
  const demands = each.map(({ demand }) => demand).filter((one) => ACTIONS.indexOf(one.action) > 0);
  return {
    level,
    why: [...new Set(each.filter(({ risk }) => risk.level === level).map(({ risk }) => risk.why))].join('; '),
    action,
    demands: demands.filter((one) => asksSomebody(one.action) || one.action === action),
    timeoutMs: Math.max(0, ...each.map((one) => one.timeoutMs)),
    expires_ms: Math.min(...policies.map((policy) => policy.expires_ms)),
  };
}

/** If a person is asked anyway, at least one approval is needed, whatever the policies say. */
export const atLeastOne = (one: Needed): Needed =>
  asksSomebody(one.action)
    ? one
    : {
        ...one,
        action: 'require_approval',
        demands: [{ level: one.level, action: 'require_approval', people: null, groups: [], min: 1 }],
      };

/** Whether the task stops until a person answers. */
export const asksSomebody = (action: Action): boolean =>
  action === 'require_approval' || action === 'require_multi_approval';

const ANYBODY: ApprovalRule = { conditions: [], action: 'require_approval' };

function demandOf(policy: ApprovalPolicy, level: Level): Demand {
  const { action, approvers, min_approvers } = ruleAt(policy, level);
  return {
    level,
    action,
    people: approvers === undefined ? null : peopleOf(policy, approvers),
    groups: approvers ?? [],
    min: action === 'require_multi_approval' ? (min_approvers ?? 2) : action === 'require_approval' ? 1 : 0,
  };
}

function timeoutOf(policy: ApprovalPolicy, level: Level): number {
  const { action, timeout_ms } = ruleAt(policy, level);
  return action === 'notify_and_timeout' ? (timeout_ms ?? TIMEOUT_MS) : 0;
}

/**
 * A level that the policy leaves out requires nothing if it is low, and at least what the lower levels require if it is
 * high.
 */
function ruleAt({ levels }: ApprovalPolicy, level: Level): ApprovalRule {
  const written = levels[level];
  if (written !== undefined) return written;
  if (level === 'low_risk') return { conditions: [], action: 'auto_approve' };
  const calm = [levels.medium_risk, levels.low_risk].find((one) => one !== undefined && asksSomebody(one.action));
  return calm ?? ANYBODY;
}

export const peopleOf = ({ groups }: Pick<ApprovalPolicy, 'groups'>, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => (Object.hasOwn(groups, name) ? (groups[name] ?? []) : []))),
];

/** How many different people have to approve. */
export const minOf = ({ demands }: Pick<Needed, 'demands'>): number => Math.max(0, ...demands.map(({ min }) => min));
