/**
 * Running other people's programs behind a wall.
 *
 * Guarantees every backend gives, or refuses to run:
 * - the program starts only after the wall stands, and nothing of it is alive when `run` resolves, however it ended;
 * - it sees and writes only what the policy names; the state directory and other workspaces are not there at all;
 * - its environment is exactly the one named; it has no terminal, and no network unless the policy says so;
 * - output beyond the limit ends it; what came after the limit is not read.
 * What a backend can not enforce it says in `limits`, as degraded.
 */
export type Mount = { readonly from: string; readonly to: string };

export type SandboxLimits = {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly cpus: number;
  readonly wallMs: number;
  /** Ended when nothing was printed for this long; null: no such limit. */
  readonly idleMs: number | null;
  /** Printed by the program on stdout and stderr together. */
  readonly outputBytes: number;
  /** Written below the writable mounts and the temporary directories. */
  readonly diskBytes: number;
  /** What stopping, wall and idle leave the program between SIGTERM and SIGKILL; absent: 2 s. Other limits kill at once. */
  readonly graceMs?: number;
};

export type SandboxPolicy = {
  /** Worker: may change the workspace. Gate: checks a candidate. Prepare: installs dependencies. */
  readonly kind: 'worker' | 'gate' | 'prepare';
  /** Read-only, beside the system paths every sandbox has. */
  readonly readable: readonly Mount[];
  readonly writable: readonly Mount[];
  /** Directories inside mounts, also read-only ones, that are empty and writable inside and gone with the sandbox. */
  readonly temporary?: readonly string[];
  /** Where the program starts; must be inside a mount. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** The host's network, by the operator's word and for `prepare` alone; absent: none. */
  readonly network?: 'host';
  /** Of an egress door (ports/egress.ts), on the host: shown at EGRESS_SOCKET to the program's user and no other. */
  readonly egress?: string;
};

export type SandboxRequest = {
  readonly argv: readonly [string, ...string[]];
  readonly policy: SandboxPolicy;
  /** Its standard input, a file. */
  readonly input: string;
  /** Each piece of output as it comes; bytes, because half a character may come first. */
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
  /** Processes that were still alive when the program itself had ended, and were killed. */
  readonly leftovers: number;
  /** Ended by our SIGKILL: a limit that leaves no grace was broken, or the grace had passed. */
  readonly forced: boolean;
};

export type LimitState = {
  readonly limit: keyof SandboxLimits;
  readonly enforced: boolean;
  readonly how: string;
  /** What a person can do to have it enforced, where something can be done. */
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
  /** Tries the wall for real; cheap enough for every start. Not ready means: no run. */
  probe(): Promise<SandboxReport>;
  run(request: SandboxRequest): Promise<SandboxResult>;
  /** Ends and removes what a killed Supervisor may have left behind (processes, control groups, mounts). */
  sweep(): Promise<{ readonly removed: number }>;
}

/** The wall could not be built: nothing was run. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
