/** Gates decide, not workers: all of them report before anything follows, and one that cannot run is never a pass. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/kernel/hash.ts';
import { rejected } from '../../src/kernel/result.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { NOT_MEASURED } from '../../src/mind/domain/values.ts';
import { fact, given, type Input } from '../support/given.ts';
import {
  applying,
  CANDIDATE,
  candidateOf,
  closed,
  create,
  ended,
  FREE,
  GATED,
  gate,
  grant,
  settled,
  taskIn,
  verdict,
  workflow,
} from './samples.ts';

const produced: Input[] = [create('t-1', { workflow: GATED }), grant, ended(1, 'ok')];
const reported = (name: string, status: 'pass' | 'fail' | 'error', token = 1) =>
  fact('task/t-1', 'gate.reported', {
    step: 'build',
    token,
    gate: name,
    status,
    evidence: null,
    ms: null,
    excused: 0,
    cached: false,
    ...NOT_MEASURED,
  });

describe('a candidate at a step with gates', () => {
  test('is checked before anything else follows', () => {
    given(create('t-1', { workflow: GATED }), grant)
      .when(ended(1, 'ok'))
      .then([
        fact('task/t-1', 'attempt.produced', {
          step: 'build',
          token: 1,
          candidate: CANDIDATE,
          answer: null,
          record: null,
          said: null,
          cost: FREE,
          gates: ['lint', 'tests'],
        }),
      ]);
    expect(statusOf(taskIn(given(...produced).project))).toBe('running');
  });

  test('waits for all gates, also after one has failed', () => {
    for (const status of ['pass', 'fail', 'error'] as const) {
      given(...produced)
        .when(gate(1, 'tests', status))
        .then([reported('tests', status)]);
    }
  });

  test('is accepted and applied when all pass', () => {
    given(...produced, gate(1, 'tests', 'pass'))
      .when(gate(1, 'lint', 'pass'))
      .then([
        reported('lint', 'pass'),
        verdict({ decision: 'APPROVE', score: 1, reasons: ['gates_passed'] }, ['lint', 'pass'], ['tests', 'pass']),
        settled({
          class: 'ok',
          reason: 'gates passed: tests, lint',
          candidate: CANDIDATE,
          next: { do: 'complete', opens: [] },
        }),
        applying(2),
      ]);
  });

  test('that only an advisory gate rejects is accepted, and the report says so', () => {
    const advised = workflow([{ id: 'build', gates: ['tests', { name: 'lint', blocking: false }] }]);
    for (const status of ['fail', 'error'] as const) {
      const { project } = given(
        create('t-1', { workflow: advised }),
        grant,
        ended(1, 'ok'),
        gate(1, 'lint', status),
        gate(1, 'tests', 'pass'),
      );
      expect(taskIn(project).applying).not.toBeNull();
    }
  });

  test('goes to a person at once when a gate says so', () => {
    const strict = workflow([{ id: 'build', gates: [{ name: 'secrets', on_fail: 'escalate' }] }]);
    given(create('t-1', { workflow: strict }), grant, ended(1, 'ok'))
      .when(gate(1, 'secrets', 'fail'))
      .then([
        reported('secrets', 'fail'),
        verdict({ decision: 'ESCALATE', reasons: ['gate_failed'] }, ['secrets', 'fail']),
        settled({
          class: 'blocked',
          category: 'validation',
          reason: 'gate failed: secrets',
          next: { do: 'close', status: 'escalated' },
        }),
        closed('escalated', 'gate failed: secrets'),
      ]);
  });

  test("reaches the next attempt with the gates' findings, also when one in between was lost", () => {
    const failed = [...produced, gate(1, 'lint', 'pass'), gate(1, 'tests', 'fail'), grant];
    const found = [
      { gate: 'lint', status: 'pass', evidence: null, ms: null },
      { gate: 'tests', status: 'fail', evidence: null, ms: null },
    ];
    for (const past of [failed, [...failed, ended(2, 'lost', { reason: 'killed' }), grant]]) {
      expect(taskIn(given(...past).project).steps.get('build')).toMatchObject({
        feedback: 'gate failed: tests',
        findings: found,
      });
    }
  });

  test('uses up one of its attempts when a gate fails, and the next attempt reads which', () => {
    const when = given(...produced, gate(1, 'lint', 'pass')).when(gate(1, 'tests', 'fail'));
    when.then([
      reported('tests', 'fail'),
      verdict({ decision: 'REJECT', reasons: ['gate_failed'] }, ['lint', 'pass'], ['tests', 'fail']),
      settled({
        class: 'invalid',
        sent_back: CANDIDATE,
        category: 'validation',
        reason: 'gate failed: tests',
        next: { do: 'retry', at: null, cli: 0, counter: 'candidates' },
      }),
    ]);
    expect(taskIn(when.project).steps.get('build')?.feedback).toBe('gate failed: tests');
    expect(taskIn(when.project).candidate).toBeNull();
  });

  test.each(['pass', 'fail'] as const)(
    'is no failure of the change when a gate could not run: a person has to look, whether the other says %s',
    (other) => {
      given(...produced, gate(1, 'lint', other))
        .when(gate(1, 'tests', 'error'))
        .then([
          reported('tests', 'error'),
          verdict(
            other === 'pass'
              ? { decision: 'ESCALATE', score: null, reasons: ['gate_error'] }
              : { decision: 'ESCALATE', reasons: ['gate_failed', 'gate_error'] },
            ['lint', other],
            ['tests', 'error'],
          ),
          settled({
            class: 'blocked',
            sent_back: CANDIDATE,
            unchecked: true,
            category: 'validation',
            reason: 'gate could not run: tests',
            next: { do: 'close', status: 'escalated' },
          }),
          closed('escalated', 'gate could not run: tests'),
        ]);
    },
  );

  test('fails the task after the last attempt', () => {
    const round = (token: number): Input[] => [
      grant,
      ended(token, 'ok'),
      gate(token, 'lint', 'pass'),
      gate(token, 'tests', 'fail'),
    ];
    const past = [create('t-1', { workflow: GATED }), ...round(1), ...round(2), ...round(3).slice(0, -1)];
    given(...past)
      .when(gate(3, 'tests', 'fail'))
      .then([
        reported('tests', 'fail', 3),
        verdict(
          {
            ...{ token: 3, attempts: 3, rejections: 2, on: candidateOf(3) },
            ...{ decision: 'REJECT', reasons: ['gate_failed', 'attempts_used_up'] },
          },
          ['lint', 'pass'],
          ['tests', 'fail'],
        ),
        settled({
          class: 'invalid',
          sent_back: candidateOf(3),
          category: 'validation',
          token: 3,
          reason: 'gate failed: tests',
          guard: { name: 'same_error', state: 'escalate', count: 3, limit: 3 },
          candidate: null,
          next: { do: 'close', status: 'failed' },
        }),
        closed('failed', 'gate failed: tests; the same error 3 times'),
      ]);
  });

  test('is not checked at all when the worker did not end well', () => {
    given(create('t-1', { workflow: GATED }), grant)
      .when(ended(1, 'invalid', { candidate: CANDIDATE }))
      .then([
        settled({
          class: 'invalid',
          sent_back: CANDIDATE,
          next: { do: 'retry', at: null, cli: 0, counter: 'candidates' },
        }),
      ]);
  });
});

test('an answer can have gates too', () => {
  const answer = sha256('fine');
  given(
    create('t-1', { workflow: workflow([{ id: 'build', kind: 'answer', gates: ['schema'] }]) }),
    grant,
    ended(1, 'ok', { candidate: null, answer }),
  )
    .when(gate(1, 'schema', 'pass'))
    .then([
      reported('schema', 'pass'),
      settled({ class: 'ok', reason: 'gates passed: schema', answer, next: { do: 'complete', opens: [] } }),
      closed('accepted', 'all steps are done'),
    ]);
});

describe('a report of a gate', () => {
  const duplicate = (name: string) =>
    rejected('duplicate_outcome', `gate ${name} of t-1/build has reported or was not asked`);

  test('counts once', () => {
    given(...produced, gate(1, 'tests', 'pass'))
      .when(gate(1, 'tests', 'pass'))
      .then(duplicate('tests'));
    given(...produced, gate(1, 'tests', 'fail'))
      .when(gate(1, 'tests', 'pass'))
      .then(duplicate('tests'));
  });

  test('of a gate that was not asked counts nothing', () => {
    given(...produced)
      .when(gate(1, 'other', 'pass'))
      .then(duplicate('other'));
  });

  test('about an unknown step is rejected', () => {
    given(...produced)
      .when(gate(1, 'tests', 'pass', { step: 'other' }))
      .then(rejected('unknown_attempt', 'no attempt t-1/other is known'));
  });

  test('carries its evidence and its time', () => {
    const evidence = sha256('3 tests passed');
    const { project } = given(...produced, {
      type: 'gate.report',
      task: 't-1',
      step: 'build',
      token: 1,
      gate: 'tests',
      status: 'pass',
      evidence,
      ms: 12,
    });
    expect(taskIn(project).steps.get('build')?.place).toMatchObject({
      evidence: [{ gate: 'tests', status: 'pass', evidence, ms: 12 }],
    });
  });

  test('keeps its line short, however many gates there are', () => {
    const names = Array.from({ length: 60 }, (_, n) => `${'g'.repeat(60)}${n}`);
    const many = [create('t-1', { workflow: workflow([{ id: 'build', gates: names }]) }), grant, ended(1, 'ok')];
    const { project } = given(...many, ...names.map((name) => gate(1, name, 'error')));
    expect(taskIn(project).closed?.reason).toHaveLength(2_000);
  });
});

describe('stages of gates', () => {
  const staged = workflow([
    {
      id: 'build',
      gates: [
        { name: 'lint', stage: 1 },
        { name: 'style', stage: 1, on_fail: 'warn' },
        { name: 'tests', stage: 2, on_fail: 'block' },
        { name: 'tests-canary', stage: 3 },
      ],
    },
  ]);
  const begun: Input[] = [create('t-1', { workflow: staged }), grant, ended(1, 'ok')];
  const wanted = (past: readonly Input[]) =>
    wantedBy(given(...past).project, 'task/t-1').effects.flatMap(({ work }) =>
      work.kind === 'gate.run' ? work.gate : [],
    );

  test('one after the other; those of one stage run side by side', () => {
    expect(wanted(begun)).toEqual(['lint', 'style']);
    expect(wanted([...begun, gate(1, 'lint', 'pass')])).toEqual(['style']);
    expect(wanted([...begun, gate(1, 'lint', 'pass'), gate(1, 'style', 'fail')])).toEqual(['tests']);
  });

  test('a stage that did not pass ends the check: what comes later is not run', () => {
    const { project } = given(...begun, gate(1, 'style', 'pass'), gate(1, 'lint', 'fail'));
    expect(taskIn(project).steps.get('build')).toMatchObject({ place: { at: 'ready' }, feedback: 'gate failed: lint' });
  });

  test('a report of a gate before its turn is refused', () => {
    given(...begun)
      .when(gate(1, 'tests', 'pass'))
      .then(rejected('duplicate_outcome', 'gate tests of t-1/build has reported or was not asked'));
  });

  test('on_fail: block ends the task as blocked', () => {
    const { project } = given(...begun, gate(1, 'style', 'pass'), gate(1, 'lint', 'pass'), gate(1, 'tests', 'fail'));
    expect(statusOf(taskIn(project))).toBe('blocked');
  });
});
