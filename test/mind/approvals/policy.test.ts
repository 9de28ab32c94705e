/** The approval policy: which level a change is on, who has to agree there, and that a tighter policy never asks less. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify, type RiskFacts } from '../../../src/mind/approvals/classify.ts';
import { conditionText, parseCondition } from '../../../src/mind/approvals/condition-text.ts';
import { classesOf, SHIPPED_CLASSES } from '../../../src/mind/approvals/path-classes.ts';
import { approverOf, mayApprove, missing } from '../../../src/mind/approvals/people.ts';
import { parseApprovals } from '../../../src/mind/approvals/policy-file.ts';
import { minOf, neededFor } from '../../../src/mind/approvals/required-approvals.ts';
import {
  ACTIONS,
  type ApprovalPolicy,
  type ApprovalRule,
  type Condition,
  LEVELS,
  MARKS,
  MEASURES,
} from '../../../src/mind/workflows/approval-policy.ts';
import { PLAN } from './plan.ts';

const read = (text: string): ApprovalPolicy => {
  const parsed = parseApprovals(text, 'approvals.yaml');
  if (parsed.type === 'problem') throw new Error(`${parsed.line}:${parsed.column}: ${parsed.message}`);
  return parsed.policy;
};
const plan = read(PLAN);

/** A small change that was measured whole. */
const facts = (
  measures: Partial<RiskFacts['measures']> = {},
  more: Partial<Omit<RiskFacts, 'measures'>> = {},
): RiskFacts => ({
  measures: {
    ...{ file_count: 1, lines_changed: 10, lines_added: 10, lines_removed: 0, new_dependencies: 0 },
    ...{ test_coverage: 90, coverage_delta: 0, score: 0.95 },
    ...measures,
  },
  classes: [],
  breaking: false,
  lockFile: false,
  reviewersDisagree: false,
  degraded: false,
  redBase: false,
  ...more,
});

const approvers = (names: readonly string[]) => names.map((name) => approverOf({ by: `operator:${name}` }));

