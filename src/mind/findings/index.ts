/** All findings in the text of a change. Facts block unless the task grants them; opinions warn. */

import { isNeverGranted } from '../candidates/check.ts';
import { folded } from '../candidates/fold.ts';
import { testMatcher } from '../candidates/test-paths.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import type { Finding, Severity } from '../changes/finding.ts';
import { matcher } from '../fields/globs.ts';
import { dependencies } from './dependencies.ts';
import { docsOnly } from './docs-only.ts';
import { earlyExit } from './early-exit.ts';
import { exportsGone, goPackages, isEntry, offeredIn } from './exports-gone.ts';
import { FileFacts } from './file-facts.ts';
import { forbiddenByWords } from './forbidden-by-words.ts';
import { hiddenFailure } from './hidden-failure.ts';
import { keptLines } from './kept-lines.ts';
import { claimedOnly, generatedAlone } from './missing-changes.ts';
import { newBinary } from './new-binary.ts';
import { pragmas } from './pragmas.ts';
import { restored } from './restored.ts';
import type { FindingRule, Hit, RuleContext } from './rule.ts';
import { shadowedLibrary } from './shadowed-library.ts';
import { stubs } from './stubs.ts';
import { swallowed } from './swallowed.ts';
import { TaskWords } from './task-words.ts';
import { looksAtItself } from './test-detection.ts';
import { testLoss } from './test-loss.ts';

export type DiffInput = {
  readonly files: readonly ChangedFile[];
  /** The task's words. They loosen rules, so pass an empty text if their author may not grant anything. */
  readonly task: string;
  readonly testPaths: readonly string[];
  /** Paths that the worker says it changed. */
  readonly claims: readonly string[];
  /** Patterns of protected paths that the task may change. */
  readonly grants: readonly string[];
  /** Lines that recent commits replaced. */
  readonly recent: readonly { readonly commit: string; readonly path: string; readonly removed: readonly string[] }[];
  /**
   * Names that entry files of the base's packages re-export, and directories of Go packages that others may import.
   * Absent: only those of the changed files are known.
   */
  readonly offered?: ReadonlySet<string>;
  /** The source of a generated file; null if it is not generated, or unknown. */
  readonly generated: (path: string) => string | null;
  /** Whether stubs and TODOs are allowed. Absent: as the task's words say. */
  readonly mayPutOff?: boolean;
  /** Earlier steps of the task changed behaviour already. Absent: none did. */
  readonly continues?: boolean;
};

/** Facts block unless granted; opinions warn. */
export type RuleFinding = Finding & { readonly blocks: boolean };

const RULES: readonly FindingRule[] = [
  ...[claimedOnly, generatedAlone, looksAtItself, testLoss, earlyExit, pragmas, dependencies, exportsGone],
  ...[docsOnly, stubs, keptLines, newBinary, restored, shadowedLibrary, swallowed, hiddenFailure, forbiddenByWords],
];

export { goPackages, isEntry, offeredIn };

const TOOL = 'diff';
const MAX_FILES = 2_000;
const MAX_TEXT = 1 << 20;
const MAX_ALL_TEXT = 64 << 20;
const MAX_FINDINGS = 1_000;
const WEIGHT: Readonly<Record<Severity, number>> = { critical: 0, high: 1, medium: 2, low: 3, info: 4 };

/** Most important first, whatever the order of the files. */
export function diffFindings(ask: DiffInput): readonly RuleFinding[] {
  const isTest = testMatcher(ask.testPaths);
  const grants = matcher(ask.grants);
  const { files, hits: unread } = readable(ask.files);
  const context: RuleContext = {
    files: files.map((file) => new FileFacts(file, isTest(file.path))),
    words: new TaskWords(ask.task),
    task: ask.task,
    claims: ask.claims,
    isGranted: (path) => grants(path) && !isNeverGranted(folded(path)),
    recent: ask.recent,
    offered: ask.offered ?? offeredByChanged(files),
    generated: ask.generated,
    mayPutOff: ask.mayPutOff ?? false,
    continues: ask.continues ?? false,
  };
  const hits = [...unread, ...RULES.flatMap((rule) => rule(context))].sort(byWeight);
  return (hits.length <= MAX_FINDINGS ? hits : [...hits.slice(0, MAX_FINDINGS - 1), rest(hits.length)]).map((hit) => ({
    ...hit,
    tool: TOOL,
  }));
}

const offeredByChanged = (files: readonly ChangedFile[]): ReadonlySet<string> =>
  new Set([
    ...files.flatMap(({ path, before }) => offeredIn(path, before)),
    ...goPackages(files.map(({ path }) => path)),
  ]);

/** A file too large to read is reported, not skipped silently. */
function readable(all: readonly ChangedFile[]): { readonly files: ChangedFile[]; readonly hits: Hit[] } {
  const sorted = [...all].sort((a, b) => compare(a.path, b.path));
  const hits: Hit[] = [];
  const files: ChangedFile[] = [];
  let room = MAX_ALL_TEXT;
  for (const file of sorted) {
    const size = Math.max(file.before?.length ?? 0, file.after?.length ?? 0);
    room -= size;
    if (files.length >= MAX_FILES) break;
    if (size <= MAX_TEXT && room >= 0) files.push(file);
    else hits.push(unreadable(file.path, 'The file is too large to be looked at: nothing in it was checked'));
  }
  if (sorted.length > files.length + hits.length) {
    const missing = sorted.length - files.length - hits.length;
    const path = sorted[files.length + hits.length]?.path ?? '';
    hits.push(unreadable(path, `The change has more than ${MAX_FILES} files: ${missing} of them were not checked`));
  }
  return { files, hits };
}

const unreadable = (path: string, message: string): Hit => ({
  rule: 'not-checked',
  severity: 'medium',
  path,
  line: null,
  message,
  blocks: false,
});
const rest = (found: number): Hit => unreadable('', `${found - MAX_FINDINGS + 1} more findings are not shown`);

function byWeight(a: Hit, b: Hit): number {
  return (
    Number(b.blocks) - Number(a.blocks) ||
    WEIGHT[a.severity] - WEIGHT[b.severity] ||
    compare(a.path, b.path) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.rule, b.rule) ||
    compare(a.message, b.message)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
