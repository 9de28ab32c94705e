/**
 * The approved change is the one that lands: for another change, or after the approval has expired, people are asked
 * again.
 */
import { describe, expect, test } from 'vitest';
import { LANDING } from '../../../src/mind/approvals/landing-approval.ts';
import { parseApprovals } from '../../../src/mind/approvals/policy-file.ts';
import { questionsOf } from '../../../src/mind/approvals/question.ts';
import { withApprovals } from '../../../src/mind/workflows/approval-step.ts';
import { compileWorkflow } from '../../../src/mind/workflows/workflow.ts';
import { given, type Input, NOON, type Sent } from '../../support/given.ts';
import { applied, approved, checks, land, line, moved, OTHER, onceMore } from '../landing-samples.ts';
import { CANDIDATE, create, ended, gate, grant, taskIn, workflow } from '../samples.ts';

const DAY = 86_400_000;
const expectRefused = (past: (Input | Sent)[], sent: Input | Sent, code: string) =>
  expect(given(...past).when(sent).decision).toMatchObject({ type: 'rejected', code });
/** Integrated on a line that has moved; it is landed by the next report. */
const again = (token: number, change = OTHER): Input[] => [
  land(),
  moved(token),
  line('line.integrate', token + 1, { status: 'integrated', candidate: change, tip_tree: 'tip-tree' }),
  checks(token + 2, 'pass'),
];

describe('a change that a person approved', () => {
  test('does not land as another change: it leaves the queue with what has to be read', () => {
    const { decision, project } = given(...approved().slice(0, -1)).when(checks(3, 'pass'));
    expect(decision).toMatchObject({
      events: [
        { type: 'line.gated' },
        { type: 'line.left', data: { code: 'needs_approval' } },
        { type: 'task.not_landed', data: { unapproved: { on: OTHER } } },
      ],
    });
    expect(questionsOf(taskIn(project), compileWorkflow(workflow([{ id: 'build' }])))).toMatchObject([
      { step: LANDING, about: { kind: 'change', id: OTHER.change_id } },
    ]);
  });

  test('lands as it is: control', () => {
    const same = { ...OTHER, change_id: CANDIDATE.change_id };
    const integrating = approved().slice(0, -2);
    const report = line('line.integrate', 2, { status: 'integrated', candidate: same, tip_tree: 'tip-tree' });
    const { decision } = given(...integrating, report).when(checks(3, 'pass'));
    expect(decision).toMatchObject({ events: [{}, { type: 'line.moving' }] });
  });

  test('lands as the other one once a person has said yes to that, and only to that', () => {
    const yes = [...approved(), onceMore];
    expect(given(...yes, ...again(4).slice(0, -1)).when(checks(6, 'pass')).decision).toMatchObject({
      events: [{}, { type: 'line.moving', data: { candidate: OTHER } }],
    });
    const third = { ...OTHER, tree: 'tree-4', change_id: 'change-of-a-third-tree' };
    expect(given(...yes, ...again(4, third).slice(0, -1)).when(checks(6, 'pass')).decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { code: 'needs_approval' } }, {}],
    });
  });

  test('takes an answer only while it waits for one, and once', () => {
    expectRefused(approved().slice(0, 6), onceMore, 'not_waiting');
    expectRefused([...approved(), onceMore], onceMore, 'not_waiting');
    expectRefused(approved(), { ...onceMore, about: CANDIDATE.change_id } as Input, 'stale_answer');
    expectRefused(approved(), { ...onceMore, decision: 'REJECT' } as Input, 'not_approved');
  });

  test('a yes that is a week old does not count any more', () => {
    const late = (send: Input): Sent => ({ at: NOON + 8 * DAY, send });
    const past: (Input | Sent)[] = [...approved(), onceMore, ...again(4).slice(0, -1).map(late)];
    expect(given(...past).when(late(checks(6, 'pass'))).decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { code: 'needs_approval' } }, {}],
    });
  });
});

