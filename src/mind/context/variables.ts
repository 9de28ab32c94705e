/** Lists of patterns and variables, and the files that they match for one task. */
import * as v from 'valibot';
import { type Matcher, matcher } from '../fields/globs.ts';
import { includePattern } from '../fields/role-fields.ts';
import { DIFF_SENTINEL, isVariable, type Variable } from '../fields/variables.ts';

/** A role or strategy names something that must not be read; the message has the pattern. */
export class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/**
 * Files of roles and strategies were checked when they were read. This is the last check before the tree: whatever
 * produced the list, a pattern that leaves the repository stops the packing. Throws `PatternRefused`.
 */
export function checkPatterns(patterns: readonly string[], where: string): void {
  for (const pattern of patterns) {
    const parsed = v.safeParse(includePattern, pattern);
    if (!parsed.success) throw new PatternRefused(`${where}: ${parsed.issues[0].message}`);
  }
}

/** The patterns of a list, without variables. */
export const globsOf = (patterns: readonly string[]): string[] =>
  patterns.filter((pattern) => !isVariable(pattern) && pattern !== DIFF_SENTINEL);

export type VariableSets = Readonly<Partial<Record<Variable, ReadonlySet<string>>>>;

/** Whether a list of patterns and variables matches a path. */
export function meant(patterns: readonly string[], sets: VariableSets): Matcher {
  const globs = matcher(globsOf(patterns));
  const named = patterns.filter(isVariable).flatMap((variable) => sets[variable] ?? []);
  return (path) => named.some((set) => set.has(path)) || globs(path);
}
