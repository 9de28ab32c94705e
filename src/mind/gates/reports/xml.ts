/**
 * Reads the XML of test runners: elements, attributes and comments; text is checked and skipped. A document type is
 * refused, because entities can make a small text huge or read files. Text that is not well-formed was truncated or
 * forged.
 */
export type XmlAttributes = ReadonlyMap<string, string>;
export type XmlHandler = {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  comment(text: string): void;
};

const MAX_DEPTH = 200;
const MAX_ATTRIBUTES = 50;
/** A longer value, such as a message, is cut. */
const MAX_VALUE = 65_536;
const NAME = /[A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]*/y;
const SPACE = /[ \t\r\n]*/y;
const NOT_WELL_FORMED = 'it is not well-formed XML, perhaps cut off';

/** Returns the problem of the text; null if all of it was read. The handler may be called before a problem is found. */
export function readXml(text: string, handler: XmlHandler): string | null {
  const path: string[] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let hasRoot = false;
  // Found once and kept until the position passes it: a search for each piece of text would take quadratic time.
  let ampersand = text.indexOf('&', at);
  while (at < text.length) {
    const open = text.indexOf('<', at);
    const end = open < 0 ? text.length : open;
    if (path.length === 0 && text.slice(at, end).trim() !== '') return NOT_WELL_FORMED;
    if (ampersand >= 0 && ampersand < at) ampersand = text.indexOf('&', at);
    if (ampersand >= 0 && ampersand < end && !isPlain(text, ampersand, end)) return NOT_WELL_FORMED;
    if (open < 0) break;
    if (text.startsWith('<!--', open)) {
      const close = text.indexOf('-->', open + 4);
      if (close < 0) return NOT_WELL_FORMED;
      handler.comment(text.slice(open + 4, close));
      at = close + 3;
    } else if (text.startsWith('<![CDATA[', open)) {
      const close = text.indexOf(']]>', open + 9);
      if (close < 0 || path.length === 0) return NOT_WELL_FORMED;
      at = close + 3;
    } else if (text.startsWith('<?', open)) {
      const close = text.indexOf('?>', open + 2);
      if (close < 0) return NOT_WELL_FORMED;
      at = close + 2;
    } else if (text.startsWith('<!', open))
      return 'it declares a document type or entities, which no test report needs';
    else if (text.startsWith('</', open)) {
      const name = nameAt(text, open + 2);
      const close = skipSpace(text, open + 2 + name.length);
      if (name === '' || text[close] !== '>' || path.pop() !== name) return NOT_WELL_FORMED;
      handler.close(name);
      at = close + 1;
    } else {
      if (hasRoot && path.length === 0) return NOT_WELL_FORMED;
      const tag = tagAt(text, open + 1);
      if (tag === null || path.length === MAX_DEPTH) return NOT_WELL_FORMED;
      hasRoot = true;
      handler.open(tag.name, tag.attributes);
      if (tag.isEmpty) handler.close(tag.name);
      else path.push(tag.name);
      at = tag.end;
    }
  }
  return hasRoot && path.length === 0 ? null : NOT_WELL_FORMED;
}

type Tag = {
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly isEmpty: boolean;
  readonly end: number;
};

function tagAt(text: string, start: number): Tag | null {
  const name = nameAt(text, start);
  if (name === '') return null;
  const attributes = new Map<string, string>();
  let at = start + name.length;
  for (;;) {
    const next = skipSpace(text, at);
    if (text[next] === '>') return { name, attributes, isEmpty: false, end: next + 1 };
    if (text.startsWith('/>', next)) return { name, attributes, isEmpty: true, end: next + 2 };
    const key = nameAt(text, next);
    if (key === '' || next === at || attributes.has(key) || attributes.size === MAX_ATTRIBUTES) return null;
    const equals = skipSpace(text, next + key.length);
    const begin = skipSpace(text, equals + 1);
    const quote = text[begin];
    if (text[equals] !== '=' || (quote !== '"' && quote !== "'")) return null;
    const close = text.indexOf(quote, begin + 1);
    if (close < 0) return null;
    const value = text.slice(begin + 1, close);
    if (value.includes('<') || (value.includes('&') && !isPlain(value, 0, value.length))) return null;
    attributes.set(key, decoded(value.slice(0, MAX_VALUE)));
    at = close + 1;
  }
}

function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0] ?? '';
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.test(text) ? SPACE.lastIndex : at;
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const REFERENCE = /&(?:([a-z]{2,4})|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));/y;

/** Whether each reference is one of the five predefined ones, or a number. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let at = text.indexOf('&', from); at >= 0 && at < to; at = text.indexOf('&', at + 1)) {
    REFERENCE.lastIndex = at;
    const [, name, decimal, hex] = REFERENCE.exec(text) ?? [];
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name === undefined ? !(code <= 0x10ffff) : !Object.hasOwn(PREDEFINED, name)) return false;
  }
  return true;
}

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:([a-z]{2,4})|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));/g, (_, name, decimal, hex) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : (PREDEFINED[name] ?? ''),
  );
}
