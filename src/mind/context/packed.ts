/** What packing context gives: the parts that got in, those that did not and why, and what it cost. */
import type { PartKind } from '../fields/part-kinds.ts';

/** Files that the role, the task or its change so far names; all other kinds are found by Supervisor. */
export const NAMED_KINDS: ReadonlySet<PartKind> = new Set([
  'always_include',
  'target_file',
  'git_diff',
  'changed_files',
]);

/** A piece of context before the budget is looked at; its text is free of secrets. */
export type Part = {
  readonly kind: PartKind;
  /** Null: it is not one file, such as a diff or a tree. */
  readonly path: string | null;
  readonly text: string;
  /** More is better, among parts of one kind. */
  readonly score: number;
  /** For people: why it is here. */
  readonly why: string;
  /** Lines of the file that it shows, when it is not the whole: `12-80,120-140`. */
  readonly lines: string | null;
};

export type LeftOut = { readonly path: string; readonly kind: PartKind; readonly reason: string };

export type PackedPart = Omit<Part, 'text'> & { readonly tokens: number; readonly protected: boolean };

export type Packed = {
  /** The context section of the packet: parts in order, each between marks and named as data. */
  readonly text: string;
  readonly parts: readonly PackedPart[];
  readonly left: readonly LeftOut[];
  /** Of `text`, counted by the real tokeniser, times the model's factor. */
  readonly tokens: number;
  /** Such as: the protected parts alone are over the budget. */
  readonly warnings: readonly string[];
  readonly strategy: string;
};

/** Why a file is left out although it could be shown: only the room is missing. A worker is told its name. */
export const NO_ROOM = 'no room left in the budget';
export const SHARE_USED = 'the share of its kind is used up';
export const largerThan = (tokens: number): string => `larger than ${tokens} tokens`;

export const isForRoom = (reason: string): boolean =>
  reason === NO_ROOM || reason === SHARE_USED || reason.startsWith('larger than ');
