/** How many lines the files have that a review named, as far as they belong to the change or were shown beside it. */
import type { Workspaces } from '../../engine/ports/workspace.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { ShownLines } from '../../mind/verdict/review-findings.ts';
import type { Packet } from './packet.ts';

/** A removed line has its number in the old text, so the longer of the two texts counts. */
export async function shownLines(
  workspaces: Pick<Workspaces, 'changes' | 'read'>,
  { input, packet, files }: { readonly input: Candidate; readonly packet: Packet; readonly files: readonly string[] },
): Promise<ShownLines> {
  const changes = await workspaces.changes(input);
  const known = new Set(changes.map(({ path }) => path));
  for (const { path } of packet.context?.packed.parts ?? []) if (path !== null) known.add(path);
  const named = files.filter((file) => known.has(file));
  if (named.length === 0) return new Map();
  const [before, after] = await Promise.all([workspaces.read(input.base, named), workspaces.read(input.tree, named)]);
  return new Map(named.map((path, n) => [path, longer(lineCount(before[n]), lineCount(after[n]))]));
}

function lineCount(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

const longer = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
