import type { AllowedCall } from '../../mind/egress/calls.ts';
import type { AllowedHost } from '../../mind/egress/egress-config.ts';

/**
 * The only network access of a sandbox: our allow-list proxy on a UNIX socket, mounted into a sandbox without network.
 * Inside, a bridge offers it as a loopback port. Each attempt has its own proxy and policy. The proxy accepts CONNECT
 * and absolute-form HTTP to allowed hosts. Plain origin-form HTTP goes to the route, where the proxy adds the
 * operator's key. The key is in no file, variable or process of the sandbox.
 */
export type { AllowedHost };

export type EgressRoute = {
  /**
   * Origin and base path, http or https, such as `https://api.example.com`. The operator sets it, so it may be local.
   */
  readonly upstream: string;
  /** Set on every request; they replace what the program sent under these names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers that are removed from the program's requests. */
  readonly drop: readonly string[];
  /** The requests allowed below the upstream. Absent: all of them, for servers whose key is worth nothing. */
  readonly calls?: readonly AllowedCall[];
};

export type EgressPolicy = {
  readonly allow: readonly AllowedHost[];
  readonly route: EgressRoute | null;
  /**
   * Any process inside can use the key through the bridge: to spend, not to read. So requests and bytes are bounded.
   */
  readonly maxRequests: number;
  readonly maxBytes: number;
};

export type EgressDecision = {
  readonly kind: 'connect' | 'http' | 'route';
  /** The requested host, made safe for a terminal and cut. */
  readonly host: string;
  readonly port: number | null;
  readonly allowed: boolean;
  /** The reason in words; null if it was allowed. */
  readonly reason: string | null;
  readonly count: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
};

export type EgressReport = {
  /** Equal decisions are counted together; the list is bounded. */
  readonly decisions: readonly EgressDecision[];
  readonly requests: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** The last answer on the route that was not 2xx, unless a 2xx followed; with the reset time it gave, if any. */
  readonly upstream: { readonly status: number; readonly resetAt: number | null } | null;
  /** Every status on the route that was not 2xx, each with the last reset time it gave. */
  readonly refusals: readonly { readonly status: number; readonly resetAt: number | null }[];
};

export interface AttemptProxy extends AsyncDisposable {
  /** The path on the host. The sandbox gives it to the program's user. */
  readonly socket: string;
  report(): EgressReport;
}

export interface Egress {
  open(policy: EgressPolicy): Promise<AttemptProxy>;
}
