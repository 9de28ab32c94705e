/**
 * Parses an `approvals.yaml` strictly, with the place of each mistake, and checks its own examples before it counts.
 */
import * as v from 'valibot';
import { parseDuration } from '../../kernel/duration.ts';
import { name, pattern, text } from '../fields/fields.ts';
import { type ParsedFile, parseFile } from '../fields/parse-file.ts';
import { oneOf, whole } from '../fields/role-fields.ts';
import type { FileProblem } from '../fields/yaml.ts';
import {
  ACTIONS,
  type ApprovalPolicy,
  type ApprovalRule,
  type Condition,
  LEVELS,
  type Level,
  type Measure,
} from '../workflows/approval-policy.ts';
import { classify, type RiskFacts } from './classify.ts';
import { isShadowed, parseCondition, rangeProblem } from './condition-text.ts';
import { classesOf, SHIPPED_CLASSES } from './path-classes.ts';
import { peopleNamed } from './people.ts';
import { asksSomebody, peopleOf, TIMEOUT_MS } from './required-approvals.ts';

const EXPIRES = '7d';

const person = v.pipe(
  text(200),
  v.regex(/^[\w.@+-]{1,200}$/, 'must be the name of an OS user, or a principal of the allowed signers'),
);
const level = v.strictObject({
  conditions: v.pipe(v.array(text(200), 'must be a list of conditions'), v.maxLength(100)),
  action: oneOf(ACTIONS, 'action'),
  approvers: v.optional(v.pipe(v.array(name), v.minLength(1, 'is empty: name a group, or leave it out'))),
  min_approvers: v.optional(whole(2, 20)),
  timeout_minutes: v.optional(whole(1, 7 * 24 * 60)),
  /** Channels are the user's own setting: a project must not choose where messages go. */
  notification: v.optional(v.never('is not set here: set notifications in your own config')),
});
const number = v.pipe(v.number('must be a number'), v.finite('must be a number'));
const example = v.strictObject({
  /** A missing count is zero (files, lines, dependencies). A missing coverage or score is unknown. */
  change: v.strictObject({
    files: v.optional(v.array(text(4_000))),
    ...mapOf(['file_count', 'lines_added', 'lines_removed', 'new_dependencies'] as const, v.optional(whole(0, 1e9))),
    ...mapOf(['test_coverage', 'coverage_delta', 'score'] as const, v.optional(number)),
    ...mapOf(['breaking_api_changes', 'lock_file_changes'] as const, v.optional(v.boolean())),
    ...mapOf(['reviewers_disagree', 'degraded', 'red_base_excused'] as const, v.optional(v.boolean())),
  }),
  level: oneOf(LEVELS, 'level'),
  why: v.optional(text(500)),
});
type Example = v.InferOutput<typeof example>;

/** A bare number would mean seconds, and a person does not answer in seven of them. */
const WITH_UNIT = 'must be a duration with its unit, such as 7d';
const expires = v.pipe(
  v.string(WITH_UNIT),
  v.check((written) => /[a-z]\s*$/.test(written) && parseDuration(written) !== null, WITH_UNIT),
  v.transform((written) => parseDuration(written) as number),
);

const approvalsFile = v.strictObject({
  approval_gates: v.strictObject({
    low_risk: v.optional(level),
    medium_risk: v.optional(level),
    high_risk: v.optional(level),
    critical: v.optional(level),
  }),
  groups: v.optional(v.record(name, v.pipe(v.array(person), v.minLength(1, 'is empty: name at least one person'))), {}),
  paths: v.optional(v.record(name, v.pipe(v.array(pattern), v.minLength(1, 'is empty: write a pattern'))), {}),
  expires: v.optional(expires, EXPIRES),
  examples: v.optional(v.array(example), []),
});
type PolicyFile = v.InferOutput<typeof approvalsFile>;

