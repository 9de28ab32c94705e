/**
 * The verdict on one change: combines gate measurements and reviews into one decision with a score and reasons. Pure:
 * the same facts give the same verdict, in any order.
 */
import type { Findings, GateStatus, VerdictDecision } from '../domain/values.ts';
import { averageOf, rounded, totalOf } from './total.ts';
import { countVotes, type Panel, type ReviewFact } from './weigh.ts';

export type GateFact = {
  readonly name: string;
  readonly kind: string;
  readonly weight: number;
  readonly blocking: boolean;
  /** `error`: it could not run, so it measured nothing. */
  readonly status: GateStatus;
  /** From 0 to 1. Null: nothing was measured, and the status counts as 1 or 0. */
  readonly score: number | null;
  readonly findings: Findings | null;
  /** Whether its canary showed that it can fail. */
  readonly proven: 'on' | 'off' | 'unknown';
  /** For the canary of another gate: whether it proved that gate. */
  readonly proves?: boolean;
  /** The failure of this gate needs a person, not another attempt. */
  readonly stops?: boolean;
};

/** A dismissed finding. Only a person dismisses a gate's finding; a reviewer or a person dismisses a reviewer's. */
type Dismissal = {
  /** The gate or review that found it. */
  readonly of: string;
  readonly severity: keyof Findings;
  readonly by: 'person' | 'reviewer' | 'worker';
};

type VerdictContext = {
  readonly change_id: string | null;
  /** How many candidates of the task were rejected before this one, and how many may be. */
  readonly rejections: number;
  readonly maxRetries: number;
  /** What becomes of the task when they are used up. Absent: it escalates. */
  readonly onExhausted?: 'failed' | 'escalated' | 'blocked';
  /**
   * How many approvals make a consensus, weighed as appendix B says. Null: no consensus; every review has to approve.
   */
  readonly minApprovals: number | null;
  /** A consensus is not enough: no reviewer may object. */
  readonly everybody?: boolean;
  /** Reviewers can be asked to vote on a borderline change. */
  readonly consensusAvailable: boolean;
  readonly thresholds: { readonly approval: number; readonly warning: number };
  /** The gates ran without a complete sandbox, or the change covers only a part of what was asked. */
  readonly degraded: boolean;
  /** Tests are red, and are so at the base too. */
  readonly redBase: boolean;
  /** The CLIs that made the change; absent if unknown. */
  readonly authors?: readonly string[];
  /** No blocking gate was expected: the operator said so, or it reported before. Otherwise a missing one is no pass. */
  readonly waived?: boolean;
};

export type VerdictFacts = {
  readonly gates: readonly GateFact[];
  readonly reviews: readonly ReviewFact[];
  readonly dismissed?: readonly Dismissal[];
  readonly context: VerdictContext;
};

type Verdict = {
  readonly decision: VerdictDecision;
  /** From 0 to 1; null if nothing was measured, or not everything required. */
  readonly score: number | null;
  /** The score compared with the thresholds: reviews can lower it, never lift it. Null if no threshold applies. */
  readonly decisive: number | null;
  /** The reasons, as codes. */
  readonly reasons: readonly string[];
  /** Other facts for the reader, as codes. */
  readonly notes: readonly string[];
  /** What follows. `end`: it needs rework, and no attempt is left. */
  readonly next: 'accept' | 'rework' | 'end' | 'person' | 'consensus';
};
type VerdictRuling = Pick<Verdict, 'decision' | 'next'>;

export const THRESHOLDS: VerdictContext['thresholds'] = { approval: 0.7, warning: 0.5 };
const REVIEW_WEIGHT = 0.2;
const SCRIPTED = 'scripted';

export function giveVerdict(facts: VerdictFacts): Verdict {
  const { rejections, maxRetries, onExhausted = 'escalated' } = facts.context;
  const found = lookAt(facts);
  const ruling = rule(found, facts.context);
  const usedUp = ruling.next === 'rework' && rejections + 1 >= maxRetries;
  const end: VerdictRuling = { decision: onExhausted === 'failed' ? 'REJECT' : 'ESCALATE', next: 'end' };
  const { decision, next } = usedUp ? end : ruling;
  const { score, decisive } = found;
  const reasons = next === 'accept' ? reasonsFor(found, facts) : reasonsAgainst(found, facts);
  return {
    decision,
    score,
    decisive,
    reasons: usedUp ? [...reasons, 'attempts_used_up'] : reasons,
    notes: notesOn(found, facts),
    next,
  };
}

/** The combined facts, before a decision. */
type WeighedFacts = {
  readonly score: number | null;
  readonly decisive: number | null;
  readonly failed: boolean;
  /** A failed gate needs a person. */
  readonly stopped: boolean;
  readonly broken: boolean;
  readonly unchecked: boolean;
  /** Critical findings that stand: of a gate, which is a fact, and of a reviewer. */
  readonly critical: { readonly byGate: boolean; readonly byReview: boolean };
  readonly panel: Panel;
  readonly votes: Votes;
};

