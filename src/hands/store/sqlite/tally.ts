/** A sum over the names of live streams, kept with the head: it shows if a stream disappears from the list. */
import { hash } from 'node:crypto';

/** 48 bits, so that sums stay exact integers. */
const SPAN = 2 ** 48;

export function tallyOf(stream: string): number {
  return hash('sha256', stream, 'buffer').readUIntBE(0, 6);
}

export const addTally = (sum: number, one: number): number => (sum + one) % SPAN;
export const subtractTally = (sum: number, one: number): number => (sum - one + SPAN) % SPAN;
