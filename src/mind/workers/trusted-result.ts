/**
 * Checks what a CLI reports about its model server against what our proxy saw. A tool that the CLI started could print
 * a forged line, which would park the operator's CLI for all projects.
 */
import type { CliExit, CliResult } from './adapter.ts';

export function trustedResult(
  told: CliResult,
  { routed, refusals }: { readonly routed: boolean; readonly refusals: readonly NonNullable<CliExit['upstream']>[] },
): CliResult {
  const { failure } = told;
  if (!routed || failure === null || (failure.class !== 'quota' && failure.class !== 'auth')) return told;
  // Vendors report an empty account or a bad key with any of these.
  const fits = failure.class === 'quota' ? QUOTA : AUTH;
  const seen = fits.flatMap((status) => refusals.find((one) => one.status === status) ?? []);
  if (seen[0] !== undefined) return { ...told, failure: { ...failure, resetAt: seen[0].resetAt } };
  const others = refusals.map(({ status }) => status).join(', ') || 'no refusal';
  const reason = `${failure.reason} (our proxy saw ${others} from the model's server)`;
  return { ...told, failure: { ...failure, class: 'unknown', reason, resetAt: null } };
}

const QUOTA = [429, 402, 403, 400];
const AUTH = [401, 403, 400];
