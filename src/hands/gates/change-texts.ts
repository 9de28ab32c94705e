/** The texts of files that a candidate changed, at its base and in its tree; read once per candidate. */

import type { ChangedFile } from '../../mind/changes/changed-file.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { GateRuns } from './runs.ts';

const MOST = 2_000;

export function changedTexts(runs: GateRuns, candidate: Candidate): Promise<readonly ChangedFile[]> {
  return runs.once(`texts ${candidate.base} ${candidate.tree}`, async () => {
    const changes = (await runs.changes(candidate)).slice(0, MOST);
    const { workspaces } = runs.options;
    const paths = changes.map(({ path }) => path);
    const [before, after] = await Promise.all([
      workspaces.read(candidate.base, paths),
      workspaces.read(candidate.tree, paths),
    ]);
    return paths.map((path, n) => ({ path, before: before[n] ?? null, after: after[n] ?? null }));
  });
}
