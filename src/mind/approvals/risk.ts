/** What approval policies ask about the change of a task: what was measured of it, and what its verdict says. */
import { degradedSteps, type Task } from '../domain/task.ts';
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
      // No gate reports it as a number of the whole project yet.
      test_coverage: null,
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
