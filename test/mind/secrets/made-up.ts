/** Secrets for tests, made when they run: no scanner finds one in these files, and nothing can be done with them. */
import { createHash } from 'node:crypto';

const SETS = {
  hex: '0123456789abcdef',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  all: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
} as const;

/** Always the same for the same seed. */
export function madeUp(length: number, set: keyof typeof SETS = 'all', seed = 'secret'): string {
  let text = '';
  for (let round = 0; text.length < length; round++)
    for (const byte of createHash('sha512').update(`${seed} ${set} ${round}`).digest())
      text += SETS[set][byte % SETS[set].length];
  return text.slice(0, length);
}

export const uuid = (seed = 'uuid'): string =>
  madeUp(32, 'hex', seed).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');

export function keyBlock(kind: string): string {
  const lines = Array.from({ length: 6 }, (_, n) => madeUp(64, 'all', `line ${n}`));
  return ['-----BEGIN', `${kind}-----\n`].join(' ') + lines.join('\n') + ['\n-----END', `${kind}-----`].join(' ');
}
