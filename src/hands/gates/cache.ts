/** Caches gate outcomes by key, one small file each. A file with any fault counts as missing. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import { parseRecord, type RunRecord, recordText } from '../../mind/gates/run-record.ts';
import { readTextFile } from '../../os/files/text-file.ts';

const MAX_BYTES = 4_096;

export class RunCache {
  readonly #dir: string;
  readonly #log: AppLog;

  constructor(dir: string, log: AppLog) {
    this.#dir = dir;
    this.#log = log;
  }

  get(key: string): RunRecord | null {
    const text = readTextFile(this.#path(key), MAX_BYTES);
    return typeof text === 'string' ? parseRecord(key, text) : null;
  }

  /** No fsync: a checksum detects what a power loss truncated. */
  put(key: string, record: RunRecord): void {
    const path = this.#path(key);
    const next = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(next, recordText(key, record), { mode: 0o600, flag: 'wx' });
      renameSync(next, path);
    } catch (error) {
      // The gate has its outcome; it will only run once more than necessary.
      if (existsSync(next)) rmSync(next);
      this.#log('warn', 'the outcome of a gate was not remembered', { path, error: (error as Error).message });
    }
  }

  #path(key: string): string {
    return join(this.#dir, key.slice(0, 2), `${key}.json`);
  }
}
