/**
 * The numbers of sections 1, 4, 5 and appendix A of the supervisor design, one row each, against what is in force. Where the
 * design contradicts itself or was settled otherwise, the row says which side was taken.
 */
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, memoryShareOf, sameErrorsOf } from '../../src/mind/domain/limits.ts';
import { verdictDecision } from '../../src/mind/domain/values.ts';
import { type FeedbackFacts, feedbackOf } from '../../src/mind/feedback/document.ts';
import { FEEDBACK_KINDS } from '../../src/mind/feedback/kind.ts';
import { feedbackMarkdown, fenced } from '../../src/mind/feedback/markdown.ts';
import { sameCandidate, sameError, usedLastTry } from '../../src/mind/safeguards/loops.ts';
import { signatureOf } from '../../src/mind/safeguards/signature.ts';
import { THRESHOLDS } from '../../src/mind/verdict/verdict.ts';
import { given, type Input } from '../support/given.ts';
import { sentBack } from '../support/sent-back.ts';
import { candidateOf, create, ended, grant, taskIn, workflow } from './samples.ts';

describe('section 1', () => {
  test('1.3: decision is APPROVE, REJECT or ESCALATE', () => {
    // Section 2.4 knows CONSENSUS_REQUIRED besides: taken as CONSENSUS, a decision on the way and never the last one.
    expect(verdictDecision.options.toSorted()).toEqual(['APPROVE', 'CONSENSUS', 'ESCALATE', 'REJECT']);
  });

  test('1.3: score is from 0.0 to 1.0', () => {
    for (const threshold of Object.values(THRESHOLDS)) {
      expect(threshold).toBeGreaterThanOrEqual(0);
      expect(threshold).toBeLessThanOrEqual(1);
    }
  });
});

describe('section 4', () => {
  const textOf = (facts: FeedbackFacts) => feedbackMarkdown(feedbackOf(facts), fenced);

  test.each(FEEDBACK_KINDS)('4.3, 1: every rejection has at least one concrete action: %s', (kind) => {
    expect(feedbackOf(sentBack('a reason', { kind })).actions.length).toBeGreaterThanOrEqual(1);
  });

  test('4.1: the retry count is n/3, 3 being the attempts in force', () => {
    expect(textOf(sentBack('a reason'))).toContain(`- Retry count: 1/${DEFAULT_LIMITS.attempts}`);
  });

  test('4.1: a score is told out of 1.0', () => {
    const gates = [{ gate: 'tests', status: 'fail', score: 0.25, text: 'gate tests: fail' }] as const;
    expect(textOf(sentBack('gate failed: tests', { gates }))).toContain('- Score: 0.25/1.00');
  });

  test.each([
    'SUPERVISOR REJECTION',
    'REJECT',
    'Recommended fix',
    'Constraints',
    'Time remaining',
    'Scope',
    'Metadata',
    'Trace ID',
  ])('4.1: it has %s', (part) => expect(textOf(sentBack('a reason'))).toContain(part));
});

describe('section 5', () => {
  const stepOf = (...past: Input[]) =>
    taskIn(given(create('t-1', { workflow: FLOW }), ...past).project).steps.get('build');
  const FLOW = workflow([{ id: 'build', attempts: 9 }]);
  const step = stepOf(grant) as NonNullable<ReturnType<typeof stepOf>>;

  test.each([
    // 5.1 and 5.2 end with the third rejection, 5.4 warns at the limit and allows one more try. Rejections and equal errors
    // follow 5.1: the third is the last. Only time follows 5.4.
    ['5.1 MAX_RETRIES', DEFAULT_LIMITS.attempts, 3],
    ['5.1 check_repeated_failure, 5.2 same error', sameErrorsOf(DEFAULT_LIMITS), 3],
    ['5.1 MAX_TASK_AGE_HOURS', DEFAULT_LIMITS.task_age_ms / 3_600_000, 24],
    // 5.2 names processor and memory, and pauses what runs. Settled: memory alone is a brake, and only for new work.
    ['5.2 resource limit', memoryShareOf(DEFAULT_LIMITS), 0.8],
  ])('%s', (_, inForce, number) => expect(inForce).toBe(number));

  test.each([
    [1, null],
    [2, 'warn'],
    // 5.2 escalates with a diagnosis. Settled: what becomes of the task is the workflow's word (`on_exhausted`).
    [3, 'escalate'],
  ])('5.1 mechanism 2: the same error, occurrence %d: %s', (count, state) => {
    const guard = sameError({ ...step, errors: count === 1 ? {} : { 'error/a': count - 1 } }, 'error/a', 3);
    expect(guard?.state ?? null).toBe(state);
  });

  test('5.1 mechanism 3, 5.2 duplicate fix: one occurrence blocks and escalates', () => {
    expect(sameCandidate({ ...step, tried: [] }, candidateOf(1))).toBeNull();
    expect(sameCandidate({ ...step, tried: [candidateOf(1).tree] }, candidateOf(1))).toMatchObject({
      state: 'escalate',
      limit: 1,
    });
  });

  test('5.4: over the age a task is warned, tries once more and is escalated', () => {
    const task = taskIn(given(create('t-1', { workflow: FLOW })).project);
    const late = { started: 100, class: 'invalid', now: 200 } as const;
    expect(usedLastTry(task, late, 24)).toBeNull();
    expect(usedLastTry({ ...task, warned: 101 }, late, 24)).toBeNull();
    expect(usedLastTry({ ...task, warned: 99 }, late, 24)).toMatchObject({ name: 'age', state: 'escalate' });
  });

  test('5.2 retry limit: the third rejection ends the step', () => {
    const past = (many: number): Input[] => [
      create('t-1', { workflow: workflow([{ id: 'build' }], { on_exhausted: 'escalate' }) }),
      ...Array.from({ length: many }, (_, n): Input[] => [
        grant,
        ended(n + 1, 'invalid', { reason: 'x'.repeat(n + 1) }),
      ]).flat(),
    ];
    expect(taskIn(given(...past(2)).project).closed).toBeNull();
    expect(taskIn(given(...past(3)).project).closed?.status).toBe('escalated');
  });

  // 5.2 escalates at once for one critical finding. Settled: the task waits for a person (test/mind/verdict/dismiss.test.ts).
});

describe('appendix A', () => {
  // Its patterns name a kind; which failure of that kind it was is in the hash behind the name. A pattern alone would take two
  // different assertions for one error.
  test.each([
    ['test_assertion', 'AssertionError: expected 1 to be 2'],
    ['test_timeout', 'Timeout of 2000ms exceeded in test "greets"'],
    ['hardcoded_secret', `password = "${'x'.repeat(8)}"`],
    ['sql_injection', 'db.execute("SELECT * FROM t WHERE id=" + id)'],
    ['bash_syntax', 'run.sh: line 2: syntax error near unexpected token'],
    ['python_syntax', 'SyntaxError: unterminated string literal'],
    ['coverage_drop', 'Coverage 61% is below the threshold of 70%'],
  ])('%s', (name, line) => {
    expect(signatureOf(line)?.split('/')[0]).toBe(name);
    expect(signatureOf(`${line} and another one`)).not.toBeNull();
  });
});
