/** The way through a workflow: reviews that send a change back, joins, gate steps, steps that wait for a person. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import type { AnswerFacts } from '../../src/mind/domain/values.ts';
import { checkWorkflow } from '../../src/mind/workflows/check-graph.ts';
import { workflow as pinned } from '../../src/mind/workflows/step.ts';
import { workflowHashOf } from '../../src/mind/workflows/workflow.ts';
import { given, type Input, NOON } from '../support/given.ts';
import { expanded } from '../support/workflow-file.ts';
import { CANDIDATE, create, ended, gate, grant, limits, placeIn, resume, taskIn, workflow } from './samples.ts';

const says = (status: AnswerFacts['status']): AnswerFacts => ({
  status,
  confidence: null,
  findings: null,
  vetoes: null,
  dismissed: null,
});
const change = (n: number) => ({ base: 'b0', tree: `tree-${n}`, change_id: `change-${n}` });
const made = (token: number, n: number): Input => ended(token, 'ok', { candidate: change(n) });
/** A no that goes back names a line of the change. */
const named = (status: AnswerFacts['status']): Partial<AnswerFacts> =>
  status === 'APPROVED' ? {} : { findings: { critical: 0, high: 1, medium: 0, low: 0, info: 0 } };
const reviewed = (token: number, status: AnswerFacts['status'], step = 'review'): Input =>
  ended(token, 'ok', {
    step,
    said: { ...says(status), ...named(status) },
    reason: `the reviewer says ${status}`,
    answer: 'a'.repeat(64),
  });

/** What `reviewed.yaml` says. */
const REVIEWED = workflow([
  { id: 'build' },
  { id: 'review', kind: 'answer', role: 'reviewer', on_reject: 'build', rounds: 3 },
]);
const begun: Input[] = [create('t-1', { workflow: REVIEWED }), grant, made(1, 1), grant];

describe('a review that asks for changes', () => {
  test('sends the task back to the step that the workflow names, with what it said', () => {
    const { project } = given(...begun, reviewed(2, 'CHANGES_REQUESTED'));
    const task = taskIn(project);
    expect(task.open).toEqual(['build']);
    expect(task.steps.get('build')).toMatchObject({
      place: { at: 'ready' },
      round: 2,
      attempts: 1,
      used: {},
      feedback: 'the reviewer says CHANGES_REQUESTED',
      reviews: [{ step: 'review', answer: 'a'.repeat(64) }],
    });
    expect(placeIn(project, 'review')).toEqual({ at: 'void' });
  });

  test('is shown to the next worker, which starts from the change that was reviewed', () => {
    const { project } = given(...begun, reviewed(2, 'CHANGES_REQUESTED'), grant);
    expect(wantedBy(project, 'task/t-1').effects).toMatchObject([
      {
        work: {
          kind: 'worker.run',
          input: change(1),
          made: [{ on: null, candidate: change(1) }],
          feedback: 'the reviewer says CHANGES_REQUESTED',
          before: [],
          reviews: [{ step: 'review', role: 'reviewer', answer: 'a'.repeat(64) }],
        },
      },
    ]);
  });

  test('twice, and then approves: three rounds, attempts numbered on, each bound to the change it looked at', () => {
    const { project } = given(
      ...begun,
      reviewed(2, 'CHANGES_REQUESTED'),
      grant,
      made(4, 2),
      grant,
      reviewed(5, 'REJECTED'),
      grant,
      made(7, 3),
      grant,
      reviewed(8, 'APPROVED'),
    );
    const task = taskIn(project);
    expect(task.applying?.candidate).toEqual(change(3));
    expect(task.steps.get('build')).toMatchObject({ attempts: 3, round: 3 });
    expect(placeIn(project, 'review')).toMatchObject({ at: 'done', on: change(3), said: { status: 'APPROVED' } });
  });

  test('when no round is left ends the task as the workflow says, and resume does not let the change pass', () => {
    const twice: Input[] = [reviewed(2, 'CHANGES_REQUESTED'), grant, made(4, 2), grant, reviewed(5, 'REJECTED'), grant];
    const { project } = given(...begun, ...twice, made(7, 3), grant, reviewed(8, 'CHANGES_REQUESTED'));
    expect(taskIn(project).closed).toMatchObject({
      status: 'failed',
      reason: 'the reviewer says CHANGES_REQUESTED; no round is left (3 of 3)',
    });
    const again = given(...begun, ...twice, made(7, 3), grant, reviewed(8, 'CHANGES_REQUESTED'), resume());
    expect(taskIn(again.project)).toMatchObject({ applying: null, open: ['review'] });
  });

  test('counts attempts within a round: a red candidate of round 1 does not use up round 2', () => {
    const { project } = given(
      create('t-1', { workflow: REVIEWED }),
      grant,
      ended(1, 'invalid'),
      grant,
      ended(2, 'invalid'),
      grant,
      made(3, 1),
      grant,
      reviewed(4, 'CHANGES_REQUESTED'),
      grant,
      ended(6, 'invalid'),
      grant,
      ended(7, 'invalid'),
    );
    expect(taskIn(project)).toMatchObject({ closed: null, open: ['build'] });
    expect(taskIn(project).steps.get('build')).toMatchObject({ attempts: 5, used: { candidates: 2 } });
  });

  test('in a workflow that does not say where that leads needs a person', () => {
    const plain = workflow([{ id: 'build' }, { id: 'review', kind: 'answer' }]);
    const { project } = given(
      create('t-1', { workflow: plain }),
      grant,
      made(1, 1),
      grant,
      reviewed(2, 'CHANGES_REQUESTED'),
    );
    expect(taskIn(project).closed).toMatchObject({
      status: 'escalated',
      reason: 'the reviewer says CHANGES_REQUESTED',
    });
  });

  test('and comes after the task went back counts for nothing', () => {
    const { project } = given(...begun, reviewed(2, 'CHANGES_REQUESTED'), grant, reviewed(2, 'APPROVED'));
    expect(taskIn(project)).toMatchObject({ refused: 1, open: ['build'], applying: null });
  });
});

