/**
 * The cache for everything derived from git objects. Keys name objects by their ids, so a value never goes stale.
 * Values live in memory (LRU, bounded in bytes); those from `stored` also live on disk as JSON, for other processes.
 * Each value on disk is one file, written under a temporary name and then renamed: other processes see the whole file
 * or none, also after a kill -9. A damaged file counts as missing. A read-only disk is no reason to fail.
 */
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

type CacheOptions = {
  readonly memoryBytes?: number;
  /** Where values are stored for other processes; null for memory only. */
  readonly dir?: string | null;
  /** Names the code that makes the values: other code never reads them. */
  readonly version?: string;
  /** Limit for all values on disk together. */
  readonly diskBytes?: number;
};

/** Enough for some listings of 30,000 files with their history, and for the texts of some packets. */
const MEMORY_BYTES = 128 << 20;
/** The listing of 30,000 files takes 5 MB. */
const DISK_BYTES = 128 << 20;
/** Every write looks at all files to find the oldest, so there may not be many. */
const DISK_FILES = 200;

export class ContentCache {
  readonly #memory = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  readonly #making = new Map<string, Promise<unknown>>();
  readonly #options: Required<CacheOptions>;
  #bytes = 0;

  constructor(options: CacheOptions = {}) {
    const { memoryBytes = MEMORY_BYTES, dir = null, version = '', diskBytes = DISK_BYTES } = options;
    this.#options = { memoryBytes, dir, version, diskBytes };
  }

  get<T>(key: string): T | undefined {
    const found = this.#memory.get(key);
    if (found === undefined) return undefined;
    this.#memory.delete(key);
    this.#memory.set(key, found);
    return found.value as T;
  }

  set(key: string, value: unknown, bytes: number): void {
    const { memoryBytes } = this.#options;
    this.#forget(key);
    // A value that takes most of the cache would evict all others.
    if (bytes > memoryBytes / 2) return;
    this.#memory.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#memory.keys()) {
      if (this.#bytes <= memoryBytes) break;
      this.#forget(oldest);
    }
  }

  /** The value in memory, or what `make` returns. Concurrent callers share one `make`; a failure is not cached. */
  async once<T>(key: string, bytesOf: (value: T) => number, make: () => Promise<T>): Promise<T> {
    const known = this.get<T>(key);
    if (known !== undefined) return known;
    const begun = this.#making.get(key);
    if (begun !== undefined) return begun as Promise<T>;
    const making = make().finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    const value = await making;
    this.set(key, value, bytesOf(value));
    return value;
  }

  /** The value on disk, or what `make` returns, which must survive JSON. Does not keep it in memory. */
  async stored<T>(key: string, make: () => Promise<T>): Promise<T> {
    const { dir } = this.#options;
    if (dir === null) return make();
    const file = join(dir, this.#fileOf(key));
    const known = read(file);
    if (known !== undefined) return known as T;
    const value = await make();
    this.#write(dir, file, value);
    return value;
  }

  #write(dir: string, file: string, value: unknown): void {
    const made = join(dir, `${randomBytes(8).toString('hex')}.new`);
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const json = Buffer.from(JSON.stringify(value));
      writeFileSync(made, Buffer.concat([sumOf(json), json]), { mode: 0o600, flag: 'wx' });
      renameSync(made, file);
      evict(dir, this.#options.diskBytes);
    } catch {
      discard(made);
    }
  }

  #fileOf(key: string): string {
    return hash('sha256', `${this.#options.version}\n${key}`);
  }

  #forget(key: string): void {
    this.#bytes -= this.#memory.get(key)?.bytes ?? 0;
    this.#memory.delete(key);
  }
}

const SUM_BYTES = 4;

function sumOf(json: Uint8Array): Buffer {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(json));
  return sum;
}

function read(file: string): unknown {
  try {
    const bytes = readFileSync(file);
    const json = bytes.subarray(SUM_BYTES);
    if (!sumOf(json).equals(bytes.subarray(0, SUM_BYTES))) return undefined;
    const now = new Date();
    utimesSync(file, now, now);
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The directory is not writable either.
  }
}

/** Deletes the least recently used files, including those of other versions and killed processes. */
function evict(dir: string, diskBytes: number): void {
  const files = readdirSync(dir).flatMap((name) => {
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    return stat?.isFile() ? [{ name, used: stat.mtimeMs, bytes: stat.size }] : [];
  });
  files.sort((a, b) => b.used - a.used);
  let bytes = 0;
  for (const [n, file] of files.entries()) {
    bytes += file.bytes;
    if (n >= DISK_FILES || bytes > diskBytes) rmSync(join(dir, file.name), { force: true });
  }
}
