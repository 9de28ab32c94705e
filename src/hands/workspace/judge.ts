/** What git would take and people should not get: names, links and letter cases that do harm elsewhere. */
import { caseCollisions } from '../../mind/candidates/collisions.ts';
import { linkProblem } from '../../mind/candidates/links.ts';
import { nameProblem, shown } from '../../mind/candidates/names.ts';
import type { RawChange } from '../../mind/candidates/raw-diff.ts';

export type Problem = { readonly path: string; readonly problem: string };

/** `present` and `links` (by path, with their targets) are of the whole tree after the change, as byte strings. */
export function judge(
  tree: { readonly present: readonly string[]; readonly links: ReadonlyMap<string, string> },
  changes: readonly RawChange[],
): Problem[] {
  // What the base already had is its own business; what was added or changed has to be sound.
  const standing = changes.filter(({ after }) => after !== null);
  const problems = standing.flatMap(({ path, before, after }) => {
    const target = tree.links.get(path);
    const found = [
      before === null ? nameProblem(path) : null,
      after?.mode === '160000' ? 'a submodule was added: remove it' : null,
      target === undefined ? null : linkProblem(path, target, tree.links),
    ];
    return found.flatMap((problem) => (problem === null ? [] : [{ path: shown(path), problem }]));
  });
  const added = new Set(standing.filter(({ before }) => before === null).map(({ path }) => path));
  const collisions = added.size === 0 ? [] : caseCollisions(tree.present, added);
  return [
    ...problems,
    ...collisions.map((one) => ({
      path: shown(one.path),
      problem: `differs from ${shown(one.with)} only in the case of letters: rename it`,
    })),
  ];
}
