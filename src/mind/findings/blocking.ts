/** The findings that refuse a change: what the log keeps of them, and which remain after a person dismissed some. */
import { sha256 } from '../../kernel/hash.ts';
import { DIFF } from '../domain/sent-back.ts';
import type { Dismissed } from '../domain/task.ts';
import type { DiffFacts } from '../domain/values.ts';
import type { RuleFinding } from './index.ts';

const MOST_NAMED = 100;

export function diffFactsOf(found: readonly RuleFinding[]): DiffFacts {
  const findings = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of found) findings[severity] += 1;
  const blocking = found.filter((one) => one.blocks);
  const rules = new Set((blocking.length > 0 ? blocking : found).map(({ rule }) => rule));
  const named = new Map(blocking.map((one) => [blockingId(one), one.severity]));
  const blocked_by = [...named].map(([id, severity]) => ({ id, severity }));
  return {
    blocks: blocking.length > 0,
    findings,
    rules: [...rules].sort().slice(0, 100),
    ...(named.size === 0 || named.size > MOST_NAMED ? {} : { blocked_by }),
  };
}

/** Without the line, so that the next attempt sees the same finding under the same id. */
export const blockingId = ({ rule, path, message }: Pick<RuleFinding, 'rule' | 'path' | 'message'>): string =>
  `d-${sha256(JSON.stringify([rule, path, message])).slice(0, 8)}`;

/** A finding that a person dismissed for this change does not block it. */
export function withDismissed(
  found: readonly RuleFinding[],
  dismissed: readonly Dismissed[],
  change: string,
): { readonly findings: readonly RuleFinding[]; readonly gone: readonly RuleFinding[] } {
  const ids = new Set(dismissed.filter((one) => one.gate === DIFF && one.change_id === change).map(({ id }) => id));
  const gone = found.filter((one) => one.blocks && ids.has(blockingId(one)));
  return { findings: found.map((one) => (gone.includes(one) ? { ...one, blocks: false } : one)), gone };
}
