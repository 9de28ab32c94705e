/** All signals about all files. */
import type { Columns } from './columns.ts';
import { pastColumns } from './past-signals.ts';
import { importColumn, namedColumn, nearColumn, twinColumn } from './place-signals.ts';
import type { RankInput } from './rank.ts';
import { pathColumns, wordColumns } from './word-signals.ts';

export type Signals = { readonly columns: Columns; readonly times: Uint32Array };

export function signalsOf(input: RankInput, stems: readonly string[], index: ReadonlyMap<string, number>): Signals {
  const { files, targets, counts } = input;
  const { list, named } = counts.terms;
  const { times, ...past } = pastColumns(index, targets, list, input.history, input.now);
  const columns = {
    ...wordColumns(files, counts),
    ...pathColumns(files, targets, counts),
    ...past,
    named: namedColumn(files, named),
    near: nearColumn(files, targets),
    twin: twinColumn(stems, targets),
    imports: importColumn(files, index, targets, input.imports),
  };
  return { columns, times };
}
