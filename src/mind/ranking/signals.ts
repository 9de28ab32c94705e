/** All signals about all files: those that nothing must be opened for, and those of what is inside. */
import type { Columns } from './columns.ts';
import { type Changes, changesOf, pastColumns } from './past-signals.ts';
import { pathColumns } from './path-signals.ts';
import { importColumn, namedColumn, nearColumn, twinColumn } from './place-signals.ts';
import type { ImportGraph, RankInput } from './rank.ts';
import type { Terms } from './terms.ts';
import { wordColumns } from './word-signals.ts';

export type LookInput = Pick<RankInput, 'places' | 'index' | 'targets' | 'history' | 'now'> & { readonly terms: Terms };

/** What paths and history say. Made once for a task; the words come later. */
export type FirstLook = {
  readonly columns: Omit<Columns, 'words' | 'symbols' | 'imports'>;
  readonly changes: Changes;
  /** How often each file changed with a target. */
  readonly times: Uint32Array;
  /** Places of the targets. */
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
  { places, index, targets, imports, counts }: Pick<RankInput, 'places' | 'index' | 'targets' | 'imports' | 'counts'>,
): Columns {
  const { words, symbols } = wordColumns(counts);
  for (const column of [words, symbols]) column.scaled(look.targets);
  return { ...look.columns, words, symbols, imports: importsOf({ places, index, targets }, imports) };
}

export const importsOf = (
  { places, index, targets }: Pick<LookInput, 'places' | 'index' | 'targets'>,
  imports: ImportGraph | null,
) => importColumn(places.paths.length, index, targets, imports);
