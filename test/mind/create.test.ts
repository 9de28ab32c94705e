/** Making a task: its workflow is pinned once, its first steps open, and nonsense is refused before anything is written. */
import { describe, expect, test } from 'vitest';
import { rejected } from '../../src/kernel/result.ts';
import { rowOf } from '../../src/mind/domain/streams.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { summaryOf } from '../../src/mind/domain/task-summary.ts';
import { fact, given, NOON } from '../support/given.ts';
import { BARE, create, hashOf, taskIn, workflow } from './samples.ts';

const pinned = (definition = BARE) =>
  fact(`workflow/${hashOf(definition).slice(0, 12)}`, 'workflow.pinned', { hash: hashOf(definition), definition });

const created = (task: string, order: number, trace: string, over: { priority?: number; opens?: string[] } = {}) => {
  const text = { task, title: `task ${task}`, spec: { version: 1, text: 'do it' }, onto: 'main', base: 'b0' } as const;
  return fact(`task/${task}`, 'task.created', {
    ...text,
    workflow: hashOf(BARE),
    priority: 5,
    order,
    opens: ['build'],
    trace,
    ...over,
  });
};

describe('task.create', () => {
  test('pins the workflow and opens its first steps', () => {
    given()
      .when(create())
      .then([pinned(), created('t-1', 1, 'c-1')]);
  });

  test('does not pin the same workflow twice, and gives each task the next rank', () => {
    given(create())
      .when(create('t-2', { priority: 9 }))
      .then([created('t-2', 2, 'c-2', { priority: 9 })]);
  });

  test('pins a changed workflow beside the old one', () => {
    const changed = { ...BARE, version: 2 };
    const { project } = given(create(), create('t-2', { workflow: changed }));
    expect([...project.workflows.keys()].sort()).toEqual([hashOf(BARE), hashOf(changed)].sort());
    expect(taskIn(project).workflow).toBe(hashOf(BARE));
  });

  test('refuses a task that exists already, also when it is closed', () => {
    const refusal = rejected('task_exists', 'task t-1 exists already');
    given(create()).when(create()).then(refusal);
    given(create(), { type: 'task.cancel', task: 't-1' }).when(create()).then(refusal);
  });

  test('refuses a workflow that is longer than the limits allow', () => {
    const long = workflow(Array.from({ length: 51 }, () => ({})));
    given()
      .when(create('t-1', { workflow: long }))
      .then(rejected('bad_workflow', 'workflow work: has 51 steps, at most 50 are allowed (limits.max_steps)'));
  });

  test('keeps fields of a spec that this version does not know', () => {
    const spec = { version: 1, text: 'do it', later: { '~map': 5, deep: [1, { a: null }] } } as const;
    expect(taskIn(given(create('t-1', { spec })).project).spec).toEqual(spec);
  });
});

describe('a task that was just made', () => {
  const { project } = given(create());

  test('is queued, and no cost is known', () => {
    expect(taskIn(project)).toMatchObject({
      attempts: 0,
      cost: { microusd: null, tokens_in: null, tokens_out: null },
      closed: null,
    });
    expect(statusOf(taskIn(project))).toBe('queued');
  });

  test('has a line for lists', () => {
    const times = { created_at: NOON, updated_at: NOON, landed: null };
    expect(summaryOf(taskIn(project), 'work')).toEqual({
      ...{ task_id: 't-1', title: 'task t-1', status: 'queued', workflow: 'work', branch: null, attempts: 0 },
      ...times,
    });
    expect(rowOf(project, 'task/t-1')).toMatchObject({
      ...{ live: true, status: 'queued', parent: null, line: 'main', updated: NOON, rank: NOON },
      summary: { task_id: 't-1' },
    });
  });
});
