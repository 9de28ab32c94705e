/**
 * How far a CLI's word about its model's server is believed. What it prints may come from a tool that it started: one line
 * of that would park the operator's CLI for all projects. Where the calls go through our proxy, we know better.
 */
import type { Ended, Told } from './adapter.ts';

export function believed(
  told: Told,
  { routed, refusals }: { readonly routed: boolean; readonly refusals: readonly NonNullable<Ended['upstream']>[] },
): Told {
  const { failure } = told;
  if (!routed || failure === null || (failure.class !== 'quota' && failure.class !== 'auth')) return told;
  // Vendors say an empty account or a bad key with any of these.
  const fits = failure.class === 'quota' ? QUOTA : AUTH;
  const seen = fits.flatMap((status) => refusals.find((one) => one.status === status) ?? []);
  if (seen[0] !== undefined) return { ...told, failure: { ...failure, resetAt: seen[0].resetAt } };
  const others = refusals.map(({ status }) => status).join(', ') || 'no refusal';
  const reason = `${failure.reason} (our proxy saw ${others} from the model's server)`;
  return { ...told, failure: { ...failure, class: 'unknown', reason, resetAt: null } };
}

const QUOTA = [429, 402, 403, 400];
const AUTH = [401, 403, 400];
