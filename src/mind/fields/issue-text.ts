/** Puts the schema library's own words into the words of a file; a schema's own message stays. */
import type * as v from 'valibot';

type Issue = v.BaseIssue<unknown> & { readonly requirement?: unknown };

export function issueText({ type, message, expected, received, requirement, input }: Issue): string {
  if (!message.startsWith('Invalid ')) return message;
  if (received === 'undefined' || message.startsWith('Invalid key: ')) return 'is missing';
  const things = Array.isArray(input) ? 'entries' : 'characters';
  switch (type) {
    case 'integer':
      return 'must be a whole number';
    case 'min_value':
      return `must be at least ${requirement}`;
    case 'max_value':
      return `must be at most ${requirement}`;
    case 'min_length':
      return `must have at least ${requirement} ${things}`;
    case 'max_length':
      return `must have at most ${requirement} ${things}`;
    default:
      if (!message.startsWith('Invalid type: ')) return message;
      return `must be ${WANTED[type] ?? choices(expected ?? '')}, not ${RECEIVED[received] ?? received}`;
  }
}

/** The library writes `("a" | "b")`. */
const choices = (expected: string): string => expected.replaceAll(/[()]/g, '').replaceAll(' | ', ' or ');

const WANTED: Readonly<Record<string, string>> = {
  object: 'keys and values',
  strict_object: 'keys and values',
  record: 'keys and values',
  array: 'a list',
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
};
const RECEIVED: Readonly<Record<string, string>> = { null: 'empty', Object: 'keys and values', Array: 'a list' };
