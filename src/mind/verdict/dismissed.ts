/** What is left of a gate's findings after a person took some of them back. A dismissal counts for one change only. */
import type { Dismissed } from '../domain/task.ts';
import type { BlockingFinding, GateStatus } from '../domain/values.ts';

type Report = {
  readonly gate: string;
  readonly status: GateStatus;
  readonly blocked_by?: readonly BlockingFinding[] | undefined;
};

/** The findings that still fail the gate. */
export function standing(
  { gate, blocked_by = [] }: Report,
  dismissed: readonly Dismissed[] = [],
  change: string | null,
): readonly BlockingFinding[] {
  const gone = dismissed.filter((one) => one.gate === gate && one.change_id === change).map(({ id }) => id);
  return blocked_by.filter(({ id }) => !gone.includes(id));
}

/** The gate failed because of findings alone, and a person took all of them back. */
export const isCleared = (
  report: Report,
  dismissed: readonly Dismissed[] | undefined,
  change: string | null,
): boolean =>
  report.status === 'fail' && (report.blocked_by ?? []).length > 0 && standing(report, dismissed, change).length === 0;
