/** Signed approvals as the mind counts them: who is the same person, what a signature is about, and which file is read. */
import { describe, expect, test } from 'vitest';
import type { StepId } from '../../../src/kernel/ids.ts';
import { parseSigners } from '../../../src/mind/approvals/allowed-signers.ts';
import { APPROVAL_NAMESPACE, approvalText, readApprovalText } from '../../../src/mind/approvals/approval-text.ts';
import { approverOf, peopleIn } from '../../../src/mind/approvals/people.ts';
import { parseApprovals } from '../../../src/mind/approvals/policy-file.ts';
import type { Project } from '../../../src/mind/domain/project.ts';
import { statusOf } from '../../../src/mind/domain/task.ts';
import type { SignedWord } from '../../../src/mind/domain/values.ts';
import { withApprovals } from '../../../src/mind/workflows/approval-step.ts';
import { given, type Input, NOON, type Sent } from '../../support/given.ts';
import { create, ended, gate, grant, placeIn, taskIn, workflow } from '../samples.ts';

const DAY = 86_400_000;
const [ANA, BEN] = ['ana@example.com', 'ben@example.com'];
const parsed = parseApprovals(
  `approval_gates:
  high_risk: {conditions: [file_count > 0], action: require_multi_approval, approvers: [leads]}
groups: {leads: [ana, '${ANA}', '${BEN}']}
expires: 2d
`,
  'approvals.yaml',
);
const FLOW = withApprovals(
  workflow([{ id: 'build', gates: ['tests'] }]),
  parsed.type === 'problem' ? [] : [parsed.policy],
);
const PAST: Input[] = [create('t-1', { workflow: FLOW }), grant, ended(1, 'ok'), gate(1, 'tests', 'pass')];
const keyOf = (as: string) => `SHA256:${as}`;

type Over = {
  readonly at?: number;
  readonly over?: Partial<SignedWord>;
  readonly confirmed?: string[];
  readonly now?: number;
};
/** As a face sends it that has checked the signature. */
function signs(project: Project, as: string, { at = NOON, over = {}, confirmed, now = at }: Over = {}): Sent {
  const step = 'approval' as StepId;
  const text = approvalText('p', taskIn(project), { step, decision: 'APPROVE', reason: '', as, at }) ?? '';
  const signed = { as, names: [as], key: keyOf(as), at, text, signature: 'S', ...over };
  return {
    name: 'carrier',
    at: now,
    send: {
      type: 'step.answer',
      task: 't-1',
      step,
      decision: 'APPROVE',
      reason: '',
      signed,
      ...(confirmed === undefined ? {} : { confirmed }),
    },
  };
}
const { project: ASKED } = given(...PAST);
const byUser = (name: string, at = NOON): Sent => ({
  name,
  at,
  send: { type: 'step.answer', task: 't-1', step: 'approval', decision: 'APPROVE', reason: '' },
});
const isDone = (...past: (Input | Sent)[]) => statusOf(taskIn(given(...PAST, ...past).project)) !== 'waiting';
const expectRefused = (past: (Input | Sent)[], sent: Sent, code: string) =>
  expect(given(...PAST, ...past).when(sent).decision).toMatchObject({ type: 'rejected', code });

