/** The decision over gates and findings: seed 2.3 and 2.4, normalised over what was measured. */
import type { RuleFinding } from '../findings/index.ts';
import type { Decision, JudgedGate } from './judgement.ts';

type Decided = { readonly decision: Decision; readonly score: number | null; readonly reasons: readonly string[] };

export const APPROVE_AT = 0.7;

export function decide(gates: readonly JudgedGate[], findings: readonly RuleFinding[]): Decided {
  const ran = gates.filter(({ status }) => status !== 'skipped');
  const red = ran.filter(({ status, blocking }) => status === 'fail' && blocking);
  const broken = ran.filter(({ status, blocking }) => status === 'error' && blocking);
  const facts = findings.filter(({ blocks, severity }) => blocks || severity === 'critical');
  const critical = ran.filter((gate) => (gate.findings?.critical ?? 0) > 0 && !red.includes(gate));
  const against = [
    ...red.map(gateReason),
    ...critical.map(({ name }) => `gate ${name} has a critical finding`),
    ...facts.map(({ path, line, message }) => `${path}${line === null ? '' : `:${line}`}: ${message}`),
  ];
  if (against.length > 0) return { decision: 'REJECT', score: 0, reasons: against };
  const score = scoreOf(ran);
  if (broken.length > 0)
    return { decision: 'ESCALATE', score, reasons: broken.map(({ name, ended }) => `gate ${name}: ${ended}`) };
  if (score !== null && score < APPROVE_AT)
    return { decision: 'REJECT', score, reasons: [`the score is ${shownScore(score)}, below ${APPROVE_AT}`] };
  if (!ran.some(({ blocking, proves }) => blocking && proves === null))
    return { decision: 'ESCALATE', score, reasons: ['no blocking gate has checked this change'] };
  return { decision: 'APPROVE', score, reasons: [] };
}

function gateReason({ name, proves, ended }: JudgedGate): string {
  return proves === null ? `gate ${name} failed: ${ended}` : `gate ${proves} can no longer fail: ${ended}`;
}

/** Proofs measure the gates, not the change. */
function scoreOf(gates: readonly JudgedGate[]): number | null {
  const scored = gates.flatMap(({ score, weight, proves }) =>
    score === null || proves !== null ? [] : [{ score, weight }],
  );
  const weights = scored.reduce((sum, { weight }) => sum + weight, 0);
  if (weights === 0) return null;
  return Math.round((scored.reduce((sum, { score, weight }) => sum + score * weight, 0) / weights) * 1e6) / 1e6;
}

export const shownScore = (score: number | null): string => (score === null ? 'not measured' : score.toFixed(2));
