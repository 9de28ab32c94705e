/** Questions of workers: the task waits for a person, and goes on with the answer. */
import { expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { questionsOf } from '../../src/mind/approvals/question.ts';
import { statusOf, waitsForPerson } from '../../src/mind/domain/task.ts';
import type { AnswerFacts } from '../../src/mind/domain/values.ts';
import { compileWorkflow } from '../../src/mind/workflows/workflow.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import { BARE, cancel, closed, create, ended, grant, pause, placeIn, resume, settled, taskIn } from './samples.ts';

const said: AnswerFacts = { status: 'BLOCKED', confidence: null, findings: null, vetoes: null, dismissed: null };
const reason = 'the worker says BLOCKED: "which one?"';
const asked: Input = ended(1, 'blocked', { reason, said, answer: 'a'.repeat(64) });
const past: Input[] = [create(), grant, asked];
const answer = (over: object = {}): Input => ({ ...resume(), say: 'the second', ...over }) as Input;
const no: Input = { type: 'step.answer', task: 't-1', step: 'build', decision: 'REJECT', reason: 'never mind' };

const answered = fact('task/t-1', 'step.answered', {
  ...{ step: 'build', token: 2, decision: 'APPROVE', by: 'operator', reason: 'answered', opens: [] },
});

test('a worker that says BLOCKED asks a question: its step waits and the task is not over', () => {
  const when = given(create(), grant).when(asked);
  when.then([
    settled({
      ...{ class: 'blocked', reason, said, answer: 'a'.repeat(64) },
      next: { do: 'retry', at: null, cli: 0, counter: 'none' },
    }),
    fact('task/t-1', 'step.waiting', { step: 'build', token: 2, for: 'person', on: null, asks: 'question', reason }),
  ]);
  const task = taskIn(when.project);
  expect([statusOf(task), waitsForPerson(task)]).toEqual(['waiting', true]);
  expect(questionsOf(task, compileWorkflow(BARE))).toMatchObject([
    { asks: 'question', text: 'The worker of build asks: "which one?"', approve: 'supervisor answer t-1 "…"' },
  ]);
});

test('so does a CLI that waits for input', () => {
  const { project } = given(create(), grant, ended(1, 'waiting_for_input', { reason: 'which one?' }));
  expect(placeIn(project, 'build')).toMatchObject({ at: 'waiting', asks: 'question' });
});

test('the answer becomes a part of the task, and the step begins again with fresh attempts', () => {
  const when = given(create(), grant, ended(1, 'invalid'), grant, { ...asked, token: 2 } as Input).when(answer());
  when.then([
    fact('task/t-1', 'step.answered', {
      ...{ step: 'build', token: 3, decision: 'APPROVE', by: 'operator', reason: 'answered', opens: [] },
    }),
    fact('task/t-1', 'task.resumed', { reason: 'again', say: 'the second' }),
  ]);
  const task = taskIn(when.project);
  expect(task.spec.text).toBe('do it\n\nThe operator adds:\nthe second');
  expect(task.steps.get('build')).toMatchObject({ place: { at: 'ready', cli: 0 }, used: {} });
});

test('a question is asked once: a second answer is refused, and nothing starts before the first', () => {
  given(...past)
    .when(grant)
    .then([]);
  given(...past, answer())
    .when(answer())
    .then(rejected('not_paused', 'task t-1 is queued: `supervisor pause t-1` first, then add to it'));
});

test('further paths or another CLI are an answer too; nothing added is none', () => {
  given(...past)
    .when({ ...resume(), allow: ['test/'] } as Input)
    .then([answered, fact('task/t-1', 'task.resumed', { reason: 'again', allow: ['test/'] })]);
  given(...past)
    .when(resume())
    .then([]);
});

test('an approval answers no question', () => {
  given(...past)
    .when({ ...no, decision: 'APPROVE' } as Input)
    .then(rejected('needs_answer', 'step build of task t-1 asks a question: `supervisor answer t-1 "…"`'));
});

test('a person may refuse to answer, or cancel the task', () => {
  const { project } = given(...past, no);
  expect(taskIn(project).closed).toMatchObject({ status: 'failed', reason });
  given(...past)
    .when(cancel())
    .then([closed('cancelled', 'enough')]);
});

test('a model does not answer in the name of the operator', () => {
  given({ type: 'mode.set', mode: 'AUTO' } as Input, ...past)
    .when({ send: answer(), by: 'planner' })
    .then(rejected('not_allowed', 'only the operator may add to task t-1'));
});

test('a paused task keeps its question; an answer resumes it', () => {
  const { project } = given(...past, pause(), resume());
  expect(placeIn(project, 'build')).toMatchObject({ at: 'waiting' });
  given(...past, pause())
    .when({ send: answer(), at: NOON })
    .then([answered, fact('task/t-1', 'task.resumed', { reason: 'again', say: 'the second' })]);
});
