/** Turns places of secrets in changed files into findings, for every kind of search. */

import { addedLines, type ChangedFile } from '../../changes/changed-file.ts';
import type { SecretSpan } from '../../secrets/secret-span.ts';
import { firstAdded, growth, LineNumbers, linesOf } from './changed-file.ts';
import { FindingList, ownFinding, quoted, type SecurityFinding } from './security-finding.ts';

/** Rules that judge by the name beside a value, not by its form: in tests half of their findings are made up. */
const BY_NAME = /^(?:named|near)-|password$|^encoded-login$/;

/**
 * Secrets in added lines. `found`: for each file the secrets in its `after`, in the same order, from the redactor's
 * `findAll` or from `findSecrets`. A secret that was only moved is not new. Every secret is critical, except one in a
 * test that is recognised only by the name beside it.
 */
export function secretFindings(
  files: readonly ChangedFile[],
  found: readonly (readonly SecretSpan[])[],
  isTest: (path: string) => boolean,
): readonly SecurityFinding[] {
  const hits = files.flatMap((file, n) => hitsIn(file, found[n] ?? [], isTest(file.path)));
  const grown = growth(files, new Set(hits.map(({ text }) => text)));
  const list = new FindingList();
  for (const { finding, text } of hits) if ((grown.get(text) ?? 0) > 0) list.add(finding);
  return list.all();
}

function hitsIn(
  file: ChangedFile,
  places: readonly SecretSpan[],
  isTest: boolean,
): { finding: SecurityFinding; text: string }[] {
  if (places.length === 0 || file.after === null) return [];
  const added = new Set(addedLines(file).map(({ line }) => line));
  const lines = linesOf(file.after);
  const numbers = new LineNumbers(file.after);
  const said = new Set<string>();
  return places.flatMap(({ from, to, rule }) => {
    const line = firstAdded(added, numbers.at(from), numbers.at(Math.max(from, to - 1)));
    if (line === null || said.has(`${line}:${rule}`)) return [];
    said.add(`${line}:${rule}`);
    const severity = isTest && BY_NAME.test(rule) ? 'medium' : 'critical';
    const message = `the line holds what looks like a secret (${quoted(rule)}): remove it, replace the secret at its issuer, and read it from the environment`;
    const finding = ownFinding('secret', severity, file.path, line, message);
    return [{ finding, text: (lines[line - 1] ?? '').trim() }];
  });
}
