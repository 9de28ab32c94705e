/** The engine's clock: the wall clock at the start, advanced by the monotonic one. Jumps do not affect it. */
import { randomBytes } from 'node:crypto';
import type { Chance, Clock } from '../../engine/ports/surroundings.ts';
import { idFrom } from '../../kernel/ids.ts';

/** The longest timer of Node; a longer one would fire at once. */
const MAX_WAIT_MS = 2 ** 31 - 1;

export function systemClock(wall: () => number = Date.now, monotonic: () => number = () => performance.now()): Clock {
  const offset = wall() - monotonic();
  const after: Clock['after'] = (ms, callback) => {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      const wait = Math.max(0, Math.min(left, MAX_WAIT_MS));
      timer = setTimeout(() => (left > wait ? arm(left - wait) : callback()), wait);
    };
    arm(ms);
    return () => clearTimeout(timer);
  };
  return { now: () => Math.round(offset + monotonic()), after };
}

export const systemChance: Chance = {
  dice: () => Math.random(),
  id: (prefix) => idFrom(prefix, randomBytes(8)),
};
