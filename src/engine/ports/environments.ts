/**
 * Dependencies of a project, prepared once per key, sealed, and mounted read-only for workers and gates. Guarantees:
 * - The same key files, commands and outputs give the same key; what was prepared under a key never changes.
 * - A failed or interrupted preparation leaves nothing that a later run could take for complete.
 * - A preparation runs in a sandbox without credentials, and without network unless the operator allows it.
 */
import type { Mount } from './sandbox.ts';

/** Ready for use in a sandbox; all paths are those inside. */
export type ReadyEnvironment = {
  /** Part of the key of cached evidence. */
  readonly key: string;
  readonly readable: readonly Mount[];
  /** Variables such as PATH entries of a virtual environment; never names that the sandbox sets itself. */
  readonly env: Readonly<Record<string, string>>;
  /** Put in front of PATH. */
  readonly path: readonly string[];
  /** Paths inside the outputs that tools write to; the sandbox mounts empty writable directories over them. */
  readonly temporary?: readonly string[];
};

export type EnvironmentState =
  | { readonly type: 'ready'; readonly environment: ReadyEnvironment }
  /** Nothing can be prepared now; the message says what to do. */
  | { readonly type: 'failed'; readonly message: string };

export interface Environments {
  /** The key that a commit or tree needs; prepares nothing. */
  keyOf(tree: string): Promise<string>;
  /** The key files that differ between two trees, to name them when a candidate needs another environment. */
  changedKeys(base: string, tree: string): Promise<readonly string[]>;
  /** Paths of the tree where outputs are mounted; a candidate must have no entry at or above them. */
  readonly outputs: readonly string[];
  /**
   * Prepares if necessary. Two callers at once prepare once, also in two processes. With `from`, the key files come
   * from this candidate, and everything else that a preparation sees comes from its base.
   */
  ready(
    tree: string,
    told: { readonly signal: AbortSignal; onOutput(text: string): void },
    from?: { readonly base: string; readonly asInBase: readonly string[] },
  ): Promise<EnvironmentState>;
  /** Removes what none of these keys needs; returns the paths. */
  sweep(keys: ReadonlySet<string>, dryRun: boolean): Promise<readonly string[]>;
}
