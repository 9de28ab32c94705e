/** Where environment outputs are mounted, a candidate has nothing: a mount follows a link and hides what lies under it. */
import type { Change, Violation } from './change.ts';
import { folded } from './fold.ts';

const LEFT_BEHIND =
  'is where the prepared environment is mounted, so gates would not see it (or see it somewhere else): put it back as it was, or remove it if it is new';
const OF_THE_BASE =
  'is in the base, where the environment is mounted: the operator must remove it, or change `environment.outputs`';

/**
 * Everything of the candidate at, above or below an output. Below: it would land without any gate having seen it. What
 * the base has below is its own business, as long as it stays as it is; at or above, no gate could be trusted.
 */
export function outputViolations(
  changed: readonly Change[],
  basePaths: readonly string[],
  outputs: readonly string[],
): Violation[] {
  const mounts = outputs.map((output) => folded(output).replace(/^\.\//, '').replace(/\/$/, ''));
  if (mounts.length === 0) return [];
  const above = new Set(mounts.flatMap(withParents));
  const below = mounts.map((mount) => `${mount}/`);
  const touched = new Set(changed.map(({ path }) => path));
  const guilty = changed.filter(({ path, after }) => {
    const plain = folded(path);
    return after !== null && (above.has(plain) || below.some((prefix) => plain.startsWith(prefix)));
  });
  const old = basePaths.filter((path) => !touched.has(path) && above.has(folded(path)));
  return [
    ...guilty.map(({ path }): Violation => ({ path, kind: 'environment', reason: LEFT_BEHIND })),
    ...old.map((path): Violation => ({ path, kind: 'environment', reason: OF_THE_BASE })),
  ];
}

function withParents(path: string): string[] {
  const names = path.split('/');
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}
