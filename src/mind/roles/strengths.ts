/** Which of several CLIs that could do a step is asked first: the one that is good at what the role is about. */
import type { CliSettings } from '../workers/cli-config.ts';
import type { Role } from './role.ts';

/** The operator's order stays among those that share as many words. */
export function byStrengths(
  clis: readonly string[],
  role: Pick<Role, 'strengths'>,
  settings: Readonly<Record<string, CliSettings>>,
): readonly string[] {
  const wanted = new Set(role.strengths);
  const shared = (cli: string) => (settings[cli]?.strengths ?? []).filter((one) => wanted.has(one)).length;
  return [...clis].sort((a, b) => shared(b) - shared(a));
}
