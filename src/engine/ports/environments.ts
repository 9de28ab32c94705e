/**
 * Dependencies of a project, prepared once per key, sealed, and shown read-only to workers and gates.
 *
 * Guarantees:
 * - the same key files, commands and outputs give the same key; what was prepared under a key is never changed again;
 * - a preparation that failed or was cut off leaves nothing that a later run could take for whole;
 * - prepare runs in a sandbox without credentials, and without network unless the operator said so.
 */
import type { Mount } from './sandbox.ts';

/** Ready for use in a sandbox; all paths as they are inside. */
export type ReadyEnvironment = {
  /** Goes into the key of cached evidence. */
  readonly key: string;
  readonly readable: readonly Mount[];
  /** Variables such as PATH parts of a virtual environment; names are never those of the sandbox itself. */
  readonly env: Readonly<Record<string, string>>;
  /** In front of PATH. */
  readonly path: readonly string[];
  /** Paths inside the outputs that tools want to write to: something of the sandbox's own has to lie over them. */
  readonly temporary?: readonly string[];
};

export type EnvironmentState =
  | { readonly type: 'ready'; readonly environment: ReadyEnvironment }
  /** Nothing can be prepared now; the message says what to do. */
  | { readonly type: 'failed'; readonly message: string };

export interface Environments {
  /** The key that a commit or tree asks for; no preparation. */
  keyOf(tree: string): Promise<string>;
  /** Which key files differ between two trees: what to name when a candidate wants another environment. */
  changedKeys(base: string, tree: string): Promise<readonly string[]>;
  /** Paths of the tree at which outputs are mounted; a candidate must have nothing at or above them. */
  readonly outputs: readonly string[];
  /**
   * Prepares if need be; two callers at once prepare once, also in two processes. With `from`, the key files are those of
   * this candidate, and everything else that a preparation sees is as its base has it.
   */
  ready(
    tree: string,
    told: { readonly signal: AbortSignal; onOutput(text: string): void },
    from?: { readonly base: string; readonly asInBase: readonly string[] },
  ): Promise<EnvironmentState>;
  /** Removes what no key of these needs; returns paths. */
  sweep(keys: ReadonlySet<string>, dryRun: boolean): Promise<readonly string[]>;
}
