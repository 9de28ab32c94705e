/** What `init` looks at in a repository, and what it may suggest. */
import type { IdFormat } from '../gates/ids.ts';
import type { ReportFormat } from '../gates/reports/index.ts';

export type Found = {
  /** Names at the top of the repository; directories end with a slash. */
  readonly names: ReadonlySet<string>;
  /** Those of them that are programs. */
  readonly executables: ReadonlySet<string>;
  /** Texts of the few files that detection reads, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Plain files at and below the top, as far as was looked. */
  readonly paths: readonly string[];
};

export type SuggestedGate = {
  readonly command: string;
  /** How its runner names failed tests, where that is known. */
  readonly ids: IdFormat | null;
  readonly reason: string;
  /** The report of all tests that it can be told to write. */
  readonly report?: SuggestedReport;
};

/** `words`: what its command needs at its end to write it. */
export type SuggestedReport = { readonly format: ReportFormat; readonly file: string; readonly words: string };

/** What checks beside the tests: a linter, a formatter, types, coverage. */
export type Check = {
  readonly name: 'lint' | 'format' | 'types' | 'coverage' | 'e2e';
  readonly command: string;
  readonly reason: string;
  /** Its tool is pinned by a lock file, so that it is there wherever the environment is. */
  readonly sure: boolean;
};

export type SuggestedEnvironment = {
  readonly prepare: string;
  readonly key: readonly string[];
  readonly outputs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly reason: string;
};

/** What one tool chain brings. */
export type Part = {
  readonly tool: string;
  readonly gate: SuggestedGate | null;
  /** A `test` target of a Makefile goes before this gate, with `prefix` before it. Absent: the gate is the project's own. */
  readonly make?: { readonly prefix: string };
  readonly checks: readonly Check[];
  readonly environment: SuggestedEnvironment | null;
  /** What a person should know or do. */
  readonly notes: readonly string[];
};

/** A path that means itself in a command line and in YAML. Others are passed over rather than quoted in two languages. */
export const isPlainPath = (path: string): boolean =>
  /^[\w@+.-]+(?:\/[\w@+.-]+)*$/.test(path) && !/(?:^|\/)(?:-|\.{1,2}(?:\/|$))/.test(path);