const FILE = {
  name: 'panel',
  version: 1,
  steps: [
    { id: 'build', kind: 'change' },
    { id: 'panel', review: ['reviewer', 'security'], on_reject: 'build', rounds: 2 },
  ],
};
const PANEL = expanded(JSON.stringify(FILE)).definition;
const both: Input[] = [create('t-1', { workflow: PANEL }), grant, made(1, 1), grant];

describe('two reviews side by side', () => {
  test('are written short and expanded into two answers and a join', () => {
    expect(PANEL.steps.map(({ id, kind, needs }) => [id, kind, needs])).toEqual([
      ['build', 'change', undefined],
      ['panel-reviewer', 'answer', ['build']],
      ['panel-security', 'answer', ['build']],
      ['panel', 'join', ['panel-reviewer', 'panel-security']],
    ]);
    expect(checkWorkflow(PANEL, 50)).toBeNull();
  });

  test('one rejects: the other continues, its result is recorded, and only then the task goes back', () => {
    const first = given(...both, reviewed(2, 'REJECTED', 'panel-reviewer'));
    expect(placeIn(first.project, 'panel-security')).toMatchObject({ at: 'working' });
    expect(taskIn(first.project).closed).toBeNull();
    const { project } = given(
      ...both,
      reviewed(2, 'REJECTED', 'panel-reviewer'),
      reviewed(3, 'APPROVED', 'panel-security'),
    );
    const task = taskIn(project);
    expect(task.open).toEqual(['build']);
    expect(task.steps.get('build')?.reviews.map(({ step }) => step)).toEqual(['panel-reviewer', 'panel-security']);
    expect(task.steps.get('panel')).toMatchObject({ reworks: 1, place: { at: 'void' } });
  });

  test('one rejects: the join says so of this change, and opens no later step', () => {
    const longer = expanded(
      JSON.stringify({ ...FILE, steps: [...FILE.steps, { id: 'polish', kind: 'change' }] }),
    ).definition;
    const begun: Input[] = [create('t-1', { workflow: longer }), grant, made(1, 1), grant];
    const { decision } = given(...begun, reviewed(2, 'REJECTED', 'panel-reviewer')).when(
      reviewed(3, 'APPROVED', 'panel-security'),
    );
    expect(decision).toMatchObject({
      events: [
        { type: 'attempt.settled' },
        { type: 'verdict.given', data: { step: 'panel', decision: 'REJECT', reasons: ['review_rejected'] } },
        { type: 'step.joined', data: { decision: 'REJECT', on: change(1), opens: [] } },
        { type: 'task.reworked' },
      ],
    });
  });

  test('both approve: the join approves in the same append as the second, and the change is applied', () => {
    const { decision } = given(...both, reviewed(2, 'APPROVED', 'panel-reviewer')).when(
      reviewed(3, 'APPROVED', 'panel-security'),
    );
    expect(decision).toMatchObject({
      events: [
        { type: 'attempt.settled' },
        { type: 'verdict.given', data: { step: 'panel', decision: 'APPROVE', on: change(1) } },
        { type: 'step.joined' },
        { type: 'task.applying' },
      ],
    });
  });

  test('one fails for good: the other is waited for, nothing new starts, and then the task ends', () => {
    const blocked = ended(2, 'blocked', { step: 'panel-reviewer', reason: 'no key' });
    const first = given(...both, blocked, grant);
    expect(taskIn(first.project)).toMatchObject({ closed: null, failing: { status: 'escalated', reason: 'no key' } });
    expect(placeIn(first.project, 'panel-security')).toMatchObject({ at: 'working' });
    const { project } = given(...both, blocked, reviewed(3, 'APPROVED', 'panel-security'));
    expect(taskIn(project).closed).toMatchObject({ status: 'escalated', reason: 'no key' });
    expect(placeIn(project, 'panel-security')).toMatchObject({ at: 'done', said: { status: 'APPROVED' } });
  });

  test('when no round is left the task ends, and resume asks for another round instead of letting it pass', () => {
    const nay = (token: number): Input[] => [
      reviewed(token, 'REJECTED', 'panel-reviewer'),
      reviewed(token + 1, 'APPROVED', 'panel-security'),
    ];
    const past: Input[] = [...both, ...nay(2), grant, made(6, 2), grant, ...nay(7)];
    expect(taskIn(given(...past).project).closed?.status).toBe('failed');
    const task = taskIn(given(...past, resume()).project);
    expect(task).toMatchObject({ closed: null, applying: null, open: ['build'] });
  });
});

