/** Finds what git would accept but other machines should not get: harmful names, links and letter cases. */
import { caseCollisions } from '../../mind/candidates/collisions.ts';
import { linkJudge } from '../../mind/candidates/links.ts';
import { nameProblem, shown } from '../../mind/candidates/names.ts';
import type { RawChange } from '../../mind/candidates/raw-diff.ts';
import { parentsOf } from './tree-entries.ts';

export type TreeProblem = { readonly path: string; readonly problem: string };

/** `present` and `links` (by path, with their targets) describe the whole tree after the change, as byte strings. */
export function treeProblems(
  tree: { readonly present: readonly string[]; readonly links: ReadonlyMap<string, string> },
  changes: readonly RawChange[],
): TreeProblem[] {
  // Entries of the base are not judged; added and changed ones have to be sound.
  const standing = changes.filter(({ after }) => after !== null);
  const added = new Set(standing.filter(({ before }) => before === null).map(({ path }) => path));
  const isOld = baseDirectories(tree.present, added, changes);
  const linkProblem = standing.some(({ path }) => tree.links.has(path)) ? linkJudge(tree.links) : () => null;
  const problems = standing.flatMap(({ path, before, after }) => {
    const target = tree.links.get(path);
    const found = [
      before === null ? nameProblem(path, isOld) : null,
      after?.mode === '160000' ? 'a submodule was added: remove it' : null,
      target === undefined ? null : linkProblem(path, target),
    ];
    return found.flatMap((problem) => (problem === null ? [] : [{ path: shown(path), problem }]));
  });
  const collisions = added.size === 0 ? [] : caseCollisions(tree.present, added);
  return [
    ...problems,
    ...collisions.map((one) => ({
      path: shown(one.path),
      problem: `differs from ${shown(one.with)} only in letter case or invisible characters: rename it`,
    })),
  ];
}

/** Whether the base has a directory; computed at first use, which is rare. */
function baseDirectories(
  present: readonly string[],
  added: ReadonlySet<string>,
  changes: readonly RawChange[],
): (directory: string) => boolean {
  let known: ReadonlySet<string> | null = null;
  const paths = () => [
    ...present.filter((path) => !added.has(path)),
    ...changes.flatMap(({ path, before }) => (before === null ? [] : [path])),
  ];
  return (directory) => {
    known ??= parentsOf(paths());
    return known.has(directory);
  };
}
