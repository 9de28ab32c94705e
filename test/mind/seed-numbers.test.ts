/**
 * The numbers of sections 1, 4, 5 and appendix A of the supervisor design, one row each, against what is in force. Where the
 * design contradicts itself or was settled otherwise, the row says which side was taken, and docs/decisions/0047 why.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ANSWERS } from '../../src/mind/answers/schemas.ts';
import { DEFAULT_LIMITS, memoryShareOf, sameErrorsOf } from '../../src/mind/domain/limits.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { verdictDecision } from '../../src/mind/domain/values.ts';
import { type FeedbackFacts, feedbackOf } from '../../src/mind/feedback/document.ts';
import { FEEDBACK_KINDS } from '../../src/mind/feedback/kind.ts';
import { feedbackMarkdown, fenced } from '../../src/mind/feedback/markdown.ts';
import { judgementJson } from '../../src/mind/judgement/json.ts';
import { incidentName } from '../../src/mind/protocol/incident.ts';
import { sameCandidate, sameError, usedLastTry } from '../../src/mind/safeguards/loops.ts';
import { signatureOf } from '../../src/mind/safeguards/signature.ts';
import { THRESHOLDS } from '../../src/mind/verdict/verdict.ts';
import { MOST_ANALYSES } from '../../src/mind/workflows/step.ts';
import { compileWorkflow, type WorkflowStep } from '../../src/mind/workflows/workflow.ts';
import { given, type Input } from '../support/given.ts';
import { sentBack } from '../support/sent-back.ts';
import { expanded } from '../support/workflow-file.ts';
import { gate, judged } from './judgement/judged.ts';
import { candidateOf, create, ended, gate as gateReport, grant, taskIn, workflow } from './samples.ts';

const SDLC = compileWorkflow(
  expanded(readFileSync(join(import.meta.dirname, '../../templates/workflows/sdlc.yaml'), 'utf8')).definition,
);
const phase = (id: string) => SDLC.steps.get(id) as WorkflowStep;

describe('section 1, as the workflow sdlc', () => {
  // 1.1 names a vendor for each phase. Settled: roles are filled with the CLIs that are there.
  test.each([
    ['BRAINSTORM', 'validate completeness', 'brainstorm', { kind: 'answer', handOver: true, needs: [] }],
    ['DOCUMENT', 'acceptance criteria exist', 'document', { kind: 'answer', handOver: true, needs: ['brainstorm'] }],
    ['PLAN', 'approve or reject decomposition', 'plan', { kind: 'answer', handOver: true, needs: ['document'] }],
    // Commits are not audited afterwards, as 1.1 says: the change is, before there is a commit.
    ['EXECUTE', 'monitor and audit', 'execute', { kind: 'change', handOver: true, needs: ['plan'] }],
    ['REVIEW', 'quality gate enforcement', 'quality_gates', { kind: 'gate', needs: ['execute'] }],
    ['REVIEW', 'by models, after the gates', 'review', { kind: 'join', require: 'all' }],
    // 1.2 merges here. Settled: it is committed on the branch of the task, and a person lands it.
    ['APPROVE', 'final decision', 'approve', { kind: 'commit', needs: ['review'] }],
    // 1.1 tracks continuously. Settled: once, on what was committed; a regression goes back.
    ['TRACK', 'regression detection', 'track', { kind: 'gate', needs: ['approve'] }],
  ] as const)('1.1 %s: %s', (_, __, id, expected) => expect(phase(id)).toMatchObject(expected));

  test.each([
    // An incomplete answer is sent back by its own check: test/mind/answers/hand-over.test.ts has each gap, test/real/sdlc.test.ts the way.
    ['BRAINSTORM + feedback', 'brainstorm', null],
    ['DOCUMENT + feedback', 'document', null],
    ['PLAN + decomposition request', 'plan', null],
    ['REVIEW, any gate fails: REJECT, feedback, EXECUTE', 'quality_gates', 'execute'],
    ['REVIEW, a model says no: EXECUTE', 'review', 'execute'],
    ['TRACK, a regression: EXECUTE', 'track', 'execute'],
  ])('1.2 back: %s', (_, id, to) => {
    expect(phase(id).rework?.to ?? null).toBe(to);
    if (to === null) expect(phase(id).handOver).toBe(true);
  });

  test('1.2 an incomplete answer is asked for again with its gaps, three times in all', () => {
    const gap = 'not ready to be handed over: `users` is empty';
    const again = (many: number) =>
      given(
        create('t-1', { workflow: workflow([{ id: 'build', kind: 'answer', hand_over: true }]) }),
        ...Array.from({ length: many }, (_, n): Input[] => [
          grant,
          ended(n + 1, 'invalid', { reason: `${gap} ${n}` }),
        ]).flat(),
      );
    expect(taskIn(again(2).project).steps.get('build')).toMatchObject({ place: { at: 'ready' }, feedback: `${gap} 1` });
    expect(taskIn(again(DEFAULT_LIMITS.attempts).project).closed?.status).toBe('failed');
  });

  test.each([
    ['decision', 'APPROVE|REJECT|ESCALATE'],
    ['gate_results', 'object'],
    ['score', 'float'],
    ['feedback', 'string'],
    ['next_action', 'string'],
    ['metrics_update', 'object'],
  ])('1.3 output %s (%s): `judge --json` has it, under this name', (name) => {
    expect(judgementJson(judged([gate('tests')]))).toHaveProperty(name);
  });

  test.each([
    // 1.3 lets the worker tell its commit and its artifacts. Settled: it tells nothing of that; both are captured.
    ['task_id', () => fedBack().task],
    ['commit_hash', () => fedBack().change],
    ['trace_id', () => fedBack().trace],
  ])('1.3 input %s: known, and told in the feedback', (_, read) => expect(read()).toEqual(expect.any(String)));

  test('1.3 input artifacts (path, diff_hash): `judge --json` has them, captured', () => {
    expect(judgementJson(judged([gate('tests')]))).toHaveProperty('artifacts');
  });

  test.each([
    ['brainstorm', 'brainstorm'],
    ['document', 'document'],
    ['plan', 'plan'],
    // Settled: the form is named after what is answered, not after the phase.
    ['execute', 'implementation'],
  ] as const)('1.3 input task_type %s: a form of answer with a check at its hand-over', (_, form) => {
    expect(Object.keys(ANSWERS)).toContain(form);
  });

  test.each(['claude', 'codex', 'gemini'])('1.3 input worker_model %s: each attempt names its CLI', (cli) => {
    const { project } = given(create('t-1', { workflow: workflow([{ id: 'build', cli: [cli] }]) }), grant);
    expect(taskIn(project).steps.get('build')?.place).toMatchObject({ at: 'working', attempt: { cli } });
  });
});

const fedBack = () => feedbackOf(sentBack('a reason'));

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

  test('4.1: a score is shown out of 1.0', () => {
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

  const text = (name: string, more = '') =>
    `gate ${name}: fail\nat src/${name}.js:7\n\nAssertionError: ${name} is wrong\n${more}`;
  const failed = (name: string, over = {}) =>
    ({ gate: name, status: 'fail', score: 0, text: text(name), ...over }) as const;

  test('4.2, 1 and 2: the primary failure is the first failed gate, told with its evidence', () => {
    const { first_failure } = feedbackOf(sentBack('gates failed', { gates: [failed('one'), failed('two')] }));
    expect(first_failure).toMatchObject({
      by: 'gate one',
      lines: expect.arrayContaining(['AssertionError: one is wrong']),
    });
  });

  test('4.2, 3 to 5: three analyses at most', () => expect(MOST_ANALYSES).toBe(3));

  test('4.3, 2: paths, lines and messages are shown unchanged', () => {
    const told = textOf(sentBack('gate failed: one', { gates: [failed('one')] }));
    for (const exact of ['src/one.js:7', 'AssertionError: one is wrong']) expect(told).toContain(exact);
  });

  test('4.3, 3: it is bounded, however much was printed', () => {
    const gates = ['one', 'two', 'three'].map((name) =>
      failed(name, { text: text(name, 'noise\n'.repeat(1_000_000)) }),
    );
    expect(textOf(sentBack('gates failed', { gates })).length).toBeLessThan(40_000);
  });

  test('4.3, 4: what blocks comes before what advises', () => {
    const gates = [failed('style', { blocking: false }), failed('tests')];
    expect(feedbackOf(sentBack('gates failed', { gates })).failed_gates.map((one) => one.gate)).toEqual([
      'tests',
      'style',
    ]);
  });

  test.each(FEEDBACK_KINDS)('4.3, 5: an action says what to do, not what to leave: %s', (kind) => {
    for (const action of feedbackOf(sentBack('a reason', { kind })).actions)
      expect(action).not.toMatch(/^(?:Do not|Don't|Never|Avoid)\b/);
  });
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

  test('5.2 security critical: one occurrence stops the task for a person, before another attempt', () => {
    const critical = { findings: { critical: 1, high: 0, medium: 0, low: 0, info: 0 }, score: 0 };
    const secured = workflow([{ id: 'build', gates: ['security'], attempts: 9 }]);
    const red = gateReport(1, 'security', 'fail') as Extract<Input, { type: 'gate.report' }>;
    const found: Input = { ...red, ...critical, blocked_by: [{ id: 'f-11112222', severity: 'critical' }] };
    const { project } = given(create('t-1', { workflow: secured }), grant, ended(1, 'ok'), found, grant);
    expect([statusOf(taskIn(project)), taskIn(project).attempts]).toEqual(['waiting', 1]);
  });

  test('5.3: an incident has the name incident_YYYYMMDD_HHMMSS', () => {
    expect(incidentName(Date.UTC(2025, 11, 28, 12, 0, 5))).toBe('incident_20251228_120005');
  });
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
