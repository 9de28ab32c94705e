/** Which findings of a change are new: a scanner's whole list says little, what a change adds says much. */
import { sha256 } from '../../../kernel/hash.ts';
import { linesOf } from './changed-file.ts';
import type { SecurityFinding } from './security-finding.ts';

/** The same findings with the hash of their line, from the scanned tree. `textOf`: null if there is none. */
export function withLineHashes(
  findings: readonly SecurityFinding[],
  textOf: (path: string) => string | null,
): readonly SecurityFinding[] {
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
 * Only findings that the base does not have: same tool, rule, path and text of the line, whatever its number. If the
 * text is unknown, the message replaces it. Each finding of the base excuses one finding, so a copied line is new.
 */
export function newFindings(
  now: readonly SecurityFinding[],
  base: readonly SecurityFinding[],
): readonly SecurityFinding[] {
  const excused = new Map<string, number>();
  for (const finding of base) excused.set(keyOf(finding), (excused.get(keyOf(finding)) ?? 0) + 1);
  return now.filter((finding) => {
    const key = keyOf(finding);
    const left = excused.get(key) ?? 0;
    if (left > 0) excused.set(key, left - 1);
    return left === 0;
  });
}

const keyOf = ({ tool, rule, path, lineHash, message }: SecurityFinding): string =>
  JSON.stringify([tool, rule, path, lineHash ?? `no line: ${message}`]);
