/** One number per file and signal. Larger speaks for the file, 0 says nothing. */
export const SIGNALS = [
  'words',
  'path',
  'named',
  'together',
  'alike',
  'churn',
  'folders',
  'imports',
  'symbols',
  'near',
  'kin',
  'twin',
  'spread',
] as const;
export type Signal = (typeof SIGNALS)[number];
/** The last one is made from the first ranking, see `spread.ts`. */
export type FirstSignal = Exclude<Signal, 'spread'>;
export type Column = Float64Array;
export type Columns = Readonly<Record<FirstSignal, Column>>;

export function raise(column: Float64Array | Uint32Array, at: number, by: number): void {
  column[at] = (column[at] as number) + by;
}
