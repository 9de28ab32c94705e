/**
 * A task under an approval policy: who has to approve its change, how many have to agree, and when no approval is
 * needed.
 */
import { describe, expect, test } from 'vitest';
import { parseApprovals } from '../../../src/mind/approvals/policy-file.ts';
import { questionsOf } from '../../../src/mind/approvals/question.ts';
import { wantedBy } from '../../../src/mind/domain/effects.ts';
import type { ChangeFacts } from '../../../src/mind/domain/risk-facts.ts';
import { statusOf } from '../../../src/mind/domain/task.ts';
import type { ApprovalPolicy } from '../../../src/mind/workflows/approval-policy.ts';
import { withApprovals } from '../../../src/mind/workflows/approval-step.ts';
import { compileWorkflow } from '../../../src/mind/workflows/workflow.ts';
import { given, type Input, NOON, type Sent } from '../../support/given.ts';
import { create, ended, grant, pause, placeIn, resume, spec, taskIn, timer, workflow } from '../samples.ts';

const DAY = 86_400_000;
const read = (text: string): ApprovalPolicy => {
  const parsed = parseApprovals(text, 'approvals.yaml');
  if (parsed.type === 'problem') throw new Error(parsed.message);
  return parsed.policy;
};
const POLICY = read(`approval_gates:
  low_risk: {conditions: [file_count < 3], action: auto_approve}
  medium_risk: {conditions: [file_count < 10], action: notify_and_timeout}
  high_risk: {conditions: [changes_auth_code], action: require_approval, approvers: [leads]}
  critical: {conditions: [changes_encryption], action: require_multi_approval, approvers: [leads]}
groups: {leads: [ana, ben, cleo]}
`);
const FLOW = withApprovals(workflow([{ id: 'build' }]), [POLICY]);
const CALM: ChangeFacts = {
  ...{ file_count: 1, lines_added: 3, lines_removed: 0, new_dependencies: 0 },
  ...{ lock_file: false, breaking: false, classes: [] },
};
const CRITICAL = { ...CALM, classes: ['encryption'] };
const change = (facts: ChangeFacts | null, token = 1): Input =>
  ended(token, 'ok', facts === null ? {} : { facts: { ...facts, classes: [...(facts.classes ?? [])] } });
const start = (flow = FLOW): Input[] => [create('t-1', { workflow: flow }), grant];
const answer = (name: string, decision: 'APPROVE' | 'REJECT' = 'APPROVE', at = NOON): Sent => ({
  name,
  at,
  send: { type: 'step.answer', task: 't-1', step: 'approval', decision, reason: 'so' },
});
const expectRefused = (past: (Input | Sent)[], sent: Sent, code: string) =>
  expect(given(...past).when(sent).decision).toMatchObject({ type: 'rejected', code });
const asked = (facts: ChangeFacts | null) => given(...start(), change(facts));

describe('questions about a change', () => {
  test('nothing if it is calm: the reason is on record', () => {
    const { project } = asked(CALM);
    expect(taskIn(project).applying).not.toBeNull();
    expect(placeIn(project, 'approval')).toMatchObject({ at: 'done', reason: expect.stringContaining('low_risk') });
  });

  test('one of the named people if it touches auth', () => {
    const { project } = asked({ ...CALM, classes: ['auth'] });
    const task = taskIn(project);
    expect(statusOf(task)).toBe('waiting');
    expect(questionsOf(task, compileWorkflow(FLOW))).toMatchObject([
      {
        text: 'Is the change good? One more person of leads (ana, ben, cleo) has to approve.',
        reason: 'high_risk: changes_auth_code',
      },
    ]);
    expectRefused([...start(), change({ ...CALM, classes: ['auth'] })], answer('mallory'), 'not_approver');
    const done = given(...start(), change({ ...CALM, classes: ['auth'] }), answer('ana'));
    expect(taskIn(done.project).applying).not.toBeNull();
  });

  test('an unmeasured fact counts as risky', () => {
    expect(placeIn(asked(null).project, 'approval')).toMatchObject({ at: 'waiting', needed: { level: 'critical' } });
  });

  test('facts of an earlier change say nothing about a later one', () => {
    const { project } = given(...start(), change(CRITICAL), answer('ana', 'REJECT'), grant, change(null, 4));
    expect(placeIn(project, 'approval')).toMatchObject({ at: 'waiting', needed: { level: 'critical' } });
  });

  test('without a policy the workflow stays as it is', () => {
    expect(withApprovals(FLOW, [])).toEqual(FLOW);
  });
});

describe('two people have to agree', () => {
  const past = [...start(), change(CRITICAL)];

  test('the first approval waits for the second', () => {
    const { project } = given(...past, answer('ana'));
    const task = taskIn(project);
    expect(statusOf(task)).toBe('waiting');
    expect(questionsOf(task, compileWorkflow(FLOW))[0]?.text).toContain('One more person of leads');
    const both = given(...past, answer('ana'), answer('ben'));
    expect(taskIn(both.project).applying).not.toBeNull();
    expect(taskIn(both.project).approval).toMatchObject({ change_id: taskIn(both.project).candidate?.change_id });
  });

  test('a person outside of the groups is told who is left, without those who approved', () => {
    expect(given(...past, answer('ana')).when(answer('mallory')).decision).toMatchObject({
      code: 'not_approver',
      message: expect.stringContaining('one more person of leads (ben, cleo) has to approve'),
    });
  });

  test('a person cannot approve twice', () => {
    expectRefused([...past, answer('ana')], answer('ana'), 'approved_already');
  });

  test('an approval that has expired counts no more, and may be given again', () => {
    const late = NOON + 8 * DAY;
    const { project } = given(...past, answer('ana'), answer('ben', 'APPROVE', late));
    expect(statusOf(taskIn(project))).toBe('waiting');
    const said = (now?: number) => questionsOf(taskIn(project), compileWorkflow(FLOW), now)[0]?.text;
    // By the log ana's has expired; later ben's has, too.
    expect(said()).toBe('Is the change good? One more person of leads (ana, cleo) has to approve.');
    expect(said(late + 8 * DAY)).toBe('Is the change good? 2 more people of leads (ana, ben, cleo) have to approve.');
    const again = given(...past, answer('ana'), answer('ben', 'APPROVE', late), answer('ana', 'APPROVE', late + 1));
    expect(taskIn(again.project).applying).not.toBeNull();
  });

  test('one no is enough, and the approvals before it are void', () => {
    const { project } = given(
      ...past,
      answer('ana'),
      answer('ben', 'REJECT'),
      grant,
      change(CRITICAL, 4),
      answer('ben'),
    );
    expect(statusOf(taskIn(project))).toBe('waiting');
    expect(placeIn(project, 'approval')).toMatchObject({ agreed: [{ by: 'operator:ben' }] });
  });
});

