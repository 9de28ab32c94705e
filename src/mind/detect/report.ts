/** How to make a runner write a report of all its tests: with one, a test that disappears is noticed by its name. */

import type { NodeManager } from './node-managers.ts';
import type { SuggestedReport } from './repository-facts.ts';

const JUNIT: SuggestedReport = { format: 'junit', file: 'junit.xml', words: '--junitxml="$REPORT_DIR/junit.xml"' };
const VITEST: SuggestedReport = {
  format: 'vitest',
  file: 'vitest.json',
  words: '--reporter=default --reporter=json --outputFile.json="$REPORT_DIR/vitest.json"',
};
const JEST: SuggestedReport = {
  format: 'jest',
  file: 'jest.json',
  words: '--json --outputFile="$REPORT_DIR/jest.json"',
};

/** Words that a shell passes on unchanged. */
const WORDS = String.raw`(?: +[\w@%+=:,./*?'"-]+)*`;
const DIRECT: readonly (readonly [RegExp, SuggestedReport])[] = [
  [new RegExp(`^(?:[\\w./-]*python[\\d.]* +-m +)?pytest${WORDS}$`), JUNIT],
  [new RegExp(`^(?:[\\w./-]*/)?vitest${WORDS}$`), VITEST],
  [new RegExp(`^(?:[\\w./-]*/)?jest${WORDS}$`), JEST],
];
/** The command already sets its report file or output format. */
const HAS_ONE = /--(?:reporter|outputFile|json|junit|watch)/i;
const MOST_CHARS = 300;

/** The report of a command that is one call of a runner; null for others, since the words may reach another program. */
export function reportOf(command: string): SuggestedReport | null {
  const call = command.replace(/^cd [\w./-]+ && /, '').replace(/^(?:[A-Z_]+=[\w./-]* )+/, '');
  if (command.length > MOST_CHARS || HAS_ONE.test(call)) return null;
  return DIRECT.find(([shape]) => shape.test(call))?.[1] ?? null;
}

/** The same for a script of `package.json`: the words follow those of the package manager. */
export function reportOfScript(script: string, { name }: NodeManager): SuggestedReport | null {
  const own = reportOf(script.trim());
  return own === null || name !== 'npm' ? own : { ...own, words: `-- ${own.words}` };
}
