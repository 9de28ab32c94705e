/** Packs by an order of files, and says how much of the commit the pack has. */
import { excerptsOf, type LineRange } from '../../src/mind/ranking/excerpt.ts';
import { shareFor } from '../../src/mind/ranking/shares.ts';
import { estimateTokens } from '../../src/mind/tokens/estimate.ts';
import { BUDGET } from '../implementer.ts';
import type { Case } from './cases.ts';
import type { Packet } from './packet.ts';
import type { Hunk } from './repository.ts';

export const CAP = 2_500;

export const KINDS = ['whole', 'capped', 'cappedHunks', 'graded', 'gradedHunks'] as const;
export type Kind = (typeof KINDS)[number];
/** Shares of the other files that are in the pack, and of their changed pieces that lie in the lines shown. */
export type Recall = Readonly<Record<Kind, number>>;

export function measure(one: Case, whole: readonly string[], capped: readonly string[]): Recall {
  const full = packed(one, whole, () => Number.POSITIVE_INFINITY);
  const flat = packed(one, capped, () => CAP);
  const graded = packed(one, capped, (place) => shareFor(place, CAP));
  return {
    whole: filesIn(one, full),
    ...{ capped: filesIn(one, flat), cappedHunks: hunksIn(one, (path) => excerptOf(one, flat, path)) },
    ...{ graded: filesIn(one, graded), gradedHunks: hunksIn(one, (path) => excerptOf(one, graded, path)) },
  };
}

export type PacketFigures = {
  /** Shares of the other files that are shown, and that are shown or named. */
  readonly files: number;
  readonly named: number;
  /** Share of their changed pieces that lie in the lines shown. */
  readonly hunks: number;
  readonly tokens: number;
  /** Share of the tokens that lie in files the commit touched, without and with the target. */
  readonly useful: number;
  readonly usefulWithTarget: number;
};

/** Of what the product sends. */
export function measurePacket(one: Pick<Case, 'commit' | 'hunks'>, packet: Packet): PacketFigures {
  const { shown, named, tokens, spent } = packet;
  const { others, target } = one.commit;
  const useful = others.reduce((sum, path) => sum + (spent.get(path) ?? 0), 0);
  const all = Math.max(1, tokens);
  return {
    files: filesIn(one, shown),
    named: filesIn(one, { has: (path) => shown.has(path) || named.has(path) }),
    hunks: hunksIn(one, (path) => shown.get(path) ?? []),
    tokens,
    useful: useful / all,
    usefulWithTarget: (useful + (spent.get(target) ?? 0)) / all,
  };
}

/** Which files are in, each with the tokens it may take. */
type Pack = ReadonlyMap<string, number>;

/** The target comes first and takes at most half; then whatever still fits, in order. */
function packed(one: Case, order: readonly string[], shareOf: (place: number) => number): Pack {
  let left = BUDGET - Math.min(BUDGET / 2, one.tokens(one.commit.target));
  const taken = new Map<string, number>();
  for (const path of order) {
    if (left < 20) break;
    if (path === one.commit.target) continue;
    const share = shareOf(taken.size);
    const cost = Math.min(share, one.tokens(path));
    if (cost > left || cost === 0) continue;
    left -= cost;
    taken.set(path, share);
  }
  return taken;
}

function filesIn({ commit: { others } }: Pick<Case, 'commit'>, pack: { has(path: string): boolean }): number {
  return others.filter((path) => pack.has(path)).length / others.length;
}

function excerptOf(one: Case, pack: Pack, path: string): readonly LineRange[] {
  const maxTokens = pack.get(path);
  if (maxTokens === undefined) return [];
  const of = { path, text: one.text(path), terms: one.input.counts.terms, estimate: estimateTokens };
  return excerptsOf(of)(maxTokens);
}

function hunksIn(one: Pick<Case, 'commit' | 'hunks'>, shownOf: (path: string) => readonly LineRange[]): number {
  let inside = 0;
  let all = 0;
  for (const path of one.commit.others) {
    const hunks = one.hunks.get(path) ?? [];
    if (hunks.length === 0) continue;
    all += hunks.length;
    const shown = shownOf(path);
    inside += hunks.filter((hunk) => isShown(hunk, shown)).length;
  }
  return all === 0 ? 0 : inside / all;
}

/** All its old lines are shown; for lines that were only added, one of the two they go between. */
function isShown({ from, count }: Hunk, shown: readonly LineRange[]): boolean {
  const has = (line: number) => shown.some((lines) => line >= lines.from && line <= lines.to);
  if (count === 0) return has(Math.max(1, from)) || has(from + 1);
  return shown.some((lines) => from >= lines.from && from + count - 1 <= lines.to);
}
