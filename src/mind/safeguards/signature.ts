/**
 * The signature of an error: equal for the same failure, even if paths, line numbers, times and hashes differ. A name
 * and a hash, never text, because it is logged.
 */
import { withoutAnsi } from '../../kernel/ansi.ts';
import { sha256 } from '../../kernel/hash.ts';

/** Well-known failures by their characteristic line. The name gives the kind, the hash which failure of that kind. */
const NAMED: readonly (readonly [string, RegExp])[] = [
  ['test_assertion', /AssertionError(?: \[[A-Z_]+\])?:.*/],
  ['test_timeout', /Timeout.*test.*/],
  ['hardcoded_secret', /(?:password|secret|key)\s*=\s*["'][^"']+["']/],
  ['sql_injection', /execute\s*\([^)]*\+[^)]*\)/],
  ['bash_syntax', /syntax error near.*/],
  ['python_syntax', /SyntaxError:.*/],
  ['coverage_drop', /Coverage.*below.*threshold/],
];

/** These match code, which runners also print around another failure: alone they do not say which one it was. */
const CODE: ReadonlySet<string> = new Set(['hardcoded_secret', 'sql_injection']);

/** Lines about a failure; a report also lists what passed, in any order. */
const TELLING =
  /\b(?:\w*errors?|fail(?:ed|ure|s)?|\w*exception|panic|assert\w*|expected|not ok|cannot|denied)\b|[✗✖×]/i;

/** How much of a text is read: its start and its end. */
const HALF = 32 << 10;
const MAX_LINE = 500;
const MAX_LINES = 200;

/** Returns null if the text has no content. */
export function signatureOf(text: string): string | null {
  const whole = text.length > 2 * HALF ? `${text.slice(0, HALF)}\n${text.slice(-HALF)}` : text;
  const lines = withoutAnsi(whole)
    .split(/\r?\n|⏎/)
    .map((line) => line.slice(0, MAX_LINE).trim())
    .filter((line) => line !== '');
  const named = lines.flatMap(nameOf);
  const telling = lines.filter((line) => TELLING.test(line));
  const [first] = named;
  if (first !== undefined) {
    const more = named.every(({ name }) => CODE.has(name)) ? telling.map(withoutNumbers) : [];
    return `${first.name}/${hashOf([...named.map(({ name, line }) => `${name} ${line}`), ...more])}`;
  }
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

/** Independent of the order of the lines. */
const hashOf = (lines: readonly string[]): string =>
  sha256([...new Set(lines)].sort().slice(0, MAX_LINES).join('\n')).slice(0, 12);

/** Removes what differs between two runs of the same failure. */
const withoutNumbers = (line: string): string =>
  line
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#')
    .replaceAll(/(?:\b[a-z]:|\bfile:\/\/|\.{0,2})?(?:[\w.@+-]*[/\\])+[\w.@+-]*/gi, '<path>')
    .replaceAll(/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,})\b/gi, '#')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '#')
    .replaceAll(/\s+/g, ' ');
