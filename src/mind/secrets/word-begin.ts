/**
 * Where a word begins when what stands before it is the end of something else: of an escape (`\n` in JSON), of a colour
 * of a terminal, of an encoded sign of an address, of the number of a line (`12-`, as searches write it). Their letters
 * are glued to the word and no part of it.
 */
const BACKSLASH = 92;
const PERCENT = 37;
const BRACKET = 91;
const SEMICOLON = 59;
const NEWLINE = 10;

const ESCAPED = /u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0abfnrtv]/y;
const ENCODED = /[0-9a-fA-F]{2}/y;
const NUMBER = /[0-9]{1,6}-/y;
const COLOUR = /[0-9]{0,3}[A-Za-z]/y;
const COLOUR_BEGINS = ['\u001b', 'u001b', 'u001B', 'x1b', 'x1B', '\\033', '\\e'];
const MOST_OF_COLOUR = 24;

/** `at`: where letters, digits and signs begin; `before` and `first`: the characters before and at it. */
export function wordBegin(text: string, at: number, before: number, first: number): number {
  if (before === BACKSLASH) return behind(ESCAPED, text, at);
  if (before === PERCENT) return behind(ENCODED, text, at);
  if ((before === BRACKET || before === SEMICOLON) && inColour(text, at)) return behind(COLOUR, text, at);
  return before === NEWLINE && first < 58 ? behind(NUMBER, text, at) : at;
}

/** Whether `begin` lies behind an escape, so that even a value begins there: an encoded sign or a number may be part of one. */
export function isEscape(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before === BACKSLASH || before === BRACKET || before === SEMICOLON;
}

function behind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function inColour(text: string, at: number): boolean {
  const head = text.slice(Math.max(0, at - MOST_OF_COLOUR), at);
  const bracket = head.lastIndexOf('[');
  if (bracket < 0 || /[^0-9;]/.test(head.slice(bracket + 1))) return false;
  return COLOUR_BEGINS.some((begin) => head.endsWith(begin, bracket));
}
