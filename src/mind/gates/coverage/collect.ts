/** Collects lines and branches of a report by file, within bounds: a program of the candidate wrote the report. */
import type { Coverage, FileCoverage } from './coverage.ts';

/** Thrown by the readers, caught by `readCoverage`. The message never quotes the report. */
export class UnusableReport extends Error {}

/**
 * Lines and branches of all files: about 700 MB of memory. A real lcov report of 50 MB has 4 million (measured
 * 2026-11).
 */
const MAX_ENTRIES = 5_000_000;
const MAX_FILES = 200_000;
const MAX_LINE = 10_000_000;

export class Collector {
  readonly #files = new Map<string, FileRecords>();
  #entries = 0;

  /** The records of one file. A report may name a file several times, for example once per test or per class. */
  file(path: string): FileRecords {
    let file = this.#files.get(path);
    if (file === undefined) {
      if (this.#files.size >= MAX_FILES) throw new UnusableReport(`it names more than ${MAX_FILES} files`);
      file = new FileRecords(() => this.#count());
      this.#files.set(path, file);
    }
    return file;
  }

  coverage(): Coverage {
    const files = [...this.#files].map(([path, file]) => file.coverage(path));
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  }

  #count(): void {
    this.#entries += 1;
    if (this.#entries > MAX_ENTRIES) throw new UnusableReport(`it has more than ${MAX_ENTRIES} lines and branches`);
  }
}

export class FileRecords {
  readonly #lines = new Map<number, number>();
  readonly #branches = new Map<string, { readonly covered: number; readonly total: number }>();
  readonly #excluded = new Set<number>();
  readonly #count: () => void;

  constructor(count: () => void) {
    this.#count = count;
  }

  /** If a line has several counts (two statements, a method and its class), the highest counts. */
  line(line: number, hits: number): void {
    const before = this.#lines.get(line);
    if (before === undefined) this.#count();
    if (before === undefined || before < hits) this.#lines.set(line, hits);
  }

  /** `key` names one decision within the file, so that a decision that is listed twice is counted once. */
  branches(key: string, covered: number, total: number): void {
    if (covered > total) throw new UnusableReport('it counts more covered branches than branches');
    const before = this.#branches.get(key);
    if (before === undefined) this.#count();
    this.#branches.set(key, {
      covered: Math.max(before?.covered ?? 0, covered),
      total: Math.max(before?.total ?? 0, total),
    });
  }

  exclude(line: number): void {
    if (!this.#excluded.has(line)) this.#count();
    this.#excluded.add(line);
  }

  coverage(path: string): FileCoverage {
    const sum = { covered: 0, total: 0 };
    for (const { covered, total } of this.#branches.values()) {
      sum.covered += covered;
      sum.total += total;
    }
    const excluded = [...this.#excluded].sort((a, b) => a - b);
    return { path, lines: this.#lines, branches: this.#branches.size === 0 ? null : sum, excluded };
  }
}

/** A count as digits or as a JSON number. Negative and absurd numbers make a report unusable. */
export function countOf(value: unknown, what: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0 || number > most)
    throw new UnusableReport(`${what} is not a plausible number`);
  return number;
}

export function lineOf(value: unknown, what: string): number {
  const line = countOf(value, what, MAX_LINE);
  if (line === 0) throw new UnusableReport(`${what} is 0, but lines begin at 1`);
  return line;
}
