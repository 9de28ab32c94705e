/** A workflow is made whole before it is pinned: a change that nothing checks is refused unless the operator says so. */
import { expect, test } from 'vitest';
import { type FillOptions, fillWorkflow } from '../../src/mind/roles/fill-workflow.ts';
import { checkWorkflow } from '../../src/mind/workflows/check-graph.ts';
import { role } from '../support/role.ts';
import { workflow } from './samples.ts';

const TESTS = { name: 'tests', blocking: true, on_fail: 'retry' } as const;
const LINT = { name: 'lint', blocking: false, on_fail: 'retry' } as const;
const ROLES = [
  role('implementer'),
  role('investigator', { kind: 'answer' }),
  role('reviewer', { kind: 'answer', cli: ['codex'] }),
];
const filling = (over: Partial<FillOptions> = {}): FillOptions => ({
  gates: [TESTS, LINT],
  chosen: null,
  noGates: false,
  clis: ({ cli }) => (cli.length > 0 ? cli : ['acme']),
  role: (name) => ROLES.find((one) => one.name === name) ?? role(name),
  roles: new Set(ROLES.map(({ name }) => name)),
  chosenRole: null,
  attempts: 3,
  ...over,
});
const TWO = workflow([
  { id: 'build', cli: undefined },
  { id: 'review', kind: 'answer', cli: ['other'] },
]);

test('a change without a list gets every gate, with what its failure means; an answer gets none', () => {
  const filled = fillWorkflow(TWO, filling());
  expect(filled).toMatchObject({
    steps: [
      { id: 'build', gates: [TESTS, LINT], cli: ['acme'] },
      { id: 'review', gates: [], cli: ['other'] },
    ],
  });
  expect('steps' in filled && checkWorkflow(filled, 50)).toBeNull();
});

test("the step's own settings for a gate beat the project's", () => {
  const own = workflow([{ id: 'build', gates: [{ name: 'lint', blocking: true }, 'tests'] }]);
  expect(fillWorkflow(own, filling())).toMatchObject({
    steps: [{ gates: [{ name: 'lint', blocking: true, on_fail: 'retry' }, TESTS] }],
  });
});

test('the kind and weight of a gate are pinned; the canary that proves it weighs nothing', () => {
  const unit = { ...TESTS, name: 'unit', ids: 'tap', command: 'x', weight: 2 } as const;
  const [one] = (fillWorkflow(workflow([{ id: 'build' }]), filling({ gates: [unit, LINT] })) as typeof TWO).steps;
  expect(one?.gates).toMatchObject([
    { name: 'unit', kind: 'tests', weight: 2, canary: 'on' },
    { name: 'lint', kind: 'lint', weight: 0.1 },
    { name: 'unit-canary', kind: 'tests', weight: 0 },
  ]);
});

test('chosen gates are the only ones of the project', () => {
  expect(fillWorkflow(TWO, filling({ chosen: ['tests'] }))).toMatchObject({ steps: [{ gates: [TESTS] }, {}] });
});

test('gates that a role brings or names run beside the chosen ones, at its step and at gate steps', () => {
  const RISK = { name: 'risk', blocking: true, on_fail: 'block' } as const;
  const trader = role('trader', { gates: ['lint', { name: 'risk', command: 'make risk', on_fail: 'block' }] });
  const given = { gates: [TESTS, LINT, RISK], ofRoles: new Set(['risk']), role: () => trader };
  const flow = workflow([{ id: 'build' }, { id: 'ci', kind: 'gate', needs: ['build'] }]);
  expect(fillWorkflow(flow, filling({ ...given, chosen: ['tests'] }))).toMatchObject({
    steps: [{ gates: [TESTS, { name: 'risk' }, { name: 'lint' }] }, { gates: [TESTS, { name: 'risk' }] }],
  });
});

test.each<[string, Partial<FillOptions>, string]>([
  ['no gate at all', { gates: [] }, 'nothing would check step build'],
  ['only gates that do not block', { gates: [LINT] }, 'its `gates` are empty or only advise'],
  ['a chosen gate that is not there', { chosen: ['test'] }, 'there is no gate test, did you mean tests?'],
])('%s is refused', (_, over, message) => {
  expect(fillWorkflow(TWO, filling(over))).toMatchObject({
    type: 'rejected',
    message: expect.stringContaining(message),
  });
});

test('--no-gates takes all of them away', () => {
  expect(fillWorkflow(TWO, filling({ gates: [], noGates: true }))).toMatchObject({
    steps: [{ gates: [] }, { gates: [] }],
  });
});

test('each step gets a role: its own, the one of its name, or the usual one of its kind', () => {
  const answer = { kind: 'answer', cli: undefined } as const;
  const three = workflow([{ id: 'build' }, { id: 'reviewer', ...answer }, { id: 'look', ...answer }]);
  expect(fillWorkflow(three, filling())).toMatchObject({
    steps: [{ role: 'implementer' }, { role: 'reviewer', cli: ['codex'] }, { role: 'investigator', cli: ['acme'] }],
  });
});

test("a role fills the settings that the step leaves open, within the person's limits, and the step beats it", () => {
  const careful = role('careful', {
    gates: [{ name: 'lint', blocking: true }],
    continue: 2,
    grants: ['test/**'],
    write_scope: ['docs/**'],
    config: { max_retries: 9, timeout: 60 },
  });
  const given = { chosenRole: careful, role: () => careful };
  const one = workflow([{ id: 'build' }]);
  expect(fillWorkflow(one, filling(given))).toMatchObject({
    steps: [
      {
        gates: [TESTS, { ...LINT, blocking: true }],
        continue: 2,
        grants: ['test/**'],
        write_scope: ['docs/**'],
        attempts: 3,
        wall_ms: 60_000,
      },
    ],
  });
  const own = workflow([{ id: 'build', gates: ['tests'], continue: 0, grants: [], write_scope: [], attempts: 5 }]);
  expect(fillWorkflow(own, filling(given))).toMatchObject({
    steps: [{ gates: [TESTS], continue: 0, grants: [], write_scope: [], attempts: 5 }],
  });
});

test.each<[string, Partial<FillOptions>, string]>([
  [
    'a role that brings a gate nobody defines',
    { role: () => role('x', { gates: ['cover'] }) },
    'there is no gate cover',
  ],
  ['a role of the other kind', { role: (name) => role(name, { kind: 'answer' }) }, 'step build is of kind change'],
  ['a chosen role without a step for it', { chosenRole: role('r', { kind: 'answer' }) }, 'has no step of kind answer'],
])('%s is refused', (_, over, message) => {
  expect(fillWorkflow(workflow([{ id: 'build' }]), filling(over))).toMatchObject({
    type: 'rejected',
    message: expect.stringContaining(message),
  });
});
