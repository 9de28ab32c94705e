/** Failed tests in pytest's short summary. Captured output stands above it, raw: only what follows its one heading counts. */
import type { Found } from './ids.ts';
import { isRepeated, onlyLine } from './one-line.ts';

const HEADING = /^=+ short test summary info =+$/;
const LAST = /^(?:=+ )?(\d+ [a-z]+(?:, \d+ [a-z]+){0,9}) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/;
/** Shown by `-r`, and no failures. */
const OTHER = /^(?:SKIPPED|XFAIL|XPASS|PASSED) /;

export function readPytest(lines: readonly string[]): Found | null {
  const written = lines.filter((line) => line.trim() !== '');
  if (onlyLine(written, HEADING, /short test summary info/) === null) return null;
  const summary = written.slice(written.findIndex((line) => HEADING.test(line)) + 1);
  const counts = countsOf(summary.pop() ?? '');
  if (counts === null || counts.has('error') || counts.has('errors')) return null;
  const ids: string[] = [];
  for (const line of summary) {
    if (OTHER.test(line)) continue;
    const id = line.startsWith('FAILED ') && !isRepeated(line, 'FAILED ') ? idOf(line.slice('FAILED '.length)) : null;
    // Also `!!! stopping after 1 failures !!!`: the rest was not run.
    if (id === null) return null;
    ids.push(id);
  }
  const of = (word: string) => counts.get(word) ?? 0;
  return { ids, count: of('failed'), ran: of('failed') + of('passed') + of('xfailed') + of('xpassed') };
}

function countsOf(line: string): ReadonlyMap<string, number> | null {
  const list = LAST.exec(line)?.[1];
  if (list === undefined) return null;
  return new Map(
    list.split(', ').map((part) => {
      const [number, word] = part.split(' ');
      return [word ?? '', Number(number)];
    }),
  );
}

/** `path::test - message`; parameters in brackets may hold the same dash. */
function idOf(text: string): string | null {
  const dash = text.indexOf(' - ');
  const bracket = text.indexOf('[');
  const inBrackets = bracket >= 0 && (dash < 0 || bracket < dash);
  const close = text.indexOf('] - ');
  const id = inBrackets ? (close < 0 ? text : text.slice(0, close + 1)) : dash < 0 ? text : text.slice(0, dash);
  if (inBrackets && !id.endsWith(']')) return null;
  return id.includes('::') ? id : null;
}
