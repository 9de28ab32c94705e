/** The task's change so far, redacted, one piece per file, without paths that must not be shown. */
import type { TreeDiff } from '../../engine/ports/project-tree.ts';
import { type FileDiff, secretDiff, splitDiff } from '../../mind/context/diff-parts.ts';
import { MAX_FILE_BYTES } from '../../mind/context/limits.ts';
import type { LeftOut } from '../../mind/context/packed.ts';
import type { Texts } from './pack-texts.ts';
import type { View } from './pack-view.ts';

type DiffPiece = { readonly path: string; readonly text: string };
type DiffPieces = { readonly pieces: readonly DiffPiece[]; readonly left: readonly LeftOut[] };

/** `hide` returns why a path must not be shown; null if it may be. */
export async function diffPieces(
  diff: TreeDiff,
  views: { readonly base: View; readonly now: View },
  texts: Texts,
  hide: (path: string) => string | null,
): Promise<DiffPieces> {
  const left: LeftOut[] = [];
  const kept: (FileDiff & { readonly path: string })[] = [];
  for (const piece of splitDiff(diff.text)) {
    const { path } = piece;
    const reason =
      path === null || secretDiff(piece)
        ? 'holds secrets by its name: never shown'
        : (hide(path) ?? (piece.binary ? 'is binary' : null));
    if (reason === null && path !== null) kept.push({ ...piece, path });
    else left.push({ path: path ?? '?', kind: 'git_diff', reason: reason ?? '' });
  }
  const hidden = await Promise.all(kept.map((piece) => hiddenLines(piece, views, texts)));
  const masked: DiffPiece[] = [];
  for (const [n, { path, text }] of kept.entries()) {
    const lines = hidden[n] ?? 'cannot be read';
    if (typeof lines === 'string') left.push({ path, kind: 'git_diff', reason: lines });
    else masked.push({ path, text: maskLines(text, lines) });
  }
  const clean = await texts.clean(masked.map(({ text }) => text));
  return { pieces: masked.map(({ path }, n) => ({ path, text: clean[n] ?? '' })), left };
}

/**
 * A diff shows a few lines of a file: of a long key perhaps only the middle, which alone looks harmless. So lines that
 * the redactor removes from the whole file are removed here, too. If a file cannot be read, nobody knows those lines; a
 * string is the reason to show nothing.
 */
async function hiddenLines(
  { path, text }: DiffPiece,
  views: { readonly base: View; readonly now: View },
  texts: Texts,
): Promise<ReadonlySet<string> | string> {
  const hidden = new Set<string>();
  const isKnown = views.base.paths.has(path) || views.now.paths.has(path);
  if (!isKnown && !SUBMODULE.test(text)) return 'is not in the tree';
  for (const { tree, byPath } of [views.base, views.now]) {
    const file = byPath.get(path);
    if (file === undefined || file.link) continue;
    if (file.bytes > MAX_FILE_BYTES) return `has ${file.bytes} bytes, more than ${MAX_FILE_BYTES}`;
    const [clean = 'cannot be read'] = await texts.read(tree, [file]);
    if (typeof clean === 'string') return clean;
    for (const line of clean.hidden) hidden.add(line);
  }
  return hidden;
}

/** Not listed, as it is no file; shown as two ids. */
const SUBMODULE = /^diff --git .*\n(?:index \S+ |new file mode |deleted file mode )160000\n/;

/** Git prints a truncated earlier line after a hunk's position: it may be half a secret, so it is never shown. */
function maskLines(text: string, hidden: ReadonlySet<string>): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('@@ ')) return line.slice(0, line.indexOf('@@', 2) + 2);
      return /^[ +-]/.test(line) && hidden.has(line.slice(1)) ? `${line[0]}[a secret was here]` : line;
    })
    .join('\n');
}