function lookAt({ gates, reviews, dismissed = [], context }: VerdictFacts): WeighedFacts {
  const { change_id, thresholds, waived = false } = context;
  const blocking = gates.filter((gate) => gate.blocking);
  const failures = blocking.filter(({ status }) => status === 'fail');
  const broken = blocking.some(({ status }) => status === 'error');
  const panel = countVotes(
    reviews.map((one) => withoutDismissed(one, dismissed)),
    change_id,
  );
  const alone = scoreOf(gates, null, thresholds.approval);
  const whole = scoreOf(gates, panel.counted.length === 0 ? null : panel.approve, thresholds.approval);
  const isCritical = ({ name, findings }: GateFact) => {
    const gone = dismissed.filter(({ of, severity, by }) => of === name && severity === 'critical' && by === 'person');
    return (findings?.critical ?? 0) > gone.length;
  };
  return {
    // A blocking failure overrides the score; if a blocking gate did not report, the score is unknown.
    score: failures.length > 0 ? 0 : broken ? null : whole,
    // If no blocking gate measured anything, no threshold applies: advisory gates cannot reject.
    decisive: weightOf(measured(blocking)) === 0 ? null : lower(alone, whole),
    failed: failures.length > 0,
    stopped: failures.some(({ stops }) => stops === true),
    broken,
    unchecked: !waived && blocking.length === 0,
    critical: {
      byGate: gates.some(isCritical),
      byReview: panel.counted.some(({ said }) => (said?.findings?.critical ?? 0) > 0),
    },
    panel,
    votes: votesOf(panel, reviews, context),
  };
}

/** A reviewer or a person dismisses a review's finding, never the worker whose change it is about. */
function withoutDismissed(review: ReviewFact, dismissed: readonly Dismissal[]): ReviewFact {
  const { by: reviewer, said } = review;
  const gone = dismissed.filter(({ of, by }) => of === reviewer && by !== 'worker');
  if (said === null || said.findings === null || gone.length === 0) return review;
  const findings = { ...said.findings };
  for (const { severity } of gone) findings[severity] = Math.max(0, findings[severity] - 1);
  return { ...review, said: { ...said, findings } };
}

type Votes = 'not asked' | 'missing' | 'no' | 'unfounded' | 'split' | 'unanimous' | 'consensus';

/**
 * Without a consensus rule, all reviewers have to approve. With one, appendix B decides, and a tie rejects. Reviewers
 * are split if they disagree and the approvals weigh more but are too few: then a person decides.
 */
function votesOf(panel: Panel, reviews: readonly ReviewFact[], context: VerdictContext): Votes {
  const votes = countedVotes(panel, reviews, context);
  const isLeft = panel.unfounded || isDivided(panel, context);
  return (votes === 'no' || votes === 'split') && isLeft ? 'unfounded' : votes;
}

/** Everybody has to approve, some do, and the others name no line of the change. */
const isDivided = ({ disagreed }: Panel, { minApprovals, everybody = false }: VerdictContext): boolean =>
  disagreed && (minApprovals === null || everybody);

function countedVotes(panel: Panel, reviews: readonly ReviewFact[], context: VerdictContext): Votes {
  const { minApprovals, everybody = false } = context;
  if (reviews.length === 0) return minApprovals === null ? 'not asked' : 'missing';
  if (panel.vetoed) return 'no';
  if (minApprovals === null) return panel.unanimous ? 'unanimous' : 'no';
  if (everybody && !panel.unanimous) return 'no';
  if (panel.approve <= panel.reject) return 'no';
  if (panel.approvals >= minApprovals) return 'consensus';
  return panel.counted.length > panel.approvals ? 'split' : 'no';
}

/**
 * Section 2.4. Anything critical needs a person, whoever found it. Otherwise a failed gate decides, whatever reviewers
 * say.
 */
function rule(
  { critical, stopped, broken, failed, votes, unchecked, decisive, panel }: WeighedFacts,
  context: VerdictContext,
): VerdictRuling {
  const { thresholds, consensusAvailable } = context;
  if (critical.byGate || critical.byReview) return { decision: 'REJECT', next: 'person' };
  if (stopped || broken) return { decision: 'ESCALATE', next: 'person' };
  if (failed || votes === 'no') return REWORK;
  if (decisive !== null && decisive < thresholds.warning) return REWORK;
  const borderline = decisive !== null && decisive < thresholds.approval;
  if (unchecked || votes === 'split' || (votes === 'unfounded' && (!borderline || isDivided(panel, context))))
    return { decision: 'ESCALATE', next: 'person' };
  if (votes === 'consensus' || (!borderline && votes !== 'missing')) return { decision: 'APPROVE', next: 'accept' };
  return consensusAvailable ? { decision: 'CONSENSUS', next: 'consensus' } : REWORK;
}

