/** What a coverage report says: for each file of the workspace, which lines ran. */

export type FileCoverage = {
  /** Relative to the workspace. */
  readonly path: string;
  /** Line -> hits. If a report names a line several times, the highest count. */
  readonly lines: ReadonlyMap<number, number>;
  /** Is null if the report measures no branches in this file. */
  readonly branches: { readonly covered: number; readonly total: number } | null;
  /** Lines taken out by a comment in the source, where the format says so. */
  readonly excluded: readonly number[];
};

export type Coverage = { readonly files: readonly FileCoverage[] };

export type ReadCoverage =
  | { readonly type: 'coverage'; readonly coverage: Coverage }
  | { readonly type: 'unusable'; readonly problem: string };
