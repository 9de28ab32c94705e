/**
 * Uses the operator's checkout as a faster copy of git's objects: reading a file there takes a third of the time git
 * needs to unpack it (31,000 files: 0.6 s of processor time against 2.0 s, measured 2026-11). A file counts only if its
 * bytes have the hash that git expects, so it does not matter where they come from. Pipes and devices are neither
 * opened nor read, and links are not followed. With filters (line ends, large file storage) the hashes differ.
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
  /** Whether each directory belongs to the checkout, with no link above it. */
  readonly #ours = new Map<string, boolean>();
  #room = roomFor(1 << 16);

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Returns null if there is no usable checkout. */
  static open(dir: string, call: GitCall): Checkout | null {
    try {
      return isOurs(dir, call) ? new Checkout(realpathSync(dir)) : null;
    } catch {
      return null;
    }
  }

  /** Valid until the next call; null if the checkout does not have the file as in the tree. */
  read(file: TreeFile): Uint8Array | null {
    const { bytes, id } = file;
    // A worker may have made the tree, with names that mean something else here; opening those may do harm.
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
      // The file does not exist.
    }
    this.#ours.set(folder, isInside);
    return isInside;
  }
}

/** Root does not enter directories where another user could have placed links. */
const isOurs = (dir: string, call: GitCall): boolean => call.owner === null && ownerOf(dir) === null;

/** Most files are smaller; git reads the others. */
const LARGEST = 1 << 20;
/** Git hashes a prefix before the content: `blob`, its size and a zero byte. */
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
    // Reads one byte more than expected, to notice that the file grew.
    const length = readSync(fd, room, HEAD, bytes + 1, 0);
    return length === bytes ? room.subarray(HEAD, HEAD + length) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** The git id of the content in the buffer, with the same hash algorithm as `like`. */
function idOf(room: Buffer, bytes: number, like: string): string {
  const head = `blob ${bytes}\0`;
  room.write(head, HEAD - head.length, 'latin1');
  return hash(like.length === 40 ? 'sha1' : 'sha256', room.subarray(HEAD - head.length, HEAD + bytes));
}
