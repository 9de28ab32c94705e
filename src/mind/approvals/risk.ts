/** The facts that approval policies ask about: measurements of a task's change, and its verdict. */
import { degradedSteps, type Task } from '../domain/task.ts';
import type { Measured } from '../domain/values.ts';
import type { RiskFacts } from './classify.ts';

const UNREAD = {
  file_count: null,
  lines_added: null,
  lines_removed: null,
  new_dependencies: null,
  lock_file: null,
  breaking: null,
  classes: null,
};

/** Facts of another change say nothing about this one. */
export function riskFactsOf(task: Task): RiskFacts {
  const { candidate, facts: measured, verdict: given, red = [], spec } = task;
  const change = candidate?.change_id;
  const facts = measured?.change_id === change && measured !== undefined ? measured.facts : UNREAD;
  const verdict = given?.on.change_id === change ? given : undefined;
  const { file_count, lines_added, lines_removed, new_dependencies, lock_file, breaking, classes } = facts;
  const opinions = new Set((verdict?.reviews ?? []).flatMap(({ said }) => (said === null ? [] : [said.status])));
  return {
    measures: {
      file_count,
      lines_added,
      lines_removed,
      lines_changed: lines_added === null || lines_removed === null ? null : lines_added + lines_removed,
      new_dependencies,
      test_coverage: leastCoverage(verdict?.gates ?? []),
      coverage_delta: verdict?.coverage_delta ?? null,
      score: verdict?.score ?? null,
    },
    classes,
    breaking,
    lockFile: lock_file,
    reviewersDisagree: opinions.size > 1,
    degraded: spec.unsafe_no_sandbox === true || degradedSteps(task).length > 0,
    redBase: red.length > 0,
  };
}

/** Line coverage in percent, of the gate that found least; null: no gate measured it. */
export function leastCoverage(gates: readonly Pick<Measured, 'coverage'>[]): number | null {
  const line = least(gates.map(({ coverage }) => coverage?.line ?? null));
  // A share such as .57 times 100 is a little less than 57.
  return line === null ? null : Math.round(line * 1e9) / 1e7;
}

/** The least of the known values; null: none is known. */
export function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}
