import type * as v from 'valibot';
import type { FieldPath } from './yaml.ts';

/** The path to a field, in the form of schema issues. */
export function pathTo(from: unknown, keys: FieldPath): [v.IssuePathItem, ...v.IssuePathItem[]] {
  let input = from;
  const items = keys.map((key): v.IssuePathItem => {
    const value = (input as Record<string | number, unknown>)[key];
    const item = { type: 'unknown', origin: 'value', input, key, value } as const;
    input = value;
    return item;
  });
  return items as [v.IssuePathItem, ...v.IssuePathItem[]];
}
