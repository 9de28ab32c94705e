/** Hashing: a pure function of its input, so it may live below everything else. */
import { createHash, hash } from 'node:crypto';

/** Lower-case hex sha256. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** The link of a hash chain: what came before, then the new text. */
export function chainHash(previous: string, text: string): string {
  return createHash('sha256').update(previous, 'hex').update(text).digest('hex');
}

/** What the first event of a log chains to. */
export const GENESIS = '0'.repeat(64);

/** The id that git gives to a file with this text. */
export function gitBlobId(text: string, isSha256 = false): string {
  const bytes = new TextEncoder().encode(text);
  return createHash(isSha256 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}
