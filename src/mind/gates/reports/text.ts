/** Lines and JSON of a report that may be large and hostile: time and memory stay proportional to the text. */

/** Each line without its end. Unlike `split`, it holds one line at a time. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    start = end + 1;
  }
}

/** Values of a JSON text. A report of 200,000 tests has about 3 million. */
const MAX_VALUES = 5_000_000;
const MAX_DEPTH = 100;

/**
 * Undefined if the text is no JSON, or has more values than a report could: `[[],[],…` needs 30 times its size as
 * values.
 */
export function parseJson(text: string): unknown {
  if (!isModest(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isModest(text: string): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = closingQuote(text, at + 1);
      if (at < 0) return false;
    } else if (code === 0x5b || code === 0x7b) {
      values += 1;
      depth += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === 0x2c) values += 1;
    if (values > MAX_VALUES) return false;
  }
  return depth === 0;
}

/** The end of the string that began before `from`; -1 if it does not end. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - slashes > from && text.charCodeAt(at - slashes - 1) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
