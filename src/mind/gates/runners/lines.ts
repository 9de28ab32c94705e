/** How to recognise lines of a test runner, and where they may stand. */

/** `adds`: every number that the expression finds in the line; null: the line itself counts as one. */
export type CountLine = { readonly line: RegExp; readonly adds: RegExp | null };

export type RunnerPatterns = {
  /**
   * Lines that end a run. A group counts tests that ran (a word counts as one); a line without a group says that none
   * did.
   */
  readonly ran: readonly RegExp[];
  /** Skipped tests that `ran` includes. `apart`: some versions do not include them in `ran`. */
  readonly skipped?: CountLine & { readonly apart?: true };
  /**
   * Each line reports the same failures in its own way: the largest sum counts. `repeats`: the largest line instead of
   * the sum.
   */
  readonly failed: readonly (CountLine & { readonly repeats?: true })[];
  /** Lines as short as `1 failed` count only if this line of the runner appears too. */
  readonly sign?: RegExp;
};

/** pnpm, turbo and lerna put the package's name before each line. */
export const at = (text: string): RegExp => new RegExp(`(?:^|: ) {0,10}${text}`);

/**
 * For failures and short lines: only where the runner itself puts them. A test that prints the summary of another run,
 * usually indented, changes nothing.
 */
export const line = (text: string): RegExp =>
  new RegExp(`^(?:@?[\\w.-][\\w./-]{0,100}(?:[ :][\\w:.-]{1,60})?: )?${text}`);

export const FAILED = /(\d{1,9}) (?:failed|fail)\b/g;
