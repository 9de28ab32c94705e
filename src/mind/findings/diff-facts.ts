/** What the findings of a change come to, for the log. */
import type { DiffFacts } from '../domain/values.ts';
import type { RuleFinding } from './index.ts';

export function diffFactsOf(found: readonly RuleFinding[]): DiffFacts {
  const findings = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of found) findings[severity] += 1;
  const blocks = found.some((one) => one.blocks);
  const rules = new Set(found.filter((one) => one.blocks === blocks).map(({ rule }) => rule));
  return { blocks, findings, rules: [...rules].sort().slice(0, 100) };
}
