/** For a process that does one thing and ends. */
import { setFlagsFromString } from 'node:v8';

/** The one loop that every byte of a repository goes through: by its name, as V8 asks for it. */
const HOT = '#walk';

const FLAGS = [
  // V8's last and slowest compiler is for that loop alone: what it makes of the rest is ready when the process is about to end.
  `--turbo-filter=${HOT}`,
  // The one before it works only for what is called often, not for a loop that runs long once.
  ...['--invocation-count-for-maglev=1000', '--no-maglev-osr'],
  // Young objects keep to their first megabyte: looked through more often, in half the memory.
  '--semi-space-growth-factor=1',
  // To clean up with several threads, or bit by bit, is for heaps that are large or live long.
  ...['--no-parallel-scavenge', '--no-incremental-marking'],
];

let isShort = false;

/**
 * Packing context for 30,000 files in a fresh process takes a quarter less processor time so, and 140 MB instead of 270
 * (measured 2026-11). Never in a process that stays.
 */
export function endsSoon(): void {
  isShort = true;
  for (const flag of FLAGS) setFlagsFromString(flag);
}

/** Whether work for later is worth its time. */
export const stays = (): boolean => !isShort;
