/** All signals about all files. */
import type { Columns } from './columns.ts';
import { type Changes, pastColumns } from './past-signals.ts';
import { pathColumns } from './path-signals.ts';
import { importColumn, namedColumn, nearColumn, twinColumn } from './place-signals.ts';
import type { RankInput } from './rank.ts';
import { wordColumns } from './word-signals.ts';

export type Signals = { readonly columns: Columns; readonly times: Uint32Array };

/** Those whose size depends on the task are measured against their best file; `targets` are the places of the targets. */
export function signalsOf(input: RankInput, changes: Changes, targetFiles: ReadonlySet<number>): Signals {
  const { places, index, targets, counts } = input;
  const { list, named } = counts.terms;
  const { times, together, alike, churn, folders } = pastColumns(places, targets, changes);
  const { words, symbols } = wordColumns(counts);
  const { path, kin } = pathColumns(places, targets, list);
  for (const column of [words, symbols, path, kin, alike, churn]) column.scaled(targetFiles);
  const columns = {
    ...{ words, symbols, path, kin, together, alike, churn, folders },
    named: namedColumn(places, named),
    near: nearColumn(places, targets),
    twin: twinColumn(places, targets),
    imports: importColumn(places.paths.length, index, targets, input.imports),
  };
  return { columns, times };
}
