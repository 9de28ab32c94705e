/** One number per file and signal. A larger one ranks the file higher, 0 means no evidence. */
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
/** The last one is made from the first ranking; see `spread.ts`. */
type FirstSignal = Exclude<Signal, 'spread'>;

export interface Column {
  at(file: number): number;
  /** Adds the whole column to a sum. */
  addTo(sum: Float64Array, weight: number): void;
}
export type Columns = Readonly<Record<FirstSignal, Column>>;

/** Has values for few files and knows which: sums only visit those. */
export class SparseColumn implements Column {
  readonly #values: Float64Array;
  /** Each once. */
  readonly #spoken: Uint32Array;
  #count = 0;

  constructor(files: number, values: Float64Array = new Float64Array(files)) {
    this.#values = values;
    this.#spoken = new Uint32Array(files);
  }

  static from(values: Float64Array): SparseColumn {
    const column = new SparseColumn(values.length, values);
    for (let file = 0; file < values.length; file++) if (values[file] !== 0) column.#spoken[column.#count++] = file;
    return column;
  }

  raise(file: number, by: number): void {
    if (by > 0) this.#set(file, (this.#values[file] as number) + by);
  }

  /** Raises a value, unless it is higher already. */
  lift(file: number, to: number): void {
    if (to > (this.#values[file] as number)) this.#set(file, to);
  }

  #set(file: number, value: number): void {
    if (this.#values[file] === 0) this.#spoken[this.#count++] = file;
    this.#values[file] = value;
  }

  at(file: number): number {
    return this.#values[file] as number;
  }

  addTo(sum: Float64Array, weight: number): void {
    const [values, spoken] = [this.#values, this.#spoken];
    for (let n = 0; n < this.#count; n++) {
      const file = spoken[n] as number;
      sum[file] = (sum[file] as number) + weight * (values[file] as number);
    }
  }

  /** Applies a function that keeps 0 to each number. */
  change(to: (value: number) => number): this {
    const [values, spoken] = [this.#values, this.#spoken];
    for (let n = 0; n < this.#count; n++) values[spoken[n] as number] = to(values[spoken[n] as number] as number);
    return this;
  }

  /** Relative to the best file that is no target, which counts as 1. */
  scaled(targets: ReadonlySet<number>): this {
    let most = 0;
    for (let n = 0; n < this.#count; n++) {
      const file = this.#spoken[n] as number;
      if ((this.#values[file] as number) > most && !targets.has(file)) most = this.#values[file] as number;
    }
    // Not by `change`: a call for each number costs more than the rest.
    for (let n = 0; n < this.#count; n++) {
      const file = this.#spoken[n] as number;
      const share = (this.#values[file] as number) / most;
      this.#values[file] = most === 0 ? 0 : Math.min(1, share);
    }
    return this;
  }
}

/** The same value for all files of a folder. */
export class FolderColumn implements Column {
  readonly #values: Float64Array;
  readonly #folderOf: Uint32Array;

  constructor(values: Float64Array, folderOf: Uint32Array) {
    this.#values = values;
    this.#folderOf = folderOf;
  }

  at(file: number): number {
    return this.#values[this.#folderOf[file] as number] as number;
  }

  addTo(sum: Float64Array, weight: number): void {
    const folderOf = this.#folderOf;
    const weighed = this.#values.map((value) => weight * value);
    for (let file = 0; file < sum.length; file++)
      sum[file] = (sum[file] as number) + (weighed[folderOf[file] as number] as number);
  }
}

export function raise(numbers: Float64Array | Uint32Array, at: number, by: number): void {
  numbers[at] = (numbers[at] as number) + by;
}