const CHECKED = workflow([{ id: 'build' }, { id: 'check', kind: 'gate', gates: ['e2e'], on_fail: 'build', rounds: 2 }]);
const atGate: Input[] = [create('t-1', { workflow: CHECKED }), grant, made(1, 1)];

describe('a gate step', () => {
  test('runs its gates on the candidate without a worker, and takes no slot', () => {
    const { project } = given(...atGate);
    expect(placeIn(project, 'check')).toMatchObject({
      at: 'checking',
      attempt: { kind: 'gate', on: change(1) },
      product: { candidate: change(1), gates: ['e2e'] },
    });
    expect(project.holds.busy).toBe(0);
    expect(taskIn(project).attempts).toBe(1);
  });

  test('that passes lets the task go on; that fails sends it back, told what failed', () => {
    expect(taskIn(given(...atGate, gate(2, 'e2e', 'pass', { step: 'check' })).project).applying).not.toBeNull();
    const back = given(...atGate, gate(2, 'e2e', 'fail', { step: 'check' })).project;
    expect(taskIn(back).steps.get('build')).toMatchObject({
      ...{ round: 2, feedback: 'gate failed: e2e', findings: [{ gate: 'e2e', status: 'fail' }] },
    });
    const past: Input[] = [...atGate, gate(2, 'e2e', 'fail', { step: 'check' }), grant, made(4, 2)];
    expect(taskIn(given(...past, gate(5, 'e2e', 'fail', { step: 'check' })).project).closed?.status).toBe('failed');
  });

  test('that could not run is no pass: a person has to look', () => {
    const { project } = given(...atGate, gate(2, 'e2e', 'error', { step: 'check' }));
    expect(taskIn(project).closed?.status).toBe('escalated');
  });
});

