/**
 * Output patterns of test runners: lines that count tests that ran, were skipped, or failed. A gate without `ids` does
 * not say which runner it calls, so all of them are tried.
 */
import { COMPILED } from './compiled.ts';
import type { CountLine, RunnerPatterns } from './lines.ts';
import { SCRIPTED } from './scripted.ts';

export type RunnerName = keyof typeof SCRIPTED | keyof typeof COMPILED;

export const RUNNERS: Readonly<Record<RunnerName, RunnerPatterns>> = { ...SCRIPTED, ...COMPILED };

/** Lines that may be summaries: a quick test before the exact ones, because a gate may print millions of lines. */
export const mayCount = (text: string): boolean => text.length <= MOST_CHARS && MAYBE.test(text);

const MAYBE =
  /test|pass|fail|cancelled|success|not ok|example|runs,|skip|selected|specs?,|executed|scenario|result:|^ok:|timeout:|flaky|interrupted|uncaught|unhandled|error|total|finished in/i;
/** No summary is longer. */
const MOST_CHARS = 400;

/** What one line adds to a count. */
export function countIn(text: string, { line, adds }: CountLine): number {
  if (!line.test(text)) return 0;
  return adds === null ? 1 : [...text.matchAll(adds)].reduce((all, match) => all + Number(match[1]), 0);
}
