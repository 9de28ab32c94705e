/** Parses `git diff-tree --stdin -p -U0`: which lines each commit removed from which file. */

type RemovedLines = { readonly commit: string; readonly path: string; readonly removed: readonly string[] };

export function removedIn(patches: string): RemovedLines[] {
  const found: { commit: string; path: string; removed: string[] }[] = [];
  let commit = '';
  let file: (typeof found)[number] | null = null;
  /** Lines that the hunk still has: only those are content, whatever they look like. */
  let [old, fresh] = [0, 0];
  for (const line of patches.split('\n')) {
    if (old > 0 && line.startsWith('-')) {
      file?.removed.push(line.slice(1));
      old -= 1;
    } else if (fresh > 0 && line.startsWith('+')) {
      fresh -= 1;
    } else if (/^[0-9a-f]{40,64}$/.test(line)) {
      commit = line;
      file = null;
    } else if (line.startsWith('--- ')) {
      // A quoted name holds unusual characters; none of our rules concerns such files.
      file = line.startsWith('--- a/')
        ? { commit, path: line.slice('--- a/'.length).replace(/\t$/, ''), removed: [] }
        : null;
      if (file !== null) found.push(file);
    } else {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    }
  }
  return found.filter(({ removed }) => removed.length > 0);
}
