/** The result of packing context: the parts that got in, those that did not and why, and the cost. */
import type { PartKind } from '../fields/part-kinds.ts';

/** Files that the role, the task or its change so far names; Supervisor finds all other kinds. */
export const NAMED_KINDS: ReadonlySet<PartKind> = new Set([
  'always_include',
  'target_file',
  'git_diff',
  'changed_files',
]);

/** A redacted piece of context, before the budget is considered. */
export type ContextPart = {
  readonly kind: PartKind;
  /** The part's file; null if it is not one file, such as a diff or a tree. */
  readonly path: string | null;
  readonly text: string;
  /** Parts of one kind are sorted by it; higher is better. */
  readonly score: number;
  /** For people: why it is here. */
  readonly why: string;
  /** The shown lines if it is not the whole file: `12-80,120-140`. */
  readonly lines: string | null;
};

export type LeftOut = { readonly path: string; readonly kind: PartKind; readonly reason: string };

export type PackedPart = Omit<ContextPart, 'text'> & { readonly tokens: number; readonly protected: boolean };

export type PackedContext = {
  /** The context section of the packet: parts in order, each between marks and labelled as data. */
  readonly text: string;
  readonly parts: readonly PackedPart[];
  readonly left: readonly LeftOut[];
  /** The tokens of `text`, counted by the real tokeniser, times the model's factor. */
  readonly tokens: number;
  /** For example: the protected parts alone exceed the budget. */
  readonly warnings: readonly string[];
  readonly strategy: string;
};

/** The reason for a file that could be shown but does not fit. The worker gets its name. */
export const NO_ROOM = 'no room left in the budget';
export const SHARE_USED = 'the share of its kind is used up';
export const largerThan = (tokens: number): string => `larger than ${tokens} tokens`;

export const isForRoom = (reason: string): boolean =>
  reason === NO_ROOM || reason === SHARE_USED || reason.startsWith('larger than ');