const ASKING = workflow([{ id: 'build' }, { id: 'look', kind: 'human', on_reject: 'build' }]);
const asked: Input[] = [create('t-1', { workflow: ASKING }), grant, made(1, 1)];
const answer = (decision: 'APPROVE' | 'REJECT', reason = ''): Input => ({
  type: 'step.answer',
  task: 't-1',
  step: 'look',
  decision,
  reason,
});

describe('a step that waits for a person', () => {
  test('waits, bound to the change, and the task says so', () => {
    const { project } = given(...asked);
    expect(placeIn(project, 'look')).toEqual({
      at: 'waiting',
      for: 'person',
      token: 2,
      on: change(1),
      asks: 'approval',
      about: null,
      reason: '',
    });
    expect(taskIn(project).closed).toBeNull();
  });

  test('goes on when it is approved and back when it is rejected', () => {
    expect(taskIn(given(...asked, answer('APPROVE')).project).applying?.candidate).toEqual(change(1));
    const { project } = given(...asked, answer('REJECT', 'name it otherwise'));
    expect(taskIn(project).steps.get('build')).toMatchObject({ feedback: 'name it otherwise', round: 2 });
  });

  test('is asked again after rework: what was said of the first change does not count for the second', () => {
    const { project } = given(...asked, answer('REJECT'), grant, made(4, 2));
    expect(placeIn(project, 'look')).toMatchObject({ at: 'waiting', on: change(2) });
  });

  test('takes an answer once', () => {
    const { decision } = given(...asked, answer('APPROVE')).when(answer('REJECT'));
    expect(decision).toMatchObject({ type: 'rejected', code: 'not_waiting' });
  });
});

const PLANNED = workflow([
  { id: 'plan', kind: 'answer' },
  { id: 'agree', kind: 'human', about: 'plan', on_reject: 'plan', rounds: 2 },
  { id: 'build' },
]);
const HASH = 'c'.repeat(64);
const planned: Input[] = [create('t-1', { workflow: PLANNED }), grant, ended(1, 'ok', { step: 'plan', answer: HASH })];
const agree = (decision: 'APPROVE' | 'REJECT', over: object = {}): Input => ({
  type: 'step.answer',
  task: 't-1',
  step: 'agree',
  decision,
  reason: 'too large',
  ...over,
});

describe('a plan that a person approves before any change', () => {
  test('is bound to the hash of the answer', () => {
    const { project } = given(...planned);
    expect(placeIn(project, 'agree')).toMatchObject({ at: 'waiting', on: null, about: { step: 'plan', answer: HASH } });
  });

  test('goes on when it is approved, and who did it and about what is in the log', () => {
    const { project, decision } = given(...planned).when(agree('APPROVE', { about: HASH }));
    expect(decision).toMatchObject({
      events: [{ type: 'step.answered', data: { decision: 'APPROVE', by: 'operator', about: HASH, opens: ['build'] } }],
    });
    expect(taskIn(project).open).toEqual(['build']);
  });

  test('goes back with the reason as feedback when it is rejected, and the new plan is asked about anew', () => {
    const { project } = given(...planned, agree('REJECT'));
    expect(taskIn(project).steps.get('plan')).toMatchObject({ feedback: 'too large', round: 2 });
    const again = given(...planned, agree('REJECT'), grant, ended(4, 'ok', { step: 'plan', answer: 'd'.repeat(64) }));
    expect(placeIn(again.project, 'agree')).toMatchObject({ about: { answer: 'd'.repeat(64) } });
    const stale = again.when(agree('APPROVE', { about: HASH }));
    expect(stale.decision).toMatchObject({ type: 'rejected', code: 'stale_answer' });
    expect(again.when(agree('APPROVE', { about: 'd'.repeat(64) })).decision.type).toBe('decided');
  });

  test('ends the task when no round is left', () => {
    const past = [...planned, agree('REJECT'), grant, ended(4, 'ok', { step: 'plan', answer: HASH }), agree('REJECT')];
    expect(taskIn(given(...past).project).closed).toMatchObject({
      status: 'failed',
      reason: 'too large; no round is left (2 of 2)',
    });
  });
});