/** Parses the policy of one file. With a problem in it nothing may start. */
export function parseApprovals(
  source: string,
  file: string,
): { readonly type: 'policy'; readonly policy: ApprovalPolicy } | FileProblem {
  const parsed = parseFile(approvalsFile, source, file);
  if (parsed.type === 'problem') return parsed;
  const { value, problem } = parsed;
  const shadowed = Object.keys(value.paths).find(isShadowed);
  if (shadowed !== undefined)
    return problem(['paths', shadowed], `\`changes_${shadowed}\` already means a class of ours: give it another name`);
  if (value.expires === 0) return problem(['expires'], 'must be longer than 0');
  const read = readLevels(value, problem);
  if ('type' in read) return read;
  const { paths, groups, expires: expires_ms } = value;
  const policy: ApprovalPolicy = { levels: read, groups, paths, expires_ms };
  const wrong = groupProblem(policy, problem) ?? orderProblem(policy, problem) ?? exampleProblem(policy, parsed);
  return wrong ?? { type: 'policy', policy };
}

type PolicyProblem = ParsedFile<unknown>['problem'];
type Levels = { [level in Level]?: ApprovalRule };
const STRICT: ReadonlySet<Level> = new Set(['high_risk', 'critical']);

function readLevels({ approval_gates: gates, paths }: PolicyFile, problem: PolicyProblem): Levels | FileProblem {
  const levels: Levels = {};
  const classes = [...new Set([...SHIPPED_CLASSES, ...Object.keys(paths)])];
  for (const name of LEVELS) {
    const written = gates[name];
    if (written === undefined) continue;
    const at = ['approval_gates', name] as const;
    if (written.conditions.length === 0 && STRICT.has(name))
      return problem([...at, 'conditions'], 'is empty: no change would ever be on this level');
    const conditions: Condition[] = [];
    for (const [n, text] of written.conditions.entries()) {
      const condition = parseCondition(text, classes);
      const wrong = typeof condition === 'string' ? condition : (rangeProblem(condition) ?? misplaced(name, condition));
      if (wrong !== null) return problem([...at, 'conditions', n], wrong);
      conditions.push(condition as Condition);
    }
    const { action, approvers, min_approvers, timeout_minutes } = written;
    const wrong = ruleProblem(name, written);
    if (wrong !== null) return problem([...at, wrong.key], wrong.message);
    levels[name] = {
      conditions,
      action,
      ...(approvers === undefined ? {} : { approvers }),
      ...(min_approvers === undefined ? {} : { min_approvers }),
      ...(timeout_minutes === undefined ? {} : { timeout_ms: timeout_minutes * 60_000 }),
    };
  }
  if (Object.keys(levels).length === 0)
    return problem(['approval_gates'], `holds no level: write at least one of ${LEVELS.join(', ')}`);
  return levels;
}

/** Low levels list what must not be there: with a class in such a list, a wider pattern would ask less. */
function misplaced(level: Level, condition: Condition): string | null {
  if (STRICT.has(level)) return null;
  const isClass = 'changes' in condition || ('mark' in condition && condition.mark === 'security_sensitive_files');
  return isClass ? `${level} lists what must hold for a low risk: write this one under high_risk or critical` : null;
}

function ruleProblem(
  level: Level,
  { action, approvers, min_approvers, timeout_minutes }: NonNullable<PolicyFile['approval_gates'][Level]>,
): { readonly key: string; readonly message: string } | null {
  if (STRICT.has(level) && !asksSomebody(action))
    return { key: 'action', message: `${level} needs a person: write require_approval or require_multi_approval` };
  if (approvers !== undefined && !asksSomebody(action))
    return { key: 'approvers', message: `nobody has to approve with ${action}: leave approvers out` };
  if (min_approvers !== undefined && action !== 'require_multi_approval')
    return { key: 'min_approvers', message: 'is for require_multi_approval' };
  if (timeout_minutes !== undefined && action !== 'notify_and_timeout')
    return { key: 'timeout_minutes', message: 'is for notify_and_timeout' };
  return null;
}