describe("the plan's policy", () => {
  test.each([
    ['a small covered change', facts(), 'low_risk', 'auto_approve', 0],
    ['two files', facts({ file_count: 2 }), 'low_risk', 'auto_approve', 0],
    ['three files', facts({ file_count: 3 }), 'medium_risk', 'notify_and_timeout', 0],
    ['coverage of 80', facts({ test_coverage: 80 }), 'medium_risk', 'notify_and_timeout', 0],
    ['coverage of 80.1', facts({ test_coverage: 80.1 }), 'low_risk', 'auto_approve', 0],
    ['coverage that was not measured', facts({ test_coverage: null }), 'medium_risk', 'notify_and_timeout', 0],
    ['a file of CI', facts({}, { classes: ['ci'] }), 'medium_risk', 'notify_and_timeout', 0],
    ['nine files', facts({ file_count: 9 }), 'medium_risk', 'notify_and_timeout', 0],
    ['ten files fit no calm level', facts({ file_count: 10 }), 'high_risk', 'require_approval', 1],
    ['twenty-one files', facts({ file_count: 21 }), 'high_risk', 'require_approval', 1],
    ['a breaking change', facts({}, { breaking: true }), 'high_risk', 'require_approval', 1],
    ['breaking, as far as anybody knows', facts({}, { breaking: null }), 'high_risk', 'require_approval', 1],
    ['auth', facts({}, { classes: ['auth'] }), 'high_risk', 'require_approval', 1],
    ['payment', facts({}, { classes: ['payment'] }), 'high_risk', 'require_approval', 1],
    ['encryption', facts({}, { classes: ['encryption'] }), 'critical', 'require_multi_approval', 2],
    ['keys', facts({}, { classes: ['keys'] }), 'critical', 'require_multi_approval', 2],
    ['production', facts({}, { classes: ['production'] }), 'critical', 'require_multi_approval', 2],
    ['paths that nobody knows', facts({}, { classes: null }), 'critical', 'require_multi_approval', 2],
    ['files that nobody counted', facts({ file_count: null }), 'high_risk', 'require_approval', 1],
  ] as const)('%s', (_, change, level, action, min) => {
    const needed = neededFor([plan], change);
    expect({ level: needed.level, action: needed.action, min: minOf(needed) }).toEqual({ level, action, min });
  });

  test('waits 30 minutes for a rejection', () => {
    expect(neededFor([plan], facts({ file_count: 5 })).timeoutMs).toBe(30 * 60_000);
  });

  test('an approval counts for seven days', () => {
    expect(neededFor([plan], facts()).expires_ms).toBe(7 * 86_400_000);
  });

  test('one of the approvers is enough for high risk, and no other user is', () => {
    const needed = neededFor([plan], facts({}, { classes: ['auth'] }));
    expect(missing(needed, approvers(['cleo']))).toEqual([]);
    expect(missing(needed, approvers(['dora']))).toHaveLength(1);
    expect(approvers(['ada', 'dora']).map((one) => mayApprove(needed, one))).toEqual([true, false]);
  });

  test('critical wants two different people', () => {
    const needed = neededFor([plan], facts({}, { classes: ['keys'] }));
    expect(missing(needed, approvers(['ada', 'ada'])).map(({ more }) => more)).toEqual([1]);
    expect(missing(needed, approvers(['ada', 'eve'])).map(({ more }) => more)).toEqual([1]);
    expect(missing(needed, approvers(['ada', 'dora']))).toEqual([]);
  });

  test('says why', () => {
    expect(classify(plan, facts({ file_count: 21 })).why).toBe('file_count > 20, it is 21');
    expect(classify(plan, facts({ file_count: 12 })).why).toBe(
      'not low_risk (file_count < 3: no, it is 12); not medium_risk (file_count < 10: no, it is 12)',
    );
  });
});

describe('every condition', () => {
  const only = (condition: string) =>
    read(`approval_gates:\n  high_risk: {conditions: ["${condition}"], action: require_approval}\n`);

  test.each([
    ['file_count > 5', facts({ file_count: 6 }), facts({ file_count: 5 })],
    ['file_count >= 5', facts({ file_count: 5 }), facts({ file_count: 4 })],
    ['lines_changed > 100', facts({ lines_changed: 101 }), facts({ lines_changed: 100 })],
    ['lines_added > 100', facts({ lines_added: 101 }), facts({ lines_added: 100 })],
    ['lines_removed == 0', facts({ lines_removed: 0 }), facts({ lines_removed: 1 })],
    ['new_dependencies > 0', facts({ new_dependencies: 1 }), facts()],
    ['test_coverage < 80', facts({ test_coverage: 79 }), facts({ test_coverage: 80 })],
    ['coverage_delta < -1', facts({ coverage_delta: -2 }), facts({ coverage_delta: -1 })],
    ['score <= 0.9', facts({ score: 0.9 }), facts({ score: 0.91 })],
    ['no_security_sensitive_files', facts(), facts({}, { classes: ['auth'] })],
    ['security_sensitive_files', facts({}, { classes: ['auth'] }), facts()],
    ['no_breaking_changes', facts(), facts({}, { breaking: true })],
    ['breaking_api_changes', facts({}, { breaking: true }), facts()],
    ['no_new_dependencies', facts(), facts({ new_dependencies: 2 })],
    ['adds_dependencies', facts({ new_dependencies: 2 }), facts()],
    ['no_lock_file_changes', facts(), facts({}, { lockFile: true })],
    ['lock_file_changes', facts({}, { lockFile: true }), facts()],
    ['reviewers_disagree', facts({}, { reviewersDisagree: true }), facts()],
    ['degraded', facts({}, { degraded: true }), facts()],
    ['red_base_excused', facts({}, { redBase: true }), facts()],
    ...['auth_code', 'payment_code', 'encryption', 'key_management', 'ci'].map(
      (name, n) =>
        [
          `changes_${name}`,
          facts({}, { classes: [['auth', 'payment', 'encryption', 'keys', 'ci'][n] as string] }),
          facts(),
        ] as const,
    ),
    ['production_config_changes', facts({}, { classes: ['production'] }), facts()],
  ] as const)('%s', (condition, met, unmet) => {
    expect(classify(only(condition), met).level).toBe('high_risk');
    expect(classify(only(condition), unmet)).toEqual({
      level: 'low_risk',
      why: 'nothing that the policy asks about',
    });
  });

  test('is read as it is printed', () => {
    const all: Condition[] = [
      ...MARKS.map((mark) => ({ mark })),
      ...MEASURES.map((measure) => ({ measure, is: '>=' as const, than: -1.5 })),
      ...[...SHIPPED_CLASSES, 'billing'].map((changes) => ({ changes })),
    ];
    const classes = [...SHIPPED_CLASSES, 'billing'];
    expect(all.map((one) => parseCondition(conditionText(one), classes))).toEqual(all);
  });
});

