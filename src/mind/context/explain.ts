/** For people: what a packed context contains and costs, and how two of them differ. */

import { PART_KINDS, type PartKind } from '../fields/part-kinds.ts';
import type { LeftOut, PackedContext, PackedPart } from './packed.ts';

type PackReport = {
  readonly strategy: string;
  readonly tokens: number;
  /** In the order of the packet; only kinds that occur. */
  readonly kinds: readonly { readonly kind: PartKind; readonly parts: number; readonly tokens: number }[];
  readonly parts: readonly PackedPart[];
  /** By reason, most frequent first. */
  readonly left: readonly { readonly reason: string; readonly files: readonly LeftOut[] }[];
  readonly warnings: readonly string[];
};

export function explainPack(packed: PackedContext): PackReport {
  const kinds = PART_KINDS.flatMap((kind) => {
    const ours = packed.parts.filter((part) => part.kind === kind);
    const tokens = ours.reduce((sum, part) => sum + part.tokens, 0);
    return ours.length === 0 ? [] : [{ kind, parts: ours.length, tokens }];
  });
  const reasons = Map.groupBy(packed.left, ({ reason }) => reason);
  return {
    strategy: packed.strategy,
    tokens: packed.tokens,
    kinds,
    parts: packed.parts,
    left: [...reasons].map(([reason, files]) => ({ reason, files })).sort((a, b) => b.files.length - a.files.length),
    warnings: packed.warnings,
  };
}

type ComparedPart = { readonly kind: PartKind; readonly path: string | null; readonly tokens: number };
type PackComparison = {
  readonly strategies: readonly [string, string];
  readonly tokens: readonly [number, number];
  readonly both: readonly {
    readonly path: string | null;
    readonly kinds: readonly [PartKind, PartKind];
    readonly tokens: readonly [number, number];
  }[];
  readonly only: readonly [readonly ComparedPart[], readonly ComparedPart[]];
};

/** A file is the same in any kind; its diff is something else. */
const keyOf = ({ kind, path }: PackedPart): string =>
  path === null || kind === 'git_diff' ? `${kind} ${path ?? ''}` : `file ${path}`;

export function comparePacks(a: PackedContext, b: PackedContext): PackComparison {
  const left = new Map(a.parts.map((part) => [keyOf(part), part]));
  const right = new Map(b.parts.map((part) => [keyOf(part), part]));
  const only = (ours: Map<string, PackedPart>, theirs: Map<string, PackedPart>): ComparedPart[] =>
    [...ours].filter(([key]) => !theirs.has(key)).map(([, { kind, path, tokens }]) => ({ kind, path, tokens }));
  return {
    strategies: [a.strategy, b.strategy],
    tokens: [a.tokens, b.tokens],
    both: [...left].flatMap(([key, one]) => {
      const other = right.get(key);
      if (other === undefined) return [];
      return [{ path: one.path, kinds: [one.kind, other.kind] as const, tokens: [one.tokens, other.tokens] as const }];
    }),
    only: [only(left, right), only(right, left)],
  };
}
