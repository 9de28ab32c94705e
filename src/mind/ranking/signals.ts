/** All signals about all files: those that need no file opened, and those of contents. */
import type { Columns } from './columns.ts';
import type { WordCounts } from './counts.ts';
import type { ImportGraph, LookInput } from './input.ts';
import { type Changes, changesOf, pastColumns } from './past-signals.ts';
import { pathColumns } from './path-signals.ts';
import { importColumn, namedColumn, nearColumn, twinColumn } from './place-signals.ts';
import { wordColumns } from './word-signals.ts';

type Tree = Pick<LookInput, 'places' | 'index' | 'targets'>;

/** Signals of paths and history. Made once for a task; words come later. */
export type FirstLook = {
  readonly columns: Omit<Columns, 'words' | 'symbols' | 'imports'>;
  readonly changes: Changes;
  /** How often each file changed with a target. */
  readonly times: Uint32Array;
  /** Indexes of the targets. */
  readonly targets: ReadonlySet<number>;
};

/** Signals whose size depends on the task are measured against their best file. */
export function firstLook(input: LookInput): FirstLook {
  const { places, index, targets, terms, history } = input;
  const own = new Set(targets.flatMap((target) => index.get(target) ?? []));
  const changes = changesOf(history, input);
  const { times, together, alike, churn, folders } = pastColumns(places, targets, changes);
  const { path, kin } = pathColumns(places, targets, terms);
  for (const column of [path, kin, alike, churn]) column.scaled(own);
  const named = namedColumn(places, terms.named);
  const near = nearColumn(places, targets);
  const twin = twinColumn(places, targets);
  return { columns: { path, kin, together, alike, churn, folders, named, near, twin }, changes, times, targets: own };
}

export function signalsOf(
  look: FirstLook,
  {
    places,
    index,
    targets,
    imports,
    counts,
  }: Tree & { readonly imports: ImportGraph | null; readonly counts: WordCounts },
): Columns {
  const { words, symbols } = wordColumns(counts);
  for (const column of [words, symbols]) column.scaled(look.targets);
  return { ...look.columns, words, symbols, imports: importsOf({ places, index, targets }, imports) };
}

export const importsOf = ({ places, index, targets }: Tree, imports: ImportGraph | null) =>
  importColumn(places.paths.length, index, targets, imports);
