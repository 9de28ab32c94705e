/** Combines a strategy and a role: what to pack, how much of each, and in which order. */

import { PART_KINDS, type PartKind } from '../fields/part-kinds.ts';
import { DIFF_SENTINEL, type Variable } from '../fields/variables.ts';
import type { RoleContext } from '../roles/role.ts';
import { MAX_FILES_PER_KIND } from './limits.ts';
import type { Strategy } from './strategy.ts';
import { checkPatterns } from './variables.ts';

/** How one kind of part is packed. */
export type Use = {
  readonly share: number;
  readonly maxFiles: number;
  /** The most tokens of one file. */
  readonly most: number;
  /** The tokens of an excerpt, for a file that does not fit whole. */
  readonly excerpt: number;
  readonly whole: boolean;
};

export type Plan = {
  readonly strategy: string;
  readonly uses: ReadonlyMap<PartKind, Use>;
  /** Files that the task does not name are added only up to this many tokens of context. */
  readonly enough: number;
  /** The lowest score of a related file, as a share of the best one's. */
  readonly floor: number;
  /** All kinds, most needed first. */
  readonly order: readonly PartKind[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly always: readonly string[];
  readonly hops: number;
  readonly importers: boolean;
  /** Search all files for the task's words. */
  readonly everywhere: boolean;
  readonly depth: number;
  /** Show only the public API of the component's files. */
  readonly apiOnly: boolean;
  /** Include the public API of the component. */
  readonly api: boolean;
};

const USUAL: Use = {
  share: 1,
  maxFiles: MAX_FILES_PER_KIND,
  whole: false,
  most: Number.POSITIVE_INFINITY,
  excerpt: Number.POSITIVE_INFINITY,
};
/** For a kind that a role asks for and its strategy does not know. */
const ASKED: Readonly<Partial<Record<PartKind, Use>>> = {
  git_diff: { ...USUAL, share: 0.5 },
  imports: { ...USUAL, maxFiles: 20, most: 2_500 },
  interfaces: { ...USUAL, maxFiles: 20, most: 2_500 },
  files: { ...USUAL, most: 4_000 },
};
const BY_VARIABLE: Readonly<Record<Variable, PartKind | null>> = {
  $TARGET: 'target_file',
  $TARGET_IMPORTS: 'imports',
  $CHANGED_FILES: 'changed_files',
  $INTERFACE_DEFINITIONS: 'interfaces',
  $COMPONENT_PUBLIC_API: 'interfaces',
  // Meant for `exclude`; if included, it means the component's code.
  $IMPLEMENTATION_INTERNALS: 'target_file',
};

/** Throws `PatternRefused`. */
export function planOf(strategy: Strategy, role: RoleContext): Plan {
  const uses = new Map<PartKind, Use>();
  for (const [kind, use] of Object.entries(strategy.parts) as [PartKind, WrittenLists | undefined][])
    if (use !== undefined) uses.set(kind, useOf(use));
  const include = [...strategy.include, ...role.include];
  const exclude = [...strategy.exclude, ...role.exclude];
  const always = [...strategy.always_include, ...role.always_include];
  checkPatterns(include, 'include');
  checkPatterns(exclude, 'exclude');
  checkPatterns(always, 'always_include');
  const ask = (kind: PartKind) => uses.has(kind) || uses.set(kind, ASKED[kind] ?? USUAL);
  for (const pattern of include) {
    if (pattern === DIFF_SENTINEL) ask('git_diff');
    else ask(BY_VARIABLE[pattern as Variable] ?? 'files');
  }
  if (role.git_diff) ask('git_diff');
  if (always.length > 0) ask('always_include');
  return {
    strategy: strategy.name,
    uses,
    enough: strategy.enough_tokens ?? Number.POSITIVE_INFINITY,
    floor: strategy.parts.related?.floor ?? 0,
    order: orderOf(role.priority_order, strategy.priority_order),
    include,
    exclude,
    always,
    hops: strategy.parts.imports?.hops ?? 1,
    importers: strategy.parts.imports?.importers ?? false,
    // Finding all importers requires reading every file.
    everywhere: strategy.look_into === 'all' || strategy.parts.imports?.importers === true,
    depth: strategy.parts.tree?.depth ?? 3,
    apiOnly: exclude.includes('$IMPLEMENTATION_INTERNALS'),
    api: include.includes('$COMPONENT_PUBLIC_API'),
  };
}

type WrittenLists = {
  readonly share?: number | undefined;
  readonly max_files?: number | undefined;
  readonly tokens_per_file?: number | undefined;
  readonly excerpt_tokens?: number | undefined;
  readonly show?: 'whole' | 'excerpts' | undefined;
};
const useOf = (written: WrittenLists): Use => ({
  share: written.share ?? 1,
  maxFiles: written.max_files ?? MAX_FILES_PER_KIND,
  most: written.tokens_per_file ?? Number.POSITIVE_INFINITY,
  excerpt: written.excerpt_tokens ?? Number.POSITIVE_INFINITY,
  whole: written.show === 'whole',
});

/** The caller reserves names that are no kinds of parts (the documents list `task` here); they have no effect. */
function orderOf(role: readonly string[], strategy: readonly PartKind[]): PartKind[] {
  const known = role.filter((kind): kind is PartKind => (PART_KINDS as readonly string[]).includes(kind));
  return [...new Set<PartKind>(['always_include', ...known, ...strategy, ...PART_KINDS])];
}
