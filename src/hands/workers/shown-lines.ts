/** The files that a review names: how many lines each has, and the tree in which its claims are checked. */
import type { Workspaces } from '../../engine/ports/workspace.ts';
import { languageOf } from '../../mind/code/languages.ts';
import { maskOf } from '../../mind/code/mask.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { ClaimFacts, GateRan } from '../../mind/verdict/check-claims.ts';
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

/** The facts for checking a review's claims: the tree that it looked at, and what gates found on it. */
export async function claimFacts(
  workspaces: Pick<Workspaces, 'paths' | 'read'>,
  { tree }: Candidate,
  { files, gates }: { readonly files: readonly string[]; readonly gates: readonly GateRan[] },
): Promise<ClaimFacts> {
  const paths = new Set(await workspaces.paths(tree));
  const named = files.filter((file) => paths.has(file));
  const texts = await workspaces.read(tree, named);
  const codeOf = (path: string, text: string | null | undefined): string | null => {
    const language = languageOf(path);
    return text == null || language === 'other' ? null : maskOf(language, text);
  };
  return {
    paths,
    texts: new Map(named.map((path, n) => [path, texts[n] ?? null])),
    code: new Map(named.map((path, n) => [path, codeOf(path, texts[n])])),
    gates,
  };
}

function lineCount(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

const longer = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
