/**
 * An AI CLI as the rest of Supervisor sees it: data and two pure functions. `call` makes the command of one attempt,
 * `listen` parses what the program prints. The worker room starts it in its sandbox.
 */
import type { AttemptKind, Cost, OutcomeClass } from '../domain/values.ts';
import type { AllowedCall } from '../egress/calls.ts';
import type { FinalText } from './final-text.ts';

/** Our names; each adapter knows those of its CLI. */
export type Tool = 'read' | 'edit' | 'shell' | 'web';
type Effort = 'low' | 'medium' | 'high';

/** The abilities of a CLI; asking for more is refused when the config is loaded. */
type Capabilities = {
  readonly kinds: readonly AttemptKind[];
  readonly model: boolean;
  readonly effort: boolean;
  readonly systemPrompt: boolean;
  /** Whether it has tools to open files; default: yes. */
  readonly files?: false;
  /** Whether its tools can be restricted. */
  readonly tools: boolean;
  readonly schema: boolean;
  readonly sessions: boolean;
  /** Its usage covers the whole session, not only the last run. */
  readonly cumulative?: boolean;
  /** Which usage it reports. */
  readonly usage: 'cost' | 'tokens' | 'none';
};

/** The provider of model calls, and how the proxy adds the operator's key outside the sandbox. */
export type Provider = {
  readonly name: string;
  /**
   * Variables that may hold the operator's key; the first that is set counts. `prefix` comes before it, as in `Bearer
   * `.
   */
  readonly keys: readonly { readonly variable: string; readonly header: string; readonly prefix: string }[];
  /** Where calls go, unless the operator's variable or config says otherwise. */
  readonly upstream: string;
  readonly upstreamVariable: string | null;
  /** All calls that are allowed with the key; paths are below the upstream. */
  readonly calls: readonly AllowedCall[];
};

/**
 * For subscriptions: a private copy of only these files goes into the sandbox. The weaker mode: a worker can read them.
 */
export type Login = {
  /**
   * `home`: relative to the operator's home (or to `variable` if it is set); `inside`: relative to the config
   * directory.
   */
  readonly files: readonly { readonly home: string; readonly variable: string | null; readonly inside: string }[];
  /** `host:port`, exact. */
  readonly hosts: readonly string[];
};

/** All paths as the sandbox sees them. */
export type CliRequest = {
  readonly packet: string;
  /** A fresh UUID of ours: the name of the run, for a CLI that takes one and does not continue another. */
  readonly id: string;
  readonly kind: AttemptKind;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly system: string | null;
  /** Only these; null for all of the CLI's. */
  readonly tools: readonly Tool[] | null;
  /** The JSON Schema of the answer, for CLIs that take one. We parse and check the answer in any case. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** A session id of ours (uuid), to start or continue; `told`: the CLI's own id, if it gives one. */
  readonly session: { readonly id: string; readonly told: string | null; readonly goesOn: boolean } | null;
  /**
   * Keys stay outside: plain HTTP to this base, such as `http://127.0.0.1:40861`. Null: its own login, through the
   * proxy.
   */
  readonly endpoint: { readonly url: string; readonly provider: string } | null;
  /** `http://127.0.0.1:40861`, for HTTPS_PROXY of a login; null for no network access. */
  readonly proxy: string | null;
  /** Writable and its own: for config and temporary files. */
  readonly configDir: string;
  readonly tempDir: string;
  readonly cwd: string;
  /** From the operator's config: for `acp` the agent's whole command, for the others more arguments after ours. */
  readonly command: readonly string[];
};

export type AdapterCall =
  | {
      readonly type: 'call';
      /** Without the program itself. */
      readonly args: readonly string[];
      readonly input: string;
      readonly env: Readonly<Record<string, string>>;
      /** Made before it starts; relative to the config directory. */
      readonly files: readonly { readonly path: string; readonly text: string }[];
      /** For the record: the arguments, with long texts named instead of shown. */
      readonly shown: readonly string[];
      /** The session id that it was given; absent if it names its own. */
      readonly session?: string;
    }
  | { readonly type: 'refused'; readonly message: string };

/** Why it failed, as far as the CLI says. */
export type CliFailure = {
  readonly class: Exclude<OutcomeClass, 'ok' | 'lost' | 'interrupted'>;
  /** One line for people, in the CLI's own words. */
  readonly reason: string;
  /** The HTTP status, if known. */
  readonly status: number | null;
  /** Milliseconds since 1970. */
  readonly resetAt: number | null;
};

/** The facts known at its end, besides its output. */
export type CliExit = {
  readonly exit: { readonly how: 'exit'; readonly code: number } | { readonly how: 'other' };
  readonly now: number;
  /**
   * The last answer of the model's server that was not 2xx, as our proxy saw it; null if there was none, or no proxy.
   */
  readonly upstream: { readonly status: number; readonly resetAt: number | null } | null;
};

/** Everything a run reported. It succeeded only if `claims` is success, its exit code is 0, and the answer parses. */
export type CliResult = {
  readonly final: FinalText;
  /** Its own final report; `nothing`: it did not report how it ended, whatever its exit code. */
  readonly claims: 'success' | 'failure' | 'nothing';
  /** Present if `claims` is not success and the CLI (or the proxy) said why. */
  readonly failure: CliFailure | null;
  readonly cost: Cost;
  readonly model: string | null;
  readonly session: string | null;
  /** The number of ignored lines that named another session, or none where all do. Absent if there were none. */
  readonly foreign?: number;
};

/** Fed while the program runs; its memory is bounded and it never throws, whatever is printed. */
export interface Listener {
  add(stream: 'stdout' | 'stderr', text: string): void;
  end(ended: CliExit): CliResult;
}

export type Adapter = {
  readonly name: string;
  /** Searched on PATH in this order; empty if a program of ours runs inside instead. */
  readonly programs: readonly string[];
  /** Its own programs that it expects beside itself. */
  readonly beside?: readonly string[];
  /** How to install it, for people. */
  readonly install: string;
  /** `--version` prints a version somewhere; tested from `from` (inclusive) to `below`. */
  readonly tested: { readonly from: string; readonly below: string } | null;
  /** Versions below this one are known not to work, and why. Measured, not guessed. */
  readonly broken?: { readonly below: string; readonly why: string };
  readonly can: Capabilities;
  readonly providers: readonly Provider[];
  readonly login: Login | null;
  /** Files at the top of the tree that it reads as instructions unasked: they are not sent again. */
  readonly instructions?: readonly string[];
  /**
   * The call that makes it unpack itself into the directory that `variable` names, and exit: done once, then mounted
   * for all its attempts.
   */
  readonly unpack?: {
    readonly variable: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  call(ask: CliRequest): AdapterCall;
  /** `session`: the id that it was given. */
  listen(session?: string): Listener;
};
