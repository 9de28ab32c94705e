/** The words that identifiers are made of: what a task says and what code says meet in them. */

/** A run of capitals that ends a word, a word with at most its first letter capital, or digits. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
/** The same for every script; those without capitals are not split. Slow, and slow to make: only where it is needed. */
const anyWord = (): RegExp => /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}\p{Lm}\p{M}]+/gu;
const OTHER_SCRIPT = /[\u0080-\uffff]/;

/** `parseHTTPRequest2_fast-path` → parse, http, request, 2, fast, path. Lower-case, in order, with repeats. */
export function identifierWords(text: string): string[] {
  const words = text.match(OTHER_SCRIPT.test(text) ? anyWord() : WORD) ?? [];
  return words.map((word) => word.toLowerCase());
}
