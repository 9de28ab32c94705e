/** One measured commit: the tree before it, what ranking is given, and what it should find. */
import { readFileSync } from 'node:fs';
import { skipReason } from '../../src/mind/code/kinds.ts';
import { MAX_HISTORY } from '../../src/mind/context/limits.ts';
import type { ImportGraph, LookInput } from '../../src/mind/ranking/input.ts';
import { likeliest } from '../../src/mind/ranking/likely.ts';
import { placesOf } from '../../src/mind/ranking/places.ts';
import type { RankInput } from '../../src/mind/ranking/rank.ts';
import { wordScanner } from '../../src/mind/ranking/scan.ts';
import { firstLook } from '../../src/mind/ranking/signals.ts';
import { termsOf } from '../../src/mind/ranking/terms.ts';
import { estimateTokens } from '../../src/mind/tokens/estimate.ts';
import { importGraph } from './imports.ts';
import type { Commit } from './make-list.ts';
import type { Entry, Hunk, Repository } from './repository.ts';

export type Case = {
  readonly commit: Commit;
  readonly input: RankInput;
  readonly hunks: ReadonlyMap<string, readonly Hunk[]>;
  text(path: string): string;
  tokens(path: string): number;
  readonly scanned: { readonly bytes: number; readonly ms: number };
};

export function readCommits(file: string, split: string, limit: number): Commit[] {
  const all = JSON.parse(readFileSync(file, 'utf8')) as Commit[];
  return all.filter((commit) => split === 'all' || commit.split === split).slice(0, limit);
}

const decoder = new TextDecoder();
/** By blob and path: the same file is in most trees. */
const judged = new Map<string, boolean>();
const weighed = new Map<string, number>();

/** Null if the target is not there, or cannot be read. */
export async function openCase(repository: Repository, commit: Commit): Promise<Case | null> {
  const entries = await repository.tree(commit.parent);
  const blobs = await repository.blobs(entries.map(({ id }) => id));
  const known = new Map<string, { readonly entry: Entry; readonly bytes: Uint8Array }>();
  for (const [at, entry] of entries.entries()) {
    const bytes = blobs[at];
    if (bytes && isShown(entry, bytes)) known.set(entry.path, { entry, bytes });
  }
  const target = known.get(commit.target);
  if (target === undefined) return null;
  const text = (path: string) => decoder.decode(known.get(path)!.bytes);
  const paths = [...known.keys()];
  const history = await repository.history(commit.parent, MAX_HISTORY);
  const asked: LookInput = {
    places: placesOf(paths),
    index: new Map(paths.map((path, n) => [path, n])),
    targets: [commit.target],
    terms: termsOf(commit.message, [{ path: commit.target, text: text(commit.target) }]),
    history,
    now: commit.time,
  };
  const look = firstLook(asked);
  const imports: ImportGraph = importGraph(known);
  const opened = likeliest(asked, look, forwards(imports, commit.target)) ?? Uint32Array.from(paths.keys());
  const scanner = wordScanner(asked.terms, known.size);
  const start = performance.now();
  let scanned = 0;
  for (const n of opened) {
    const { bytes } = known.get(paths[n]!)!;
    scanner.add(n, bytes);
    scanned += bytes.length;
  }
  const ms = performance.now() - start;
  const seen = new Set(Array.from(opened, (n) => paths[n]!));
  const input: RankInput = {
    ...{ ...asked, look },
    bytes: Uint32Array.from(known.values(), ({ bytes }) => bytes.length),
    counts: scanner.counts,
    imports: { of: imports.of, by: (path) => imports.by(path).filter((one) => seen.has(one)) },
    cap: null,
  };
  return {
    ...{ commit, input, text },
    hunks: await repository.hunks(commit.parent, commit.commit),
    tokens: (path) => tokensOf(known.get(path)),
    scanned: { bytes: scanned, ms },
  };
}

/** As much as is known before anything but the target is opened. */
const forwards = (imports: ImportGraph, target: string): ImportGraph => ({
  of: (path) => (path === target ? imports.of(path) : []),
  by: () => [],
});

/** What no packer would show is no candidate; a commit that touches such a file misses it. */
function isShown(entry: Entry, bytes: Uint8Array): boolean {
  const key = `${entry.id} ${entry.path}`;
  let shown = judged.get(key);
  if (shown === undefined) {
    shown = skipReason(entry.path, bytes, decoder.decode(bytes.subarray(0, 4096))) === null;
    judged.set(key, shown);
  }
  return shown;
}

function tokensOf(file: { readonly entry: Entry; readonly bytes: Uint8Array } | undefined): number {
  if (file === undefined) return 0;
  let tokens = weighed.get(file.entry.id);
  if (tokens === undefined) {
    tokens = estimateTokens(file.bytes);
    weighed.set(file.entry.id, tokens);
  }
  return tokens;
}
