/**
 * Runs other people's programs in a sandbox. Every backend gives these guarantees, or refuses to run:
 * - The program starts only after the sandbox is built; when `run` resolves, no process of it is alive, however it
 *   ended.
 * - It sees and writes only what the policy names; the state directory and other workspaces do not exist for it.
 * - It gets exactly the variables that are named. It has no terminal, and no network unless the policy allows it.
 * - Output beyond the limit ends it; the rest is not read.
 * Whatever a backend cannot enforce it lists in `limits`, as degraded.
 */
export type Mount = { readonly from: string; readonly to: string };

export type SandboxLimits = {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly cpus: number;
  readonly wallMs: number;
  /** Ends the program if it prints nothing for this long; null for no such limit. */
  readonly idleMs: number | null;
  /** Bytes that the program may print on stdout and stderr together. */
  readonly outputBytes: number;
  /** Bytes that it may write below the writable mounts and temporary directories. */
  readonly diskBytes: number;
  /**
   * The time between SIGTERM and SIGKILL for a stop and for the limits `wall` and `idle`; default 2 s. Other limits
   * kill at once.
   */
  readonly graceMs?: number;
};

export type SandboxPolicy = {
  /** A worker may change the workspace; a gate checks a candidate; a preparation installs dependencies. */
  readonly kind: 'worker' | 'gate' | 'prepare';
  /** Read-only mounts, in addition to the system paths of every sandbox. */
  readonly readable: readonly Mount[];
  readonly writable: readonly Mount[];
  /**
   * Directories inside mounts (read-only ones, too) that are empty and writable inside, and disappear with the sandbox.
   */
  readonly temporary?: readonly string[];
  /** The directory to start in; must be inside a mount. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** Gives the host's network, only to `prepare` and only if the operator allows it; absent for none. */
  readonly network?: 'host';
  /** The host path of the proxy's socket (ports/egress.ts). It appears at EGRESS_SOCKET, for the program's user only. */
  readonly egress?: string;
};

export type SandboxRequest = {
  readonly argv: readonly [string, ...string[]];
  readonly policy: SandboxPolicy;
  /** A file for its standard input. */
  readonly input: string;
  /** Called with each piece of output, as bytes: a piece may end in the middle of a character. */
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  readonly signal: AbortSignal;
};

export type SandboxEnd =
  | { readonly how: 'exit'; readonly code: number }
  | { readonly how: 'signal'; readonly signal: string }
  | { readonly how: 'limit'; readonly limit: 'memory' | 'processes' | 'disk' | 'output' | 'wall' | 'idle' }
  | { readonly how: 'aborted' };

export type SandboxResult = {
  readonly end: SandboxEnd;
  readonly ms: number;
  /** How many processes were still alive when the program itself had ended, and were killed. */
  readonly leftovers: number;
  /** True if SIGKILL ended it: it broke a limit without grace, or used up the grace. */
  readonly forced: boolean;
};

export type LimitState = {
  readonly limit: keyof SandboxLimits;
  readonly enforced: boolean;
  readonly how: string;
  /** What a person can do to have the limit enforced, if anything. */
  readonly fix?: string;
};
export type SandboxReport = {
  readonly ready: boolean;
  readonly backend: string;
  readonly limits: readonly LimitState[];
  readonly problem: string | null;
  readonly fix: string | null;
};

export interface Sandbox {
  /** Tries the sandbox for real; cheap enough for every start. If it is not ready, nothing runs. */
  probe(): Promise<SandboxReport>;
  run(request: SandboxRequest): Promise<SandboxResult>;
  /** Ends and removes what a killed Supervisor left (processes, control groups, mounts). */
  sweep(): Promise<{ readonly removed: number }>;
}

/** The sandbox could not be built, so nothing ran. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
