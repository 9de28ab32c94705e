/** Packs what a worker is shown of the project. */
import type { PackedContext } from '../../mind/context/packed.ts';
import type { Role } from '../../mind/roles/role.ts';
import type { OwnReading } from '../../mind/workers/files-cli-reads.ts';

export type ContextAsk = {
  readonly role: Role;
  /** Where the task began, and the tree its worker sees (null: that of the commit). */
  readonly base: string;
  readonly tree: string | null;
  /** The text of the task; the search for related files starts from it. */
  readonly text: string;
  /** Files that the task names and may change. */
  readonly targets: readonly string[];
  /** Shows only the component of the targets: its code, interfaces and tests. Absent for no restriction. */
  readonly componentOnly?: boolean;
  /** Tokens left for context after the rest of the packet. */
  readonly budget: number;
  /** The ratio of the model's own token count to our estimate. */
  readonly factor: number;
  /** No author of a text in the packet knows it; see `quotedData`. */
  readonly seed: string;
  /** Replaces the role's own strategy. */
  readonly strategy?: string;
  /** What the CLI reads unasked; absent: it opens files, but reads no instructions. */
  readonly reading?: OwnReading;
};

export interface Contexts {
  pack(ask: ContextAsk, signal?: AbortSignal): Promise<PackedContext>;
}
