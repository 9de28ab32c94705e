/** The facts that `init` reads from a repository, and what it may suggest. */
import type { IdFormat } from '../gates/ids.ts';
import type { ReportFormat } from '../gates/reports/index.ts';

export type RepositoryFacts = {
  /** Names at the top of the repository; directories end with a slash. */
  readonly names: ReadonlySet<string>;
  /** The files that are executable. */
  readonly executables: ReadonlySet<string>;
  /** Texts of the few files that detection reads, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Plain files at and below the top, as far as they were visited. */
  readonly paths: readonly string[];
};

export type SuggestedGate = {
  readonly command: string;
  /** How its runner names failed tests; null if unknown. */
  readonly ids: IdFormat | null;
  readonly reason: string;
  /** The report of all tests that the runner can write. */
  readonly report?: SuggestedReport;
};

/** `words`: the arguments to append so that the command writes it. */
export type SuggestedReport = { readonly format: ReportFormat; readonly file: string; readonly words: string };

/** A check beside the tests: a linter, a formatter, types, coverage. */
export type Check = {
  readonly name: 'lint' | 'format' | 'types' | 'coverage' | 'e2e';
  readonly command: string;
  readonly reason: string;
  /** A lock file pins its tool, so the tool exists wherever the environment does. */
  readonly sure: boolean;
};

export type SuggestedEnvironment = {
  readonly prepare: string;
  readonly key: readonly string[];
  readonly outputs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly reason: string;
};

/** What one tool chain contributes. */
export type ToolChainFacts = {
  readonly tool: string;
  readonly gate: SuggestedGate | null;
  /**
   * A Makefile's `test` target is preferred to this gate, with `prefix` before it. Absent: the gate is the project's
   * own.
   */
  readonly make?: { readonly prefix: string };
  readonly checks: readonly Check[];
  readonly environment: SuggestedEnvironment | null;
  /** What a person should know or do. */
  readonly notes: readonly string[];
};

/**
 * A path that needs no quotes in a command line and in YAML. Others are skipped rather than quoted in two languages.
 */
export const isPlainPath = (path: string): boolean =>
  /^[\w@+.-]+(?:\/[\w@+.-]+)*$/.test(path) && !/(?:^|\/)(?:-|\.{1,2}(?:\/|$))/.test(path);