describe('signed approvals', () => {
  test('count for who signed, not for who hands them in', () => {
    expect(isDone(signs(ASKED, ANA), signs(ASKED, BEN, { confirmed: [keyOf(ANA)] }))).toBe(true);
    expectRefused([], byUser('carrier'), 'not_approver');
    expectRefused([signs(ASKED, ANA)], signs(ASKED, ANA, { confirmed: [keyOf(ANA)] }), 'approved_already');
  });

  test('earlier ones count only if their signer is confirmed', () => {
    expect(isDone(signs(ASKED, ANA), signs(ASKED, BEN))).toBe(false);
    const { project } = given(...PAST, signs(ASKED, ANA), signs(ASKED, BEN));
    expect(placeIn(project, 'approval')).toMatchObject({ agreed: [{ signed: { as: BEN } }] });
  });

  test('a name with an @ wants a signature, whatever an OS user is called', () => {
    expectRefused([], byUser(ANA), 'not_approver');
  });

  test('the OS user ana and ana@example.com are one person', () => {
    expectRefused([byUser('ana')], signs(ASKED, ANA), 'approved_already');
    expectRefused(
      [signs(ASKED, ANA)],
      { ...byUser('ana'), send: { ...byUser('ana').send, confirmed: [keyOf(ANA)] } as Input },
      'approved_already',
    );
    expect(isDone(byUser('ana'), signs(ASKED, BEN))).toBe(true);
  });

  test('are about this question, and fresh from when they were signed', () => {
    const other = signs(ASKED, ANA, { over: { text: 'supervisor approval 1\n' } });
    expectRefused([], other, 'other_text');
    expectRefused([], signs(ASKED, ANA, { over: { as: BEN } }), 'other_text');
    expectRefused([], signs(ASKED, ANA, { at: NOON, now: NOON + 2 * DAY }), 'expired_approval');
    expectRefused([], signs(ASKED, ANA, { at: NOON + DAY, now: NOON }), 'expired_approval');
    const late = NOON + DAY;
    const done = given(
      ...PAST,
      signs(ASKED, ANA, { now: late }),
      signs(ASKED, BEN, { at: late, confirmed: [keyOf(ANA)] }),
    );
    expect(taskIn(done.project).approval).toMatchObject({ at: NOON });
    // Ana's is two days old by then.
    const tooLate = signs(ASKED, BEN, { at: NOON + 2 * DAY, confirmed: [keyOf(ANA)] });
    expect(isDone(signs(ASKED, ANA), tooLate)).toBe(false);
  });

  test('three names that are joined only by the third are one person', () => {
    const of = (as: string, key: string) => approverOf({ by: 'operator:x', signed: { as, names: [as], key } });
    expect(peopleIn([of('a@x', 'k1'), of('b@x', 'k2')])).toHaveLength(2);
    const joined = approverOf({ by: 'operator:x', signed: { as: 'c@x', names: ['c@x', 'a@x'], key: 'k2' } });
    expect(peopleIn([of('a@x', 'k1'), of('b@x', 'k2'), joined])).toHaveLength(1);
  });
});

test('the text has one spelling, and holds every reason in one line', () => {
  const reason = 'so "it" is\nat 2020-01-01T00:00:00.000Z\nö\u2028';
  const words = { step: 'approval' as StepId, decision: 'REJECT' as const, reason, as: ANA, at: NOON };
  const text = approvalText('p', taskIn(ASKED), words) ?? '';
  expect(text.split('\n')).toHaveLength(12);
  expect(text).toMatch(/^[\n -~]+$/);
  expect(readApprovalText(text)).toEqual({ ...words, project: 'p' });
  expect(readApprovalText(`${text} `)).toBeNull();
});

describe('a file of allowed signers', () => {
  const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIJ8m2Zr0S1cVbXWnBu0t3p1iXy2Jc8Yd0mO0bQH4p9aB';
  const OK = `namespaces="${APPROVAL_NAMESPACE}"`;
  test.each([
    ['ana * ssh-ed25519 K', 'write NAME namespaces'],
    [`* ${OK} ssh-ed25519 ${KEY}`, 'is no name'],
    [`!ana ${OK} ssh-ed25519 ${KEY}`, 'is no name'],
    [`ana ssh-ed25519 ${KEY}`, 'write NAME namespaces'],
    [`ana namespaces="*" ssh-ed25519 ${KEY}`, 'without patterns'],
    [`ana cert-authority,${OK} ssh-ed25519 ${KEY}`, 'write NAME namespaces'],
    [`ana ${OK},cert-authority ssh-ed25519 ${KEY}`, 'cert-authority is not read'],
    [`ana valid-before="2030" ssh-ed25519 ${KEY}`, 'is missing'],
    [`ana ${OK},${OK} ssh-ed25519 ${KEY}`, 'twice'],
    [`ana ${OK} ssh-ed25519 nokey`, 'no public key'],
    ['garbage', 'write NAME namespaces'],
  ])('%s is refused', (line, why) => {
    expect(parseSigners(`# people\n\n${line}\n`)).toMatch(new RegExp(`^line 3: .*${why}`));
  });

  test('lines of other purposes are ignored, and the fingerprint is that of ssh-keygen', () => {
    const signers = parseSigners(
      `ana,ana@x namespaces="git,${APPROVAL_NAMESPACE}",valid-after="20240101" ssh-ed25519 ${KEY} a comment\nben namespaces="git" ssh-ed25519 ${KEY}\n`,
    );
    expect(signers).toMatchObject([{ names: ['ana', 'ana@x'], publicKey: `ssh-ed25519 ${KEY}` }]);
  });
});
