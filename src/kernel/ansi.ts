/** Removes colours and other terminal controls from a program's output. */

const ESC = 0x1b;
const BEL = 0x07;

/**
 * One pass over the text: hostile output costs no more than its length. Text without controls is returned unchanged.
 */
export function withoutAnsi(text: string): string {
  if (!text.includes('\u001b') && !text.includes('\u009b')) return text;
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code !== ESC && code !== 0x9b) {
      at += 1;
      continue;
    }
    kept.push(text.slice(from, at));
    at = code === ESC ? afterEscape(text, at + 1) : afterCsi(text, at + 1);
    from = at;
  }
  kept.push(text.slice(from));
  return kept.join('');
}

/** `[` starts a CSI sequence such as a colour; `]` and `P`, `X`, `^`, `_` start a string such as a title or a link. */
function afterEscape(text: string, at: number): number {
  const char = text[at];
  if (char === '[') return afterCsi(text, at + 1);
  if (char !== undefined && ']PX^_'.includes(char)) return afterString(text, at + 1);
  // `ESC ( B` and similar: intermediates, then one final character.
  let end = at;
  while (isBetween(text.charCodeAt(end), 0x20, 0x2f)) end += 1;
  return isBetween(text.charCodeAt(end), 0x30, 0x7e) ? end + 1 : end;
}

/** Parameters and intermediates, then one final character. Anything else ends the sequence and is text. */
function afterCsi(text: string, at: number): number {
  let end = at;
  while (isBetween(text.charCodeAt(end), 0x20, 0x3f)) end += 1;
  return isBetween(text.charCodeAt(end), 0x40, 0x7e) ? end + 1 : end;
}

/**
 * Ends at BEL or `ESC \`, and at the latest at the end of its line: an unclosed string hides one line, not the answer.
 */
function afterString(text: string, at: number): number {
  for (let end = at; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === BEL) return end + 1;
    if (code === ESC) return text[end + 1] === '\\' ? end + 2 : end;
    if (code === 0x0a) return end;
  }
  return text.length;
}

const isBetween = (code: number, low: number, high: number): boolean => code >= low && code <= high;
