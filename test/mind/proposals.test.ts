/** Proposals: what a model may not do by itself is stored whole and decided again, on the day the operator accepts it. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/kernel/hash.ts';
import { rejected } from '../../src/kernel/result.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { fact, given, type Input, NOON } from '../support/given.ts';
import { BARE, cancel, closed, create, grant, hashOf, taskIn } from './samples.ts';

const ID = `p-${sha256('plan-1').slice(0, 12)}`;
const proposed = (send: Input) => ({ send, by: 'planner', id: 'plan-1' }) as const;
const accept: Input = { type: 'proposal.accept', proposal: ID, reason: 'good' };
const reject: Input = { type: 'proposal.reject', proposal: ID, reason: 'bad' };
const made = (command: Record<string, unknown>) =>
  fact(`proposal/${ID}`, 'proposal.made', { proposal: ID, command, by: 'planner', why: '' });
const decided = (accepted: boolean, why: string) =>
  fact(`proposal/${ID}`, 'proposal.decided', { accepted, by: 'operator', why });
const AUTO: Input = { type: 'mode.set', mode: 'AUTO' };

describe('a planner', () => {
  test('proposes a task in MANUAL mode: the whole command is kept, nothing is created', () => {
    const when = given().when(proposed(create()));
    when.then([made({ ...create(), priority: 5 })]);
    expect(when.project.tasks.size).toBe(0);
  });

  test('creates the task in AUTO mode', () => {
    expect(taskIn(given(AUTO, proposed(create())).project).title).toBe('task t-1');
  });

  test('proposes to cancel and to steer in either mode', () => {
    for (const setup of [[], [AUTO]]) {
      given(...setup)
        .when(proposed({ type: 'goal.set', text: 'ship' }))
        .then([made({ type: 'goal.set', text: 'ship' })]);
      given(...setup, create())
        .when(proposed(cancel()))
        .then([made(cancel())]);
    }
  });
});

describe('an accepted proposal', () => {
  test('is carried out together with the acceptance', () => {
    given(create(), proposed(cancel()))
      .when(accept)
      .then([decided(true, 'good'), closed('cancelled', 'enough')]);
  });

  test('is decided against the state of that day', () => {
    const { project } = given(proposed(create()), create('t-0'), accept);
    expect(taskIn(project)).toMatchObject({ order: 2, trace: 'c-3', created: NOON });
    given(proposed(create('t-1')), create('t-0'))
      .when(accept)
      .then([decided(true, 'good'), expectCreated()]);
  });

  test('that cannot be carried out any more is refused whole, and stays open', () => {
    const when = given(create(), proposed(cancel()), cancel()).when(accept);
    when.then(rejected('task_closed', `proposal ${ID} cannot be carried out: task t-1 is cancelled already`));
    expect(when.project.proposals.has(ID)).toBe(true);
  });

  test('of a command that this version does not know is refused', () => {
    const event = { ...made({ type: 'task.teleport' }), time: NOON } as NewEvent;
    given(event)
      .when(accept)
      .then(rejected('stale_proposal', `proposal ${ID} holds a command this version does not know; reject it`));
  });
});

test('a rejected proposal is gone, and nothing of it happened', () => {
  const when = given(create(), proposed(cancel())).when(reject);
  when.then([decided(false, 'bad')]);
  expect(when.project.proposals.size).toBe(0);
  expect(taskIn(when.project).closed).toBeNull();
});

test.each([accept, reject])('a proposal is answered once: %j', (answer) => {
  const unknown = rejected('unknown_proposal', `no open proposal ${ID}`);
  given().when(answer).then(unknown);
  given(create(), proposed(cancel()), reject).when(answer).then(unknown);
});

describe('the people who may answer', () => {
  test('is the operator, and no model', () => {
    given(create(), proposed(cancel()))
      .when({ send: accept, by: 'planner' })
      .then(rejected('not_allowed', 'planner may not send proposal.accept'));
  });

  test('an MCP client that wants to stop a task has to ask the operator first', () => {
    given(create())
      .when({ send: cancel(), by: 'mcp' })
      .then(
        rejected('confirm', 'task.cancel by mcp needs the approval of the operator: ask, then send it as the operator'),
      );
  });

  test('a face cannot tell facts, and a hand cannot create tasks', () => {
    given().when({ send: grant, by: 'operator' }).then(rejected('not_allowed', 'operator may not send board.grant'));
    given().when({ send: create(), by: 'hand' }).then(rejected('not_allowed', 'hand may not send task.create'));
  });
});

function expectCreated() {
  const data = {
    task: 't-1',
    title: 'task t-1',
    spec: { version: 1, text: 'do it' },
    onto: 'main',
    base: 'b0',
  } as const;
  return fact('task/t-1', 'task.created', {
    ...data,
    workflow: hashOf(BARE),
    priority: 5,
    order: 2,
    opens: ['build'],
    trace: 'c-3',
  });
}
