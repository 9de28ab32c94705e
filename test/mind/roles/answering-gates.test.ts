/** Gates that an answering role brings: in front of it, on the change that it looks at, and only if there is one. */
import { expect, test } from 'vitest';
import { gatesOf, hasGates, withAnsweringGates } from '../../../src/mind/roles/answering-gates.ts';
import type { RoleGate } from '../../../src/mind/roles/role.ts';
import type { WorkflowDefinition } from '../../../src/mind/workflows/step.ts';
import { role } from '../../support/role.ts';

type Steps = WorkflowDefinition['steps'];
const RISK: RoleGate = { name: 'risk', command: 'true', on_fail: 'block', blocking: true };

/** The role `judge` brings gates, nobody else does. */
function filled(steps: Steps, gates: readonly RoleGate[] = [RISK]): Steps {
  const judge = role('judge', { kind: 'answer', answer: 'review', gates });
  const definition = { name: 'w', version: 1, steps };
  return withAnsweringGates(definition, (step) => (step.role === 'judge' ? judge : role('other'))).steps;
}

const change = { id: 'implement', kind: 'change' } as const;
const review = { id: 'review', kind: 'answer', role: 'judge' } as const;

test('a gate step of its own runs them in front of the answer, and sends the change back', () => {
  expect(filled([change, review])).toEqual([
    { ...change, needs: [] },
    {
      id: 'review-gates',
      kind: 'gate',
      needs: ['implement'],
      gates: [{ name: 'risk', on_fail: 'block', blocking: true }],
      on_fail: 'implement',
    },
    { ...review, needs: ['review-gates'] },
  ]);
});

test.each<[string, Steps, string]>([
  ['the review does', [change, { ...review, on_reject: 'implement' }], 'implement'],
  [
    'its join does',
    [
      { id: 'plan', kind: 'change' },
      { id: 'build', kind: 'change' },
      { ...review, needs: ['build'] },
      { id: 'join', kind: 'join', needs: ['review'], on_reject: 'plan' },
    ],
    'plan',
  ],
  [
    'the nearest gate step before it does',
    [
      { id: 'plan', kind: 'change' },
      { id: 'build', kind: 'change' },
      { id: 'check', kind: 'gate', gates: ['tests'], on_fail: 'plan' },
      review,
    ],
    'plan',
  ],
  [
    'nobody says: to the last change',
    [{ id: 'plan', kind: 'change' }, { id: 'build', kind: 'change' }, review],
    'build',
  ],
])('a failed one goes back as %s', (_, steps, to) => {
  const gate = filled(steps).find(({ id }) => id === gatesOf('review'));
  expect(gate?.on_fail).toBe(to);
});

test('without a change before it, without gates, or where the step names its gates, nothing is added', () => {
  const isAdded = (steps: Steps, gates?: readonly RoleGate[]) =>
    hasGates({ name: 'w', version: 1, steps: filled(steps, gates) }, 'review');
  expect(isAdded([change, review])).toBe(true);
  expect(isAdded([review, change])).toBe(false);
  expect(isAdded([change, review], [])).toBe(false);
  expect(isAdded([change, { ...review, gates: ['tests'] }])).toBe(false);
});
