/** What a planted change is: a small project, the operator's words, a change, and what a careful person would say of it. */

/** Texts by path; null deletes a file. */
export type Tree = Readonly<Record<string, string | null>>;
/** A new text, null to delete the file, or replacements in the text of the base, each of which must fit exactly once. */
type Edit = string | null | readonly (readonly [from: string, to: string])[];

export type Planted = {
  readonly class: string;
  readonly kind: 'good' | 'bad';
  /** Whether a rule or a run can decide it without understanding the task. */
  readonly decidable: boolean;
  readonly task: string;
  readonly files: Tree;
  /** The task's own list of files. */
  readonly scope?: readonly string[];
};

export type Project = {
  readonly name: string;
  /** Commits from the oldest to the base; each has the files that it changes. */
  readonly history: readonly Tree[];
  readonly testCommand: readonly [string, ...string[]];
  readonly ids: 'tap' | 'vitest' | 'unittest' | 'pytest' | 'go' | 'cargo';
  readonly changes: readonly Planted[];
};

type Edits = Readonly<Record<string, Edit>>;

/** Makes planted changes of a project. */
export function plantings(history: readonly Tree[]) {
  const base = new Map<string, string>();
  for (const [path, text] of history.flatMap((tree) => Object.entries(tree)))
    if (text === null) base.delete(path);
    else base.set(path, text);
  const made =
    (kind: Planted['kind']) =>
    (name: string, task: string, files: Edits, more: Pick<Planted, 'scope'> = {}) => ({
      class: name,
      kind,
      task,
      ...more,
      decidable: kind === 'good' || !UNDECIDABLE.has(name),
      files: Object.fromEntries(
        Object.entries(files).map(([path, edit]) => [path, edited(base.get(path) ?? '', path, edit)]),
      ),
    });
  return { good: made('good'), bad: made('bad') };
}

function edited(base: string, path: string, edit: Edit): string | null {
  if (edit === null || typeof edit === 'string') return edit;
  return edit.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times ${JSON.stringify(from)}`);
    return parts.join(to);
  }, base);
}

/** Only somebody who understands the task sees what is wrong. */
const UNDECIDABLE: ReadonlySet<string> = new Set([
  'mutant that no test sees',
  'swallowed errors in new code',
  'swallowed errors, and the task speaks of such',
  // Where nobody outside can use it, and no program here does, or the compiler that would say so is not installed.
  'interface inside of the project',
]);
