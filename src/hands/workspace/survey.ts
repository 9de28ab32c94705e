/** Checks a workspace before git does: what is tracked, new or ignored, and what makes it no candidate. */
import { isDotGit, shown } from '../../mind/candidates/names.ts';
import { type FileEntry, type WalkOptions, walkTree } from '../../os/files/walk-tree.ts';
import type { GitContext } from './context.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { identityOf, type MadeWorkspace } from './make.ts';
import { nameOf, parentsOf, type TreeEntry } from './tree-entries.ts';
import type { TreeProblem } from './tree-problems.ts';

export type TreeSurvey = {
  /** Git must never see such a tree; empty if it may be captured. */
  readonly problems: readonly TreeProblem[];
  /** Files and links to capture, as byte strings. */
  readonly present: readonly string[];
  /** Those that the input did not have. */
  readonly added: readonly string[];
  /** Symbolic links among them, with their targets. */
  readonly links: ReadonlyMap<string, string>;
  /** In bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly ignored: readonly string[];
};

type Trees = {
  readonly scratch: string;
  readonly base: ReadonlyMap<string, TreeEntry>;
  readonly input: ReadonlyMap<string, TreeEntry>;
};

export async function survey(context: GitContext, made: MadeWorkspace, trees: Trees): Promise<TreeSurvey> {
  const { limits } = context;
  if (identityOf(made.tree) !== made.identity)
    return refused('', 'workspace lost: the directory is gone or another one');
  const rules = new IgnoreRules(context, { scratch: trees.scratch, tree: made.tree, base: trees.base });
  const problems: TreeProblem[] = [];
  const ignored: string[] = [];
  const walked = await walkTree(made.tree, {
    maxEntries: limits.entries,
    enter: entering(rules, trees, problems, ignored),
  });
  if (walked.type === 'too_many')
    return refused(walked.at, `too large: more than ${limits.entries} entries, which is the limit`);
  if (walked.type === 'unreadable') return refused(walked.path, `workspace lost: it cannot be read (${walked.code})`);

  const files = walked.entries.filter(({ kind, path }) => kind !== 'directory' || isDotGit(nameOf(path)));
  const unknown = files.filter(({ path }) => !trees.input.has(path) && !isDotGit(nameOf(path)));
  const out = await rules.ignored(
    unknown.map(({ path }) => path),
    walked.entries,
  );
  ignored.push(...out);
  const kept = files.filter(({ path }) => !out.has(path));
  const plain = kept.map(({ path }) => path);
  return {
    problems: [...problems, ...problemsOf(kept, trees.input, limits)],
    present: plain,
    added: plain.filter((path) => !trees.input.has(path)),
    links: new Map(kept.flatMap(({ kind, path, target }) => (kind === 'link' ? [[path, target]] : []))),
    sizes: new Map(kept.map(({ path, size }) => [path, size])),
    ignored: ignored.map(shown).sort(),
  };
}

/** Selects the directories of a level to enter; adds to `problems` and `ignored`. */
function entering(rules: IgnoreRules, trees: Trees, problems: TreeProblem[], ignored: string[]): WalkOptions['enter'] {
  const tracked = parentsOf(trees.input.keys());
  return async (directories, found) => {
    // Each level costs one query: thousands of nested ones would take minutes.
    const deep = directories.find((path) => path.split('/').length > MAX_DEPTH);
    if (deep !== undefined) {
      problems.push({ path: shown(deep).slice(0, 200), problem: `is nested deeper than ${MAX_DEPTH} directories` });
      return [];
    }
    const unknown = directories.filter((path) => !tracked.has(path) && !isDotGit(nameOf(path)));
    const out = await rules.ignored(
      unknown.map((path) => `${path}/`),
      found,
    );
    ignored.push(...out);
    return directories.filter((path) => !out.has(`${path}/`) && !isDotGit(nameOf(path)));
  };
}

/** Far above any honest tree. */
const MAX_DEPTH = 200;

function problemsOf(kept: readonly FileEntry[], input: Trees['input'], limits: GitContext['limits']): TreeProblem[] {
  const problems = kept.flatMap((entry): TreeProblem[] => {
    const problem = problemOf(entry);
    return problem === null ? [] : [{ path: shown(entry.path), problem }];
  });
  const size = tooLarge(kept, input, limits);
  if (size !== null) problems.push({ path: '', problem: size });
  if (kept.length === 0 && input.size > 0)
    problems.push({
      path: '',
      problem: `workspace lost: none of its ${input.size} files is left; change only the files that the task needs`,
    });
  return problems;
}

function problemOf({ path, kind, links }: FileEntry): string | null {
  if (isDotGit(nameOf(path))) return 'a repository was made inside of the workspace: remove it';
  if (kind === 'device' || kind === 'fifo' || kind === 'socket')
    return `a ${kind} cannot be part of a change: remove it`;
  return kind === 'file' && links > 1 ? 'the file has a second name (hard link): copy it instead' : null;
}

function tooLarge(
  kept: readonly FileEntry[],
  input: ReadonlyMap<string, TreeEntry>,
  limits: GitContext['limits'],
): string | null {
  const changed = kept.filter(({ path, size }) => input.get(path)?.size !== size);
  const bytes = changed.reduce((sum, { size }) => sum + size, 0);
  if (changed.length <= limits.changedFiles && bytes <= limits.changedBytes) return null;
  return tooLargeText(changed.length, bytes, limits);
}

export const tooLargeText = (files: number, bytes: number, limits: GitContext['limits']): string =>
  `too large: ${files} files and ${bytes} bytes are new or changed; at most ${limits.changedFiles} files and ${limits.changedBytes} bytes are taken`;

const refused = (path: string, problem: string): TreeSurvey => ({
  problems: [{ path: shown(path), problem }],
  present: [],
  added: [],
  links: new Map(),
  sizes: new Map(),
  ignored: [],
});
