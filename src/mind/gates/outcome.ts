/** Combines the checks of one gate: its status, its score, and its counts. */
import type { Findings, GateStatus, Measured } from '../domain/values.ts';

export type CheckResult = {
  readonly label: string;
  readonly weight: number;
  readonly status: GateStatus;
  /** From 0 to 1; null if not measured. */
  readonly score: number | null;
  readonly tests: Measured['tests'];
  readonly findings: Findings | null;
  readonly flaky: boolean | null;
  readonly coverage?: Measured['coverage'];
};

/**
 * Red is certain, so it comes before checks that could not run; a gate with nothing to check passes without a
 * measurement.
 */
export function gateStatusOf(results: readonly CheckResult[]): GateStatus {
  if (results.some(({ status }) => status === 'fail')) return 'fail';
  return results.some(({ status }) => status === 'error') ? 'error' : 'pass';
}

export function measuredOf(results: readonly CheckResult[]): Measured {
  const counted = results.flatMap(({ tests }) => (tests === null ? [] : [tests]));
  const found = results.flatMap(({ findings }) => (findings === null ? [] : [findings]));
  const flaky = results.flatMap((one) => (one.flaky === null ? [] : [one.flaky]));
  const covered = results.find(({ coverage }) => coverage !== undefined)?.coverage;
  return {
    score: weightedScore(results),
    tests:
      counted.length === 0
        ? null
        : {
            run: sum(counted.map(({ run }) => run)),
            failed: counted.reduce((all, { failed }) => all + failed, 0),
            skipped: sum(counted.map(({ skipped }) => skipped)),
          },
    findings: found.length === 0 ? null : found.reduce(addFindings),
    flaky: flaky.length === 0 ? null : flaky.some((one) => one),
    ...(covered === undefined ? {} : { coverage: covered }),
  };
}

/** Over what was measured: a check without a score is left out. */
function weightedScore(results: readonly CheckResult[]): number | null {
  const scored = results.flatMap(({ score, weight }) => (score === null ? [] : [{ score, weight }]));
  const weights = scored.reduce((all, { weight }) => all + weight, 0);
  if (weights === 0) return null;
  return scored.reduce((all, { score, weight }) => all + score * weight, 0) / weights;
}

/** If one part is unknown, so is the sum. */
const sum = (numbers: readonly (number | null)[]): number | null =>
  numbers.reduce((all, one) => (all === null || one === null ? null : all + one), 0);

const addFindings = (a: Findings, b: Findings): Findings => ({
  critical: a.critical + b.critical,
  high: a.high + b.high,
  medium: a.medium + b.medium,
  low: a.low + b.low,
  info: a.info + b.info,
});

/** Passed tests among those that ran. Red stays red whatever the score says. */
export const testScore = (ran: number, failed: number): number | null =>
  ran === 0 ? null : Math.max(0, ran - failed) / ran;
