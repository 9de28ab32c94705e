/** Hashing is a pure function of its input, so it may be on the lowest floor. */
import { createHash, hash } from 'node:crypto';

/** Lower-case hex sha256. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** The link of a hash chain: the previous hash, then the new text. */
export function chainHash(previous: string, text: string): string {
  return createHash('sha256').update(previous, 'hex').update(text).digest('hex');
}

/** The hash that the first event of a log chains to. */
export const GENESIS = '0'.repeat(64);

/** The id that git gives to a file with this text. */
export function gitBlobId(text: string, isSha256 = false): string {
  const bytes = new TextEncoder().encode(text);
  return createHash(isSha256 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/** The id of an object in git's loose form (`commit 213\0…`), one character per byte. */
export function gitObjectId(object: string, isSha256 = false): string {
  return createHash(isSha256 ? 'sha256' : 'sha1')
    .update(Uint8Array.from(object, (character) => character.charCodeAt(0)))
    .digest('hex');
}
