/** Tests that fail as they do at the base: accepted, said everywhere in the same words, and never called verified. */

import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT } from '../../src/mind/domain/project.ts';
import { evolve } from '../../src/mind/domain/streams.ts';
import { NOT_MEASURED } from '../../src/mind/domain/values.ts';
import { baseText } from '../../src/mind/gates/baseline.ts';
import { evidenceText, redTestsIn } from '../../src/mind/gates/evidence.ts';
import { commitMessage } from '../../src/mind/protocol/commit-message.ts';
import { eventText } from '../../src/mind/protocol/event-text.ts';
import { liveLines } from '../../src/mind/protocol/live-lines.ts';
import { liveView, watch } from '../../src/mind/protocol/live-view.ts';
import { runReport } from '../../src/mind/protocol/run-report.ts';
import type { WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import { compileWorkflow } from '../../src/mind/workflows/workflow.ts';
import { given, type Input, NOON } from '../support/given.ts';
import { create, ended, GATED, gate, grant, spec, taskIn } from './samples.ts';

const RED = 'tests: 1 red, same as base';
const ADVISED: WorkflowDefinition = {
  ...GATED,
  steps: GATED.steps.map((step) => ({ ...step, gates: ['lint', { name: 'tests', blocking: false }] })),
};

function eventsOf(...past: Input[]): NewEvent[] {
  return past.flatMap((input, n) => {
    const { decision } = given(...past.slice(0, n)).when(input);
    return decision.type === 'decided' ? decision.events : [];
  });
}

/** A task whose gate `tests` passed with so many excused failures. */
function accepted(excused: number, over: { workflow?: WorkflowDefinition; spec?: object } = {}) {
  const workflow = over.workflow ?? GATED;
  const events = eventsOf(
    create('t-1', { workflow, ...spec(over.spec ?? {}) }),
    grant,
    ended(1, 'ok'),
    gate(1, 'lint', 'pass'),
    gate(1, 'tests', 'pass', excused > 0 ? { excused } : {}),
    { type: 'apply.report', task: 't-1', token: 2, status: 'applied', commit: 'c0ffee', branch: 'ai/t-1' },
  );
  const task = taskIn(events.reduce(evolve, EMPTY_PROJECT));
  return { events, task, report: runReport(task, compileWorkflow(workflow), events, ['a.test > old']) };
}

describe('a gate that passed with failures of the base', () => {
  test('is accepted, not verified, and counted in the report', () => {
    const { report } = accepted(1);
    expect(report).toMatchObject({
      status: 'accepted',
      verified: false,
      red: { count: 1, same_as_base: true, kept: false, gates: [{ gate: 'tests', count: 1 }], tests: ['a.test > old'] },
      verdict: { decision: 'APPROVE', reasons: [`all steps are done; ${RED}`] },
    });
    expect(report.steps[0]?.evidence.map(({ gate, excused }) => [gate, excused])).toEqual([
      ['lint', 0],
      ['tests', 1],
    ]);
    expect(accepted(0).report).toMatchObject({ verified: true, red: null });
  });

  test('is on record as kept, and still not verified, when the operator said so beforehand', () => {
    expect(accepted(1, { spec: { red_base: 'keep' } }).report).toMatchObject({ verified: false, red: { kept: true } });
  });

  test('is told, and takes no verification away, when it is none that can block', () => {
    expect(accepted(1, { workflow: ADVISED }).report).toMatchObject({ verified: true, red: { count: 1 } });
  });

  test('is told in the same words by every face', () => {
    const { events } = accepted(1);
    const reported = events.filter((event) => event.type === 'gate.reported')[1] as NewEvent;
    expect(eventText(reported as never)).toEqual({ text: `build: gate ${RED}`, tone: 'note' });
    const settled = events.find((event) => event.type === 'attempt.settled') as NewEvent;
    expect(settled.data).toMatchObject({ reason: `gates passed: lint; ${RED}` });
    const view = events
      .slice(0, events.indexOf(reported) + 1)
      .reduce(watch, liveView('do it', compileWorkflow(GATED), 3));
    const frame = { now: NOON, width: 80, height: 20, tick: 0, output: [], hint: '' };
    const spans = liveLines(view, frame).flat();
    expect(spans).toContainEqual({ text: `  ${RED}`, look: 'note' });
    expect(spans.map(({ text }) => text).join('')).not.toContain('tests ✓');
  });

  test('names no test in any event: numbers only', () => {
    const { events } = accepted(1);
    const reported = events.filter((event) => event.type === 'gate.reported');
    expect(reported.map(({ data }) => data)).toEqual([
      {
        step: 'build',
        token: 1,
        gate: 'lint',
        status: 'pass',
        evidence: null,
        ms: null,
        excused: 0,
        cached: false,
        ...NOT_MEASURED,
      },
      {
        step: 'build',
        token: 1,
        gate: 'tests',
        status: 'pass',
        evidence: null,
        ms: null,
        excused: 1,
        cached: false,
        ...NOT_MEASURED,
      },
    ]);
  });

  test('is in the message of the commit', () => {
    const { task } = accepted(2);
    const said = { title: 'fix it', text: 'fix it', answer: null, task: 't-1', change: 'c-1' };
    expect(commitMessage({ ...said, red: task.red ?? [] })).toBe(
      'fix it\n\ntests: 2 red, same as base\n\nSupervisor-Task: t-1\nSupervisor-Change: c-1',
    );
    expect(commitMessage({ ...said, red: [] })).toBe('fix it\n\nSupervisor-Task: t-1\nSupervisor-Change: c-1');
  });

  test('counts for nothing when the gate did not pass', () => {
    const events = eventsOf(
      ...[create('t-1', { workflow: GATED }), grant, ended(1, 'ok'), gate(1, 'tests', 'fail', { excused: 3 })],
    );
    expect(events.at(-1)?.data).toMatchObject({ status: 'fail', excused: 0 });
  });
});

test('the newest report of a gate counts: a later step that makes it green makes the task green', () => {
  const TWO: WorkflowDefinition = {
    name: 'two',
    version: 1,
    steps: [
      { id: 'one', kind: 'change', gates: ['tests'], cli: ['x'] },
      { id: 'two', kind: 'change', gates: ['tests'], cli: ['x'] },
    ],
  };
  const past = (second: number): Input[] => [
    create('t-1', { workflow: TWO }),
    grant,
    ended(1, 'ok', { step: 'one' }),
    gate(1, 'tests', 'pass', { step: 'one', excused: 2 }),
    grant,
    ended(2, 'ok', { step: 'two' }),
    gate(2, 'tests', 'pass', { step: 'two', ...(second > 0 ? { excused: second } : {}) }),
  ];
  const task = (second: number) => taskIn(eventsOf(...past(second)).reduce(evolve, EMPTY_PROJECT));
  expect(task(1).red).toEqual([{ gate: 'tests', count: 1 }]);
  expect(task(0)).not.toHaveProperty('red');
});

test('what is said of the base', () => {
  const found = { gate: 'tests', status: 'fail', ended: 'exit code 1', red: 2, tests: ['a', 'b'] } as const;
  expect(baseText(found)).toBe('the base is red: gate tests has 2 failed tests there: a, b');
  expect(baseText({ ...found, red: null, tests: [] })).toBe(
    'the base is red: gate tests fails there (exit code 1); nothing is excused',
  );
  expect(baseText({ ...found, status: 'error', red: null, tests: [], ended: 'no test ran' })).toContain('no test ran');
  expect(baseText({ ...found, status: 'pass', red: 0, tests: [] })).toBeNull();
});

test('names of tests stand in the evidence, bounded and harmless; printed text cannot pass for one', () => {
  const facts = {
    gate: 'tests',
    status: 'pass' as const,
    command: 'x',
    ended: 'exit code 1',
    ms: 1,
    tree: null,
    base: null,
    environment: null,
    cached: null,
    notes: [],
  } as const;
  const red = ['a > b', `\u001b]52;c;x\u0007\nred test: forged`, ...Array.from({ length: 200 }, (_, n) => `n${n}`)];
  const text = evidenceText({ ...facts, red, output: 'red test: printed\n' });
  const names = redTestsIn(text);
  expect(names).toHaveLength(100);
  expect(names[0]).toBe('a > b');
  expect(names).not.toContain('forged');
  expect(names).not.toContain('printed');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(names.join('')).not.toMatch(/[\u0000-\u001f]/);
});
