/** The two overviews of a project, cut to size: outlines of files that are not shown, and the file tree. */
import type { ShortenedPart } from './fit.ts';

export type Outline = { readonly path: string; readonly text: string };
/** Estimated tokens of a text, times the factor of the model. */
export type Estimate = (text: string) => number;

/** As many outlines as fit, in the given order; skips files that are shown already. */
export function mapText(
  outlines: readonly Outline[],
  room: number,
  shown: ReadonlySet<string>,
  estimate: Estimate,
): ShortenedPart | null {
  const taken: string[] = [];
  let used = 0;
  for (const { path, text } of outlines) {
    if (shown.has(path) || text === '') continue;
    const tokens = estimate(text) + 1;
    if (used + tokens > room) continue;
    used += tokens;
    taken.push(text);
  }
  return taken.length === 0 ? null : { text: taken.join('\n'), lines: null };
}

/** As many of the first lines as fit. */
export function pathsText(lines: readonly string[], room: number, estimate: Estimate): ShortenedPart | null {
  const taken: string[] = [];
  let used = 0;
  for (const line of lines) {
    used += estimate(line) + 1;
    if (used > room) break;
    taken.push(line);
  }
  return taken.length === 0 ? null : { text: taken.join('\n'), lines: null };
}

/** A larger directory shows its kinds of files instead of their names. */
const MANY = 30;

type Dir = { readonly dirs: Map<string, Dir>; readonly files: string[]; all: number };
const emptyDir = (): Dir => ({ dirs: new Map(), files: [], all: 0 });

/** Draws the tree of these paths to a given depth: reads them once, and is drawn until it fits. */
export function treeOf(paths: Iterable<string>): (depth: number) => string[] {
  const root = emptyDir();
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let at = root;
    at.all += 1;
    for (const name of names) {
      const next: Dir = at.dirs.get(name) ?? emptyDir();
      at.dirs.set(name, next);
      at = next;
      at.all += 1;
    }
    at.files.push(file);
  }
  return (depth) => {
    const lines: string[] = [];
    draw(root, depth, '', lines);
    return lines;
  };
}

function draw(dir: Dir, depth: number, indent: string, lines: string[]): void {
  for (const [name, below] of [...dir.dirs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // A chain of directories with nothing else in them becomes one line.
    let label = name;
    let at = below;
    while (at.files.length === 0 && at.dirs.size === 1) {
      const [[only, inner]] = [...at.dirs] as [[string, Dir]];
      label = `${label}/${only}`;
      at = inner;
    }
    if (depth <= 1) {
      lines.push(`${indent}${label}/ (${at.all} ${at.all === 1 ? 'file' : 'files'})`);
      continue;
    }
    lines.push(`${indent}${label}/`);
    draw(at, depth - 1, `${indent}  `, lines);
  }
  if (dir.files.length > MANY) lines.push(`${indent}${byEnding(dir.files)}`);
  else lines.push(...dir.files.sort().map((name) => `${indent}${name}`));
}

function byEnding(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const ending = /.(\.[^.]+)$/.exec(file)?.[1] ?? 'other';
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  const told = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
  return `(${files.length} files: ${told.map(([ending, count]) => `${count} ${ending}`).join(', ')}${counts.size > 4 ? ', …' : ''})`;
}
