/** The limits of a worker; the only place for these numbers. The attempt's deadline also bounds the wall time. */
const MIB = 1 << 20;

/** Asking once more for an answer takes no longer than a review. */
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

/** Printed on stdout and stderr together. JSON streams repeat everything several times; plain text does not. */
export const OUTPUT_BYTES = { text: 8 * MIB, json: 64 * MIB, jsonl: 64 * MIB } as const;

/** The model calls of one attempt: stops a CLI in a loop, or a worker that spends for its own ends. */
export const EGRESS_LIMITS = { maxRequests: 2_000, maxBytes: 2048 * MIB } as const;

/** Stores and parses only the end of a worker's output, so that the stored text is the judged text. */
export const SAID_CHARS = MIB;
/** One JSON document or line: JSON.parse of more blocks everything else for longer than 100 ms (measured 2026-11). */
export const DOCUMENT_CHARS = 8 * MIB;

/** Longest single argument that Linux takes, including its final zero byte. */
export const ARGUMENT_BYTES = 128 << 10;
