/** Parses a worker's output into an answer, or into a sentence that tells the worker what to do better. */
import * as v from 'valibot';
import { issueText } from '../fields/issue-text.ts';
import { lastJsonBlock } from './fence.ts';
import { ANSWERS, type Answer, type AnswerKind } from './schemas.ts';
import { readStrictJson } from './strict-json.ts';

export type ParsedAnswer<K extends AnswerKind> =
  | {
      readonly type: 'answer';
      readonly answer: Answer<K> /** Other json blocks that were said and do not count. */;
      readonly others: number;
    }
  | { readonly type: 'invalid'; readonly reason: string };

export function parseAnswer<K extends AnswerKind>(kind: K, said: string): ParsedAnswer<K> {
  const block = lastJsonBlock(said);
  if (block.type === 'none') return invalid('there is no ```json block: end with exactly one');
  if (block.type === 'unterminated')
    return invalid(`the \`\`\`json block that begins in line ${block.line} is never closed`);
  const read = readStrictJson(block.text);
  if (read.type === 'problem') {
    const line = block.line + block.text.slice(0, read.offset).split('\n').length;
    return invalid(`the json block ${read.message} (line ${line})`);
  }
  const parsed = v.safeParse(ANSWERS[kind], withoutGaps(kind, read.value));
  if (parsed.success) return { type: 'answer', answer: parsed.output as Answer<K>, others: block.others };
  const reasons = parsed.issues.slice(0, 5).map((issue) => {
    const path = v.getDotPath(issue) ?? 'the answer';
    if (issue.type === 'strict_object' && issue.expected === 'never')
      return `the answer has no field ${path}: leave it out`;
    return issue.received === 'undefined' ? `${path} is missing` : `${path}: ${issueText(issue)}`;
  });
  return invalid(reasons.join('; ').slice(0, 1_000));
}

/** These statuses say that the work is not done. */
const UNDONE: ReadonlySet<unknown> = new Set(['BLOCKED', 'FAILED', 'PARTIAL', 'NEEDS_REFINEMENT']);
const NEUTRAL = ['', [], 0];

/** Work that is not done has nothing to show: why it is not must not be lost for want of another field. */
function withoutGaps(kind: AnswerKind, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (!UNDONE.has((value as { readonly status?: unknown }).status)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [key, entry] of Object.entries(ANSWERS[kind].entries)) {
    const fits = (one: unknown) => v.safeParse(entry, one).success;
    if (!Object.hasOwn(value, key) && !fits(undefined)) filled[key] = NEUTRAL.find(fits);
  }
  return filled;
}

const invalid = (reason: string): { readonly type: 'invalid'; readonly reason: string } => ({
  type: 'invalid',
  reason,
});