const COMMITTING = workflow([
  { id: 'build' },
  { id: 'save', kind: 'commit' },
  { id: 'offer', kind: 'pull_request', on_reject: 'build' },
]);
const put = (token: number, commit: string, status: 'applied' | 'conflict' = 'applied'): Input => ({
  type: 'apply.report',
  task: 't-1',
  token,
  status,
  commit,
  branch: 'ai/t-1',
});
const atCommit: Input[] = [create('t-1', { workflow: COMMITTING }), grant, made(1, 1)];
const offered = (decision: 'APPROVE' | 'REJECT'): Input => ({
  type: 'step.answer',
  task: 't-1',
  step: 'offer',
  decision,
  reason: 'mend it',
});

describe('a commit step', () => {
  test('puts the candidate on the branch, and the steps after it follow', () => {
    expect(taskIn(given(...atCommit).project)).toMatchObject({
      applying: { token: 2, candidate: change(1), step: 'save' },
      open: ['save'],
    });
    const { project } = given(...atCommit, put(2, 'c1'));
    expect(taskIn(project)).toMatchObject({
      applying: null,
      committed: { candidate: change(1), commit: 'c1', branch: 'ai/t-1' },
      open: ['offer'],
    });
    expect(placeIn(project, 'offer')).toMatchObject({ at: 'waiting', asks: 'pull_request' });
  });

  test('that waits for another one of its task keeps no other task from starting', () => {
    const twice = workflow([
      { id: 'build' },
      { id: 'save', kind: 'commit', needs: ['build'] },
      { id: 'keep', kind: 'commit', needs: ['build'] },
    ]);
    const past: Input[] = [create('t-1', { workflow: twice }), grant, made(1, 1), create('t-2')];
    expect(placeIn(given(...past).project, 'keep')).toMatchObject({ at: 'ready' });
    const { project } = given(...past, grant);
    expect(placeIn(project, 'build', 't-2')).toMatchObject({ at: 'working' });
    expect(taskIn(given(...past, put(2, 'c1')).project).closed).toMatchObject({ status: 'accepted', commit: 'c1' });
  });

  test('beside a gate step that did not let the change pass waits until that step has looked again', () => {
    const beside = workflow([
      { id: 'build' },
      { id: 'look', kind: 'gate', gates: ['e2e'], needs: ['build'] },
      { id: 'ask', kind: 'human', needs: ['build'] },
      { id: 'early', kind: 'commit', needs: ['ask'] },
    ]);
    const looks = (past: readonly Input[], status: 'pass' | 'error'): Input => {
      const place = placeIn(given(...past).project, 'look');
      return gate(place?.at === 'checking' ? place.attempt.token : 0, 'e2e', status, { step: 'look' });
    };
    const yes: Input = { type: 'step.answer', task: 't-1', step: 'ask', decision: 'APPROVE', reason: '' };
    const first: Input[] = [create('t-1', { workflow: beside }), grant, made(1, 1)];
    // Before it has looked, the workflow does not make the commit wait for it: control.
    expect(taskIn(given(...first, yes).project).applying).toMatchObject({ step: 'early' });
    const again: Input[] = [...first, looks(first, 'error'), resume(), yes];
    expect(taskIn(given(...again).project)).toMatchObject({ applying: null, verdict: { decision: 'ESCALATE' } });
    expect(taskIn(given(...again, looks(again, 'pass')).project).applying).toMatchObject({ step: 'early' });
  });

  test('is not repeated at the end: the task is accepted with its commit', () => {
    const { project } = given(...atCommit, put(2, 'c1'), offered('APPROVE'));
    expect(taskIn(project)).toMatchObject({ applying: null, closed: { status: 'accepted', commit: 'c1' } });
  });

  test('after rework puts the new change in the place of the one before', () => {
    const { project } = given(...atCommit, put(2, 'c1'), offered('REJECT'), grant, made(5, 2));
    const [effect] = wantedBy(project, 'task/t-1').effects;
    expect(effect?.work).toMatchObject({ kind: 'candidate.apply', candidate: change(2), replaces: 'c1' });
  });

  test('that finds the same change again commits nothing twice', () => {
    const again = workflow([
      { id: 'build' },
      { id: 'sum', kind: 'answer' },
      { id: 'save', kind: 'commit' },
      { id: 'offer', kind: 'pull_request', on_reject: 'sum' },
    ]);
    const summed = (token: number) => ended(token, 'ok', { step: 'sum' });
    const before = [create('t-1', { workflow: again }), grant, made(1, 1), grant, summed(2), put(3, 'c1')];
    const { project } = given(...before, offered('REJECT'), grant, summed(6));
    expect(taskIn(project)).toMatchObject({ applying: null, open: ['offer'] });
  });

  test('is not reached by a change that was sent back and comes again: the task needs a person', () => {
    const { project } = given(...atCommit, put(2, 'c1'), offered('REJECT'), grant, made(5, 1));
    expect(taskIn(project).closed?.status).toBe('escalated');
  });

  test('that meets a foreign branch needs a person', () => {
    const { project } = given(...atCommit, put(2, 'c1', 'conflict'));
    expect(taskIn(project).closed?.status).toBe('escalated');
  });
});

