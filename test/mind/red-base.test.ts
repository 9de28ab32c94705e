/** The operator's answer about red tests of the base, given while the task is under way. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { fact, given, type Input } from '../support/given.ts';
import { create, ended, GATED, gate, grant, resume, spec, taskIn } from './samples.ts';

const made = create('t-1', { workflow: GATED });
const answer = (red_base: 'fix' | 'keep'): Input => ({ type: 'task.answer_base', task: 't-1', red_base });
const answered = (red_base: 'fix' | 'keep') => fact('task/t-1', 'task.base_answered', { red_base });
const checked = [made, grant, ended(1, 'ok'), gate(1, 'lint', 'pass')];

describe('an answer about tests that are red at the base', () => {
  test.each(['fix', 'keep'] as const)('counts as if the task had been made with it: %s', (word) => {
    const when = given(made, grant).when(answer(word));
    when.then([answered(word)]);
    expect(taskIn(when.project).spec.red_base).toBe(word);
  });

  test('is given once: the same again changes nothing, another one is refused', () => {
    given(made, grant, answer('keep')).when(answer('keep')).then([]);
    given(made, grant, answer('keep'))
      .when(answer('fix'))
      .then(rejected('answered_already', 'red tests of the base are settled for task t-1: keep'));
    given(create('t-1', { workflow: GATED, ...spec({ red_base: 'fix' }) }))
      .when(answer('keep'))
      .then(rejected('answered_already', 'red tests of the base are settled for task t-1: fix'));
  });

  test.each([
    ['while the gate runs, a failure that it excuses fails it', 'fix', 'fail', 0],
    ['keep lets it be excused', 'keep', 'pass', 2],
  ] as const)('%s', (_, word, status, excused) => {
    const { decision } = given(...checked, answer(word)).when(gate(1, 'tests', 'pass', { excused: 2 }));
    const events = decision.type === 'decided' ? decision.events : [];
    expect(events.find(({ type }) => type === 'gate.reported')?.data).toMatchObject({ status, excused });
    const end = events.find(({ type }) => type === 'attempt.settled')?.data;
    expect(end).toMatchObject({ class: word === 'fix' ? 'invalid' : 'ok' });
  });

  test('comes too late to fix what has been excused, and never to keep it', () => {
    const excused = [made, grant, ended(1, 'ok'), gate(1, 'tests', 'pass', { excused: 1 })];
    given(...excused)
      .when(answer('fix'))
      .then(rejected('too_late', 'gates of task t-1 have passed with these tests red: it goes on unverified'));
    given(...excused)
      .when(answer('keep'))
      .then([answered('keep')]);
  });

  test('is none when the task is over, unknown, or a model gives it', () => {
    const over: Input = { type: 'task.cancel', task: 't-1', reason: 'enough' };
    given(made, over).when(answer('keep')).then(rejected('task_closed', 'task t-1 is cancelled already'));
    expect(given().when(answer('keep')).decision.type).toBe('rejected');
    expect(given(made).when({ send: answer('keep'), by: 'planner' }).decision.type).toBe('rejected');
    expect(given(made, resume()).when(answer('keep')).decision.type).toBe('decided');
  });
});
