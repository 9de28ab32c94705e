/** A worker's answer as a note for the next one: its non-empty fields, in words. Only ever a claim. */
import { bullets } from '../../kernel/bullets.ts';
import { parseAnswer } from './parse-answer.ts';
import type { AnswerKind } from './schemas.ts';

/** A plan of some forty components fits. */
const MAX_NOTE = 24_000;

/** Returns null if it holds no parsable answer. */
export function noteOf(kind: AnswerKind, text: string): string | null {
  const parsed = parseAnswer(kind, text);
  if (parsed.type === 'invalid') return null;
  const note = Object.entries(parsed.answer)
    .flatMap(([name, value]) => (isEmpty(value) ? [] : `${name}:${inWords(value)}`))
    .join('\n');
  return note.length <= MAX_NOTE ? note : `${note.slice(0, MAX_NOTE).toWellFormed()}\n[Truncated]`;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function inWords(value: unknown): string {
  if (typeof value === 'string') return ` ${value}`;
  if (!Array.isArray(value)) return ` ${JSON.stringify(value)}`;
  return `\n${bullets(value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))))}`;
}
