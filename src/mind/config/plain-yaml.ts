/**
 * YAML as most files have it: nested keys, lists, plain words and numbers, texts behind `|`. The library takes 15 ms of
 * processor time for the first file of a process (measured 2026-11), most of it to get going. Whatever is not surely one of
 * these forms, and every mistake, is left to the library.
 */
type Value = string | number | boolean | Value[] | { [key: string]: Value };

/** Null: this is for the library. What is returned is what the library makes of it. */
export function plainYaml(text: string): Record<string, unknown> | null {
  if (!PLAIN.test(text) || SPACE_AT_END.test(text) || DEEP.test(text)) return null;
  const lines = new Lines(text.split('\n'));
  const value = block(lines, 0);
  return value === null || Array.isArray(value) || !lines.atEnd ? null : value;
}

/** No tabs, no returns, nothing but ASCII; no signs by which YAML does something else. */
const PLAIN = /^[\n -~]*$/;
const SPACE_AT_END = / (?:\n|$)/;
/** What is nested too deeply is for the library to refuse. */
const DEEP = /^ {40}/m;
const COMMENT = /^ *(?:#.*)?$/;
const ENTRY = /^( *)([A-Za-z_]\w{0,99}):(?: (.*))?$/;
const ITEM = /^( *)- (.*)$/;
/** Names of objects that every object has, and what would be no text in YAML. */
const NO_KEY = /^(?:__proto__|constructor|prototype|null|true|false)$/i;

class Lines {
  readonly #all: readonly string[];
  #at = 0;

  constructor(all: readonly string[]) {
    this.#all = all;
    this.#skip();
  }

  /** Null at the end. */
  get now(): string | null {
    return this.#all[this.#at] ?? null;
  }

  get atEnd(): boolean {
    return this.#at >= this.#all.length;
  }

  next(): void {
    this.#at += 1;
    this.#skip();
  }

  #skip(): void {
    while (this.#at < this.#all.length && COMMENT.test(this.#all[this.#at] as string)) this.#at += 1;
  }

  /** The lines behind this one that are deeper, or empty, as they are. */
  below(indent: number): string[] {
    const from = this.#at + 1;
    let to = from;
    for (let at = from; at < this.#all.length; at++) {
      const line = this.#all[at] as string;
      if (/[^ ]/.test(line)) {
        if (indentOf(line) <= indent) break;
        to = at + 1;
      }
    }
    this.#at = to;
    this.#skip();
    return this.#all.slice(from, to);
  }
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Keys or items that all begin at this place. */
function block(lines: Lines, indent: number): Value[] | { [key: string]: Value } | null {
  return ITEM.test(lines.now ?? '') ? items(lines, indent) : entries(lines, indent);
}

function items(lines: Lines, indent: number): Value[] | null {
  const found: Value[] = [];
  for (let line = lines.now; line !== null && indentOf(line) >= indent; line = lines.now) {
    const [, before = '', rest = ''] = ITEM.exec(line) ?? [];
    const value = before.length === indent && rest !== '' ? scalar(rest) : null;
    if (value === null) return null;
    found.push(value);
    lines.next();
  }
  return found;
}

function entries(lines: Lines, indent: number): { [key: string]: Value } | null {
  const found: { [key: string]: Value } = {};
  let isEmpty = true;
  for (let line = lines.now; line !== null && indentOf(line) >= indent; line = lines.now) {
    const [, before = '', key = '', rest = ''] = ENTRY.exec(line) ?? [];
    if (key === '' || before.length !== indent || NO_KEY.test(key) || Object.hasOwn(found, key)) return null;
    const value = rest === '' ? below(lines, indent) : rest === '|' ? literal(lines, indent) : sameLine(lines, rest);
    if (value === null) return null;
    found[key] = value;
    isEmpty = false;
  }
  return isEmpty ? null : found;
}

/** What stands deeper behind a key: a block, or a list in brackets that has lines of its own. */
function below(lines: Lines, indent: number): Value | null {
  lines.next();
  const line = lines.now;
  if (line === null || indentOf(line) <= indent) return null;
  if (!line.trimStart().startsWith('[')) return block(lines, indentOf(line));
  let list = '';
  for (let one = lines.now; one !== null && indentOf(one) > indent; one = lines.now) {
    list += `${one.trim()} `;
    lines.next();
    if (one.endsWith(']'))
      return flow(
        list
          .trim()
          .replace(/^\[ /, '[')
          .replace(/,? \]$/, ']'),
      );
    // A value of two lines has a meaning of its own, and so has what is empty or a comment between them.
    if (!WHOLE_VALUES.test(one) && !/^ *\]$/.test(lines.now ?? '')) return null;
  }
  return null;
}

/** Of a line of a list: every quote is closed, and the last value too. */
const WHOLE_VALUES = /^(?:[^"]|"[^"]*")*[[,]$/;

function sameLine(lines: Lines, rest: string): Value | null {
  lines.next();
  return /^[[{]/.test(rest) ? flow(rest) : scalar(rest);
}

/** The text of all lines, without the depth of the first, and one line break at its end. */
function literal(lines: Lines, indent: number): string | null {
  const all = lines.below(indent);
  const depth = indentOf(all[0] ?? '');
  if (depth <= indent || all.some((line) => line !== '' && (indentOf(line) < depth || line.trim() === ''))) return null;
  return `${all.map((line) => line.slice(depth)).join('\n')}\n`;
}

const FLOW_LIST = /^\[((?:[^[\]{},"]+|"[^"\\]*")(?:, (?:[^[\]{},"]+|"[^"\\]*"))*)?\]$/;
const FLOW_MAP = /^\{ ?([a-z_]+: [^[\]{},:" ]+(?:, [a-z_]+: [^[\]{},:" ]+)*) ?\}$/;

/** `[a, b]` or `{ a: 1, b: 2 }`, with nothing nested in it. */
function flow(text: string): Value | null {
  const list = FLOW_LIST.exec(text);
  if (list !== null) {
    const values = list[1] === undefined ? [] : (list[1].match(/"[^"]*"|[^,"]+/g)?.flatMap((one) => inFlow(one)) ?? []);
    return values.includes(NONE) ? null : (values as Value[]);
  }
  const map = FLOW_MAP.exec(text)?.[1];
  if (map === undefined) return null;
  const found: { [key: string]: Value } = {};
  for (const entry of map.split(', ')) {
    const [key = '', one = ''] = entry.split(': ');
    const [value = NONE] = inFlow(one);
    if (value === NONE || NO_KEY.test(key) || Object.hasOwn(found, key)) return null;
    found[key] = value;
  }
  return found;
}

const NONE = Symbol('none');

/** Nothing between two quoted ones; `NONE`: for the library. */
function inFlow(text: string): (Value | typeof NONE)[] {
  const own = text.trim();
  if (own === '') return [];
  return [/^(?:[\w$./*-]+(?: [\w$./*-]+)*|"[^"]*")$/.test(own) ? (scalar(own) ?? NONE) : NONE];
}

const WORDS = /^[A-Za-z$./_][\w $./,;'*()+=-]*$/;

function scalar(text: string): string | number | boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(text)) return Number(text);
  const quoted = /^"([^"\\]*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  // `.5`, `.inf` and `~` are no texts, and neither are these.
  if (!WORDS.test(text) || text.endsWith(' ') || /^\.[\d\w]/.test(text)) return null;
  return /^(?:null|true|false|[.]+)$/i.test(text) ? null : text;
}
