/** `--limit KEY=VALUE`: a limit for this one command. */
import { limitFlags } from '../../mind/config/limit-flags.ts';
import type { LimitsConfig } from '../../mind/domain/limits.ts';
import { texts, UsageError } from './command.ts';

export function limitsOf(flag: string | boolean | undefined): LimitsConfig {
  const said = limitFlags(texts(flag) ?? []);
  if (typeof said === 'string') throw new UsageError(said);
  return said;
}
