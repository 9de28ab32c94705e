/** A gate's findings without those that a person dismissed. A dismissal counts for one change only. */
import type { Dismissed } from '../domain/task.ts';
import type { BlockingFinding, GateStatus } from '../domain/values.ts';

type ReportedGate = {
  readonly gate: string;
  readonly status: GateStatus;
  readonly blocked_by?: readonly BlockingFinding[] | undefined;
};

/** The findings that still fail the gate. `change`: empty where there is none, as in the dismissal. */
export function standing(
  { gate, blocked_by = [] }: ReportedGate,
  dismissed: readonly Dismissed[] = [],
  change: string,
): readonly BlockingFinding[] {
  const gone = dismissed.filter((one) => one.gate === gate && one.change_id === change).map(({ id }) => id);
  return blocked_by.filter(({ id }) => !gone.includes(id));
}

/** The gate failed only because of findings, and a person dismissed all of them. */
export const isCleared = (report: ReportedGate, dismissed: readonly Dismissed[] | undefined, change: string): boolean =>
  report.status === 'fail' && (report.blocked_by ?? []).length > 0 && standing(report, dismissed, change).length === 0;
