/**
 * Reads a text file that a person wrote: bounded, regular, and valid UTF-8; or returns one sentence about the problem.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Rejection, rejected } from '../../kernel/result.ts';

/** Config, workflows, scripts: far above any honest one. */
export const MAX_TEXT_BYTES = 1 << 20;

/** `no-links`: an untrusted program wrote the file, so a link in its place is refused. */
export function readTextFile(path: string, maxBytes = MAX_TEXT_BYTES, links?: 'no-links'): string | Rejection {
  let fd: number;
  try {
    // Non-blocking: opening a FIFO must not wait for a writer; it is refused below.
    const noLinks = links === undefined ? 0 : constants.O_NOFOLLOW;
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noLinks);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return rejected(
      'no_file',
      code === 'ENOENT' ? `${path}: there is no such file` : `${path}: cannot be read (${code})`,
    );
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return rejected('no_file', `${path}: is not a regular file`);
    if (stat.size > maxBytes)
      return rejected('too_large', `${path}: ${stat.size} bytes are too many, at most ${maxBytes} are read`);
    return decodeText(path, readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** The same for bytes that were read already. */
export function decodeText(path: string, bytes: Buffer): string | Rejection {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return rejected('not_utf8', `${path}: is UTF-16; save it as UTF-8`);
  }
  try {
    // The decoder drops a byte-order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return rejected('not_utf8', `${path}: is not UTF-8: byte ${badByte(bytes)} does not belong; save it as UTF-8`);
  }
}

/** Where the first sequence that is not UTF-8 starts, by bisection: a prefix only fails to decode after it. */
function badByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decoded(bytes.subarray(0, middle)) === null) bad = middle;
    else good = middle;
  }
  // The longest good prefix may end inside the sequence; its decoded part ends before.
  return Buffer.byteLength(decoded(bytes.subarray(0, good)) ?? '');
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
