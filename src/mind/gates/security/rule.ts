/** A rule about one construct of a language, and the few patterns that several of them share. */

import type { Severity } from '../../changes/finding.ts';
import type { Family } from './code-places.ts';

export type Rule = {
  readonly rule: string;
  readonly families: readonly Family[];
  /** Global, and bounded: it runs over whole files. A match counts where it begins in code. */
  readonly pattern: RegExp;
  /** What the match is worth; null: it is harmless after all. `after`: the text right behind the match. */
  readonly severity: Severity | ((match: string, after: string) => Severity | null);
  /** What it does and what to do instead, as the end of a sentence. */
  readonly message: string;
};

/** Nothing but one constant text, up to the end of the argument. */
const CONSTANT =
  /^\s{0,40}(?:[rbRB]{0,2}'(?:[^'\\\n]|\\.){0,1000}'|[rbRB]{0,2}"(?:[^"\\\n]|\\.){0,1000}"|`(?:[^`\\$]|\\.|\$(?!\{)){0,1000}`)\s{0,40}(?:[,);\n]|$)/;

export const isConstant = (argument: string): boolean => CONSTANT.test(argument);
/** High where a variable is handed over, medium where the text is written there. */
export const byArgument = (_match: string, after: string): Severity => (isConstant(after) ? 'medium' : 'high');
/** A written text is harmless here. */
export const unlessConstant = (_match: string, after: string): Severity | null => (isConstant(after) ? null : 'high');
