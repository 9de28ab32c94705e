/** Measures a change from both sides of its files: the facts that approval policies ask about. */
import type { PathChange } from '../candidates/change.ts';
import { isLockFile } from '../candidates/check.ts';
import { folded } from '../candidates/fold.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { languageOf } from '../code/languages.ts';
import type { ChangeFacts } from '../domain/risk-facts.ts';
import { diffFindings } from '../findings/index.ts';
import { dependencyFindings } from '../gates/security/dependencies.ts';
import { classesOf } from './path-classes.ts';

type FactsInput = {
  /** All changed paths. */
  readonly changed: readonly PathChange[];
  /** Both sides as text, by path; null for a side that is no text or was not read. */
  readonly files: readonly ChangedFile[];
  readonly testPaths: readonly string[];
  /** Names that entry files of the base's packages re-export. */
  readonly offered: ReadonlySet<string>;
  /** Patterns of the policies, by class. */
  readonly classes: readonly Readonly<Record<string, readonly string[]>>[];
};

export function changeFactsOf({ changed, files, testPaths, offered, classes }: FactsInput): ChangeFacts {
  const paths = changed.map(({ path }) => path);
  const texts = new Map(files.map((file) => [file.path, file]));
  const unread = changed.filter(({ path, before, after }) => {
    const text = texts.get(path);
    return (before !== null && (text?.before ?? null) === null) || (after !== null && (text?.after ?? null) === null);
  });
  const lines = unread.length > 0 ? null : linesOf(files);
  return {
    file_count: paths.length,
    lines_added: lines?.added ?? null,
    lines_removed: lines?.removed ?? null,
    new_dependencies: newDependencies(files, unread),
    lock_file: paths.some((path) => isLockFile(folded(path))),
    breaking: isBreaking({ files, testPaths, offered }, unread),
    classes: classesOf(paths, classes),
  };
}

function linesOf(files: readonly ChangedFile[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  for (const { path, before, after } of files) {
    const diff = lineDiff({ path, before: withEnds(before), after: withEnds(after) });
    added += diff.added.length;
    removed += diff.removed.length;
  }
  return { added, removed };
}

/** Different line ends, or a missing one at the end, count as changed lines, as in git. */
function withEnds(text: string | null): string | null {
  if (text === null || text === '') return text;
  const marked = text.replaceAll('\r\n', '\u240d\n');
  return marked.endsWith('\n') ? marked : `${marked}\u2404`;
}

/** Returns null if a manifest could not be read. */
function newDependencies(files: readonly ChangedFile[], unread: readonly PathChange[]): number | null {
  const { added, findings } = dependencyFindings(files);
  const missed = new Set(unread.map(({ path }) => path));
  const isRead = !findings.some(({ rule, path }) => rule === 'dependencies-not-read' && missed.has(path));
  const isWhole = unread.every(({ path }) => files.some((file) => file.path === path));
  return isRead && isWhole ? added.length : null;
}

const BREAKING: ReadonlySet<string> = new Set(['export-removed', 'signature-changed']);
/** The rule that reports what was not inspected. */
const NOT_CHECKED = 'not-checked';

/** Returns null if a program could not be read. A task may ask for a removal; the approval judges the change itself. */
function isBreaking(
  { files, testPaths, offered }: Pick<FactsInput, 'files' | 'testPaths' | 'offered'>,
  unread: readonly PathChange[],
): boolean | null {
  const ask = { files, task: '', testPaths, claims: [], grants: [], recent: [], offered, generated: () => null };
  const rules = new Set(diffFindings(ask).map(({ rule }) => rule));
  if ([...BREAKING].some((rule) => rules.has(rule))) return true;
  const isPartial = rules.has(NOT_CHECKED) || unread.some(({ path }) => languageOf(path) !== 'other');
  return isPartial ? null : false;
}
