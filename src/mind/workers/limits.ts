/** What a worker may use; the one place for these numbers. The wall time is also bounded by the attempt's deadline. */
const MIB = 1 << 20;

/** An answer that is asked for once more takes no longer than a review. */
export const ANSWER_TURN_MS = 180_000;

export const WORKER_LIMITS = {
  memoryBytes: 4096 * MIB,
  /** Threads count too: a CLI on Node has a dozen, a parallel build of tests some hundred. */
  processes: 1024,
  cpus: 2,
  wallMs: 30 * 60_000,
  idleMs: 5 * 60_000,
  diskBytes: 4096 * MIB,
} as const;

/** Printed on stdout and stderr together. Streams of JSON repeat everything several times; plain text does not. */
export const OUTPUT_BYTES = { text: 8 * MIB, json: 64 * MIB, jsonl: 64 * MIB } as const;

/** What one attempt may ask of its model: a CLI that goes in circles, or a worker that spends for its own ends, is stopped. */
export const EGRESS_LIMITS = { maxRequests: 2_000, maxBytes: 2048 * MIB } as const;

/** Of what was said, the end is kept and read: exactly what is kept is what was judged. */
export const SAID_CHARS = MIB;
/** One JSON document or line: JSON.parse of more holds up everything else for longer than 100 ms (measured 2026-11). */
export const DOCUMENT_CHARS = 8 * MIB;

/** Longest single argument that Linux takes, its ending zero byte included. */
export const ARGUMENT_BYTES = 128 << 10;
