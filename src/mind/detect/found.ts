/** What `init` looks at in a repository, and what it may suggest. */

export type Found = {
  /** Names at the top of the repository; directories end with a slash. */
  readonly names: ReadonlySet<string>;
  /** Those of them that are programs. */
  readonly executables: ReadonlySet<string>;
  /** Texts of the few files that detection reads, by name. */
  readonly texts: ReadonlyMap<string, string>;
};

export type SuggestedGate = {
  readonly command: string;
  /** How its runner names failed tests, where that is known. */
  readonly ids: 'pytest' | 'vitest' | 'jest' | 'go' | 'cargo' | null;
  readonly reason: string;
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
  readonly environment: SuggestedEnvironment | null;
  /** What a person should know or do. */
  readonly notes: readonly string[];
};

/** The files whose text detection needs; requirements files are told by their name. */
export const READ_FILES: readonly string[] = [
  'package.json',
  'pyproject.toml',
  'Makefile',
  'makefile',
  'GNUmakefile',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
];
export const isRequirements = (name: string): boolean => /^requirements[\w.-]*\.txt$/.test(name);