const VOTE = workflow([
  { id: 'build' },
  { id: 'first', kind: 'answer', needs: ['build'], cli: ['claude'] },
  { id: 'second', kind: 'answer', needs: ['build'], cli: ['codex'] },
  { id: 'third', kind: 'answer', needs: ['build'], cli: ['gemini'] },
  { id: 'vote', kind: 'join', needs: ['first', 'second', 'third'], require: 'consensus', on_reject: 'build' },
]);
const opinion = (step: string, token: number, status: AnswerFacts['status'], over: Partial<AnswerFacts> = {}): Input =>
  ended(token, 'ok', { step, said: { ...says(status), ...over }, reason: `${step} says ${status}` });
const voted = (...opinions: [AnswerFacts['status'], Partial<AnswerFacts>?][]) => {
  const steps = ['first', 'second', 'third'];
  const votes = opinions.map(([status, over], n) => opinion(steps[n] ?? '', n + 2, status, over));
  return given(
    create('t-1', { workflow: VOTE }),
    limits({ slots: { total: 9, per_cli: {} } }),
    grant,
    made(1, 1),
    grant,
    ...votes,
  ).project;
};

describe('a join that requires a consensus', () => {
  test('approves with two approvals that weigh more, although one reviewer says no', () => {
    const project = voted(['APPROVED'], ['APPROVED'], ['CHANGES_REQUESTED']);
    expect(taskIn(project).applying).not.toBeNull();
    expect(placeIn(project, 'vote')).toMatchObject({ at: 'done', reason: expect.stringContaining('by a consensus') });
  });

  test('counts the votes of those it asks: an earlier review does not replace a missing opinion', () => {
    const before = workflow([{ id: 'build' }, { id: 'look', kind: 'answer' }, ...VOTE.steps.slice(1)]);
    const definition = {
      ...before,
      steps: before.steps.map((one) => (/first|second|third/.test(one.id) ? { ...one, needs: ['look'] } : one)),
    };
    const past: Input[] = [
      create('t-1', { workflow: definition }),
      limits({ slots: { total: 9, per_cli: {} } }),
      ...[grant, made(1, 1), grant, opinion('look', 2, 'APPROVED'), grant, opinion('first', 3, 'APPROVED')],
      ...[ended(4, 'ok', { step: 'second' }), ended(5, 'ok', { step: 'third' })],
    ];
    const { project } = given(...past);
    expect(taskIn(project)).toMatchObject({ applying: null, closed: null, open: ['build'] });
  });

  test('rejects a tie', () => {
    const project = voted(
      ['CHANGES_REQUESTED', { confidence: 0.6 }],
      ['APPROVED', { confidence: 0.4 }],
      ['APPROVED', { confidence: 0.4 }],
    );
    expect(taskIn(project)).toMatchObject({ open: ['build'] });
    expect(taskIn(project).steps.get('build')?.round).toBe(2);
  });

  test('rejects what one of them vetoes for security', () => {
    const project = voted(['APPROVED'], ['APPROVED'], ['CHANGES_REQUESTED', { vetoes: 1 }]);
    expect(taskIn(project).open).toEqual(['build']);
  });

  test('asks a person when the one who approves weighs more than those who do not', () => {
    const project = voted(
      ['APPROVED', { confidence: 1 }],
      ['CHANGES_REQUESTED', { confidence: 0.2 }],
      ['CHANGES_REQUESTED', { confidence: 0.2 }],
    );
    expect(placeIn(project, 'vote')).toMatchObject({ at: 'waiting', asks: 'disagreement', on: change(1) });
  });

  test('goes on or back as that person says', () => {
    const past: Input[] = [
      create('t-1', { workflow: VOTE }),
      limits({ slots: { total: 9, per_cli: {} } }),
      grant,
      made(1, 1),
      grant,
      opinion('first', 2, 'APPROVED', { confidence: 1 }),
      opinion('second', 3, 'REJECTED', { confidence: 0.1 }),
      opinion('third', 4, 'REJECTED', { confidence: 0.1 }),
    ];
    const decided = (decision: 'APPROVE' | 'REJECT'): Input => ({
      type: 'step.answer',
      task: 't-1',
      step: 'vote',
      decision,
      reason: 'the second is right',
      about: change(1).change_id,
    });
    expect(taskIn(given(...past, decided('APPROVE')).project).applying).not.toBeNull();
    expect(taskIn(given(...past, decided('REJECT')).project).steps.get('build')).toMatchObject({
      round: 2,
      feedback: 'the second is right',
    });
  });
});

