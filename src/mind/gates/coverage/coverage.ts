/** The content of a coverage report: which lines ran in each file of the workspace. */

export type FileCoverage = {
  /** Relative to the workspace. */
  readonly path: string;
  /** Line -> hits. If a report names a line several times, the highest count. */
  readonly lines: ReadonlyMap<number, number>;
  /** Null if the report measures no branches in this file. */
  readonly branches: { readonly covered: number; readonly total: number } | null;
  /** Lines that a comment in the source excludes, if the format says so. */
  readonly excluded: readonly number[];
};

export type Coverage = { readonly files: readonly FileCoverage[] };

export type ReadCoverage =
  | { readonly type: 'coverage'; readonly coverage: Coverage }
  | { readonly type: 'unusable'; readonly problem: string };
