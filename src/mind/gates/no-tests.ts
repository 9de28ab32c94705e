/**
 * Whether a gate without `ids` printed that it ran no test: at least one runner finished, and none counts a test that
 * ran. Output without any summary says nothing.
 */
import type { RunnerOutput } from './ids.ts';
import { printedLines } from './printed-lines.ts';
import { countIn, mayCount, RUNNERS } from './runners/index.ts';
import type { RunnerPatterns } from './runners/lines.ts';
import { totalsIn } from './totals.ts';

export function saysNoTestRan(printed: RunnerOutput): boolean {
  const texts = printedLines(printed).filter(mayCount);
  const ran = [...Object.values(RUNNERS).map((runner) => ranBy(runner, texts)), ...ranByPlanOrPackage(printed)];
  const known = ran.filter((count) => count !== null);
  return known.length > 0 && known.every((count) => count <= 0);
}

/** How many tests a runner says it ran; null if it finished no run. */
function ranBy({ ran, skipped, sign }: RunnerPatterns, texts: readonly string[]): number | null {
  let summaries = 0;
  let count = 0;
  for (const text of texts) {
    const found = firstMatch(ran, text);
    if (found !== null) {
      summaries += 1;
      for (const group of found.slice(1)) count += countOf(group);
    }
    if (skipped === undefined) continue;
    const without = countIn(text, skipped);
    if (skipped.apart !== true || without <= count) count -= without;
  }
  const isThere = summaries > 0 && (sign === undefined || texts.some((text) => sign.test(text)));
  return isThere ? count : null;
}

function firstMatch(shapes: readonly RegExp[], text: string): RegExpExecArray | null {
  for (const shape of shapes) {
    const found = shape.exec(text);
    if (found !== null) return found;
  }
  return null;
}

/** A word instead of a number: some ran. */
const countOf = (group: string | undefined): number =>
  group === undefined ? 0 : /^\d+$/.test(group) ? Number(group) : 1;

/** TAP counts with plans and points, Go with packages: several lines have to be read. */
const ranByPlanOrPackage = (printed: RunnerOutput): (number | null)[] =>
  (['tap', 'go'] as const).map((format) => {
    const totals = totalsIn(format, printed);
    return totals === null ? null : (totals.ran ?? 1) + totals.failed;
  });