describe('a step that asks a person when nothing is left to try', () => {
  const policy = { tries: 1, first_ms: 5_000, factor: 3, max_ms: 120_000 };
  const asking = workflow([
    { id: 'build', attempts: 1, retry: policy, on_failure: 'ask_human' },
    { id: 'check', kind: 'gate', gates: ['e2e'], on_fail: 'build', rounds: 1, on_failure: 'ask_human' },
  ]);
  const begin: Input[] = [create('t-1', { workflow: asking }), grant];
  const tell = (step: string, decision: 'APPROVE' | 'REJECT'): Input => ({
    type: 'step.answer',
    task: 't-1',
    step,
    decision,
    reason: '',
  });

  test('waits by its own policy, and then for the person', () => {
    const first = given(...begin, ended(1, 'transient'));
    expect(placeIn(first.project, 'build')).toMatchObject({ at: 'parked', until: NOON + 5_000 });
    const { project } = given(...begin, ended(1, 'invalid', { reason: 'no answer' }));
    expect(placeIn(project, 'build')).toMatchObject({ at: 'waiting', asks: 'failure', reason: 'no answer' });
  });

  test('tries again when the person says yes, and ends the task when they say no', () => {
    const past = [...begin, ended(1, 'invalid', { reason: 'no answer' })];
    expect(taskIn(given(...past, tell('build', 'APPROVE')).project).steps.get('build')).toMatchObject({
      place: { at: 'ready' },
      used: {},
      feedback: 'no answer',
    });
    expect(taskIn(given(...past, tell('build', 'REJECT')).project).closed).toMatchObject({
      status: 'failed',
      reason: 'no answer',
    });
  });

  test('goes back once more when its rounds are used up and the person says yes', () => {
    const past = [...begin, made(1, 1), gate(2, 'e2e', 'fail', { step: 'check' })];
    expect(placeIn(given(...past).project, 'check')).toMatchObject({ at: 'waiting', asks: 'rounds' });
    expect(taskIn(given(...past, tell('check', 'APPROVE')).project).steps.get('build')).toMatchObject({ round: 2 });
  });
});

