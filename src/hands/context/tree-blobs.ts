/** Streams blob contents as bytes: memory is bounded by the largest one, however many there are. */
import { type GitCall, streamGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { firstLine } from './tree-git.ts';

const NEWLINE = 10;

/**
 * Calls back once for each id, in order, with bytes that are valid until `each` returns; null if the blob is missing or
 * too large.
 */
export async function eachBlob(
  ids: readonly string[],
  call: GitCall,
  most: number,
  each: (n: number, bytes: Uint8Array | null) => void,
): Promise<void> {
  if (ids.length === 0) return;
  const reader = new BatchReader(ids.length, most, each);
  const asked = { ...call, input: `${ids.join('\n')}\n` };
  const { code, ended, stderr } = await streamGit(['cat-file', '--batch', '--buffer'], asked, (piece) => {
    reader.add(piece);
    return true;
  });
  if (code !== 0 || ended !== 'exit' || !reader.done) {
    throw new GitError(`git cat-file ended too early (${ended} ${code}): ${firstLine(stderr)}`);
  }
}

/**
 * Parses the output of `cat-file --batch` in pieces: `ID blob SIZE
 * `, the bytes and `
 * `, or `ID missing
 * `.
 */
class BatchReader {
  readonly #each: (n: number, bytes: Uint8Array | null) => void;
  readonly #count: number;
  /** Larger objects are not kept. */
  readonly #most: number;
  #n = 0;
  /** The size of the current object; -1 while its header is read. */
  #size = -1;
  #isBlob = false;
  #line = '';
  /** Reused for each content that arrives in several pieces. */
  #held = Buffer.allocUnsafe(256 << 10);
  #filled = 0;

  constructor(count: number, most: number, each: (n: number, bytes: Uint8Array | null) => void) {
    this.#count = count;
    this.#most = most;
    this.#each = each;
  }

  get done(): boolean {
    return this.#n === this.#count && this.#size < 0 && this.#line === '';
  }

  add(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) at = this.#size < 0 ? this.#header(piece, at) : this.#content(piece, at);
  }

  #header(piece: Buffer, from: number): number {
    const end = piece.indexOf(NEWLINE, from);
    this.#line += piece.toString('latin1', from, end < 0 ? piece.length : end);
    if (end < 0) return piece.length;
    const words = this.#line.split(' ');
    this.#line = '';
    const size = words.length === 3 ? Number(words[2]) : Number.NaN;
    if (words[1] === 'missing') this.#next(null);
    else if (Number.isInteger(size)) [this.#size, this.#isBlob] = [size, words[1] === 'blob'];
    else throw new GitError('git cat-file printed a line that is not understood');
    return end + 1;
  }

  /** Content, and the line break after it. */
  #content(piece: Buffer, from: number): number {
    const whole = this.#size + 1;
    if (this.#filled === 0 && piece.length - from >= whole) {
      this.#next(this.#size > this.#most ? null : piece.subarray(from, from + this.#size));
      return from + whole;
    }
    const taken = Math.min(piece.length - from, whole - this.#filled);
    if (this.#size > this.#most) {
      this.#filled += taken;
      if (this.#filled === whole) this.#next(null);
      return from + taken;
    }
    if (this.#held.length < whole) {
      const larger = Buffer.allocUnsafe(whole);
      this.#held.copy(larger, 0, 0, this.#filled);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#filled, from, from + taken);
    this.#filled += taken;
    if (this.#filled === whole) this.#next(this.#held.subarray(0, this.#size));
    return from + taken;
  }

  #next(bytes: Uint8Array | null): void {
    [this.#size, this.#filled] = [-1, 0];
    this.#each(this.#n, this.#isBlob ? bytes : null);
    this.#n += 1;
  }
}