describe('if two of a group have to approve', () => {
  const parsed = parseApprovals(
    `approval_gates:
  high_risk: {conditions: [file_count > 0], action: require_multi_approval, approvers: [leads]}
groups: {leads: [ana, ben, cleo]}
expires: 2d
`,
    'approvals.yaml',
  );
  const policy = parsed.type === 'problem' ? [] : [parsed.policy];
  const flow = withApprovals(workflow([{ id: 'build', gates: ['tests'] }]), policy);
  const said = (step: string, name: string, at = NOON): Sent => ({
    ...{ name, at },
    send: { type: 'step.answer', task: 't-1', step, decision: 'APPROVE', reason: 'so' } as Input,
  });
  const accepted: (Input | Sent)[] = [
    create('t-1', { workflow: flow }),
    grant,
    ended(1, 'ok'),
    gate(1, 'tests', 'pass'),
    said('approval', 'ana'),
    said('approval', 'ben'),
    { ...applied, token: 3 } as Input,
  ];
  const asked = [...accepted, ...again(1)];

  test('two have to approve the other change too: not the same person twice, and not another user', () => {
    expectRefused(asked, said('land', 'mallory'), 'not_approver');
    expectRefused([...asked, said('land', 'ana')], said('land', 'ana'), 'approved_already');
    const one = given(...asked, said('land', 'ana'), ...again(4).slice(0, -1)).when(checks(6, 'pass'));
    expect(one.decision).toMatchObject({ events: [{}, { type: 'line.left', data: { code: 'needs_approval' } }, {}] });
    const both = given(...asked, said('land', 'ana'), said('land', 'ben'), ...again(4).slice(0, -1));
    expect(both.when(checks(6, 'pass')).decision).toMatchObject({ events: [{}, { type: 'line.moving' }] });
  });

  test('an approval that expired before the landing is asked for again, and then it may join the queue', () => {
    const late = (send: Input): Sent => ({ at: NOON + 3 * DAY, send });
    const { decision } = given(...accepted).when(late(land()));
    expect(decision).toMatchObject({
      events: [{ type: 'task.not_landed', data: { code: 'needs_approval', unapproved: { on: CANDIDATE } } }],
    });
    const yes = ['ana', 'ben'].map((name) => said('land', name, NOON + 3 * DAY));
    expect(given(...accepted, late(land()), ...yes).when(late(land())).decision).toMatchObject({
      events: [{ type: 'task.landing' }, { type: 'line.queued' }],
    });
    expect(given(...accepted).when(land()).decision).toMatchObject({ events: [{ type: 'task.landing' }, {}] });
  });

  describe('and the approval expires in the queue', () => {
    const start = (token: number, at: number, again?: true): Sent => ({
      by: 'hand',
      at,
      send: {
        type: 'effect.start',
        task: 't-1',
        stream: 'line/main',
        key: `line/main/t-1/${token}/line.move`,
        ...(again === undefined ? {} : { again }),
      },
    });
    const DAYS_3 = NOON + 3 * DAY;
    const left = [
      { type: 'line.left', data: { code: 'needs_approval' } },
      { type: 'task.not_landed', data: { code: 'needs_approval', unapproved: { on: CANDIDATE } } },
    ];

    test('the branch is not moved, and people are asked again', () => {
      const queued = [...accepted, land()];
      expect(given(...queued).when(start(1, NOON + DAY)).decision).toMatchObject({
        events: [{ type: 'effect.started' }],
      });
      expect(given(...queued).when(start(1, DAYS_3)).decision).toMatchObject({ events: left });
      const yes = ['ana', 'ben'].map((name) => said('land', name, DAYS_3));
      const again = given(...queued, start(1, DAYS_3), ...yes, { at: DAYS_3, send: land() });
      expect(again.when(start(2, DAYS_3)).decision).toMatchObject({ events: [{ type: 'effect.started' }] });
    });

    test('nor by a process that takes over from one that ended before it moved the branch', () => {
      const begun = [...accepted, land(), start(1, NOON)];
      expect(given(...begun).when(start(1, NOON + DAY, true)).decision).toMatchObject({ events: [] });
      const late = given(...begun).when(start(1, DAYS_3, true));
      expect(late.decision).toMatchObject({ events: [{ type: 'effect.settled' }, ...left] });
      expect(taskIn(late.project).started).toEqual([]);
      expectRefused(begun, start(1, NOON), 'duplicate_effect');
    });

    test('that of the one who approved first counts: its time began earlier', () => {
      const early = [...accepted.slice(0, 4), said('approval', 'ana'), said('approval', 'ben', NOON + DAY)];
      const done = { at: NOON + DAY, send: { ...applied, token: 3 } as Input };
      const queued = [...early, done, { at: NOON + DAY, send: land() }];
      expect(given(...queued).when(start(1, NOON + 2 * DAY)).decision).toMatchObject({ events: left });
      expect(given(...queued).when(start(1, NOON + 2 * DAY - 1)).decision).toMatchObject({
        events: [{ type: 'effect.started' }],
      });
    });
  });
});

