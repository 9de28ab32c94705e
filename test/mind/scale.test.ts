/** One event costs what it changes: with 100,000 live tasks, everything else stays the very same object. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { TaskId } from '../../src/kernel/ids.ts';
import { decide } from '../../src/mind/decisions/decide.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project, withoutTask } from '../../src/mind/domain/project.ts';
import { evolve } from '../../src/mind/domain/streams.ts';
import { compileWorkflow } from '../../src/mind/workflows/workflow.ts';
import { envelope, type Input, NOON } from '../support/given.ts';
import { BARE, cancel, create, ended, grant, hashOf } from './samples.ts';

const TASKS = 100_000;
let crowd: Project;

beforeAll(() => {
  const workflow = hashOf(BARE);
  const text = { title: 'one of many', spec: { version: 1, text: 'do it' }, onto: 'main', base: null } as const;
  let project: Project = { ...EMPTY_PROJECT, workflows: EMPTY_PROJECT.workflows.set(workflow, compileWorkflow(BARE)) };
  for (let n = 0; n < TASKS; n++) {
    const data = { task: `n-${n}`, ...text, workflow, priority: 5, order: n + 1, opens: ['build'], trace: '' };
    project = evolve(project, { type: 'task.created', stream: `task/n-${n}`, time: NOON, data } as unknown as NewEvent);
  }
  crowd = project;
});

/** Decides a command and returns the state after it. */
function decided(project: Project, input: Input): Project {
  const decision = decide(project, envelope(input, 'c-1'));
  if (decision.type === 'rejected') throw new Error(decision.message);
  return decision.events.reduce(evolve, project);
}

function changedTasks(before: Project, now: Project): string[] {
  const changed = [...now.tasks].filter(([id, task]) => before.tasks.get(id) !== task).map(([id]) => id);
  const gone = [...before.tasks.keys()].filter((id) => !now.tasks.has(id));
  return [...changed, ...gone];
}

describe('with 100,000 live tasks', () => {
  test('all of them wait in the scheduler', () => {
    expect(crowd.tasks.size).toBe(TASKS);
    expect([...crowd.holds.ready.values()].map((lane) => lane.size)).toEqual([TASKS]);
  });

  test.each<[string, Input[], string[]]>([
    ['a new task', [create('new')], ['new']],
    ['a grant', [grant], ['n-0', 'n-1']],
    ['an outcome', [grant, ended(1, 'ok', { task: 'n-0' })], ['n-0']],
    ['a retry', [grant, ended(1, 'transient', { task: 'n-1' })], ['n-1']],
    ['a cancel', [cancel('n-77777')], ['n-77777']],
    ['a goal', [{ type: 'goal.set', text: 'ship' }], []],
  ])('%s leaves every other task the same object', (_, commands, expected) => {
    const before = commands.slice(0, -1).reduce(decided, crowd);
    const now = decided(before, commands.at(-1) as Input);
    expect(changedTasks(before, now)).toEqual(expected);
    expect(now.workflows).toBe(before.workflows);
    expect(now.proposals).toBe(before.proposals);
  });

  test('parts of the state that an event does not concern stay the same object', () => {
    const goal = decided(crowd, { type: 'goal.set', text: 'ship' });
    expect({ ...goal, goal: null }).toEqual({ ...crowd, goal: null });
    for (const part of ['tasks', 'board', 'holds', 'host'] as const) expect(goal[part]).toBe(crowd[part]);
    const cancelled = decided(crowd, cancel('n-5'));
    for (const part of ['board', 'goal', 'host'] as const) expect(cancelled[part]).toBe(crowd[part]);
    expect(cancelled.holds.locks).toBe(crowd.holds.locks);
  });

  test('a closed task is forgotten without touching the others', () => {
    const closed = decided(crowd, cancel('n-5'));
    const without = withoutTask(closed, 'n-5' as TaskId);
    expect(changedTasks(closed, without)).toEqual(['n-5']);
    expect(without.holds).toEqual(closed.holds);
    expect(withoutTask(without, 'n-5' as TaskId).tasks).toBe(without.tasks);
  });
});
