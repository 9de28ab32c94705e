/** The decision of `judge`: gates, proofs and findings as one verdict. */
import { expect, test } from 'vitest';
import { decide } from '../../../src/mind/judgement/judge-decision.ts';
import { finding, gate } from './judged.ts';

test('gates that pass approve, and the score is weighed', () => {
  const gates = [gate('tests'), gate('lint', { weight: 0.1, blocking: false, score: 0.5 })];
  expect(decide(gates, [finding()])).toEqual({
    decision: 'APPROVE',
    score: 0.875,
    reasons: [],
    codes: ['gates_passed', 'unproven'],
  });
  expect(decide([gate('tests'), gate('tests-canary', { proves: 'tests' })], []).codes).toEqual(['gates_passed']);
  const nothing = gate('tests-canary', { proves: 'tests', score: null });
  expect(decide([gate('tests'), nothing], []).codes).toEqual(['gates_passed', 'unproven']);
});

test('a red blocking gate, a finding that blocks and a neutered gate each reject with a sentence', () => {
  expect(decide([gate('tests', { status: 'fail' })], [])).toMatchObject({
    decision: 'REJECT',
    score: 0,
    reasons: ['gate tests failed: exit code 1'],
  });
  expect(decide([gate('tests')], [finding({ blocks: true })])).toMatchObject({
    decision: 'REJECT',
    score: 0,
    reasons: ['src/cart.js:12: an added line is a stub (stub)'],
    codes: ['finding_blocks', 'unproven'],
  });
  const neutered = gate('tests-canary', { proves: 'tests', status: 'fail', ended: 'NEUTERED: it does not fail' });
  expect(decide([gate('tests'), neutered], [])).toMatchObject({
    decision: 'REJECT',
    reasons: ['gate tests can no longer fail: NEUTERED: it does not fail'],
  });
});

test('a critical finding rejects whatever gates say, a gate that only advises does not', () => {
  expect(decide([gate('tests')], [finding({ severity: 'critical' })])).toMatchObject({
    decision: 'REJECT',
    codes: expect.arrayContaining(['critical_finding']),
  });
  expect(decide([gate('tests'), gate('lint', { status: 'fail', blocking: false })], [])).toMatchObject({
    decision: 'APPROVE',
    codes: expect.arrayContaining(['advisory_failed']),
  });
});

test('an unmeasurable fact is for a person', () => {
  const broken = gate('tests', { status: 'error', ended: 'could not run: no such program' });
  expect(decide([broken], [])).toMatchObject({
    decision: 'ESCALATE',
    score: null,
    reasons: ['gate tests could not run: no such program'],
  });
  expect(decide([gate('lint', { blocking: false })], [])).toMatchObject({
    decision: 'ESCALATE',
    reasons: ['no blocking gate has checked this change'],
  });
});

test('a skipped gate is neither a pass nor a failure', () => {
  const gates = [gate('lint', { status: 'fail' }), gate('tests', { status: 'skipped', score: null })];
  expect(decide(gates, [])).toMatchObject({ decision: 'REJECT', reasons: ['gate lint failed: exit code 1'] });
});