function groupProblem(policy: ApprovalPolicy, problem: PolicyProblem): FileProblem | null {
  const { levels, groups } = policy;
  for (const level of LEVELS) {
    const rule = levels[level];
    if (rule?.approvers === undefined) continue;
    const at = ['approval_gates', level, 'approvers'] as const;
    const n = rule.approvers.findIndex((group) => !Object.hasOwn(groups, group));
    if (n >= 0) {
      const known = Object.keys(groups);
      const list = known.length > 0 ? `known: ${known.join(', ')}` : 'there is none';
      return problem([...at, n], `there is no group ${rule.approvers[n]} (${list}): write its people under \`groups\``);
    }
    const names = peopleOf(policy, rule.approvers);
    const people = peopleNamed(names);
    const min = minOf(rule);
    if (people.length < min)
      return problem(
        at,
        `${min} people have to approve, and these groups have ${people.length}${sameText(people)}: that can never be reached`,
      );
  }
  return null;
}

/** Which names are those of one person. */
function sameText(people: readonly (readonly string[])[]): string {
  const several = people.filter(({ length }) => length > 1).map((names) => names.join(' and '));
  return several.length === 0 ? '' : ` (${several.join(', ')} count as one person)`;
}

const minOf = ({ action, min_approvers }: ApprovalRule): number =>
  action === 'require_multi_approval' ? (min_approvers ?? 2) : 0;

/** A higher level never requires less. */
function orderProblem({ levels }: ApprovalPolicy, problem: PolicyProblem): FileProblem | null {
  let below: { readonly level: Level; readonly rule: ApprovalRule } | null = null;
  for (const level of LEVELS) {
    const rule = levels[level];
    if (rule === undefined) continue;
    const at = ['approval_gates', level] as const;
    if (below !== null) {
      const rank = ACTIONS.indexOf(rule.action) - ACTIONS.indexOf(below.rule.action);
      if (rank < 0)
        return problem([...at, 'action'], `is weaker than ${below.rule.action} of ${below.level}, which is less risk`);
      if (rank === 0 && minOf(rule) < minOf(below.rule))
        return problem(
          [...at, 'min_approvers'],
          `is lower than ${minOf(below.rule)} of ${below.level}, which is less risk`,
        );
      if (rank === 0 && below.rule.approvers !== undefined && rule.approvers === undefined)
        return problem(
          [...at, 'action'],
          `any person may approve, and ${below.level}, which is less risk, wants ${below.rule.approvers.join(' or ')}: name approvers here too`,
        );
      if (rank === 0 && (rule.timeout_ms ?? TIMEOUT_MS) < (below.rule.timeout_ms ?? TIMEOUT_MS))
        return problem([...at, 'timeout_minutes'], `is shorter than that of ${below.level}, which is less risk`);
    }
    below = { level, rule };
  }
  return null;
}

function exampleProblem(policy: ApprovalPolicy, { value, problem }: ParsedFile<PolicyFile>): FileProblem | null {
  for (const [n, { change, level, why }] of value.examples.entries()) {
    const risk = classify(policy, exampleFacts(policy, change));
    if (risk.level === level) continue;
    const because = why === undefined ? '' : ` (the example says: ${why})`;
    return problem(['examples', n, 'level'], `this change is ${risk.level}: ${risk.why}${because}`);
  }
  return null;
}

function exampleFacts(policy: ApprovalPolicy, change: Example['change']): RiskFacts {
  const { files = [], file_count = files.length, lines_added = 0, lines_removed = 0 } = change;
  const measures: Record<Measure, number | null> = {
    file_count,
    lines_added,
    lines_removed,
    lines_changed: lines_added + lines_removed,
    new_dependencies: change.new_dependencies ?? 0,
    test_coverage: change.test_coverage ?? null,
    coverage_delta: change.coverage_delta ?? null,
    score: change.score ?? null,
  };
  return {
    measures,
    classes: classesOf(files, [policy.paths]),
    breaking: change.breaking_api_changes ?? false,
    lockFile: change.lock_file_changes ?? false,
    reviewersDisagree: change.reviewers_disagree ?? false,
    degraded: change.degraded ?? false,
    redBase: change.red_base_excused ?? false,
  };
}

function mapOf<const K extends string, S>(keys: readonly K[], schema: S): { readonly [key in K]: S } {
  return Object.fromEntries(keys.map((key) => [key, schema])) as { [key in K]: S };
}
