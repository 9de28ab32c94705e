/**
 * An AI CLI as the rest of Supervisor sees it: data, two pure functions and nothing that acts. `call` makes the command
 * of one attempt, `listen` reads what the program prints. The worker room starts it, behind its wall.
 */
import type { AttemptKind, Cost, OutcomeClass } from '../domain/values.ts';
import type { Call } from '../egress/calls.ts';
import type { FinalText } from './said.ts';

/** In our words; each adapter knows those of its CLI. */
export type Tool = 'read' | 'edit' | 'shell' | 'web';
type Effort = 'low' | 'medium' | 'high';

/** What a CLI takes part in; to ask for more is refused when the config is loaded. */
type Capabilities = {
  readonly kinds: readonly AttemptKind[];
  readonly model: boolean;
  readonly effort: boolean;
  readonly systemPrompt: boolean;
  /** Whether it has tools to open files; absent: it has. */
  readonly files?: false;
  /** Whether its tools can be restricted. */
  readonly tools: boolean;
  readonly schema: boolean;
  readonly sessions: boolean;
  /** Its usage counts the whole session, not the last run of it. */
  readonly cumulative?: boolean;
  /** Which of its usage it tells. */
  readonly usage: 'cost' | 'tokens' | 'none';
};

/** Who answers the model calls, and how a key of the operator's is put on them, outside of the sandbox. */
export type Provider = {
  readonly name: string;
  /** Where the operator may have the key; the first that is set counts. `prefix` comes before it, as in `Bearer `. */
  readonly keys: readonly { readonly variable: string; readonly header: string; readonly prefix: string }[];
  /** Where calls go; by the operator's variable or config instead, if there is one. */
  readonly upstream: string;
  readonly upstreamVariable: string | null;
  /** All that may be asked there with the key; paths are below the upstream. */
  readonly calls: readonly Call[];
};

/** For subscriptions: a private copy of just these files goes into the sandbox. The weaker mode: a worker can read them. */
export type Login = {
  /** `home`: relative to the operator's home (or to `variable`, when that is set); `inside`: relative to the config directory. */
  readonly files: readonly { readonly home: string; readonly variable: string | null; readonly inside: string }[];
  /** `host:port`, exact. */
  readonly hosts: readonly string[];
};

/** All paths as the sandbox sees them. */
export type Ask = {
  readonly packet: string;
  /** A fresh UUID of ours: what the run is called, where a CLI takes a name for it and goes on with no other. */
  readonly id: string;
  readonly kind: AttemptKind;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly system: string | null;
  /** Only these; null: all it has. */
  readonly tools: readonly Tool[] | null;
  /** JSON Schema of the answer; passed on where the CLI takes one, the answer is parsed and checked by us all the same. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** A session id of ours (uuid), to begin with or to go on with; `told`: the id the CLI gave it, if it gives its own. */
  readonly session: { readonly id: string; readonly told: string | null; readonly goesOn: boolean } | null;
  /** Keys stay outside: plain HTTP to this base, such as `http://127.0.0.1:40861`. Null: its own login, through the proxy. */
  readonly endpoint: { readonly url: string; readonly provider: string } | null;
  /** `http://127.0.0.1:40861`, for HTTPS_PROXY of a login; null: no way out at all. */
  readonly proxy: string | null;
  /** Writable and its own: for config and for temporary files. */
  readonly configDir: string;
  readonly tempDir: string;
  readonly cwd: string;
  /** From the operator's config: for `acp` the agent's whole command, for the others more words after our own. */
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
      /** The session it was told to have; absent: it names its own. */
      readonly session?: string;
    }
  | { readonly type: 'refused'; readonly message: string };

/** Why it did not go well, as far as the CLI tells. */
export type Failure = {
  readonly class: Exclude<OutcomeClass, 'ok' | 'lost' | 'interrupted'>;
  /** One line for people, from the CLI's own words. */
  readonly reason: string;
  /** Of HTTP, if one is known. */
  readonly status: number | null;
  /** Milliseconds since 1970. */
  readonly resetAt: number | null;
};

/** What is known besides its output when it has ended. */
export type Ended = {
  readonly exit: { readonly how: 'exit'; readonly code: number } | { readonly how: 'other' };
  readonly now: number;
  /** The last answer of the model's server that was not 2xx, as our proxy saw it; null: there was none, or no proxy. */
  readonly upstream: { readonly status: number; readonly resetAt: number | null } | null;
};

/** All that a run said. It succeeded only when `claims` is success, it ended with exit code 0, and the answer parses. */
export type Told = {
  readonly final: FinalText;
  /** Its own last word; `nothing`: it never said how it ended, whatever its exit code. */
  readonly claims: 'success' | 'failure' | 'nothing';
  /** Present whenever `claims` is not success and the CLI (or the proxy) told why. */
  readonly failure: Failure | null;
  readonly cost: Cost;
  readonly model: string | null;
  readonly session: string | null;
  /** Lines that named another session, or none where all do; they were not believed. Absent: there were none. */
  readonly foreign?: number;
};

/** Fed while the program runs; memory is bounded whatever is printed, and nothing that is printed makes it throw. */
export interface Listener {
  add(stream: 'stdout' | 'stderr', text: string): void;
  end(ended: Ended): Told;
}

export type Adapter = {
  readonly name: string;
  /** Looked for on PATH in this order; empty: one of our own programs is run inside. */
  readonly programs: readonly string[];
  /** Programs of its own that it looks for beside itself. */
  readonly beside?: readonly string[];
  /** How to install it, for people. */
  readonly install: string;
  /** `--version` prints a version somewhere; from `from` (inclusive) to `below` it was tested. */
  readonly tested: { readonly from: string; readonly below: string } | null;
  /** Versions below this one are known not to work, and why. Measured, not guessed. */
  readonly broken?: { readonly below: string; readonly why: string };
  readonly can: Capabilities;
  readonly providers: readonly Provider[];
  readonly login: Login | null;
  /** Files at the top of the tree that it reads as instructions by itself: they are not sent to it once more. */
  readonly instructions?: readonly string[];
  /** How it unpacks itself into the directory that `variable` names, and ends: done once, then shown to all its attempts. */
  readonly unpack?: {
    readonly variable: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  call(ask: Ask): AdapterCall;
  /** `session`: the one it was told to have. */
  listen(session?: string): Listener;
};
