/** The brake of memory: from a share of the machine's memory on no worker is started; what runs goes on. */
import { describe, expect, test } from 'vitest';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import { create, ended, limits, spec, startedTasks, taskIn } from './samples.ts';

const grantAt = (memory?: number): Input => ({ type: 'board.grant', ...(memory === undefined ? {} : { memory }) });
const pressed = fact('board', 'board.pressed', { used: 0.8, limit: 0.8 });
const startedBy = (...past: Input[]) => {
  const { decision } = given(...past.slice(0, -1)).when(past.at(-1) as Input);
  return decision.type === 'decided' ? startedTasks(decision.events) : decision;
};

describe('80 % of memory in use', () => {
  test('starts no new work, and says so once; a little less does: the control', () => {
    expect(startedBy(create(), grantAt(0.79))).toEqual(['t-1']);
    given(create()).when(grantAt(0.8)).then([pressed]);
    given(create(), grantAt(0.8)).when(grantAt(0.9)).then([]);
  });

  test('is shown as the reason why the task waits', () => {
    const { project } = given(create(), grantAt(0.83));
    expect(waitsFor(project, taskIn(project), NOON)).toEqual([
      "build: free memory: 83 % of the machine's is in use, and no worker is started from 80 % on (limits.memory_share)",
    ]);
  });

  test('lets go on when it has fallen a little below', () => {
    expect(startedBy(create(), grantAt(0.8), grantAt(0.79))).toEqual([]);
    expect(startedBy(create(), grantAt(0.8), grantAt(0.7))).toEqual(['t-1']);
    const { decision } = given(create(), grantAt(0.8)).when(grantAt(0.7));
    const [first] = decision.type === 'decided' ? decision.events : [];
    expect(first).toMatchObject(fact('board', 'board.eased', { used: 0.7 }));
  });

  test('leaves alone what runs', () => {
    const { project } = given(create(), grantAt(0.2), create('t-2'), grantAt(0.95));
    expect(taskIn(project).steps.get('build')?.place.at).toBe('working');
    expect(taskIn(project, 't-2').steps.get('build')?.place.at).toBe('ready');
    const done = given(create(), grantAt(0.2), grantAt(0.95), ended(1, 'ok')).project;
    expect(taskIn(done).applying).not.toBeNull();
  });

  test('does not concern what is only played, and is no fact while nothing waits', () => {
    const played = create('t-1', spec({ simulated: true }));
    expect(startedBy(played, grantAt(0.99))).toEqual(['t-1']);
    given().when(grantAt(0.99)).then([]);
  });
});

test('another share is in force where the limits say so', () => {
  expect(startedBy(limits({ memory_share: 0.9 }), create(), grantAt(0.85))).toEqual(['t-1']);
  expect(startedBy(limits({ memory_share: 0.3 }), create(), grantAt(0.35))).toEqual([]);
});

test('without a measurement nothing is held back, not even by an older one', () => {
  expect(startedBy(create(), grantAt())).toEqual(['t-1']);
  expect(startedBy(create(), grantAt(0.9), grantAt())).toEqual(['t-1']);
});
