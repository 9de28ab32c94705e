/** What people and programs are told about a task: a line for every event, one report for all of it. */

import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { revive } from '../../src/engine/loading.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { isChecked } from '../../src/mind/domain/landable.ts';
import { EMPTY_PROJECT } from '../../src/mind/domain/project.ts';
import { evolve } from '../../src/mind/domain/streams.ts';
import { NOT_MEASURED } from '../../src/mind/domain/values.ts';
import { eventText } from '../../src/mind/protocol/event-text.ts';
import { runReport } from '../../src/mind/protocol/run-report.ts';
import { compileWorkflow } from '../../src/mind/workflows/workflow.ts';
import { HISTORIES, readHistory } from '../replay/recorded.ts';
import { given, type Input, NOON, type Sent } from '../support/given.ts';
import { moves, play } from './histories.ts';
import { BARE, create, ended, GATED, gate, grant, hashOf, spec, taskIn } from './samples.ts';

function eventsOf(...past: (Input | Sent)[]): NewEvent[] {
  return past.flatMap((input, n) => {
    const { decision } = given(...past.slice(0, n)).when(input);
    return decision.type === 'decided' ? decision.events : [];
  });
}

describe('a line about an event', () => {
  test('can be written for every event that can happen', () => {
    const random = fc.sample(moves, { numRuns: 100, seed: 1 }).flatMap((list) => play(list).events);
    // Recorded histories hold every event type that there is.
    const recorded = readdirSync(HISTORIES).flatMap((name) => readHistory(name).events.map(revive));
    const events = [...random, ...recorded];
    for (const event of events) expect(eventText(event).text).toMatch(/^\S.*\S$/s);
  });
});

describe('the report of a task', () => {
  const cost = { microusd: 2_500_000, tokens_in: 7, tokens_out: null };
  const past = [
    create('t-1', { workflow: GATED }),
    grant,
    { send: ended(1, 'invalid'), at: NOON + 500 },
    { send: grant, at: NOON + 1_000 },
    { send: ended(2, 'ok', { cost }), at: NOON + 3_000 },
    { send: gate(2, 'lint', 'pass'), at: NOON + 3_000 },
    { send: gate(2, 'tests', 'pass'), at: NOON + 4_000 },
    {
      send: { type: 'apply.report', task: 't-1', token: 3, status: 'applied', commit: 'c0ffee', branch: 'ai/t-1' },
      at: NOON + 4_000,
    },
  ] as const;
  const report = (n: number) => {
    const events = eventsOf(...past.slice(0, n));
    const project = events.reduce(evolve, EMPTY_PROJECT);
    return runReport(taskIn(project), project.workflows.get(hashOf(GATED))!, events);
  };
  const evidence = (name: string) => ({
    gate: name,
    status: 'pass',
    attempt: 2,
    evidence: null,
    ms: null,
    excused: 0,
    cached: false,
    ...NOT_MEASURED,
  });

  test('tells all of an accepted one', () => {
    expect(report(past.length)).toEqual({
      ...{ task_id: 't-1', title: 'task t-1', status: 'accepted', workflow: 'work', onto: 'main', base: 'b0' },
      ...{ branch: 'ai/t-1', commit: 'c0ffee', candidate: 'tree-2', change_id: 'change-2' },
      verified: true,
      red: null,
      simulated: false,
      landed: null,
      steps: [
        {
          id: 'build',
          kind: 'change',
          status: 'done',
          attempts: 2,
          cli: 'claude',
          duration_ms: 3_500,
          evidence: ['lint', 'tests'].map(evidence),
          history: [
            {
              ...{ attempt: 1, cli: 'claude', class: 'invalid', category: 'parsing', reason: '', duration_ms: 500 },
              cost: { usd: null, tokens_in: null, tokens_out: null },
            },
            {
              ...{ attempt: 2, cli: 'claude', class: 'ok', category: null, reason: 'gates passed: lint, tests' },
              ...{ duration_ms: 3_000, cost: { usd: 2.5, tokens_in: 7, tokens_out: null } },
            },
          ],
        },
      ],
      waiting: [],
      verdict: {
        ...{ decision: 'APPROVE', score: 1, reasons: ['all steps are done'] },
        ...{ codes: ['gates_passed'], notes: ['unproven'] },
      },
      incident: null,
      cost: { usd: 2.5, tokens_in: 7, tokens_out: null, unpriced_attempts: 1 },
      refused_outcomes: 0,
    });
  });

  test('says verified of nothing that was not accepted, played, or made without a sandbox', () => {
    expect(report(3)).toMatchObject({ verified: false });
    for (const over of [{ simulated: true }, { unsafe_no_sandbox: true }]) {
      const { project } = given(create('t-1', { workflow: GATED, ...spec(over) }));
      expect(isChecked(taskIn(project), compileWorkflow(GATED))).toBe(false);
    }
    expect(isChecked({ spec: { version: 1, text: 'x' } }, compileWorkflow(BARE))).toBe(false);
    expect(isChecked({ spec: { version: 1, text: 'x' } }, compileWorkflow(GATED))).toBe(true);
  });

  test('has every attempt with its price, also one that was lost with Supervisor and one under way', () => {
    const paid = { microusd: 1_000_000, tokens_in: 3, tokens_out: 4 };
    const lived = eventsOf(create(), grant, ended(1, 'lost'), grant, ended(2, 'crash', { cost: paid }), grant);
    const project = lived.reduce(evolve, EMPTY_PROJECT);
    const { steps, cost: sum } = runReport(taskIn(project), compileWorkflow(BARE), lived);
    const unknown = { usd: null, tokens_in: null, tokens_out: null };
    expect(steps[0]?.history.map((one) => [one.attempt, one.class, one.category, one.cost])).toEqual([
      [1, 'lost', 'resource', unknown],
      [2, 'crash', 'cli', { usd: 1, tokens_in: 3, tokens_out: 4 }],
      [3, null, null, unknown],
    ]);
    expect(sum).toEqual({ usd: 1, tokens_in: 3, tokens_out: 4, unpriced_attempts: 1 });
  });

  test('does not decide before the task is closed, and knows no price that was not told', () => {
    expect(report(3)).toMatchObject({
      ...{ status: 'queued', commit: null, candidate: null, verdict: { decision: null, score: null, reasons: [] } },
      cost: { usd: null, tokens_in: null, unpriced_attempts: 1 },
    });
  });
});
