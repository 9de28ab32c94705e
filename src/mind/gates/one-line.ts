/** Marks that a runner prints once: in the whole output, or in a line. */

/** The match of the only line that fits; null when none fits, or when any other line as much as looks like it. */
export function onlyLine(lines: readonly string[], shape: RegExp, looksLike: RegExp = shape): RegExpExecArray | null {
  const alike = lines.filter((line) => looksLike.test(line));
  return alike.length === 1 ? shape.exec(alike[0] ?? '') : null;
}

/** Whether a line has a mark more than once: text of somebody else stands in the same line. */
export const isRepeated = (line: string, mark: string): boolean => line.indexOf(mark) !== line.lastIndexOf(mark);

/** What package managers add below the runner whose failure they pass on. */
const MANAGER = /^(?:npm (?:error|ERR!)|.?ELIFECYCLE|error Command failed|info Visit )/;

/** Whether the runner had the last word: whatever ran after it may have failed as well, and its tests would not tell. */
export function isLast(lines: readonly string[], shape: RegExp): boolean {
  return shape.test(lines.findLast((line) => line.trim() !== '' && !MANAGER.test(line.trimStart())) ?? '');
}
