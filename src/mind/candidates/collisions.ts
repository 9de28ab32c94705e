/** Finds names that are one and the same where file systems do not tell letters apart (macOS, Windows). */
import { textOf } from './names.ts';

/**
 * Paths of `changed` that collide with another path (or directory) of the tree; both are byte strings. Collisions the
 * base already has are its own business.
 */
export function caseCollisions(
  all: Iterable<string>,
  changed: ReadonlySet<string>,
): { readonly path: string; readonly with: string }[] {
  const first = new Map<string, string>();
  const seen = new Set<string>();
  const found = new Map<string, string>();
  for (const path of all) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const part = end < 0 ? path : path.slice(0, end);
      if (!seen.has(part)) {
        seen.add(part);
        const folded = fold(part);
        const other = first.get(folded) ?? null;
        if (other === null) first.set(folded, part);
        const guilty = other === null ? null : (below(part, changed) ?? below(other, changed));
        if (guilty !== null)
          found.set(guilty, (guilty === part || guilty.startsWith(`${part}/`) ? other : part) ?? part);
      }
      if (end < 0) break;
    }
  }
  return [...found].map(([path, other]) => ({ path, with: other }));
}

function below(part: string, changed: ReadonlySet<string>): string | null {
  if (changed.has(part)) return part;
  for (const path of changed) if (path.startsWith(`${part}/`)) return path;
  return null;
}

const fold = (path: string): string => (textOf(path) ?? path).normalize('NFC').toLowerCase();
