/** Distinguishes a JavaScript regular expression from a division, by what precedes the slash. */

/** Words before a value, so a slash after one starts an expression. */
const BEFORE_VALUE: ReadonlySet<string> = new Set(
  'return typeof case in of delete void throw new else do instanceof await yield default'.split(' '),
);
const [NEWLINE, SLASH, OPEN, CLOSE, BACKSLASH] = [10, 47, 91, 93, 92];

/**
 * The end of the expression that starts at `at` (after its last slash); `before` is the last character of code. 0: it
 * is a division. Below 0: it is not closed on its line, which ends there, so nothing else on it is an expression.
 */
export function endOfRegExp(text: string, at: number, before: number): number {
  if (!mayBegin(text, at, before)) return 0;
  let inClass = false;
  let i = at + 1;
  for (; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i += 1;
    else if (code === NEWLINE) break;
    else if (code === OPEN) inClass = true;
    else if (code === CLOSE) inClass = false;
    else if (code === SLASH && !inClass) return i + 1;
  }
  return -i;
}

function mayBegin(text: string, at: number, before: number): boolean {
  if (before < 0) return true;
  const last = text[before] ?? '';
  // Ends of values, and the closing tags of JSX: `</a>`, `<a b={c} />`.
  if (')]\'"`<'.includes(last)) return false;
  if (text[at + 1] === '>') return false;
  if (last === '}') return true;
  if (!/[\w$]/.test(last) && last < '\x80') return !(last === '+' || last === '-') || text[before - 1] !== last;
  // No longer word matters.
  const word = /[\w$]+$/.exec(text.slice(Math.max(0, before - 11), before + 1))?.[0] ?? '';
  return BEFORE_VALUE.has(word) && text[before - word.length] !== '.';
}
