/**
 * Scores coverage. Three rules keep a change from looking better than it is: lines that it newly excludes by a comment
 * count as not covered; so do all lines of a changed file that the base's report has and this one lacks; and a changed
 * line counts even if a comment excludes it.
 */
import type { Coverage, FileCoverage } from './coverage.ts';

type CoverageTargets = { readonly line: number; readonly branch: number };

/** In percent. */
export const COVERAGE_TARGETS: CoverageTargets = { line: 70, branch: 60 };

/** Subtracted from the score if the line coverage is lower than the base's. */
const REGRESSION_PENALTY = 0.2;
/** Percentage points; a larger drop is marked as a regression. */
const REGRESSION_POINTS = 5;

export type CoverageScore = {
  /** 0 to 1; null if not measured. */
  readonly line: number | null;
  readonly branch: number | null;
  /** 0 to 1: the mean of what was measured, each as its share of the target, less the penalty. */
  readonly score: number | null;
  /** Line coverage against the base's, in percentage points; null if the base is unknown. */
  readonly delta: number | null;
  /** The line coverage dropped by more than 5 points. */
  readonly regressed: boolean;
  /** Lines are measured, everything measured reaches its target, and nothing regressed. */
  readonly pass: boolean;
  readonly uncoveredChanged: readonly { readonly path: string; readonly lines: readonly number[] }[];
  /** Changed lines that can run; null if the report has none of them. */
  readonly changed: { readonly covered: number; readonly total: number } | null;
  /** How many lines comments exclude that were not excluded at the base. */
  readonly newlyExcluded: number;
  /**
   * Files that are missing from the report although the base's report has them, or although they were changed and other
   * files of their kind are measured: no test loads them, or they are tests, hold only types, or were deleted.
   */
  readonly missing: readonly string[];
};

type ScoreOptions = {
  readonly targets: CoverageTargets;
  readonly changedLines: ReadonlyMap<string, readonly number[]>;
};
type Count = { readonly covered: number; readonly total: number };

export function scoreCoverage(now: Coverage, base: Coverage | null, ask: ScoreOptions): CoverageScore {
  const files = new Map(now.files.map((file) => [file.path, file]));
  const before = base === null ? null : new Map(base.files.map((file) => [file.path, file]));
  const forgotten = (base?.files ?? [])
    .filter(({ path }) => !files.has(path) && ask.changedLines.has(path))
    .map(notRun);
  const all = [...now.files, ...forgotten];

  const newlyExcluded = now.files.reduce((sum, file) => sum + excludedNow(file, before, ask.changedLines), 0);
  const lines = plus(all.map(lineCount), newlyExcluded);
  const branches = plus(all.flatMap(({ branches }) => branches ?? []));
  const baseLines = plus((base?.files ?? []).map(lineCount));

  const [line, branch] = [share(lines), share(branches)];
  // Sums of at most 5 million lines: their products are exact, so a drop of exactly 5 points is not marked.
  const points = (lines.covered * baseLines.total - baseLines.covered * lines.total) * 100;
  const delta = line === null || baseLines.total === 0 ? null : points / (lines.total * baseLines.total);
  const regressed = delta !== null && delta < -REGRESSION_POINTS;

  const parts = [reached(line, ask.targets.line), reached(branch, ask.targets.branch)].filter((part) => part !== null);
  const mean = parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0) / parts.length;
  const penalty = delta !== null && delta < 0 ? REGRESSION_PENALTY : 0;
  return {
    line,
    branch,
    score: mean === null ? null : Math.max(0, mean - penalty),
    delta,
    regressed,
    pass: line !== null && parts.every((part) => part === 1) && !regressed,
    ...changedIn(all, ask.changedLines),
    newlyExcluded,
    missing: missingFiles(files, before, ask.changedLines),
  };
}

const notRun = (file: FileCoverage): FileCoverage => ({
  ...file,
  lines: new Map([...file.lines.keys()].map((line) => [line, 0])),
  branches: file.branches === null ? null : { covered: 0, total: file.branches.total },
  excluded: [],
});

function lineCount({ lines }: FileCoverage): Count {
  let covered = 0;
  for (const hits of lines.values()) if (hits > 0) covered += 1;
  return { covered, total: lines.size };
}

function plus(counts: readonly Count[], uncovered = 0): Count {
  let [covered, total] = [0, uncovered];
  for (const count of counts) {
    covered += count.covered;
    total += count.total;
  }
  return { covered, total };
}

const share = ({ covered, total }: Count): number | null => (total === 0 ? null : covered / total);

/** `min(actual / target, 1)`; null if not measured. */
function reached(actual: number | null, target: number): number | null {
  if (actual === null) return null;
  return actual * 100 >= target ? 1 : (actual * 100) / target;
}

function excludedNow(
  { path, excluded }: FileCoverage,
  before: ReadonlyMap<string, FileCoverage> | null,
  changed: ScoreOptions['changedLines'],
): number {
  if (before !== null) return Math.max(0, excluded.length - (before.get(path)?.excluded.length ?? 0));
  const lines = new Set(changed.get(path));
  return excluded.filter((line) => lines.has(line)).length;
}

function changedIn(
  files: readonly FileCoverage[],
  changedLines: ScoreOptions['changedLines'],
): Pick<CoverageScore, 'changed' | 'uncoveredChanged'> {
  const uncoveredChanged: { path: string; lines: readonly number[] }[] = [];
  let [covered, total] = [0, 0];
  for (const file of files) {
    const excluded = new Set(file.excluded);
    const changed = new Set(changedLines.get(file.path));
    const canRun = [...changed].filter((line) => file.lines.has(line) || excluded.has(line)).sort((a, b) => a - b);
    const uncovered = canRun.filter((line) => (file.lines.get(line) ?? 0) === 0);
    covered += canRun.length - uncovered.length;
    total += canRun.length;
    if (uncovered.length > 0) uncoveredChanged.push({ path: file.path, lines: uncovered });
  }
  return { uncoveredChanged, changed: total === 0 ? null : { covered, total } };
}

function missingFiles(
  files: ReadonlyMap<string, FileCoverage>,
  before: ReadonlyMap<string, FileCoverage> | null,
  changedLines: ScoreOptions['changedLines'],
): string[] {
  const kindOf = (path: string) => /\.[^./]+$/.exec(path)?.[0] ?? '';
  const kinds = new Set([...files.keys(), ...(before?.keys() ?? [])].map(kindOf));
  const changed = [...changedLines.keys()].filter((path) => kinds.has(kindOf(path)));
  return [...new Set([...(before?.keys() ?? []), ...changed])].filter((path) => !files.has(path)).sort();
}
