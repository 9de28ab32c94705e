/** The requests that a stand-in got, for whoever wants to know what arrived; bounded. */
import type { Asked } from '../../mind/stand-in/asked.ts';
import type { Protocol } from '../../mind/stand-in/scenario.ts';

/** What came in, as it came: whoever tests a wall asks here which key arrived. */
export type SeenRequest = {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly body: unknown;
  readonly protocol: Protocol | null;
  readonly kind: Asked['kind'] | 'probe';
  readonly model: string | null;
  readonly stream: boolean;
  /** Names, in their order. */
  readonly tools: readonly string[];
  /** The place of the turn that answered it; null: a side request, or all turns were played. */
  readonly turn: number | null;
};

const MAX_REQUESTS = 500;
/** Of bodies as they came; parsed they take several times that. */
const MAX_KEPT_BYTES = 64_000_000;

export class SeenRequests {
  readonly kept: SeenRequest[] = [];
  readonly #most: number;
  readonly #sizes: number[] = [];
  #bytes = 0;
  /** All that ever came, also those that are no longer kept. */
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
