/** Judgements for tests, in few words. */
import type { RuleFinding } from '../../../src/mind/findings/index.ts';
import { decide } from '../../../src/mind/judgement/judge-decision.ts';
import type { JudgedGate, Judgement } from '../../../src/mind/judgement/judgement.ts';

export const gate = (name: string, own: Partial<JudgedGate> = {}): JudgedGate => ({
  name,
  kind: 'tests',
  stage: 2,
  weight: 0.3,
  blocking: true,
  status: 'pass',
  score: own.status === undefined || own.status === 'pass' ? 1 : own.status === 'fail' ? 0 : null,
  tests: null,
  findings: null,
  flaky: null,
  proves: null,
  ms: 1_500,
  cached: false,
  excused: 0,
  old_tests_red: false,
  ended: own.status === 'fail' ? 'exit code 1' : 'exit code 0',
  text: own.status === 'fail' ? `Gate ${name} failed.\n1 of 2 <tests> failed` : '',
  ...own,
});

export const finding = (own: Partial<RuleFinding> = {}): RuleFinding => ({
  rule: 'stub',
  severity: 'medium',
  path: 'src/cart.js',
  line: 12,
  message: 'an added line is a stub',
  tool: 'diff',
  blocks: false,
  ...own,
});

export const judged = (gates: readonly JudgedGate[], findings: readonly RuleFinding[] = []): Judgement => ({
  target: {
    kind: 'commit',
    name: 'HEAD',
    commit: 'c'.repeat(40),
    base: 'b'.repeat(40),
    tree: 'd'.repeat(40),
    change_id: 'e'.repeat(64),
  },
  task: 'commits',
  artifacts: [{ path: 'src/the cart.js', diff_hash: 'f'.repeat(64) }],
  gates,
  findings,
  ...decide(gates, findings),
  ms: 2_000,
});
