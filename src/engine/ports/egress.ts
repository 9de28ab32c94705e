import type { Call } from '../../mind/egress/calls.ts';
import type { AllowedHost } from '../../mind/egress/egress-config.ts';

/**
 * The one way out of a sandbox: an allow-list proxy of ours on a UNIX socket, which is mounted into a sandbox that has no
 * network. Inside, a bridge makes it a port of loopback. One door per attempt, with a policy of its own.
 *
 * Spoken on it: CONNECT and absolute-form HTTP to what the list allows; and plain origin-form HTTP, which goes to the
 * route: there the proxy puts the operator's key on. The key is in no file, variable or process of the sandbox.
 */
export type { AllowedHost };

export type EgressRoute = {
  /** Origin and base path, http or https, such as `https://api.example.com`; the operator's, so it may be local. */
  readonly upstream: string;
  /** Set on every request, in place of what the program sent under these names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers of the program's that are taken off. */
  readonly drop: readonly string[];
  /** What may be asked, below the upstream. Absent: whatever is asked, for places without a key that is worth something. */
  readonly calls?: readonly Call[];
};

export type EgressPolicy = {
  readonly allow: readonly AllowedHost[];
  readonly route: EgressRoute | null;
  /** Any process inside can use the key through the bridge: to spend, not to read. So both are bounded. */
  readonly maxRequests: number;
  readonly maxBytes: number;
};

export type EgressDecision = {
  readonly kind: 'connect' | 'http' | 'route';
  /** As asked for; made safe for a terminal and cut. */
  readonly host: string;
  readonly port: number | null;
  readonly allowed: boolean;
  /** In words, when it was refused. */
  readonly reason: string | null;
  readonly count: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
};

export type EgressReport = {
  /** Equal ones are counted together; bounded. */
  readonly decisions: readonly EgressDecision[];
  readonly requests: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** The last answer over the route that was not 2xx, unless a 2xx came after it; with its reset time, if it told one. */
  readonly upstream: { readonly status: number; readonly resetAt: number | null } | null;
  /** Every status over the route that was not 2xx, each with the reset time it told last. */
  readonly refusals: readonly { readonly status: number; readonly resetAt: number | null }[];
};

export interface EgressDoor extends AsyncDisposable {
  /** On the host; the sandbox gives it to the program's user. */
  readonly socket: string;
  report(): EgressReport;
}

export interface Egress {
  open(policy: EgressPolicy): Promise<EgressDoor>;
}
