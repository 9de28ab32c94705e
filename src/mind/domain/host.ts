/** Facts of this machine rather than one project: money spent today, and CLIs whose quota is used up. */
import { assertNever } from '../../kernel/assert-never.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import { moreTokens } from './board.ts';
import type { HostEvent } from './events/index.ts';

/** Kept until a success, even after the reset time: it determines what follows another quota failure. */
export type Parked = {
  readonly at: number;
  readonly until: number;
  readonly told: boolean;
  readonly tries: number;
  readonly why: string;
};

export type Host = {
  readonly day: string;
  readonly spent: number;
  /** The day's tokens that budgets count; absent if none. */
  readonly tokens?: number;
  readonly parked: OrderedMap<Parked>;
};

export const HOST_REDUCER = 2;
export const EMPTY_HOST: Host = { day: '', spent: 0, parked: OrderedMap.empty() };

export function evolveHost(host: Host, event: HostEvent): Host {
  switch (event.type) {
    case 'host.charged': {
      const { day, microusd } = event.data;
      // Only the newest day counts: a charge for an older one, from a process whose clock is behind, does not bring it
      // back.
      if (day < host.day) return host;
      const { spent, tokens, ...rest } = host;
      const today = day === host.day && tokens !== undefined ? { tokens } : {};
      return { ...rest, day, spent: (day === host.day ? spent : 0) + microusd, ...moreTokens(today, event.data) };
    }
    case 'cli.parked': {
      const { cli, ...parked } = event.data;
      return { ...host, parked: host.parked.set(cli, parked) };
    }
    case 'cli.unparked':
      return { ...host, parked: host.parked.delete(event.data.cli) };
    default:
      return assertNever(event, 'host event');
  }
}

/** The day that a budget belongs to: UTC, so that it does not depend on the machine's time zone. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The CLI's parking if it takes no work at this time, else null. */
export function parkedAt(host: Host, name: string, now: number): Parked | null {
  const parked = host.parked.get(name);
  return parked !== undefined && parked.until > now ? parked : null;
}
