/** The graph of a workflow, as people read it. */
import { describe, expect, test } from 'vitest';
import { graphMermaid, graphSteps, graphText } from '../../../src/mind/workflows/graph-text.ts';
import { expanded } from '../../support/workflow-file.ts';

const WORKFLOW = `steps:
  plan: {role: planner}
  implement: {role: implementer}
  test: {gates: [{kind: tests}, {name: docs, optional: true}], on_fail: implement, max_retries: 1}
  review: {review: [reviewer_a, reviewer_b], on_reject: implement}
  ask: {kind: human, about: plan}
  end: {kind: commit}
`;

describe('the graph of a workflow', () => {
  test('as text: places, who does what, where a rejection leads', () => {
    expect(graphText(expanded(WORKFLOW))).toEqual([
      '1  plan               planner answers',
      '2  implement          implementer changes files, then all gates',
      '3  test               gates kind:tests, docs (if there is one)   red: back to implement, 2 rounds',
      '4  review-reviewer_a  reviewer_a answers',
      '   review-reviewer_b  reviewer_b answers',
      '5  review             all answers before it have to approve      no: back to implement, 3 rounds',
      '6  ask                a person approves the answer of plan',
      '7  end                commits on the branch of the task',
    ]);
  });

  test('a step that does not wait for the whole place before it says what it waits for', () => {
    const text = `steps:
  - {id: plan, role: planner, next: [left, right]}
  - {id: left, role: investigator}
  - {id: right, role: investigator_b, next: build}
  - {id: build, role: implementer, needs: [plan]}
`;
    expect(graphText(expanded(text))).toEqual([
      '1  plan   planner answers',
      '2  left   investigator answers',
      '   right  investigator_b answers',
      '3  build  implementer changes files, then all gates  after plan, right',
    ]);
  });

  test('the fallback of a step is there', () => {
    const text = 'steps:\n  build: {role: implementer, degrade: [simplified, minimal]}\n';
    expect(graphText(expanded(text))).toEqual([
      '1  build  implementer changes files, then all gates  used up: simplified, then minimal',
    ]);
    const asks = 'steps:\n  build: {role: implementer, degrade: [minimal], retry_policy: {on_failure: ask_human}}\n';
    expect(graphText(expanded(asks))).toEqual([
      '1  build  implementer changes files, then all gates  used up: minimal, then a person is asked',
    ]);
  });

  test('as Mermaid: a step may be called `end`, which is a keyword of Mermaid', () => {
    const lines = graphMermaid(expanded(WORKFLOW));
    expect(lines).toEqual([
      'flowchart TD',
      '  s1("plan<br/>planner answers")',
      '  s2["implement<br/>implementer changes files, then all gates"]',
      '  s3{{"test<br/>gates kind:tests, docs (if there is one)"}}',
      '  s4("review-reviewer_a<br/>reviewer_a answers")',
      '  s5("review-reviewer_b<br/>reviewer_b answers")',
      '  s6{"review<br/>all answers before it have to approve"}',
      '  s7[/"ask<br/>a person approves the answer of plan"/]',
      '  s8(["end<br/>commits on the branch of the task"])',
      '  s1 --> s2',
      '  s2 --> s3',
      '  s3 --> s4',
      '  s3 --> s5',
      '  s4 --> s6',
      '  s5 --> s6',
      '  s6 --> s7',
      '  s7 --> s8',
      '  s3 -. "red, 2 rounds" .-> s2',
      '  s6 -. "no, 3 rounds" .-> s2',
    ]);
  });

  test('as data: every step once, none before one that it needs', () => {
    const steps = graphSteps(expanded(WORKFLOW));
    const place = new Map(steps.map((step) => [step.id, step.place]));
    for (const { id, needs } of steps)
      for (const need of needs) expect(place.get(need)).toBeLessThan(place.get(id) ?? 0);
    expect(place.size).toBe(8);
  });
});
