/** Splits a unified diff into one piece per file, which can be left out, cut or judged by its path. */
import { unquotedName } from '../fields/git-name.ts';
import { isSecretFile } from './secret-files.ts';

export type FileDiff = {
  /** The path of the part; null if its header does not parse. */
  readonly path: string | null;
  readonly text: string;
  readonly binary: boolean;
};

/**
 * Inside hunks every line starts with a space, `+`, `-`, `\` or `@`: only git itself starts one with `diff`. Lines end
 * only at a newline; a regular expression would also split at carriage returns of a file.
 */
const START = 'diff --git ';

export function splitDiff(diff: string): FileDiff[] {
  if (!diff.startsWith(START)) return [];
  const pieces: FileDiff[] = [];
  for (let at = 0; at < diff.length; ) {
    const next = diff.indexOf(`\n${START}`, at);
    const end = next < 0 ? diff.length : next + 1;
    const text = diff.slice(at, end).trimEnd();
    const head = headOf(text);
    pieces.push({
      path: pathOf(head),
      text,
      binary: head.some((line) => /^(?:Binary files |GIT binary patch)/.test(line)),
    });
    at = end;
  }
  return pieces;
}

/** Whether a part of a diff must not be shown in any case. */
export const secretDiff = ({ path }: FileDiff): boolean => path === null || isSecretFile(path);

function headOf(text: string): string[] {
  const end = text.indexOf('\n@@ ');
  return (end < 0 ? text : text.slice(0, end)).split('\n');
}

function pathOf(head: readonly string[]): string | null {
  for (const [mark, prefix] of [
    ['+++ ', 'b/'],
    ['--- ', 'a/'],
  ] as const) {
    const line = head.find((one) => one.startsWith(mark));
    const path = line === undefined ? null : unquotedName(line.slice(mark.length).replace(/\t$/, ''));
    if (path?.startsWith(prefix)) return path.slice(prefix.length);
  }
  // Without hunks (a mode, a binary, an empty file) the first line has both names, and they are equal.
  const both = (head[0] ?? '').slice(START.length);
  const half = both.slice(0, (both.length - 1) / 2);
  const path = unquotedName(half);
  if (!path?.startsWith('a/')) return null;
  return unquotedName(both.slice(half.length + 1)) === `b/${path.slice(2)}` ? path.slice(2) : null;
}
