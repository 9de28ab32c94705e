/** Makes one number per file of all signals. */
import { type Column, type Columns, type FirstSignal, raise, SIGNALS, type Signal } from './columns.ts';
import { ABSOLUTE, WEIGHTS } from './weights.ts';

/** Each column on its own scale: against the best file that is no target, unless its size means something by itself. */
export function scaled(columns: Columns, isTarget: readonly boolean[]): Columns {
  const result: Partial<Record<FirstSignal, Column>> = {};
  for (const signal of Object.keys(columns) as FirstSignal[]) {
    const column = columns[signal];
    result[signal] = ABSOLUTE.has(signal) ? column : column.map(byMost(column, isTarget));
  }
  return result as Columns;
}

function byMost(column: Column, isTarget: readonly boolean[]): (value: number) => number {
  let most = 0;
  for (const [at, value] of column.entries()) if (!isTarget[at] && value > most) most = value;
  return most === 0 ? () => 0 : (value) => Math.min(1, value / most);
}

/** The logarithm of how likely each file is wanted, up to a constant. */
export function fused(columns: Partial<Record<Signal, Column>>, files: number): Float64Array {
  const sum = new Float64Array(files);
  for (const signal of SIGNALS) {
    const column = columns[signal];
    const weight = WEIGHTS[signal];
    if (column === undefined || weight === 0) continue;
    for (let i = 0; i < files; i++) raise(sum, i, weight * (column[i] as number));
  }
  return sum;
}
