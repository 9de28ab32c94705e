/** What belongs to this machine rather than to one project: money spent today, over all projects. */
import type { HostEvent } from './events/index.ts';

export type Host = { readonly day: string; readonly spent: number };

export const HOST_REDUCER = 1;
export const EMPTY_HOST: Host = { day: '', spent: 0 };

/** Only the newest day counts: a charge for an older one, by a process whose clock is behind, does not bring it back. */
export function evolveHost(host: Host, event: HostEvent): Host {
  const { day, microusd } = event.data;
  if (day < host.day) return host;
  return { day, spent: (day === host.day ? host.spent : 0) + microusd };
}

/** The day a budget belongs to: UTC, so that it does not depend on where the machine stands. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
