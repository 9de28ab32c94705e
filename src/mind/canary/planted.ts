/** What the canary plants: failing tests in a copy of a candidate's test files, to see whether its gate still fails. */

export type TestRunner = 'tap' | 'vitest' | 'jest' | 'pytest' | 'unittest' | 'go' | 'cargo';

/**
 * `inside`: an assertion in an existing test; `altered`: another expected value in an existing assertion; `added`: a
 * test added to an existing file; `own`: a new test file.
 */
type PlantKind = 'inside' | 'altered' | 'added' | 'own';

export type Plant = {
  readonly kind: PlantKind;
  readonly path: string;
  /**
   * The test's own name, by which its failure is found in the runner's list. Python methods are prefixed with their
   * class (`TestSum.test_adds`), Rust tests with the modules of their file (`tests::adds`).
   */
  readonly test: string;
};

export type Planted = { readonly path: string; readonly text: string; readonly plants: readonly Plant[] };

/** Returns a random number, at least 0 and below 1. */
export type Dice = () => number;

/** `only`: the one test that gets an assertion; null: all except those in `without`, and a new test is added. */
export type PlantOptions = {
  readonly dice: Dice;
  readonly only: string | null;
  readonly without: Pick<ReadonlySet<string>, 'has'>;
};

/** The position of a test's body. */
export type TestBody = { readonly name: string; readonly from: number; readonly to: number };

/** A text with its plants, before its path is known. */
export type PlantedText = { readonly text: string; readonly inside: readonly string[]; readonly added: string | null };

/** `until`: the end of the replaced text; without it, the text is inserted. */
export type Edit = { readonly at: number; readonly until?: number; readonly text: string };

/** At most this many tests of a file get an assertion: at most 1,000 names of a runner's failed tests are read. */
export const MAX_INSIDE = 15;

/** All tests of a file, or a new random selection of many, in file order. */
export function someOf<T>(
  all: readonly T[],
  { dice, only, without }: PlantOptions,
  nameOf: (one: T) => string,
): readonly T[] {
  if (only !== null) return all.filter((one) => nameOf(one) === only);
  const left = all.filter((one) => !without.has(nameOf(one)));
  const chosen = new Set(shuffled(left, dice).slice(0, MAX_INSIDE));
  return all.filter((one) => chosen.has(one));
}

/**
 * Whether an assertion comes after the test's own code: the code under test may replace assertions or end the run, but
 * only when called. Some come first, for tests that never reach their end.
 */
export const isLast = ({ dice, only }: PlantOptions): boolean => only !== null || dice() < 0.7;

export function shuffled<T>(all: readonly T[], dice: Dice): readonly T[] {
  return all
    .map((one) => [dice(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** A random item of a list that is not empty. */
export function oneOf<T>(all: readonly [T, ...T[]], dice: Dice): T {
  return all[Math.min(all.length - 1, Math.floor(dice() * all.length))] ?? all[0];
}

/** Inserts or replaces texts at their places; edits at the same place keep their order. */
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