test('a task that has begun more steps than are allowed ends, and says so', () => {
  const endless = workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build', rounds: 20 }]);
  const past: Input[] = [limits({ max_steps: 5 }), create('t-1', { workflow: endless }), grant, made(1, 1), grant];
  const rounds = [reviewed(2, 'REJECTED'), grant, made(4, 2), grant, reviewed(5, 'REJECTED'), grant, made(7, 3)];
  expect(taskIn(given(...past, ...rounds).project).closed).toMatchObject({
    status: 'failed',
    reason: 'the task began 6 steps over all its rounds, and 5 are allowed (limits.max_steps)',
  });
});

describe('a workflow is refused', () => {
  test.each<[string, Parameters<typeof workflow>[0], string]>([
    ['that goes back to nowhere', [{ id: 'a' }, { id: 'b', kind: 'answer', on_reject: 'x' }], 'which is not a step'],
    [
      'that goes back forwards',
      [{ id: 'a' }, { id: 'b', kind: 'answer', on_reject: 'c' }, { id: 'c' }],
      'does not come before it',
    ],
    ['whose change sends back', [{ id: 'a' }, { id: 'b', on_reject: 'a' }], 'cannot send a change back'],
    ['that checks nothing', [{ id: 'a', kind: 'gate', gates: ['x'] }], 'comes before any change'],
    ['that joins no answers', [{ id: 'a' }, { id: 'b', kind: 'join' }], 'needs no answer'],
    ['that asks a person about nothing', [{ id: 'a', kind: 'human' }, { id: 'b' }], 'name in about the answer'],
    ['about a step that is not there', [{ id: 'a' }, { id: 'b', kind: 'human', about: 'x' }], 'which is not a step'],
    ['about a later answer', [{ id: 'a', kind: 'human', about: 'b' }, { id: 'b' }], 'does not come before it'],
    [
      'about a gate, which answers nothing',
      [{ id: 'a' }, { id: 'b', kind: 'gate', gates: ['x'] }, { id: 'c', kind: 'human', about: 'b' }],
      'answers nothing',
    ],
    ['whose gate is about something', [{ id: 'a' }, { id: 'b', kind: 'answer', about: 'a' }], 'only a human step'],
    ['that commits nothing', [{ id: 'a', kind: 'commit' }], 'comes before any change'],
    [
      'that asks for a pull request of no commit',
      [{ id: 'a' }, { id: 'b', kind: 'pull_request' }],
      'has to come before',
    ],
    [
      'whose commit sends back',
      [{ id: 'a' }, { id: 'b', kind: 'commit', on_reject: 'a' }],
      'neither approves nor rejects',
    ],
    ['whose commit has attempts', [{ id: 'a' }, { id: 'b', kind: 'commit', on_failure: 'ask_human' }], 'no attempts'],
    ['whose review votes alone', [{ id: 'a' }, { id: 'b', kind: 'answer', require: 'consensus' }], 'only a join'],
    ['whose inputs come later', [{ id: 'a', inputs: ['b'] }, { id: 'b' }], 'does not come before it'],
  ])('%s', (_, steps, words) => {
    expect(checkWorkflow(workflow(steps), 50)?.message).toContain(words);
  });
});

test('a pinned workflow of an older version keeps its hash', () => {
  const old = workflow([
    { id: 'build' },
    { id: 'review', kind: 'answer', role: 'reviewer', on_reject: 'build', rounds: 3 },
  ]);
  expect(workflowHashOf(v.parse(pinned, old))).toBe(workflowHashOf(old));
  expect(workflowHashOf(old)).toMatchInlineSnapshot(
    `"6aa552addc5d0370bd4420264afbdc2bf13632c0b0eac2b57435b8a737375980"`,
  );
});

test("a second change step starts from the first one's candidate and says so", () => {
  const two = workflow([{ id: 'build' }, { id: 'test' }]);
  const { project } = given(create('t-1', { workflow: two }), grant, ended(1, 'ok'), grant);
  expect(placeIn(project, 'test')).toMatchObject({ at: 'working', attempt: { on: CANDIDATE, round: 1 } });
});
