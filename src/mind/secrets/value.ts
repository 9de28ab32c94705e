/** Where the value around a word begins and ends: at its quotes, or at the first character that no value has. */
const MOST = 256;
const MOST_VALUE = 4_096;

const STOPS = new Uint8Array(128);
for (const char of ' \t\r\n"\'`<>(){}[],;&|\\') STOPS[char.charCodeAt(0)] = 1;
const BLANK = 32;
const QUOTES = new Set([34, 39, 96]);

export type Value = { readonly from: number; readonly to: number; readonly quoted: boolean };

/** The whole text between two quotes, if it has no blank inside and is no address. */
export function quotedAround(text: string, from: number, to: number): Value | null {
  let start = from;
  while (start > 0 && from - start < MOST && inQuotes(text.charCodeAt(start - 1))) start--;
  const blank = start === from && text.charCodeAt(start - 1) === BLANK ? 1 : 0;
  const quote = text.charCodeAt(start - 1 - blank);
  if (start === 0 || !QUOTES.has(quote)) return null;
  const end = closing(text, to, quote);
  return end === null ? null : { from: start, to: end, quoted: true };
}

/** All words up to the same end have it: a hostile text of a million of them is walked once. */
let last = { text: '', from: 0, end: 0 };

export function valueAround(text: string, from: number, to: number): Value {
  let end = to;
  if (last.text === text && last.from <= to && to <= last.end) end = last.end;
  else {
    while (end < text.length && end - to < MOST_VALUE && !stops(text.charCodeAt(end))) end++;
    last = { text, from: to, end };
  }
  // A full stop or a colon behind it belongs to the sentence.
  while (end > from + 1 && (text[end - 1] === '.' || text[end - 1] === ':')) end--;
  return { from, to: end, quoted: false };
}

const inQuotes = (code: number) => code > 32 && code < 127 && !QUOTES.has(code) && code !== 92;

function closing(text: string, to: number, quote: number): number | null {
  for (let end = to; end < text.length && end - to < MOST_VALUE; end++) {
    const code = text.charCodeAt(end);
    if (code === BLANK && text.charCodeAt(end + 1) === quote) return end;
    if (code === quote || (code === 92 && text.charCodeAt(end + 1) === quote)) return end;
    if (code <= 32 || code === 92) return null;
  }
  return null;
}

const stops = (code: number) => code >= 128 || STOPS[code] === 1;
