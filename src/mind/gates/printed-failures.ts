/**
 * How many failures a gate without `ids` printed. Exit code 0 is no pass if a runner counts failures: a pipe or `||
 * true` swallows an exit code.
 */
import type { RunnerOutput } from './ids.ts';
import { printedLines } from './printed-lines.ts';
import { countIn, mayCount, RUNNERS } from './runners/index.ts';
import type { RunnerPatterns } from './runners/lines.ts';

/** Failures that summaries of known runners count; 0 if there are none. */
export function failuresSaid(printed: RunnerOutput): number {
  const texts = printedLines(printed).filter(mayCount);
  return Object.values(RUNNERS).reduce((all, runner) => all + failedIn(runner, texts), 0);
}

function failedIn({ failed, sign }: RunnerPatterns, texts: readonly string[]): number {
  const sums = failed.map((one) =>
    texts.reduce((all, text) => {
      const count = countIn(text, one);
      return one.repeats === true ? Math.max(all, count) : all + count;
    }, 0),
  );
  const most = Math.max(...sums);
  return most > 0 && (sign === undefined || texts.some((text) => sign.test(text))) ? most : 0;
}
