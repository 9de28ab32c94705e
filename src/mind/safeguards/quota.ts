/** Quotas: when a CLI is parked and until when. The facts are the host's, because a quota belongs to a login. */

import type { Draft } from '../domain/draft.ts';
import { type Quota, quotaOf } from '../domain/limits.ts';
import { HOST } from '../domain/stream-name.ts';
import type { Attempt } from '../domain/task.ts';
import { MAX_LINE } from '../domain/values.ts';

/** A quota is used up: until it resets, no project gives the CLI work. */
export function parkCli(
  draft: Draft,
  name: string,
  attempt: Attempt,
  quota: { readonly reset_at: number | null; readonly reason: string },
): void {
  const { at } = draft.envelope;
  const before = draft.project.host.parked.get(name);
  // The attempt began before the CLI was parked and hit the same quota as another attempt: no news, unless it knows
  // more.
  const sameRefusal = before !== undefined && attempt.started <= before.at;
  const tries = sameRefusal ? before.tries : (before?.tries ?? 0) + 1;
  const { until, told } = parkedUntil(quotaOf(draft.project.board.limits), at, quota.reset_at, tries);
  if (sameRefusal && (until <= before.until || !told)) return;
  draft.emit(HOST, {
    type: 'cli.parked',
    data: { cli: name, at, until, told, tries, why: quota.reason.slice(0, MAX_LINE) },
  });
}

/** A reset time that proves wrong again and again is trusted less each time, which prevents a tight loop. */
function parkedUntil(
  quota: Quota,
  at: number,
  reset: number | null,
  tries: number,
): { readonly until: number; readonly told: boolean } {
  const guess = (n: number) => at + Math.min(quota.first_ms * 2 ** Math.min(n, 30), quota.max_ms);
  const told = reset !== null && reset > at;
  const until = told ? Math.max(reset, tries > 1 ? guess(tries - 2) : at) : guess(tries - 1);
  return { until: Math.min(until, at + quota.longest_ms), told };
}

/** An attempt that began after the CLI was parked succeeded: the quota is available again. */
export function unparkCli(draft: Draft, name: string, attempt: Attempt): void {
  const parked = draft.project.host.parked.get(name);
  if (parked === undefined || attempt.started <= parked.at) return;
  draft.emit(HOST, { type: 'cli.unparked', data: { cli: name, why: 'it works again' } });
}
