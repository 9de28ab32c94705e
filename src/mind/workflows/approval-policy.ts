/** The approval policy as a step pins it: levels of risk, the conditions of each, and who has to agree. */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { pathPattern } from '../fields/role-fields.ts';

/** From the least risk to the most. */
export const LEVELS = ['low_risk', 'medium_risk', 'high_risk', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

/** From the weakest to the strictest. */
export const ACTIONS = ['auto_approve', 'notify_and_timeout', 'require_approval', 'require_multi_approval'] as const;
export type Action = (typeof ACTIONS)[number];

/** Numbers known about a change. `test_coverage` and `coverage_delta` are in percent, `score` is between 0 and 1. */
export const MEASURES = [
  ...(['file_count', 'lines_changed', 'lines_added', 'lines_removed', 'new_dependencies'] as const),
  ...(['test_coverage', 'coverage_delta', 'score'] as const),
] as const;
export type Measure = (typeof MEASURES)[number];

/** Facts that hold or do not hold. */
export const MARKS = [
  ...(['no_security_sensitive_files', 'no_breaking_changes', 'no_new_dependencies', 'no_lock_file_changes'] as const),
  ...(['security_sensitive_files', 'breaking_api_changes', 'adds_dependencies', 'lock_file_changes'] as const),
  ...(['reviewers_disagree', 'degraded', 'red_base_excused'] as const),
] as const;
export type ChangeMark = (typeof MARKS)[number];

export const COMPARISONS = ['<', '<=', '>', '>=', '=='] as const;

const word = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const duration = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_DURATION_MS));

const condition = v.union([
  v.strictObject({ measure: v.picklist(MEASURES), is: v.picklist(COMPARISONS), than: v.pipe(v.number(), v.finite()) }),
  v.strictObject({ mark: v.picklist(MARKS) }),
  /** The change touches a file of this class of paths. */
  v.strictObject({ changes: word }),
]);
export type Condition = v.InferOutput<typeof condition>;

const rule = v.strictObject({
  conditions: v.array(condition),
  action: v.picklist(ACTIONS),
  /** Names of groups. Absent: anybody may approve. */
  approvers: v.optional(v.pipe(v.array(word), v.minLength(1))),
  min_approvers: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(20))),
  timeout_ms: v.optional(duration),
});
export type ApprovalRule = v.InferOutput<typeof rule>;

export const approvalPolicy = v.strictObject({
  levels: v.strictObject({
    low_risk: v.optional(rule),
    medium_risk: v.optional(rule),
    high_risk: v.optional(rule),
    critical: v.optional(rule),
  }),
  /** People by group: names of OS users, or principals of the allowed signers. */
  groups: v.record(word, v.array(word)),
  /** More patterns of paths, by class. */
  paths: v.record(word, v.array(pathPattern)),
  /** How long an approval counts. */
  expires_ms: duration,
});
export type ApprovalPolicy = v.InferOutput<typeof approvalPolicy>;

const demand = v.object({
  level: v.picklist(LEVELS),
  action: v.picklist(ACTIONS),
  /** The people who may approve; null for anybody. */
  people: v.nullable(v.array(word)),
  /** The groups of these people, for the message. */
  groups: v.array(word),
  min: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
export type Demand = v.InferOutput<typeof demand>;

/** What the policies require for one change: every demand has to be met. */
export const needed = v.object({
  level: v.picklist(LEVELS),
  why: v.pipe(v.string(), v.maxLength(4_000)),
  action: v.picklist(ACTIONS),
  demands: v.array(demand),
  /** How long an approval counts. */
  expires_ms: duration,
});
export type Needed = v.InferOutput<typeof needed>;
