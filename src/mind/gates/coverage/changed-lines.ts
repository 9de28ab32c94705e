/** Finds the added and changed lines of a git diff, by path. */
import { unquotedName } from '../../fields/git-name.ts';

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/**
 * `diff`: of `git diff -U0`; lines of context are understood too. A file without added lines (deleted, renamed, binary,
 * only lines taken away) has no entry.
 */
export function changedLinesOf(diff: string): ReadonlyMap<string, readonly number[]> {
  const changed = new Map<string, number[]>();
  let path: string | null = null;
  /** The number of the next line of the new file; null in the head of a file, where `+++` is no added line. */
  let next: number | null = null;
  for (const line of diff.split('\n')) {
    const mark = line[0] ?? '';
    // Within a hunk every line begins with one of `+- \@`: only git itself begins one with `diff`.
    if (line.startsWith('diff --git ')) [path, next] = [null, null];
    else if (next === null && line.startsWith('+++ ')) path = pathOf(line.slice(4));
    else if (mark === '@') next = Number(HUNK.exec(line)?.[1] ?? Number.NaN);
    else if (next !== null && (mark === '+' || mark === ' ')) {
      if (mark === '+' && path !== null && next > 0) changed.set(path, appended(changed.get(path), next));
      next += 1;
    }
  }
  return changed;
}

/** Null: the file is deleted (`/dev/null`), or its name cannot be read. Git ends a name that has spaces with a tab. */
function pathOf(name: string): string | null {
  const path = unquotedName(name.replace(/\t$/, ''));
  return path?.startsWith('b/') ? path.slice('b/'.length) : null;
}

function appended(lines: number[] | undefined, line: number): number[] {
  if (lines === undefined) return [line];
  lines.push(line);
  return lines;
}