const REWORK: VerdictRuling = { decision: 'REJECT', next: 'rework' };

/**
 * Section 2.3 over what was measured. Advisory gates have at most their share in the specification (0.3 of 1), however
 * few gates there are: they can never reject what every blocking gate found perfect.
 */
function scoreOf(gates: readonly GateFact[], review: number | null, firmShare: number): number | null {
  const parts = (blocking: boolean) =>
    measured(gates)
      .filter((gate) => gate.blocking === blocking)
      .map(({ weight, score, status }) => ({ weight, score: score ?? (status === 'pass' ? 1 : 0) }));
  const firm = parts(true);
  const soft = [...parts(false), ...(review === null ? [] : [{ weight: REVIEW_WEIGHT, score: review }])];
  const [firmScore, softScore] = [averageOf(firm), averageOf(soft)];
  if (firmScore === null || softScore === null) return roundedOrNull(firmScore ?? softScore);
  const firmWeight = weightOf(firm);
  const share = Math.max(firmShare, firmWeight / (firmWeight + weightOf(soft)));
  return rounded(share * firmScore + (1 - share) * softScore);
}

const measured = (gates: readonly GateFact[]): readonly GateFact[] => gates.filter(({ status }) => status !== 'error');
const weightOf = (parts: readonly { readonly weight: number }[]): number => totalOf(parts.map(({ weight }) => weight));
const roundedOrNull = (number: number | null): number | null => (number === null ? null : rounded(number));
const lower = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

type Codes = readonly (readonly [boolean, string])[];
const holding = (codes: Codes): string[] => codes.flatMap(([holds, code]) => (holds ? [code] : []));

function reasonsFor({ votes }: WeighedFacts, { gates, context }: VerdictFacts): string[] {
  const passed = gates.some(({ blocking, status }) => blocking && status === 'pass');
  return holding([
    [passed, 'gates_passed'],
    [votes === 'unanimous', 'reviews_approved'],
    [votes === 'consensus', 'consensus_reached'],
    [!passed && votes === 'not asked' && context.waived === true, 'checks_waived'],
  ]);
}

function reasonsAgainst(found: WeighedFacts, { reviews, context }: VerdictFacts): string[] {
  const { critical, panel, votes, decisive } = found;
  const { minApprovals, thresholds } = context;
  const voted = minApprovals !== null && reviews.length > 0;
  const low = decisive !== null && !found.failed && decisive < thresholds.approval;
  return holding([
    [critical.byGate || critical.byReview, 'critical_finding'],
    [found.failed, 'gate_failed'],
    [found.broken, 'gate_error'],
    [panel.vetoed, 'vetoed'],
    [votes === 'no' && !voted && panel.counted.length > panel.approvals, 'review_rejected'],
    [votes === 'no' && !voted && reviews.length > panel.counted.length, 'review_missing'],
    [votes === 'missing' || (voted && panel.approvals < (minApprovals ?? 0)), 'too_few_approvals'],
    [voted && panel.approve <= panel.reject, 'outvoted'],
    [votes === 'split', 'no_consensus'],
    [votes === 'unfounded', 'review_unfounded'],
    [found.unchecked, 'nothing_checked'],
    [low && (decisive ?? 1) >= thresholds.warning, 'borderline'],
    [low && (decisive ?? 1) < thresholds.warning, 'low_score'],
  ]);
}

function notesOn({ panel }: WeighedFacts, { gates, context }: VerdictFacts): string[] {
  const advisory = gates.filter(({ blocking }) => !blocking);
  const passed = gates.filter(({ blocking, status }) => blocking && status === 'pass');
  const own = passed.filter(({ proves }) => proves === undefined);
  const noneProven = own.length > 0 && own.every(({ proven }) => proven !== 'on');
  return holding([
    [advisory.some(({ status }) => status === 'fail'), 'advisory_failed'],
    [advisory.some(({ status }) => status === 'error'), 'advisory_error'],
    // Nothing shows that this pass could have been a failure.
    [noneProven || passed.some(({ proves }) => proves === false), 'unproven'],
    [panel.unsure, 'confidence_unknown'],
    [panel.approvals > 0 && panel.counted.length > panel.approvals, 'disagreement'],
    // A script is no model and has no weaknesses of its own.
    [panel.counted.some(({ cli }) => cli !== SCRIPTED && context.authors?.includes(cli) === true), 'same_cli'],
    [context.redBase, 'red_base'],
    [context.degraded, 'degraded'],
  ]);
}
