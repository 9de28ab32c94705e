/** A judgement for programs: the contract between worker and supervisor, with this project's names. */
import type { Severity } from '../changes/finding.ts';
import { joinFindings } from '../verdict/join-findings.ts';
import type { JudgedReview, Judgement } from './judgement.ts';
import { feedbackOf, nextAction } from './judgement-text.ts';

export function judgementJson(judgement: Judgement) {
  const { target, task, artifacts, decision, score, gates, findings, reasons, codes, ms, reviews } = judgement;
  const ran = gates.filter(({ status }) => status !== 'skipped');
  const count = (severity: Severity) => findings.filter((one) => one.severity === severity).length;
  return {
    target,
    task_from: task,
    artifacts,
    decision,
    score,
    reasons,
    codes,
    gate_results: Object.fromEntries(
      gates.map(({ name, text, ms: duration_ms, ...rest }) => [name, { ...rest, duration_ms, output: text }]),
    ),
    findings,
    ...(reviews === undefined ? {} : reviewsJson(reviews)),
    feedback: feedbackOf(judgement),
    next_action: nextAction(judgement),
    metrics_update: {
      duration_ms: ms,
      gates_run: ran.length,
      gates_failed: ran.filter(({ status }) => status === 'fail').length,
      gates_not_run: ran.filter(({ status }) => status === 'error').length,
      tests_run: sum(ran.map(({ tests }) => tests?.run ?? null)),
      tests_failed: sum(ran.map(({ tests }) => tests?.failed ?? null)),
      findings: {
        critical: count('critical'),
        high: count('high'),
        medium: count('medium'),
        low: count('low'),
        info: count('info'),
      },
    },
  };
}

function reviewsJson(reviews: readonly JudgedReview[]) {
  return {
    reviews: reviews.map(({ role, cli, said, reason, findings }) => {
      const { status = null, confidence = null, uncounted = null } = said ?? {};
      return { role, cli, status, confidence, uncounted, reason, findings: findings.length };
    }),
    review_findings: joinFindings(reviews.map(({ role: by, findings }) => ({ by, findings }))),
  };
}

/** Returns null if nothing was counted. */
function sum(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((all, one) => all + one, 0);
}
