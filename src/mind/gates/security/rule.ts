/** A rule about one construct of a language, and the few patterns that several of them share. */

import type { Severity } from '../../changes/finding.ts';
import type { Family } from './code-places.ts';

export type SecurityRule = {
  readonly rule: string;
  readonly families: readonly Family[];
  /** Global, and bounded: it runs over whole files. A match counts if it starts in code. */
  readonly pattern: RegExp;
  /** The severity of the match; null if it is harmless after all. `after`: the text right after the match. */
  readonly severity: Severity | ((match: string, after: string) => Severity | null);
  /** What it does and what to do instead, as the end of a sentence. */
  readonly message: string;
};

/** A single constant text, up to the end of the argument. */
const CONSTANT =
  /^\s{0,40}(?:[rbRB]{0,2}'(?:[^'\\\n]|\\.){0,1000}'|[rbRB]{0,2}"(?:[^"\\\n]|\\.){0,1000}"|`(?:[^`\\$]|\\.|\$(?!\{)){0,1000}`)\s{0,40}(?:[,);\n]|$)/;

export const isConstant = (argument: string): boolean => CONSTANT.test(argument);
/** High if a variable is passed, medium if a literal is. */
export const byArgument = (_match: string, after: string): Severity => (isConstant(after) ? 'medium' : 'high');
const ALL_CONSTANT =
  /^\s{0,20}(?:(?:'(?:[^'\\\n]|\\.){0,800}'|"(?:[^"\\\n]|\\.){0,800}"|`(?:[^`\\$]|\\.|\$(?!\{)){0,800}`)\s{0,20}(?:,\s{0,20}|(?=\)))){0,20}\)/;
/** The same if the last argument is the code that runs, after the names of parameters. */
export const byEveryArgument = (_match: string, after: string): Severity =>
  ALL_CONSTANT.test(after) ? 'medium' : 'high';
/** A literal is harmless here. */
export const unlessConstant = (_match: string, after: string): Severity | null => (isConstant(after) ? null : 'high');
