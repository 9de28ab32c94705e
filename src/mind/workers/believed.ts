/**
 * How far a CLI's word about its model's server is believed. What it prints may come from a tool that it started: one line
 * of that would park the operator's CLI for all projects. Where the calls go through our proxy, we know better.
 */
import type { Ended, Told } from './adapter.ts';

export function believed(
  told: Told,
  { routed, upstream }: { readonly routed: boolean; readonly upstream: Ended['upstream'] },
): Told {
  const { failure } = told;
  if (!routed || failure === null || (failure.class !== 'quota' && failure.class !== 'auth')) return told;
  // Vendors say an empty account or a bad key with any of these.
  const fits = failure.class === 'quota' ? QUOTA : AUTH;
  if (upstream !== null && fits.includes(upstream.status))
    return { ...told, failure: { ...failure, resetAt: upstream.resetAt } };
  const seen = upstream === null ? 'no such answer' : `${upstream.status}`;
  const reason = `${failure.reason} (our proxy saw ${seen} from the model's server)`;
  return { ...told, failure: { ...failure, class: 'unknown', reason, resetAt: null } };
}

const QUOTA = [400, 402, 403, 429];
const AUTH = [400, 401, 403];
