/** What the task changed so far, one piece per file, without secrets and without what may not be shown. */
import type { TreeDiff } from '../../engine/ports/project-tree.ts';
import { type FileDiff, secretDiff, splitDiff } from '../../mind/context/diff-parts.ts';
import type { LeftOut } from '../../mind/context/packed.ts';
import type { Texts } from './pack-texts.ts';
import type { View } from './pack-view.ts';

export type DiffPiece = { readonly path: string; readonly text: string };
export type DiffPieces = { readonly pieces: readonly DiffPiece[]; readonly left: readonly LeftOut[] };

/** `hide` says why a path may not be shown; null: it may. */
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
  const masked = await Promise.all(
    kept.map(async ({ path, text }) => maskLines(text, await hiddenLines(path, views, texts))),
  );
  const clean = await texts.clean(masked);
  return { pieces: kept.map(({ path }, n) => ({ path, text: clean[n] ?? '' })), left };
}

/**
 * A diff shows a few lines of a file: of a key of many lines perhaps only the middle, which by itself looks like nothing.
 * So what the whole files lost to the redactor is lost here too.
 */
async function hiddenLines(
  path: string,
  views: { readonly base: View; readonly now: View },
  texts: Texts,
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (const { tree, byPath } of [views.base, views.now]) {
    const file = byPath.get(path);
    const [clean] = file === undefined || file.link ? [] : await texts.read(tree, [file]);
    if (clean !== undefined && typeof clean !== 'string') for (const line of clean.hidden) hidden.add(line);
  }
  return hidden;
}

function maskLines(text: string, hidden: ReadonlySet<string>): string {
  if (hidden.size === 0) return text;
  return text
    .split('\n')
    .map((line) => (/^[ +-]/.test(line) && hidden.has(line.slice(1)) ? `${line[0]}[a secret was here]` : line))
    .join('\n');
}
