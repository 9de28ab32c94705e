/** A workflow is made whole before it is pinned: a change that nothing checks is refused unless the operator says so. */
import { expect, test } from 'vitest';
import { type Filling, fillWorkflow } from '../../src/mind/workflows/fill.ts';
import { checkWorkflow } from '../../src/mind/workflows/workflow.ts';
import { workflow } from './samples.ts';

const TESTS = { name: 'tests', blocking: true, on_fail: 'retry' } as const;
const LINT = { name: 'lint', blocking: false, on_fail: 'retry' } as const;
const filling = (over: Partial<Filling> = {}): Filling => ({
  gates: [TESTS, LINT],
  chosen: null,
  noGates: false,
  clis: ['acme'],
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

test('what the step itself says of a gate beats the project', () => {
  const own = workflow([{ id: 'build', gates: [{ name: 'lint', blocking: true }, 'tests'] }]);
  expect(fillWorkflow(own, filling())).toMatchObject({
    steps: [{ gates: [{ name: 'lint', blocking: true, on_fail: 'retry' }, TESTS] }],
  });
});

test('chosen gates are the only ones', () => {
  expect(fillWorkflow(TWO, filling({ chosen: ['tests'] }))).toMatchObject({ steps: [{ gates: [TESTS] }, {}] });
});

test.each<[string, Partial<Filling>, string]>([
  ['no gate at all', { gates: [] }, 'nothing would check step build'],
  ['only gates that do not block', { gates: [LINT] }, 'nothing would check step build'],
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
