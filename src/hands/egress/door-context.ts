/** What every part of a door works with. */
import type { AppLog } from '../../engine/ports/surroundings.ts';
import type { Resolve } from './connect.ts';

export type Times = {
  /** Until the head of a request is there. */
  readonly headMs: number;
  /** Until all of a request is there. */
  readonly bodyMs: number;
  readonly connectMs: number;
  /** Without a byte either way. */
  readonly idleMs: number;
  /** What is left to one side when the other has ended. */
  readonly halfOpenMs: number;
};

export type DoorContext = {
  readonly dir: string;
  readonly log: AppLog;
  readonly resolve: Resolve;
  readonly times: Times;
};
