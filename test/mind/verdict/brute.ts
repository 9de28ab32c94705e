/**
 * The verdict once more, written from the words of the design and not from the code: a list of questions, the first that is
 * answered with yes decides, and every number is an exact fraction. For tests only, with `waived` and dismissals left out.
 */
import type { VerdictFacts } from '../../../src/mind/verdict/verdict.ts';

/** Numerator and denominator. */
type Fraction = readonly [bigint, bigint];
const fraction = (decimal: number): Fraction => [BigInt(Math.round(decimal * 1e6)), 1_000_000n];
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const over = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d, b * c];
const least = (x: Fraction, y: Fraction): Fraction => (below(y, x) ? y : x);
const below = ([a, b]: Fraction, [c, d]: Fraction): boolean => a * d < c * b;
const ZERO: Fraction = [0n, 1n];

export type Answer = { readonly decision: string; readonly score: number | null };

export function bruteVerdict({ gates, reviews, context }: VerdictFacts): Answer {
  let anyFail = false;
  let anyError = false;
  let anyStop = false;
  let anyCritical = false;
  let anyBlocking = false;
  let [firmSum, firmWeight, softSum, softWeight] = [ZERO, ZERO, ZERO, ZERO];
  for (const gate of gates) {
    if (gate.findings !== null && gate.findings.critical !== 0) anyCritical = true;
    if (gate.blocking) {
      anyBlocking = true;
      if (gate.status === 'fail') anyFail = true;
      if (gate.status === 'fail' && gate.stops === true) anyStop = true;
      if (gate.status === 'error') anyError = true;
    }
    if (gate.status === 'error') continue;
    const weight = fraction(gate.weight);
    const points = times(weight, fraction(gate.score === null ? (gate.status === 'fail' ? 0 : 1) : gate.score));
    if (gate.blocking) [firmSum, firmWeight] = [plus(firmSum, points), plus(firmWeight, weight)];
    else [softSum, softWeight] = [plus(softSum, points), plus(softWeight, weight)];
  }
  const votes = bruteVotes(reviews, context);
  const alone = bruteScore(firmSum, firmWeight, softSum, softWeight);
  const share = votes.share;
  const whole =
    share === null
      ? alone
      : bruteScore(firmSum, firmWeight, plus(softSum, times(fraction(0.2), share)), plus(softWeight, fraction(0.2)));
  const number = whole === null ? null : Math.round((Number(whole[0]) / Number(whole[1])) * 1e6) / 1e6;
  const score = anyFail ? 0 : anyError ? null : number;
  const used = context.rejections + 1 >= context.maxRetries;
  const reject = used ? (context.onExhausted === 'failed' ? 'REJECT' : 'ESCALATE') : 'REJECT';

  if (anyCritical || votes.critical) return { decision: 'REJECT', score };
  if (anyError || anyStop) return { decision: 'ESCALATE', score };
  if (anyFail || votes.no) return { decision: reject, score };
  if (!anyBlocking) return { decision: 'ESCALATE', score };
  const held = firmWeight[0] === 0n || alone === null || whole === null ? null : least(alone, whole);
  if (held !== null && below(held, fraction(context.thresholds.warning))) return { decision: reject, score };
  if (votes.hollow && (votes.divided || held === null || !below(held, fraction(context.thresholds.approval))))
    return { decision: 'ESCALATE', score };
  if (votes.agreed) return { decision: 'APPROVE', score };
  const low = held !== null && below(held, fraction(context.thresholds.approval));
  const missing = context.minApprovals !== null && reviews.length === 0;
  if (!low && !missing) return { decision: 'APPROVE', score };
  return { decision: context.consensusAvailable ? 'CONSENSUS' : reject, score };
}

function bruteScore(firmSum: Fraction, firm: Fraction, softSum: Fraction, soft: Fraction): Fraction | null {
  if (firm[0] === 0n && soft[0] === 0n) return null;
  if (firm[0] === 0n) return over(softSum, soft);
  if (soft[0] === 0n) return over(firmSum, firm);
  const all = plus(firm, soft);
  // Gates that block have their 0.7 at least.
  if (!below(over(firm, all), [7n, 10n])) return over(plus(firmSum, softSum), all);
  return plus(times([7n, 10n], over(firmSum, firm)), times([3n, 10n], over(softSum, soft)));
}

function bruteVotes(reviews: VerdictFacts['reviews'], { change_id, minApprovals, everybody }: VerdictFacts['context']) {
  const weights: Record<string, number> = { claude: 0.4, codex: 0.3, gemini: 0.3 };
  const here = reviews.filter((one) => one.change_id === change_id && one.said !== null);
  let [yes, no, present, approvals, veto] = [ZERO, ZERO, ZERO, 0, false];
  let [noes, empties, bares, critical] = [0, 0, 0, false];
  for (const { cli, said } of here) {
    if (said === null) continue;
    const twins = here.filter((other) => other.cli === cli).length;
    const weight = over(fraction(weights[cli] ?? 0.3), [BigInt(twins), 1n]);
    const points = times(weight, fraction(said.confidence ?? 0.5));
    present = plus(present, weight);
    const worst = said.findings === null ? 0 : said.findings.critical + said.findings.high;
    const against = said.status === 'REJECTED' || said.status === 'CHANGES_REQUESTED' || worst > 0;
    const named = said.findings === null ? 1 : Object.values(said.findings).reduce((all, one) => all + one, 0);
    const empty = against && named === 0 && said.uncounted !== undefined;
    if (empty) empties += 1;
    if (against && named === 0) bares += 1;
    if (against) noes += 1;
    if (against) no = plus(no, points);
    else [yes, approvals] = [plus(yes, points), approvals + 1];
    if ((said.vetoes ?? 0) > 0 && !empty) veto = true;
    if ((said.findings?.critical ?? 0) > 0) [veto, critical] = [true, true];
  }
  const share = here.length === 0 ? null : over(yes, present);
  if (reviews.length === 0) return { share, critical, divided: false, no: false, agreed: false, hollow: false };
  // Nobody can check what speaks against the change, and nobody is missing.
  const isAll = minApprovals === null || everybody === true;
  const divided = isAll && approvals > 0 && noes > 0 && noes === bares && here.length === reviews.length;
  const emptyWords = noes === empties || divided;
  const onlyEmpty = noes > 0 && emptyWords && here.length === reviews.length;
  if (minApprovals === null) {
    const against = veto || approvals < reviews.length;
    return {
      share,
      critical,
      divided,
      no: against && !(onlyEmpty && !veto),
      agreed: false,
      hollow: against && onlyEmpty && !veto,
    };
  }
  const all = everybody !== true || approvals === reviews.length;
  const agreed = !veto && all && approvals >= minApprovals && below(no, yes);
  const hollow = !agreed && onlyEmpty && !veto;
  return { share, critical, divided, no: !agreed && !hollow, agreed, hollow };
}
