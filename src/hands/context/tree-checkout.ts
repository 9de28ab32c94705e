/**
 * The operator's checkout as a faster copy of what git's objects hold: to read a file there takes a third of the time
 * that git needs to unpack it (31,000 files: 0.6 s of processor time against 2.0 s, measured 2026-11).
 *
 * A file counts only when its bytes have the hash that git knows them by: then it is no matter where they come from. A
 * pipe or a device is neither opened nor read, and a link is not followed. With filters (line ends, large file storage)
 * the hashes differ.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeFile } from '../../engine/ports/project-tree.ts';
import type { GitCall } from '../../os/git/git.ts';
import { ownerOf } from '../../os/git/owner.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

export class Checkout {
  readonly #dir: string;
  /** Of each directory whether it is one of the checkout, and no link above it leads away. */
  readonly #ours = new Map<string, boolean>();
  #room = roomFor(1 << 16);

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Null: there is none that can be used. */
  static open(dir: string, call: GitCall): Checkout | null {
    try {
      return isOurs(dir, call) ? new Checkout(realpathSync(dir)) : null;
    } catch {
      return null;
    }
  }

  /** Good until the next call; null: not here as the tree has it. */
  read(file: TreeFile): Uint8Array | null {
    const { bytes, id } = file;
    // The tree may be one that a worker left, with names that stand for something else here: to open that may do harm.
    if (bytes >= LARGEST || !this.#isThere(file)) return null;
    if (this.#room.length <= HEAD + bytes) this.#room = roomFor(bytes * 2);
    const content = readFile(`${this.#dir}/${file.path}`, bytes, this.#room);
    return content !== null && idOf(this.#room, bytes, id) === id ? content : null;
  }

  #isThere({ path, bytes }: TreeFile): boolean {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (!this.#isInside(folder)) return false;
    const stat = lstatSync(`${this.#dir}/${path}`, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size === bytes;
  }

  #isInside(folder: string): boolean {
    const known = this.#ours.get(folder);
    if (known !== undefined) return known;
    const at = join(this.#dir, folder);
    let isInside = false;
    try {
      isInside = realpathSync.native(at) === at;
    } catch {
      // It is not there.
    }
    this.#ours.set(folder, isInside);
    return isInside;
  }
}

/** Root does not go where another user could have laid links. */
const isOurs = (dir: string, call: GitCall): boolean => call.owner === null && ownerOf(dir) === null;

/** Most files are smaller; the others are left to git. */
const LARGEST = 1 << 20;
/** Before a content stands what git hashes before it: `blob`, its size and a zero. */
const HEAD = 32;
const roomFor = (bytes: number): Buffer => Buffer.allocUnsafeSlow(HEAD + Math.min(bytes + 1, LARGEST));

function readFile(path: string, bytes: number, room: Buffer): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size !== bytes) return null;
    // One more than there should be, to see that it did not grow.
    const length = readSync(fd, room, HEAD, bytes + 1, 0);
    return length === bytes ? room.subarray(HEAD, HEAD + length) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Of the content in that room; by the kind of hash of an id like this. */
function idOf(room: Buffer, bytes: number, like: string): string {
  const head = `blob ${bytes}\0`;
  room.write(head, HEAD - head.length, 'latin1');
  return hash(like.length === 40 ? 'sha1' : 'sha256', room.subarray(HEAD - head.length, HEAD + bytes));
}
