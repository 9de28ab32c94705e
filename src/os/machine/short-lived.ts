/** For a process that does one thing and ends. */
import { setFlagsFromString } from 'node:v8';

/**
 * Without V8's last and slowest compiler: what it makes is ready when such a process is about to end. Packing context in a
 * fresh process takes a quarter less processor time so (measured 2026-11). Never in a process that stays.
 */
export function endsSoon(): void {
  setFlagsFromString('--no-opt');
}
