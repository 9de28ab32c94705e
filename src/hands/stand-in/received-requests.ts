/** The requests that a stand-in received, for tests that check what arrived; bounded. */
import type { ModelRequest } from '../../mind/stand-in/model-request.ts';
import type { Protocol } from '../../mind/stand-in/scenario.ts';

/** The raw request: sandbox tests check here which key arrived. */
export type SeenRequest = {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly body: unknown;
  readonly protocol: Protocol | null;
  readonly kind: ModelRequest['kind'] | 'probe';
  readonly model: string | null;
  readonly stream: boolean;
  /** Names of tools, in order. */
  readonly tools: readonly string[];
  /** The index of the turn that answered it; null for a side request, or after the last turn. */
  readonly turn: number | null;
};

const MAX_REQUESTS = 500;
/** Limits raw bodies; a parsed body takes several times its size. */
const MAX_KEPT_BYTES = 64_000_000;

export class SeenRequests {
  readonly kept: SeenRequest[] = [];
  readonly #most: number;
  readonly #sizes: number[] = [];
  #bytes = 0;
  /** All requests ever received, including those no longer kept. */
  count = 0;

  constructor(most = MAX_REQUESTS) {
    this.#most = most;
  }

  add(request: SeenRequest, bytes: number): void {
    this.count += 1;
    this.#bytes += bytes;
    this.kept.push(request);
    this.#sizes.push(bytes);
    while (this.kept.length > this.#most || (this.#bytes > MAX_KEPT_BYTES && this.kept.length > 1)) {
      this.kept.shift();
      this.#bytes -= this.#sizes.shift() ?? 0;
    }
  }
}
