/**
 * Findings that the rules suggest to a reviewer of a whole change. None of them blocks; blocking ones stop the change
 * earlier.
 */
import type { Workspaces } from '../engine/ports/workspace.ts';
import { testAwareLines } from '../mind/candidates/test-aware.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { Candidate, Spec } from '../mind/domain/values.ts';
import { ownWords } from '../mind/findings/granted-by-words.ts';
import { findingsOf, findingText, textsBetween } from './diff-checks.ts';

export async function opinionsOn(
  workspaces: Workspaces,
  settings: Settings,
  { base, tree }: Candidate,
  spec: Spec,
): Promise<readonly string[]> {
  const changed = await workspaces.changesBetween(base, tree);
  const between = { base, from: base, tree };
  const paths = changed.map(({ path }) => path);
  const files = await textsBetween(workspaces, between, paths);
  const ask = { files, words: ownWords(spec), settings, grants: spec.allow ?? [], mayPutOff: false };
  // Leaves out claims of the author. Includes dangerous calls even if a gate counts them.
  const findings = await findingsOf(workspaces, between, { ...ask, claims: [], secured: false });
  const flags = files.flatMap(({ path, before, after }) => (after === null ? [] : testAwareLines(path, before, after)));
  return [
    ...findings.map((finding) => `${finding.severity}: ${findingText(finding)}`),
    ...flags.map(({ path, line, sign }) => `${path}:${line}: asks who is looking: ${sign}`),
  ];
}
