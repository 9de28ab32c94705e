/** The part of a syntax gate that needs no program: changed JSON and YAML files must parse. */
import { dataProblems, isDataFile } from '../../mind/gates/syntax.ts';
import { type CheckPart, NOT_RUN } from './check-part.ts';
import type { CheckContext, GateRuns } from './runs.ts';

export async function dataSyntax(runs: GateRuns, { candidate }: Pick<CheckContext, 'candidate'>): Promise<CheckPart> {
  const changes = await runs.changes(candidate);
  const paths = changes
    .filter(({ path, after }) => after?.startsWith('100') && isDataFile(path))
    .map(({ path }) => path);
  const { workspaces } = runs.options;
  const [before, after] = await Promise.all([
    workspaces.read(candidate.base, paths),
    workspaces.read(candidate.tree, paths),
  ]);
  const files = paths.map((path, n) => ({ path, before: before[n] ?? null, after: after[n] ?? null }));
  const problems = dataProblems(files);
  return {
    ...NOT_RUN,
    label: 'data_syntax',
    weight: 1,
    status: problems.length === 0 ? 'pass' : 'fail',
    ended: problems.length === 0 ? `${paths.length} JSON and YAML files can be read` : (problems[0] ?? ''),
    score: paths.length === 0 ? null : problems.length === 0 ? 1 : 0,
    output: problems.join('\n'),
  };
}
