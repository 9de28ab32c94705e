/**
 * Reads an XML report token by token: linear time, memory for one tag. Anything not well-formed is a problem. A DOCTYPE
 * that only names an external file is skipped and never loaded (Istanbul writes one); declared entities are a problem.
 */

type XmlToken =
  /** `<a/>` is an open and a close. */
  | { readonly type: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: 'close'; readonly name: string }
  | { readonly type: 'text'; readonly text: string }
  /** Always the last token. */
  | { readonly type: 'problem'; readonly problem: string };

const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 64;
/** Texts with more entities are refused: replacing 50 million took more than 2 GB (measured 2026-11). */
const MAX_ESCAPED = 1 << 20;
// Every repetition is bounded: a pattern that could backtrack to any of 50 million characters would run out of memory.
const TAG = /<(\/?)([A-Za-z_:][\w:.-]{0,199})/y;
const ATTRIBUTE = /[ \t\r\n]{1,1000}([A-Za-z_:][\w:.-]{0,199})[ \t\r\n]{0,20}=[ \t\r\n]{0,20}(["'])/y;
const TAG_END = /[ \t\r\n]{0,1000}(\/?)>/y;
const DOCTYPE =
  /<!DOCTYPE\s{1,20}[\w:.-]{1,200}(?:\s{1,20}(?:SYSTEM|PUBLIC\s{1,20}"[^"<>]{0,500}")\s{1,20}"[^"<>]{0,500}")?\s{0,20}>/y;
const ENTITY = /&(?:#(\d{1,7});|#x([0-9a-fA-F]{1,6});|(amp|lt|gt|quot|apos);|)/g;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Parts that hold no elements: how each starts and ends. */
const CDATA = ['<![CDATA[', ']]>'] as const;
const PARTS = [['<!--', '-->'], ['<?', '?>'], CDATA] as const;

export function* xmlTokens(text: string): Generator<XmlToken> {
  const open: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let begun = false;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  const problem = (what: string): XmlToken => ({ type: 'problem', problem: `${what}, at character ${at}` });
  while (at < text.length) {
    const part = PARTS.find(([start]) => text.startsWith(start, at));
    if (part !== undefined || text[at] !== '<') {
      const from = at + (part?.[0].length ?? 0);
      const found = text.indexOf(part?.[1] ?? '<', from);
      if (part !== undefined && found < 0) return yield problem(`${part[0]} without an end`);
      const end = found < 0 ? text.length : found;
      const plain = part === undefined ? unescaped(text.slice(from, end)) : part === CDATA ? text.slice(from, end) : '';
      if (plain === null) return yield problem('an unknown entity, or a long text of entities');
      if (open.length === 0 && plain.trim() !== '') return yield problem('text outside of the root element');
      if (open.length > 0 && plain !== '') yield { type: 'text', text: plain };
      at = end + (part?.[1].length ?? 0);
      continue;
    }
    if (!begun && take(DOCTYPE) !== null) continue;
    const [, slash, name] = take(TAG) ?? [];
    if (name === undefined) return yield problem('neither a tag nor text');
    const attributes = new Map<string, string>();
    for (let found = take(ATTRIBUTE); found !== null; found = take(ATTRIBUTE)) {
      const [, key = '', quote = ''] = found;
      const end = text.indexOf(quote, at);
      const raw = end < 0 ? '<' : text.slice(at, end);
      const value = raw.includes('<') ? null : unescaped(raw);
      if (value === null) return yield problem('an attribute without a plain value');
      if (attributes.has(key) || attributes.size >= MAX_ATTRIBUTES) return yield problem('an attribute too many');
      attributes.set(key, value);
      at = end + 1;
    }
    const ended = take(TAG_END);
    if (ended === null) return yield problem('a tag without an end');
    if (slash === '/') {
      if (open.pop() !== name || attributes.size > 0 || ended[1] === '/') return yield problem('a wrong closing tag');
      yield { type: 'close', name };
      continue;
    }
    if (begun && open.length === 0) return yield problem('a second root element');
    if (open.length >= MAX_DEPTH) return yield problem(`elements nested deeper than ${MAX_DEPTH}`);
    begun = true;
    yield { type: 'open', name, attributes };
    if (ended[1] === '/') yield { type: 'close', name };
    else open.push(name);
  }
  if (open.length > 0 || !begun) yield problem('no end of the root element, so it is truncated');
}

/** Returns null if it uses a declared entity or an invalid character, or is too long. */
function unescaped(text: string): string | null {
  if (!text.includes('&')) return text;
  if (text.length > MAX_ESCAPED) return null;
  let known = true;
  const plain = text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? '';
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '-1', 16);
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    known = false;
    return '';
  });
  return known ? plain : null;
}
