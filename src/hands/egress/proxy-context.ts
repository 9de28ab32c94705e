/** What all parts of a proxy share. */
import type { AppLog } from '../../engine/ports/surroundings.ts';
import type { ResolveHost } from './connect.ts';

export type Times = {
  /** Until the header of a request is complete. */
  readonly headMs: number;
  /** Until the whole request is there. */
  readonly bodyMs: number;
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** How long one side may continue after the other has ended. */
  readonly halfOpenMs: number;
};

export type ProxyContext = {
  readonly dir: string;
  readonly log: AppLog;
  readonly resolve: ResolveHost;
  readonly times: Times;
};
