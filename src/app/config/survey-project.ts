/**
 * Collects what `init` looks at in a repository: names, and the texts of a few plain files. Follows no link and runs
 * nothing.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRead, PASSED_OVER } from '../../mind/detect/read-files.ts';
import type { RepositoryFacts } from '../../mind/detect/repository-facts.ts';
import { readTextFile } from '../../os/files/text-file.ts';

/** Enough for a large monorepo; more entries would not change a suggestion. */
const MOST_ENTRIES = 40_000;
/** Sources of Java lie ten folders deep; manifests that deep belong to fixtures. */
const DEEPEST = 16;
const DEEPEST_TEXT = 6;
const MOST_TEXTS = 300;
const MOST_TEXT_BYTES = 8 << 20;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const UNSHOWN = /[\u0000-\u001f\u007f]/;

/**
 * Walks level by level, so that the limit cuts off the deepest paths; skips what cannot be read. Calls `onFolder` for
 * each folder, because nothing else runs meanwhile.
 */
export function surveyProject(top: string, onFolder: () => void = () => {}): RepositoryFacts {
  const names = new Set<string>();
  const executables = new Set<string>();
  const texts = new Map<string, string>();
  const paths: string[] = [];
  let entries = 0;
  let bytes = 0;
  const queue: { dir: string; depth: number }[] = [{ dir: '', depth: 0 }];
  for (const { dir, depth } of queue) {
    onFolder();
    for (const entry of entriesOf(join(top, dir))) {
      entries += 1;
      // No person chose such a name; it could only break what is shown and written.
      if (UNSHOWN.test(entry.name)) continue;
      if (entries > MOST_ENTRIES) return { names, executables, texts, paths };
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`;
      if (depth === 0) names.add(entry.isDirectory() ? `${entry.name}/` : entry.name);
      if (entry.isDirectory() && depth < DEEPEST && !PASSED_OVER.has(entry.name))
        queue.push({ dir: path, depth: depth + 1 });
      // A link could lead out of the repository.
      if (!entry.isFile()) continue;
      paths.push(path);
      if (depth <= 2 && isExecutable(join(top, path))) executables.add(path);
      if (depth > DEEPEST_TEXT || !isRead(path) || texts.size >= MOST_TEXTS || bytes >= MOST_TEXT_BYTES) continue;
      const text = readTextFile(join(top, path));
      if (typeof text !== 'string') continue;
      texts.set(path, text);
      bytes += text.length;
    }
  }
  return { names, executables, texts, paths };
}

const isExecutable = (path: string): boolean => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;

/** Sorted, so that the order does not depend on the disk. */
function entriesOf(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
