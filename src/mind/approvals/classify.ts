/** Assigns a change its risk level; a pure function. */
import type { ApprovalPolicy, ChangeMark, Condition, Level, Measure } from '../workflows/approval-policy.ts';
import { conditionText } from './condition-text.ts';
import { SENSITIVE } from './path-classes.ts';

export type RiskFacts = {
  /** The measured values; null if not measured. */
  readonly measures: Readonly<Record<Measure, number | null>>;
  readonly classes: readonly string[] | null;
  readonly breaking: boolean | null;
  readonly lockFile: boolean | null;
  readonly reviewersDisagree: boolean;
  readonly degraded: boolean;
  readonly redBase: boolean;
};

type Risk = {
  readonly level: Level;
  /** The reasons for the level, in words. */
  readonly why: string;
};

const CALM = 'nothing that the policy asks about';

/**
 * `critical` and `high_risk` need one condition, and an unmeasured value meets it. `low_risk` and `medium_risk` need
 * all of their conditions, and an unmeasured value does not meet one. A change that fits no level is high risk if the
 * policy defines low or medium risk, else low risk.
 */
export function classify({ levels }: Pick<ApprovalPolicy, 'levels'>, facts: RiskFacts): Risk {
  for (const level of ['critical', 'high_risk'] as const) {
    const met = (levels[level]?.conditions ?? []).filter((one) => holds(one, facts) !== false);
    if (met.length > 0) return { level, why: met.map((one) => foundText(one, facts)).join(', ') };
  }
  const unfit: string[] = [];
  for (const level of ['low_risk', 'medium_risk'] as const) {
    const rule = levels[level];
    if (rule === undefined) continue;
    const missed = rule.conditions.filter((one) => holds(one, facts) !== true);
    if (missed.length === 0) return { level, why: rule.conditions.map(conditionText).join(', ') || 'everything else' };
    unfit.push(`not ${level} (${missed.map((one) => missedText(one, facts)).join(', ')})`);
  }
  return unfit.length > 0 ? { level: 'high_risk', why: unfit.join('; ') } : { level: 'low_risk', why: CALM };
}

/** Returns null if the value was not measured. */
function holds(condition: Condition, facts: RiskFacts): boolean | null {
  if ('mark' in condition) return marked(condition.mark, facts);
  if ('changes' in condition) return facts.classes === null ? null : facts.classes.includes(condition.changes);
  const { is, than } = condition;
  const value = facts.measures[condition.measure];
  if (value === null) return null;
  switch (is) {
    case '<':
      return value < than;
    case '<=':
      return value <= than;
    case '>':
      return value > than;
    case '>=':
      return value >= than;
    case '==':
      return value === than;
    default:
      return is satisfies never;
  }
}

function marked(mark: ChangeMark, { measures, classes, breaking, lockFile, ...flags }: RiskFacts): boolean | null {
  const sensitive = classes === null ? null : classes.some((name) => SENSITIVE.has(name));
  const adds = measures.new_dependencies === null ? null : measures.new_dependencies > 0;
  switch (mark) {
    case 'security_sensitive_files':
      return sensitive;
    case 'no_security_sensitive_files':
      return not(sensitive);
    case 'breaking_api_changes':
      return breaking;
    case 'no_breaking_changes':
      return not(breaking);
    case 'adds_dependencies':
      return adds;
    case 'no_new_dependencies':
      return not(adds);
    case 'lock_file_changes':
      return lockFile;
    case 'no_lock_file_changes':
      return not(lockFile);
    case 'reviewers_disagree':
      return flags.reviewersDisagree;
    case 'degraded':
      return flags.degraded;
    case 'red_base_excused':
      return flags.redBase;
    default:
      return mark satisfies never;
  }
}

const not = (one: boolean | null): boolean | null => (one === null ? null : !one);

const foundText = (condition: Condition, facts: RiskFacts): string =>
  `${conditionText(condition)}${holds(condition, facts) === null ? ' (not measured)' : measuredText(condition, facts)}`;

const missedText = (condition: Condition, facts: RiskFacts): string =>
  `${conditionText(condition)}: ${holds(condition, facts) === null ? 'not measured' : `no${measuredText(condition, facts)}`}`;

function measuredText(condition: Condition, { measures }: RiskFacts): string {
  return 'measure' in condition ? `, it is ${measures[condition.measure]}` : '';
}
