/** Which CLI is asked first among several that could do a step: the one that is good at the role's subject. */
import type { CliSettings } from '../workers/cli-config.ts';
import type { Role } from './role.ts';

/** Keeps the operator's order among CLIs that share as many words. */
export function byStrengths(
  clis: readonly string[],
  role: Pick<Role, 'strengths'>,
  settings: Readonly<Record<string, CliSettings>>,
): readonly string[] {
  const wanted = new Set(role.strengths);
  const shared = (cli: string) => (settings[cli]?.strengths ?? []).filter((one) => wanted.has(one)).length;
  return [...clis].sort((a, b) => shared(b) - shared(a));
}
