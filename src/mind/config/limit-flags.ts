/** Limits that the operator sets for one command: `--limit KEY=VALUE`. */
import * as v from 'valibot';
import { nearest } from '../../kernel/nearest.ts';
import { type LimitsConfig, limitsConfig } from '../domain/limits.ts';
import { issueText } from '../fields/issue-text.ts';
import { LIMIT_KEYS, nestedLimits } from './limit-keys.ts';

/** Each text is like `budget.task_usd=0.5`. Returns a sentence for an invalid one. */
export function limitFlags(said: readonly string[]): LimitsConfig | string {
  const known = LIMIT_KEYS.map(({ key }) => key);
  const flat = new Map<string, unknown>();
  for (const one of said) {
    const [, key = '', text = ''] = /^([\w.-]+)=(.+)$/.exec(one) ?? [];
    const isKnown = key === 'slots.per_cli' ? false : known.includes(key) || /^slots\.per_cli\.[\w-]+$/.test(key);
    if (!isKnown) {
      const meant = nearest(key || one, known);
      const hint = meant === null ? '' : `, did you mean ${meant}?`;
      return `--limit ${one}: write KEY=VALUE with a key of \`supervisor limits\`${hint}`;
    }
    flat.set(key, saidValue(text));
  }
  const parsed = v.safeParse(limitsConfig, nestedLimits(flat));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  return `--limit ${issue.path?.map((item) => item.key).join('.') ?? ''}: ${issueText(issue)}`;
}

function saidValue(text: string): unknown {
  if (text === 'none' || text === 'null') return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