describe('the line moves beside the change', () => {
  const policyOf = (text: string) => {
    const parsed = parseApprovals(text, 'approvals.yaml');
    if (parsed.type === 'problem') throw new Error(parsed.message);
    return [parsed.policy];
  };
  const onRedBase = policyOf(`approval_gates:
  low_risk: {conditions: [file_count < 100], action: auto_approve}
  high_risk: {conditions: [red_base_excused], action: require_approval, approvers: [leads]}
groups: {leads: [ana]}
`);
  const facts = {
    file_count: 1,
    lines_added: 1,
    lines_removed: 0,
    new_dependencies: 0,
    lock_file: false,
    breaking: false,
    classes: [],
  };
  const accepted: (Input | Sent)[] = [
    create('t-1', { workflow: withApprovals(workflow([{ id: 'build', gates: ['tests'] }]), onRedBase) }),
    grant,
    ended(1, 'ok', { facts }),
    gate(1, 'tests', 'pass'),
    { ...applied, token: 3 } as Input,
  ];
  const same = { ...OTHER, change_id: CANDIDATE.change_id };
  const onto = (from: number): (Input | Sent)[] => [
    land({ unverified: true }),
    moved(from),
    line('line.integrate', from + 1, { status: 'integrated', candidate: same, tip_tree: 'tip-tree' }),
  ];
  const red = (token: number) => checks(token, 'pass', { excused: 2 });
  const yes = (name: string): Sent => ({ name, send: onceMore });

  test('without a raised fact it lands without a question', () => {
    expect(given(...accepted, ...onto(1)).when(checks(3, 'pass')).decision).toMatchObject({
      events: [{}, { type: 'line.moving' }],
    });
  });

  test('with a raised fact those are asked whom the policies name for it', () => {
    const asked = given(...accepted, ...onto(1)).when(red(3));
    expect(asked.decision).toMatchObject({
      events: [
        {},
        { type: 'line.left', data: { reason: expect.stringContaining('high_risk: red_base_excused') } },
        { data: { code: 'needs_approval', unapproved: { needed: { level: 'high_risk' } } } },
      ],
    });
    const past = [...accepted, ...onto(1), red(3)];
    expectRefused(past, yes('mallory'), 'not_approver');
    const again = [...past, yes('ana'), ...onto(4)];
    expect(given(...again).when(red(6)).decision).toMatchObject({ events: [{}, { type: 'line.moving' }] });
    expect(given(...past).when(land({ unverified: true })).decision).toMatchObject({
      events: [{ type: 'task.not_landed', data: { unapproved: { needed: { level: 'high_risk' } } } }],
    });
  });

  test('with a conflict nothing lands, and there is no question', () => {
    const conflict = line('line.integrate', 2, { status: 'conflict', reason: 'both changed a.ts' });
    const { project } = given(...accepted, ...onto(1).slice(0, -1), conflict);
    expect(taskIn(project)).toMatchObject({ landed: null });
    expect(taskIn(project).landingAsk).toBeUndefined();
  });
});
