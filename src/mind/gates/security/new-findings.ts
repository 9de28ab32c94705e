/** Which findings of a change are new: the absolute list of a scanner says little, what a change adds says much. */
import { sha256 } from '../../../kernel/hash.ts';
import { linesOf } from './changed-file.ts';
import type { Finding } from './finding.ts';

/** The same findings with the hash of their line, taken from the tree that was scanned. `textOf`: null when there is none. */
export function withLineHashes(
  findings: readonly Finding[],
  textOf: (path: string) => string | null,
): readonly Finding[] {
  const known = new Map<string, readonly string[]>();
  return findings.map((finding) => {
    if (finding.line === null) return finding;
    let lines = known.get(finding.path);
    if (lines === undefined) {
      lines = linesOf(textOf(finding.path) ?? '');
      known.set(finding.path, lines);
    }
    const text = lines[finding.line - 1]?.trim();
    return text === undefined ? finding : { ...finding, lineHash: sha256(text) };
  });
}

/**
 * Only what the base does not have: same tool, rule, path and text of the line, not its number. Where the text is not
 * known the message stands for it. Each finding of the base excuses one finding, so a copied line is new.
 */
export function newFindings(now: readonly Finding[], base: readonly Finding[]): readonly Finding[] {
  const excused = new Map<string, number>();
  for (const finding of base) excused.set(keyOf(finding), (excused.get(keyOf(finding)) ?? 0) + 1);
  return now.filter((finding) => {
    const key = keyOf(finding);
    const left = excused.get(key) ?? 0;
    if (left > 0) excused.set(key, left - 1);
    return left === 0;
  });
}

const keyOf = ({ tool, rule, path, lineHash, message }: Finding): string =>
  JSON.stringify([tool, rule, path, lineHash ?? `no line: ${message}`]);
