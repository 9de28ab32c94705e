/**
 * What was found out about commits and trees, kept on disk by their ids, whose meaning never changes. Each is one file,
 * written beside its place and then renamed, so that others see all of it or nothing; one that is damaged, cut off or of
 * another version is as good as none. Not being able to write is no reason to fail.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Of each kind; the ones that were not asked for the longest go first. */
const MOST = 6;

export class KeptFiles {
  readonly #dir: string | null;
  readonly #kind: string;

  /** `kind` names what is kept and its version. Null: nothing is kept. */
  constructor(dir: string | null, kind: string) {
    this.#dir = dir;
    this.#kind = kind;
  }

  get(id: string): unknown {
    if (this.#dir === null) return undefined;
    const file = join(this.#dir, this.#nameOf(id));
    try {
      const bytes = readFileSync(file);
      const end = bytes.indexOf('\n');
      const json = bytes.subarray(end + 1);
      if (bytes.toString('latin1', 0, end) !== sumOf(json)) return undefined;
      const now = new Date();
      utimesSync(file, now, now);
      return JSON.parse(json.toString());
    } catch {
      return undefined;
    }
  }

  set(id: string, value: unknown): void {
    if (this.#dir === null) return;
    const json = JSON.stringify(value);
    const made = join(this.#dir, `.${randomBytes(8).toString('hex')}.new`);
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      writeFileSync(made, `${sumOf(json)}\n${json}`, { mode: 0o600, flag: 'wx' });
      renameSync(made, join(this.#dir, this.#nameOf(id)));
      for (const old of this.ids().slice(MOST)) rmSync(join(this.#dir, this.#nameOf(old)), { force: true });
    } catch {
      rmSync(made, { force: true });
    }
  }

  /** Those that are kept, the last used first. */
  ids(): string[] {
    const dir = this.#dir;
    if (dir === null) return [];
    const prefix = `${this.#kind}-`;
    try {
      return readdirSync(dir)
        .filter((name) => name.startsWith(prefix))
        .map((name) => ({ id: name.slice(prefix.length), at: statSync(join(dir, name)).mtimeMs }))
        .sort((a, b) => b.at - a.at)
        .map(({ id }) => id);
    } catch {
      return [];
    }
  }

  #nameOf(id: string): string {
    return `${this.#kind}-${id}`;
  }
}

const sumOf = (json: string | Buffer): string => crc32(json).toString(16);
