/** Packs what a worker is shown of the project. */
import type { Packed } from '../../mind/context/packed.ts';
import type { Role } from '../../mind/roles/role.ts';
import type { OwnReading } from '../../mind/workers/own-reading.ts';

export type ContextAsk = {
  readonly role: Role;
  /** Where the task began, and the tree its worker sees (null: that of the commit). */
  readonly base: string;
  readonly tree: string | null;
  /** The words of the task: what the rest is looked for by. */
  readonly text: string;
  /** Files the task is about, and that it may change. */
  readonly targets: readonly string[];
  /** Of the code, only the component of the targets is shown, with interfaces and its tests. Absent: whatever fits. */
  readonly componentOnly?: boolean;
  /** Tokens that are left for context when the rest of the packet is counted. */
  readonly budget: number;
  /** By which the model's own count is larger than that of our encoding. */
  readonly factor: number;
  /** Known to nobody who wrote a text of the packet; see `quotedData`. */
  readonly seed: string;
  /** Instead of the role's own. */
  readonly strategy?: string;
  /** What the CLI reads without being told; absent: it opens files, and reads no instructions. */
  readonly reading?: OwnReading;
};

export interface Contexts {
  pack(ask: ContextAsk, signal?: AbortSignal): Promise<Packed>;
}
