/** A change that was refused for what its text says: a person dismisses the findings, and this very change goes on. */
import { expect, test } from 'vitest';
import { workerRun } from '../../../src/mind/domain/worker-run.ts';
import { given, type Input, type Sent } from '../../support/given.ts';
import { CANDIDATE, create, ended, grant, pause, taskIn, workflow } from '../samples.ts';
import { NONE } from './facts.ts';

const ONE = { id: 'd-11112222', severity: 'high' } as const;
const TWO = { id: 'd-33334444', severity: 'critical' } as const;
const refused = (token: number, change: string, ...blocked_by: (typeof ONE | typeof TWO)[]): Input =>
  ended(token, 'invalid', {
    candidate: null,
    reason: 'The change is refused',
    sent_back: { ...CANDIDATE, change_id: change },
    diff: { blocks: true, findings: { ...NONE, high: 1 }, rules: ['exports-gone'], blocked_by },
  });
const begin = (over: object = {}): Input[] => [
  create('t-1', { workflow: workflow([{ id: 'build', attempts: 1, ...over }]) }),
  grant,
];
const dismiss = (...ids: string[]): Input =>
  ({ type: 'task.resume', task: 't-1', reason: 'it is meant so', dismiss: ids }) as Input;
const taskAfter = (...past: Input[]) => taskIn(given(...past).project);
const refusal = (past: readonly Input[], command: Input | Sent): string | null => {
  const { decision } = given(...past).when(command);
  return decision.type === 'rejected' ? decision.code : null;
};
/** What the worker of the attempt under way is given. */
const workIn = (...past: Input[]) => {
  const { project } = given(...past);
  const task = taskIn(project);
  const step = task.steps.get('build');
  if (step?.place.at !== 'working') throw new Error(`the step is ${step?.place.at}`);
  return workerRun(project, task, 'build' as never, step, step.place.attempt as never);
};

const over = [...begin(), refused(1, 'c-1', ONE)];
const asked = [...begin({ on_failure: 'ask_human' }), refused(1, 'c-1', ONE)];

test('a task that ended with it continues with the very change, and no worker is asked', () => {
  expect(taskAfter(...over).closed).not.toBeNull();
  const work = workIn(...over, dismiss('d-1111'), grant);
  expect(work).toMatchObject({
    asItIs: 'dismissed',
    start: { change_id: 'c-1' },
    dismissed: [{ gate: 'diff', id: ONE.id, change_id: 'c-1' }],
  });
  const taken = ended(3, 'ok', { candidate: { ...CANDIDATE, change_id: 'c-1' }, reason: 'taken as it was' });
  expect(taskAfter(...over, dismiss(ONE.id), grant, taken).applying?.candidate.change_id).toBe('c-1');
});

test('so does a task that is paused, and the word counts for that change alone', () => {
  const paused = [...begin({ attempts: 3 }), refused(1, 'c-1', ONE), pause()];
  expect(workIn(...paused, dismiss(ONE.id), grant).asItIs).toBe('dismissed');
  const later = [...paused, dismiss(ONE.id), grant, refused(2, 'c-2', ONE), grant];
  expect(workIn(...later).asItIs).toBeUndefined();
});

test('findings of one change are dismissed together', () => {
  const both = [...begin(), refused(1, 'c-1', ONE, TWO)];
  expect(refusal(both, dismiss(ONE.id))).toBe('findings_left');
  expect(workIn(...both, dismiss(ONE.id, TWO.id), grant).asItIs).toBe('dismissed');
});

test('only the operator does it, not while a worker mends the change, and not for a finding without an id', () => {
  const auto: Input[] = [{ type: 'mode.set', mode: 'AUTO' }, ...over];
  expect(refusal(auto, { send: dismiss(ONE.id), by: 'supervisor' })).toBe('not_allowed');
  expect(refusal(over, dismiss('d-99999999'))).toBe('unknown_finding');
  expect(refusal([...begin({ attempts: 3 }), refused(1, 'c-1', ONE), grant], dismiss(ONE.id))).toBe('unknown_finding');
  expect(refusal([...begin(), refused(1, 'c-1')], dismiss(ONE.id))).toBe('unknown_finding');
});

test('a person who is asked whether to try again may answer so', () => {
  if (taskAfter(...asked).closed !== null) throw new Error('nobody is asked');
  expect(workIn(...asked, dismiss(ONE.id), grant).asItIs).toBe('dismissed');
});