describe('classes of paths', () => {
  test.each([
    ['src/auth/login.ts', ['auth']],
    ['src/userAuth.ts', ['auth']],
    ['lib/OAuth2Client.java', ['auth']],
    ['src/author.ts', []],
    ['src/authors/list.ts', []],
    ['app/payments/refund.py', ['payment']],
    ['src/crypto/aes_gcm.go', ['encryption']],
    ['src/keyManagement.ts', ['keys']],
    ['config/secrets.yaml', ['keys']],
    ['.env.production', ['keys', 'production']],
    ['.github/workflows/test.yml', ['ci']],
    ['config/prod.yaml', ['production']],
    ['src/product.ts', []],
    ['src/keyboard.ts', []],
    ['README.md', []],
  ])('%s', (path, classes) => {
    expect(classesOf([path], [])).toEqual(classes);
  });

  test('patterns add to a class, and make new ones', () => {
    expect(classesOf(['src/door/a.ts', 'web/x.css'], [{ auth: ['src/door/'] }, { looks: ['*.css'] }])).toEqual([
      'auth',
      'looks',
    ]);
  });
});

describe('refused policies', () => {
  const high = 'high_risk: {conditions: [file_count > 5], action: require_approval}';
  test.each([
    ['approval_gates: {}', 'holds no level'],
    ['approval_gates:\n  high_risk: {action: require_approval}', 'approval_gates.high_risk.conditions: is missing'],
    ['approval_gates:\n  high_risk:', 'approval_gates.high_risk: must be keys and values, not empty'],
    ['approval_gates:\n  high_risk: {conditions: [5], action: require_approval}', 'must be text, not 5'],
    ['approval_gates:\n  high_risk: {conditions: [file_count > 5], action: auto_approve}', 'needs a person'],
    ['approval_gates:\n  critical: {conditions: [degraded], action: notify_and_timeout}', 'needs a person'],
    ['approval_gates:\n  high_risk: {conditions: [], action: require_approval}', 'no change would ever be'],
    [
      'approval_gates:\n  high_risk: {conditions: [file_cout > 5], action: require_approval}',
      'did you mean file_count',
    ],
    ['approval_gates:\n  high_risk: {conditions: [changes_billing], action: require_approval}', 'no class of paths'],
    ['approval_gates:\n  high_risk: {conditions: [nonsense], action: require_approval}', 'is no condition'],
    [
      'approval_gates:\n  low_risk: {conditions: [changes_ci], action: auto_approve}',
      'write this one under high_risk or critical',
    ],
    [
      'approval_gates:\n  high_risk: {conditions: [degraded], action: require_multi_approval}\n  critical: {conditions: [file_count > 9], action: require_approval}',
      'is weaker than require_multi_approval of high_risk',
    ],
    [
      'approval_gates:\n  high_risk: {conditions: [degraded], action: require_multi_approval, min_approvers: 3}\n  critical: {conditions: [file_count > 9], action: require_multi_approval}',
      'is lower than 3 of high_risk',
    ],
    [
      'approval_gates:\n  low_risk: {conditions: [], action: notify_and_timeout, timeout_minutes: 60}\n  medium_risk: {conditions: [], action: notify_and_timeout}',
      'is shorter than that of low_risk',
    ],
    [
      'approval_gates:\n  high_risk: {conditions: [degraded], action: require_approval, approvers: [leads]}',
      'there is no group leads',
    ],
    [
      'approval_gates:\n  critical: {conditions: [degraded], action: require_multi_approval, approvers: [leads]}\ngroups: {leads: [ada]}',
      'can never be reached',
    ],
    ['approval_gates:\n  low_risk: {conditions: [], action: auto_approve, approvers: [leads]}', 'leave approvers out'],
    [
      'approval_gates:\n  high_risk: {conditions: [degraded], action: require_approval, min_approvers: 2}',
      'is for require_multi_approval',
    ],
    [
      'approval_gates:\n  high_risk: {conditions: [degraded], action: require_approval, timeout_minutes: 5}',
      'is for notify_and_timeout',
    ],
    [
      'approval_gates:\n  medium_risk: {conditions: [], action: notify_and_timeout, notification: slack}',
      'set notifications in your own config',
    ],
    ['approval_gates:\n  low_risk: {conditions: [score > 90], action: auto_approve}', 'score is from 0 to 1'],
    ['approval_gates:\n  low_risk: {conditions: [score > 90%], action: auto_approve}', 'score is no percentage'],
    ['approval_gates:\n  low_risk: {conditions: [test_coverage > 100], action: auto_approve}', 'is from 0 to 100'],
    [
      'approval_gates:\n  low_risk: {conditions: [file_count < 0], action: auto_approve}',
      'file_count is never below 0',
    ],
    ['approval_gates:\n  high_risk: {conditions: [file_count > -1], action: require_approval}', 'is never below 0'],
    [
      'approval_gates:\n  critical: {conditions: [degraded], action: require_multi_approval, approvers: [leads]}\ngroups: {leads: [ada, ada@example.com]}',
      'these groups have 1 (ada and ada@example.com count as one person): that can never be reached',
    ],
    [
      'approval_gates:\n  high_risk: {conditions: [degraded], action: require_approval, approvers: [leads]}\n  critical: {conditions: [file_count > 9], action: require_approval}\ngroups: {leads: [ada]}',
      'any person may approve, and high_risk, which is less risk, wants leads',
    ],
    [
      'approval_gates:\n  high_risk: {conditions: [file_count = 3], action: require_approval}',
      'write <, <=, >, >=, ==',
    ],
    ['approval_gates:\n  high_risk: {conditions: [file_count], action: require_approval}', 'compare it, such as'],
    [
      'approval_gates:\n  high_risk: {conditions: [file_count > three], action: require_approval}',
      '"three" is no number',
    ],
    ['approval_gates:\n  high_risk: {conditions: [coverage < 80], action: require_approval}', 'mean test_coverage?'],
    [`approval_gates:\n  ${high}\nexpires: 7`, 'with its unit, such as 7d'],
    [`approval_gates:\n  ${high}\npaths: {auth_code: [src/a]}`, 'already means a class of ours'],
    [`approval_gates:\n  ${high}\nexpires: 0s`, 'longer than 0'],
    [
      `approval_gates:\n  ${high}\nexamples:\n  - {change: {files: [a, b]}, level: high_risk, why: two are many}`,
      'this change is low_risk: nothing that the policy asks about (the example says: two are many)',
    ],
  ])('%s', (text, message) => {
    const parsed = parseApprovals(text, 'approvals.yaml');
    expect(parsed.type === 'problem' ? parsed.message : 'it was accepted').toContain(message);
  });

  test.each(['test_coverage > 80%', 'coverage_delta < -1%', 'score >= 1', 'score < 1', 'test_coverage < 100'])(
    'the bounds themselves are accepted: %s',
    (condition) => {
      const level = `high_risk: {conditions: ["${condition}"], action: require_approval}`;
      expect(read(`approval_gates:\n  ${level}\n`).levels.high_risk?.conditions).toHaveLength(1);
    },
  );

  test('an example that holds is accepted', () => {
    const text = `approval_gates:\n  ${high}\nexamples:\n  - {change: {files: [a, b, c, d, e, f]}, level: high_risk}\n`;
    expect(read(text).levels.high_risk?.action).toBe('require_approval');
  });
});

