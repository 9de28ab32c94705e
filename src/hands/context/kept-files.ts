/**
 * What was found out about commits and trees, kept on disk by their ids, whose meaning never changes. Each is one file,
 * written beside its place and then renamed, so that others see all of it or nothing; one that is damaged, cut off or of
 * another version is as good as none. Not being able to write is no reason to fail.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Afterwards, atOnce } from '../../os/machine/afterwards.ts';

/** Of each kind; the ones that were not asked for the longest go first. */
const MOST = 6;

export class KeptFiles {
  readonly #dir: string | null;
  readonly #kind: string;
  readonly #later: Afterwards;

  /** `kind` names what is kept and its version. Null: nothing is kept. `later`: when it is written. */
  constructor(dir: string | null, kind: string, later: Afterwards = atOnce) {
    this.#dir = dir;
    this.#kind = kind;
    this.#later = later;
  }

  /** What `read` makes of it; it may throw. */
  get<T>(id: string, read: (bytes: Uint8Array) => T): T | null {
    if (this.#dir === null) return null;
    const file = join(this.#dir, this.#nameOf(id));
    try {
      const bytes = aligned(readFileSync(file));
      const content = bytes.subarray(HEAD);
      if (new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0] !== this.#sumOf(id, content)) return null;
      const now = new Date();
      utimesSync(file, now, now);
      return read(content);
    } catch {
      return null;
    }
  }

  set(id: string, make: () => Uint8Array): void {
    const dir = this.#dir;
    if (dir !== null) this.#later(() => this.#write(dir, id, make()));
  }

  #write(dir: string, id: string, content: Uint8Array): void {
    const made = join(dir, `.${randomBytes(8).toString('hex')}.new`);
    const head = new Uint32Array(HEAD / 4);
    head[0] = this.#sumOf(id, content);
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      writeFileSync(made, Buffer.concat([new Uint8Array(head.buffer), content]), { mode: 0o600, flag: 'wx' });
      renameSync(made, join(dir, this.#nameOf(id)));
      for (const old of this.#old()) rmSync(join(dir, old), { force: true });
    } catch {
      discard(made);
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

  /** Those that are too many, and those of other versions. */
  #old(): string[] {
    const own = `${this.#kind}-`;
    const anyVersion = new RegExp(`^${this.#kind.replace(/\d+$/, '')}\\d+-`);
    const others = readdirSync(this.#dir ?? '').filter((name) => anyVersion.test(name) && !name.startsWith(own));
    const tooMany = this.ids().slice(MOST);
    return [...tooMany.map((id) => this.#nameOf(id)), ...others];
  }

  #nameOf(id: string): string {
    return `${this.#kind}-${id}`;
  }

  /** With the name: what was kept of another tree is as good as damaged. */
  #sumOf(id: string, content: Uint8Array): number {
    return crc32(content, crc32(this.#nameOf(id)));
  }
}

/** Before the content stands its sum; so many bytes, that its numbers can be read where they are. */
const HEAD = 8;
const aligned = (bytes: Buffer): Uint8Array => (bytes.byteOffset % HEAD === 0 ? bytes : Uint8Array.from(bytes));

/** What could not be written may be where nobody may look either: that is no reason to fail. */
export function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is not there, or not ours.
  }
}