test('a paused task is approved without being committed: that comes after `resume`', () => {
  const past = [...start(), change({ ...CALM, classes: ['auth'] }), pause(), answer('ana')];
  const { project } = given(...past);
  expect([statusOf(taskIn(project)), taskIn(project).applying]).toEqual(['paused', null]);
  expect(taskIn(given(...past, resume()).project).applying).not.toBeNull();
});

test('words for a worker are refused while only an approval is open, also in a paused task', () => {
  const past = [...start(), change({ ...CALM, classes: ['auth'] })];
  const say: Input = { type: 'task.resume', task: 't-1', reason: 'again', say: 'use three' };
  for (const before of [past, [...past, pause()]])
    expect(given(...before).when(say).decision).toMatchObject({ type: 'rejected', code: 'asks_approval' });
  // Control: without words a paused task is resumed.
  expect(statusOf(taskIn(given(...past, pause(), resume()).project))).toBe('waiting');
});

describe('a change that goes on by itself', () => {
  const past = [...start(), change({ ...CALM, file_count: 5 })];
  const waiting = given(...past);
  const place = placeIn(waiting.project, 'approval') as { token: number };
  const due = timer('approval', { step: 'approval', token: place.token });

  test('waits for half an hour, and goes on without a rejection', () => {
    const { timers } = wantedBy(waiting.project, 'task/t-1');
    expect(timers).toContainEqual(expect.objectContaining({ timer: 'approval', due: NOON + 30 * 60_000 }));
    expectRefused(past, { send: due, by: 'clock', at: NOON + 30 * 60_000 - 1 }, 'stale_timer');
    const after = given(...past, { send: due, by: 'clock', at: NOON + 30 * 60_000 });
    expect(taskIn(after.project).applying).not.toBeNull();
  });

  test('goes back if a person rejects it in time', () => {
    const { project } = given(...past, answer('dora', 'REJECT'));
    expect(placeIn(project, 'build')).toMatchObject({ at: 'ready' });
    expectRefused([...past, answer('dora', 'REJECT')], { send: due, by: 'clock', at: NOON + DAY }, 'stale_timer');
  });

  test('waits longer if the message about it is held in quiet hours: the half hour begins when it goes out', () => {
    const told = [
      create('t-1', { workflow: FLOW, ...spec({ notify: true }) }),
      grant,
      change({ ...CALM, file_count: 5 }),
    ];
    const { token } = placeIn(given(...told).project, 'approval') as { token: number };
    const held: Input[] = [
      { type: 'effect.start', task: 't-1', stream: 'task/t-1', key: `t-1/-/${token}/notify.ask` },
      { type: 'notify.report', task: 't-1', token, asks: true, result: 'held', quiet_ms: DAY / 3 },
    ];
    const at = NOON + 30 * 60_000;
    const early = { send: timer('approval', { step: 'approval', token }), by: 'clock', at } as const;
    expectRefused([...told, ...held], early, 'stale_timer');
    const { project } = given(...told, ...held, { ...early, at: at + DAY / 3 });
    expect(taskIn(project).applying).not.toBeNull();
    // Control: without quiet hours it goes on.
    expect(taskIn(given(...told, early).project).applying).not.toBeNull();
  });

  test('goes on at once if a person approves it', () => {
    expect(taskIn(given(...past, answer('dora')).project).applying).not.toBeNull();
  });
});

describe('the place of the question in the workflow', () => {
  const ids = (flow: ReturnType<typeof workflow>) =>
    withApprovals(flow, [POLICY]).steps.map(({ id, needs = [] }) => `${id}<${needs.join()}`);

  test('at the end of a workflow without a commit', () => {
    expect(ids(workflow([{ id: 'a' }, { id: 'r', kind: 'answer' }]))).toEqual(['a<', 'r<a', 'approval<r']);
  });

  test('before each commit', () => {
    expect(ids(workflow([{ id: 'a' }, { id: 'c', kind: 'commit' }, { id: 'p', kind: 'pull_request' }]))).toEqual([
      'a<',
      'c-approval<a',
      'c<c-approval',
      'p<c',
    ]);
  });

  test('a person who is asked anyway is asked once', () => {
    const flow = workflow([{ id: 'a' }, { id: 'look', kind: 'human' }, { id: 'c', kind: 'commit' }]);
    expect(ids(flow)).toEqual(['a<', 'look<a', 'c<look']);
    const { project } = given(create('t-1', { workflow: withApprovals(flow, [POLICY]) }), grant, {
      ...change(CALM),
      step: 'a',
    } as Input);
    expect(placeIn(project, 'look')).toMatchObject({ at: 'waiting', needed: { action: 'require_approval' } });
  });
});
