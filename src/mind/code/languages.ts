/** The kind of a file, from its path alone: language, code, test or document. */
import { testMatcher } from '../candidates/test-paths.ts';

export type Language = 'typescript' | 'javascript' | 'python' | 'go' | 'rust' | 'java' | 'other';

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...(['ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'astro'] as const).map((ending) => [ending, 'typescript'] as const),
  ...(['js', 'jsx', 'mjs', 'cjs'] as const).map((ending) => [ending, 'javascript'] as const),
  ...(['py', 'pyi', 'pyw'] as const).map((ending) => [ending, 'python'] as const),
  ['go', 'go'],
  ['rs', 'rust'],
  ['java', 'java'],
]);

/** Code that is read as text only: no imports, no outline. */
const OTHER_CODE: ReadonlySet<string> = new Set(
  (
    'c h cc cpp cxx hh hpp m mm cs fs vb kt kts scala groovy clj rb php pl pm lua r jl swift dart ex exs erl hrl hs ' +
    'ml mli elm zig nim v sol vy cairo move sh bash zsh fish ps1 sql graphql gql proto thrift html htm css scss sass ' +
    'less tf hcl nix cmake gradle'
  ).split(' '),
);

const DOCS: ReadonlySet<string> = new Set('md mdx markdown rst adoc asciidoc txt org tex'.split(' '));
const DOC_NAMES =
  /^(?:readme|changelog|changes|contributing|license|licence|notice|authors|security|history|copying)$/i;

/** Without the dot, lower-case; empty if there is none. */
export function endingOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot <= path.lastIndexOf('/') + 1 ? '' : path.slice(dot + 1).toLowerCase();
}

export const languageOf = (path: string): Language => LANGUAGES.get(endingOf(path)) ?? 'other';

export function isCode(path: string): boolean {
  const ending = endingOf(path);
  return LANGUAGES.has(ending) || OTHER_CODE.has(ending);
}

/** The same places as for candidate checks, so that a test is a test everywhere. */
export const isTest: (path: string) => boolean = testMatcher([]);

export function isDoc(path: string): boolean {
  const ending = endingOf(path);
  if (ending !== '') return DOCS.has(ending) && !/(?:^|\/)(?:requirements|constraints)[^/]*\.txt$/.test(path);
  return DOC_NAMES.test(path.slice(path.lastIndexOf('/') + 1));
}
