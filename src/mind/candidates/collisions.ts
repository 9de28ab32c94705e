/** Finds names that are equal on file systems that ignore letter case (macOS, Windows), or that look the same. */
import { folded } from './fold.ts';
import { textOf } from './names.ts';

/**
 * Paths of `changed` that collide with another path (or directory) of the tree; both are byte strings. Existing
 * collisions of the base are ignored.
 */
export function caseCollisions(
  all: Iterable<string>,
  changed: ReadonlySet<string>,
): { readonly path: string; readonly with: string }[] {
  const first = new Map<string, string>();
  const found = new Map<string, string>();
  for (const part of withDirectories(all)) {
    const plain = fold(part);
    const other = first.get(plain);
    if (other === undefined) {
      first.set(plain, part);
      continue;
    }
    const guilty = below(part, changed) ?? below(other, changed);
    if (guilty !== null) found.set(guilty, guilty === part || guilty.startsWith(`${part}/`) ? other : part);
  }
  return [...found].map(([path, other]) => ({ path, with: other }));
}

/** Each path with the directories above it, each once. */
function withDirectories(paths: Iterable<string>): Set<string> {
  const parts = new Set<string>();
  for (const path of paths) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) parts.add(path.slice(0, end));
    parts.add(path);
  }
  return parts;
}

function below(part: string, changed: ReadonlySet<string>): string | null {
  if (changed.has(part)) return part;
  for (const path of changed) if (path.startsWith(`${part}/`)) return path;
  return null;
}

const fold = (path: string): string => folded(textOf(path) ?? path);