test('the example of the documentation is a policy', () => {
  const page = readFileSync(new URL('../../../docs/reference/approvals.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n(approval_gates:[\s\S]*?)```/.exec(page) ?? [];
  expect(read(example).paths).toEqual({ money: ['src/ledger/', '*.rates.yaml'] });
});

describe('a tighter policy', () => {
  const rank = ({ action }: { action: (typeof ACTIONS)[number] }) => ACTIONS.indexOf(action);
  const measure = fc.record({
    measure: fc.constantFrom(...MEASURES),
    is: fc.constantFrom('<', '<=', '>', '>=', '==') as fc.Arbitrary<'<'>,
    than: fc.integer({ min: -2, max: 12 }),
  });
  const mark = fc.record({ mark: fc.constantFrom(...MARKS) });
  const strict = fc.oneof(measure, mark, fc.record({ changes: fc.constantFrom(...SHIPPED_CLASSES) }));
  const calm = fc.oneof(
    measure,
    mark.filter(({ mark: one }) => one !== 'security_sensitive_files'),
  );
  const PEOPLE = ['a', 'b', 'c', 'd'];

  /** Levels in order: each is at least as strict as the one below. */
  const policy: fc.Arbitrary<ApprovalPolicy> = fc
    .record({
      calm: fc.tuple(fc.option(fc.array(calm, { maxLength: 3 })), fc.option(fc.array(calm, { maxLength: 3 }))),
      strict: fc.tuple(
        fc.option(fc.array(strict, { minLength: 1, maxLength: 3 })),
        fc.option(fc.array(strict, { minLength: 1, maxLength: 3 })),
      ),
      actions: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(1), fc.nat(1)),
      min: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2)),
      approvers: fc.option(fc.subarray(['g', 'h'], { minLength: 1 })),
    })
    .map(({ calm: [low, medium], strict: [high, critical], actions, min, approvers }) => {
      const levels: { [level in (typeof LEVELS)[number]]?: ApprovalRule } = {};
      let [action, people] = [0, 2];
      for (const [n, conditions] of [low, medium, high, critical].entries()) {
        if (conditions === null) continue;
        action = Math.max(action, n < 2 ? (actions[n] as number) : 2 + (actions[n] as number));
        people = Math.max(people, 2 + (min[n] as number));
        levels[LEVELS[n] as (typeof LEVELS)[number]] = {
          conditions,
          action: ACTIONS[action] as ApprovalRule['action'],
          ...(action === 3 ? { min_approvers: people } : {}),
          ...(action >= 2 && approvers !== null ? { approvers } : {}),
        };
      }
      return { levels, groups: { g: PEOPLE, h: ['c', 'd', 'e', 'f'] }, paths: {}, expires_ms: 1_000 };
    });
  const change: fc.Arbitrary<RiskFacts> = fc.record({
    measures: fc.record(
      Object.fromEntries(MEASURES.map((one) => [one, fc.option(fc.integer({ min: -2, max: 12 }))])) as Record<
        (typeof MEASURES)[number],
        fc.Arbitrary<number | null>
      >,
    ),
    classes: fc.option(fc.subarray([...SHIPPED_CLASSES])),
    breaking: fc.option(fc.boolean()),
    lockFile: fc.option(fc.boolean()),
    reviewersDisagree: fc.boolean(),
    degraded: fc.boolean(),
    redBase: fc.boolean(),
  });

  /** One step that makes it tighter. */
  type Tightening = (policy: ApprovalPolicy) => ApprovalPolicy;
  const withRule = (
    one: ApprovalPolicy,
    level: (typeof LEVELS)[number],
    change: (rule: ApprovalRule) => ApprovalRule,
  ): ApprovalPolicy => {
    const rule = one.levels[level];
    return rule === undefined ? one : { ...one, levels: { ...one.levels, [level]: change(rule) } };
  };
  const tightening: fc.Arbitrary<Tightening> = fc.oneof(
    fc.tuple(fc.constantFrom('high_risk', 'critical'), strict).map(
      ([level, condition]): Tightening =>
        (one) =>
          withRule(one, level as 'critical', (rule) => ({ ...rule, conditions: [...rule.conditions, condition] })),
    ),
    fc.tuple(fc.constantFrom('low_risk', 'medium_risk'), calm).map(
      ([level, condition]): Tightening =>
        (one) =>
          withRule(one, level as 'low_risk', (rule) => ({ ...rule, conditions: [...rule.conditions, condition] })),
    ),
    fc.constant((one: ApprovalPolicy) => {
      const { low_risk: _, ...levels } = one.levels;
      return levels.medium_risk === undefined ? one : { ...one, levels };
    }),
    // A stricter action, on a level and on all above it.
    fc.nat(3).map(
      (from): Tightening =>
        (one) => {
          let result = one;
          for (const level of LEVELS.slice(from))
            result = withRule(result, level, (rule) =>
              rank(rule) >= 2
                ? { ...rule, action: 'require_multi_approval', min_approvers: (rule.min_approvers ?? 2) + 1 }
                : { ...rule, action: ACTIONS[rank(rule) + 1] as ApprovalRule['action'] },
            );
          return result;
        },
    ),
  );

  test('never asks less: 1,000 random policies and changes', () => {
    let tighter = 0;
    fc.assert(
      fc.property(policy, fc.array(tightening, { minLength: 1, maxLength: 4 }), change, (loose, steps, facts) => {
        const tight = steps.reduce((one, step) => step(one), loose);
        const [before, after] = [neededFor([loose], facts), neededFor([tight], facts)];
        if (rank(after) > rank(before) || minOf(after) > minOf(before)) tighter += 1;
        expect(rank(after)).toBeGreaterThanOrEqual(rank(before));
        expect(minOf(after)).toBeGreaterThanOrEqual(minOf(before));
      }),
      { numRuns: 1_000 },
    );
    // The property says something only if the steps do.
    expect(tighter).toBeGreaterThan(100);
  });

  test('a second policy never asks less: what either of them wants is wanted', () => {
    const people = [...PEOPLE, 'e', 'f'];
    fc.assert(
      fc.property(policy, policy, change, fc.subarray(people), (one, two, facts, voters) => {
        const both = neededFor([one, two], facts);
        for (const policy of [one, two]) {
          const alone = neededFor([policy], facts);
          expect(rank(both)).toBeGreaterThanOrEqual(rank(alone));
          expect(minOf(both)).toBeGreaterThanOrEqual(minOf(alone));
          if (missing(both, approvers(voters)).length === 0) expect(missing(alone, approvers(voters))).toEqual([]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('the check can fail: a policy that is loosened is found out', () => {
    const loose = neededFor(
      [{ ...plan, levels: { ...plan.levels, critical: undefined } }],
      facts({}, { classes: ['keys'] }),
    );
    expect(rank(loose)).toBeLessThan(rank(neededFor([plan], facts({}, { classes: ['keys'] }))));
  });
});
