/** What the canary plants: failing tests, put into a copy of a candidate's test files to see whether its gate still fails. */

export type Runner = 'tap' | 'vitest' | 'jest' | 'pytest' | 'unittest' | 'go' | 'cargo';

/**
 * `inside`: an assertion in an existing test; `altered`: another expected value in an assertion that an existing test makes;
 * `added`: a test added to an existing file; `own`: a test file of its own.
 */
type PlantKind = 'inside' | 'altered' | 'added' | 'own';

export type Plant = {
  readonly kind: PlantKind;
  readonly path: string;
  /**
   * The test's own name, by which a failure is recognised in the runner's list. Python's methods have their class before
   * it (`TestSum.test_adds`), Rust's tests the modules of their file (`tests::adds`).
   */
  readonly test: string;
};

export type Planted = { readonly path: string; readonly text: string; readonly plants: readonly Plant[] };

/** A random number from 0 to below 1. */
export type Dice = () => number;

/** `only`: the one test that gets an assertion; null: all of them but those of `without`, and a new one is added. */
export type Wish = {
  readonly dice: Dice;
  readonly only: string | null;
  readonly without: Pick<ReadonlySet<string>, 'has'>;
};

/** Where the body of a test stands. */
export type TestBody = { readonly name: string; readonly from: number; readonly to: number };

/** A text with its plants, before it is known for which path. */
export type PlantedText = { readonly text: string; readonly inside: readonly string[]; readonly added: string | null };

/** `until`: what it replaces ends here; without, it is inserted. */
export type Edit = { readonly at: number; readonly until?: number; readonly text: string };

/** Of the tests of one file at most this many get an assertion: a runner's list of failed tests is read up to 1,000 names. */
export const MAX_INSIDE = 15;

/** All tests of a file, or some of many, each time others; in the order of the file. */
export function someOf<T>(all: readonly T[], { dice, only, without }: Wish, nameOf: (one: T) => string): readonly T[] {
  if (only !== null) return all.filter((one) => nameOf(one) === only);
  const left = all.filter((one) => !without.has(nameOf(one)));
  const chosen = new Set(shuffled(left, dice).slice(0, MAX_INSIDE));
  return all.filter((one) => chosen.has(one));
}

/**
 * Whether an assertion comes behind what the test itself does: it is the code under test that may replace an assertion, or
 * end the run, and only when it is called. Some stand in front, for tests that never get to their end.
 */
export const isLast = ({ dice, only }: Wish): boolean => only !== null || dice() < 0.7;

export function shuffled<T>(all: readonly T[], dice: Dice): readonly T[] {
  return all
    .map((one) => [dice(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** One of a list that is not empty. */
export function oneOf<T>(all: readonly [T, ...T[]], dice: Dice): T {
  return all[Math.min(all.length - 1, Math.floor(dice() * all.length))] ?? all[0];
}

/** Inserts texts at their places, or puts them in place of others; those at the same place keep their order. */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    pieces.push(text.slice(done, edit.at), edit.text);
    done = edit.until ?? edit.at;
  }
  return pieces.join('') + text.slice(done);
}

/** The line end that a text uses. */
export const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
