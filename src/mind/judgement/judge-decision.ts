/** The verdict on a change without a task: the same as a task's, with the findings of the diff as one more fact. */
import type { RuleFinding } from '../findings/index.ts';
import { isProof } from '../gates/kinds.ts';
import { type GateFact, giveVerdict, THRESHOLDS } from '../verdict/verdict.ts';
import { saysNo } from '../verdict/weigh.ts';
import type { JudgeDecision, JudgedGate, JudgedReview } from './judgement.ts';
import { isDecisive, placeOf } from './judgement-text.ts';

type JudgeResult = {
  readonly decision: JudgeDecision;
  readonly score: number | null;
  /** Sentences; `codes` are the verdict's own reasons and notes. */
  readonly reasons: readonly string[];
  readonly codes: readonly string[];
};

/** A judgement stands alone: no attempts are counted. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A borderline change needs this many approvals. */
const MIN_APPROVALS = 2;

export function decide(
  gates: readonly JudgedGate[],
  findings: readonly RuleFinding[],
  reviews: readonly JudgedReview[] = [],
): JudgeResult {
  const alone = decideWith(gates, findings, reviews, null);
  const isBorderline = alone.codes.includes('borderline') && reviews.length >= MIN_APPROVALS;
  return isBorderline ? decideWith(gates, findings, reviews, MIN_APPROVALS) : alone;
}

function decideWith(
  gates: readonly JudgedGate[],
  findings: readonly RuleFinding[],
  reviews: readonly JudgedReview[],
  minApprovals: number | null,
): JudgeResult {
  const ran = gates.filter(({ status }) => status !== 'skipped');
  const facts = findings.filter(isDecisive);
  const verdict = giveVerdict({
    gates: [...ran.flatMap((gate) => factOf(gate, gates)), ...(facts.length === 0 ? [] : [diffFact(facts)])],
    reviews: reviews.map(({ reason: _, findings: __, ...review }, n) => ({ by: `${review.role} ${n}`, ...review })),
    context: {
      change_id: reviews[0]?.change_id ?? null,
      rejections: 0,
      maxRetries: NO_LIMIT,
      minApprovals,
      everybody: true,
      consensusAvailable: false,
      thresholds: THRESHOLDS,
      degraded: false,
      redBase: gates.some(({ excused }) => excused > 0),
    },
  });
  const decision = verdict.decision === 'CONSENSUS' ? 'ESCALATE' : verdict.decision;
  return {
    decision,
    score: verdict.score,
    reasons: decision === 'APPROVE' ? [] : [...sentences(ran, facts, { score: verdict.decisive, reviews })],
    codes: codesOf([...verdict.reasons, ...verdict.notes], ran, facts),
  };
}

/** Readers do not count the diff as a gate. */
function codesOf(codes: readonly string[], ran: readonly JudgedGate[], facts: readonly RuleFinding[]): string[] {
  const red = ran.some(({ status, blocking }) => status === 'fail' && blocking);
  const own = codes.filter((code) => red || code !== 'gate_failed');
  return facts.some(({ blocks }) => blocks) ? ['finding_blocks', ...own] : own;
}

function factOf(gate: JudgedGate, all: readonly JudgedGate[]): GateFact[] {
  const { name, kind, blocking, status, score, findings, proves } = gate;
  if (status === 'skipped') return [];
  // A proof measures the gate, not the change, so it has no weight.
  if (proves !== null) {
    const proven = isProof({ status, score }) ? 'on' : 'unknown';
    const measured = { weight: 0, score: null, findings: null };
    return [{ name, kind, blocking, status, ...measured, proven, proves: proven === 'on' }];
  }
  const proof = all.find((one) => one.proves === name);
  const proven = proof === undefined ? 'off' : isProof(proof) ? 'on' : 'unknown';
  return [{ name, kind, blocking, status, weight: gate.weight, score, findings, proven }];
}

function diffFact(facts: readonly RuleFinding[]): GateFact {
  const critical = facts.filter(({ severity }) => severity === 'critical').length;
  const findings = { critical, high: facts.length - critical, medium: 0, low: 0, info: 0 };
  return { name: 'diff', kind: 'diff', blocking: true, status: 'fail', weight: 0, score: 0, findings, proven: 'on' };
}

function sentences(
  ran: readonly JudgedGate[],
  facts: readonly RuleFinding[],
  { score, reviews }: { readonly score: number | null; readonly reviews: readonly JudgedReview[] },
): string[] {
  const red = ran.filter(({ status, blocking }) => status === 'fail' && blocking);
  const critical = ran.filter((gate) => (gate.findings?.critical ?? 0) > 0 && !red.includes(gate));
  const broken = ran.filter(({ status, blocking }) => status === 'error' && blocking);
  const against = [
    ...red.map(({ name, proves, ended }) =>
      proves === null ? `gate ${name} failed: ${ended}` : `gate ${proves} can no longer fail: ${ended}`,
    ),
    ...critical.map(({ name }) => `gate ${name} has a critical finding`),
    ...broken.map(({ name, ended }) => `gate ${name} ${ended}`),
    ...reviews.flatMap(objectionOf),
    ...facts.map((finding) => `${placeOf(finding)}: ${finding.message} (${finding.rule})`),
  ];
  if (against.length > 0) return against;
  if (!ran.some(({ blocking }) => blocking)) return ['no blocking gate has checked this change'];
  return score === null
    ? ['nothing was measured']
    : [`the score is ${shownScore(score)}, below ${THRESHOLDS.approval}`];
}

/** The findings that count give the reason; without one the reviewer's own text does. */
function objectionOf({ role, cli, said, reason }: JudgedReview): string[] {
  if (said === null) return [`${role} (${cli}) gave no opinion: ${reason}`];
  return saysNo(said) ? [`${role} (${cli}): ${reason}`] : [];
}

export const shownScore = (score: number | null): string => (score === null ? 'not measured' : score.toFixed(2));
