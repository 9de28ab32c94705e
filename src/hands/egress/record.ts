/**
 * Records what a proxy let through and refused. Bounded, whatever is requested: equal decisions are counted together.
 */
import type { EgressDecision, EgressReport } from '../../engine/ports/egress.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import { terminalLine } from '../../kernel/terminal-text.ts';

const MAX_KINDS = 100;
const MAX_TEXT = 120;
const MAX_STATUSES = 20;

export type ProxyRequest = Pick<EgressDecision, 'kind' | 'host' | 'port' | 'allowed' | 'reason'>;
type CountedDecision = { -readonly [K in keyof EgressDecision]: EgressDecision[K] };

/** Adds bytes to one decision and to the proxy's total. */
export type Meter = { out(bytes: number): void; in(bytes: number): void };

export class Record {
  readonly #decisions = new Map<string, CountedDecision>();
  readonly #log: AppLog;
  readonly #limits: { readonly maxRequests: number; readonly maxBytes: number };
  /** Called when the byte limit is exceeded. */
  readonly #spent: () => void;
  #requests = 0;
  #out = 0;
  #in = 0;
  #upstream: EgressReport['upstream'] = null;
  readonly #refusals = new Map<number, number | null>();

  constructor(log: AppLog, limits: { readonly maxRequests: number; readonly maxBytes: number }, spent: () => void) {
    this.#log = log;
    this.#limits = limits;
    this.#spent = spent;
  }

  /** Counts a request; returns a reason if too many requests or bytes were used already. */
  admit(): string | null {
    this.#requests += 1;
    return this.#requests > this.#limits.maxRequests
      ? `more than ${this.#limits.maxRequests} requests`
      : this.exhausted;
  }

  get exhausted(): string | null {
    return this.#out + this.#in > this.#limits.maxBytes ? `more than ${this.#limits.maxBytes} bytes` : null;
  }

  /** Refusals cost time too, so a program that does not stop is ignored. */
  get deaf(): boolean {
    return this.#requests > 2 * this.#limits.maxRequests + 1000;
  }

  decide(asked: ProxyRequest): Meter {
    const host = terminalLine(asked.host, MAX_TEXT);
    const reason = asked.reason === null ? null : terminalLine(asked.reason, MAX_TEXT);
    const found = this.#counted({ ...asked, host, reason });
    found.count += 1;
    // Logs the first of each, then ever fewer: a program that asks a million times must not fill the log.
    if (Number.isInteger(Math.log10(found.count))) {
      const { kind, port, allowed, count } = found;
      const facts = { kind, host: found.host, port, ...(reason === null ? {} : { reason }), count };
      if (allowed) this.#log('info', 'egress_allowed', facts);
      else this.#log('warn', 'egress_denied', facts);
    }
    return {
      out: (bytes) => {
        found.bytesOut += bytes;
        this.#out += bytes;
        if (this.exhausted !== null) this.#spent();
      },
      in: (bytes) => {
        found.bytesIn += bytes;
        this.#in += bytes;
        if (this.exhausted !== null) this.#spent();
      },
    };
  }

  answered(status: number, resetAt: number | null): void {
    const good = status >= 200 && status < 300;
    if (!good && (this.#refusals.has(status) || this.#refusals.size < MAX_STATUSES))
      this.#refusals.set(status, resetAt);
    this.#upstream = good ? null : { status, resetAt };
  }

  report(): EgressReport {
    return {
      decisions: [...this.#decisions.values()].map((one) => ({ ...one })),
      requests: this.#requests,
      bytesOut: this.#out,
      bytesIn: this.#in,
      upstream: this.#upstream,
      refusals: [...this.#refusals].map(([status, resetAt]) => ({ status, resetAt })),
    };
  }

  #counted(asked: ProxyRequest): CountedDecision {
    const key = JSON.stringify([asked.kind, asked.host, asked.port, asked.allowed, asked.reason]);
    const found = this.#decisions.get(key);
    if (found !== undefined) return found;
    if (this.#decisions.size >= MAX_KINDS && asked.host !== OTHERS)
      return this.#counted({ ...asked, host: OTHERS, port: null, reason: asked.allowed ? null : 'refused as others' });
    const made = { ...asked, count: 0, bytesOut: 0, bytesIn: 0 };
    this.#decisions.set(key, made);
    return made;
  }
}

/** Stands for everything after that many different requests. */
const OTHERS = '…';
