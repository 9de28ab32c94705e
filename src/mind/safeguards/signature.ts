/**
 * The signature of an error: equal for the same failure, although paths, line numbers, times and hashes differ. A name and a
 * hash, never text: it goes into the log.
 */
import { withoutAnsi } from '../../kernel/ansi.ts';
import { sha256 } from '../../kernel/hash.ts';

/** Well-known failures by the line that tells them. The name says the kind, the hash behind it which failure of that kind. */
const NAMED: readonly (readonly [string, RegExp])[] = [
  ['test_assertion', /AssertionError(?: \[[A-Z_]+\])?:.*/],
  ['test_timeout', /Timeout.*test.*/],
  ['hardcoded_secret', /(?:password|secret|key)\s*=\s*["'][^"']+["']/],
  ['sql_injection', /execute\s*\([^)]*\+[^)]*\)/],
  ['bash_syntax', /syntax error near.*/],
  ['python_syntax', /SyntaxError:.*/],
  ['coverage_drop', /Coverage.*below.*threshold/],
];

/** Lines that speak of a failure; a report also holds lists of what passed, in any order. */
const TELLING = /\b(?:errors?|fail(?:ed|ure|s)?|exception|panic|assert\w*|expected|not ok|cannot|denied)\b|[✗✖×]/i;

/** So much of a text is looked at: its beginning and its end. */
const HALF = 32 << 10;
const MAX_LINE = 500;
const MAX_LINES = 200;

/** Null: the text says nothing. */
export function signatureOf(text: string): string | null {
  const whole = text.length > 2 * HALF ? `${text.slice(0, HALF)}\n${text.slice(-HALF)}` : text;
  const lines = withoutAnsi(whole)
    .split(/\r?\n|⏎/)
    .map((line) => line.slice(0, MAX_LINE).trim())
    .filter((line) => line !== '');
  const named = lines.flatMap(nameOf);
  const [first] = named;
  if (first !== undefined) return `${first.name}/${hashOf(named.map(({ name, line }) => `${name} ${line}`))}`;
  const telling = lines.filter((line) => TELLING.test(line));
  const said = telling.length === 0 ? lines : telling;
  return said.length === 0 ? null : `error/${hashOf(said.map(withoutNumbers))}`;
}

/** One signature for several failures at once. */
export function jointSignature(signatures: readonly string[]): string | null {
  const [only, ...others] = [...new Set(signatures)].sort();
  if (only === undefined) return null;
  return others.length === 0 ? only : `several/${hashOf([only, ...others])}`;
}

function nameOf(line: string): { readonly name: string; readonly line: string }[] {
  for (const [name, pattern] of NAMED) {
    const found = pattern.exec(line);
    if (found !== null) return [{ name, line: withoutNumbers(found[0]) }];
  }
  return [];
}

/** In whatever order the lines came. */
const hashOf = (lines: readonly string[]): string =>
  sha256([...new Set(lines)].sort().slice(0, MAX_LINES).join('\n')).slice(0, 12);

/** What differs between two runs of the same failure is taken out. */
const withoutNumbers = (line: string): string =>
  line
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#')
    .replaceAll(/(?:\b[a-z]:|\bfile:\/\/|\.{0,2})?(?:[\w.@+-]*[/\\])+[\w.@+-]*/gi, '<path>')
    .replaceAll(/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,})\b/gi, '#')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '#')
    .replaceAll(/\s+/g, ' ');
