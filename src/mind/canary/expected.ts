/**
 * Finds expected values in a test's own assertions. Another value makes the test fail with the same lines, names and
 * calls. This exposes code that makes assertions of existing tests pass by their place, or by what the product
 * returned.
 */
import type { Scanned, TestLanguage } from './scan.ts';

/** A literal; `value` is its source text. */
export type Expected = { readonly from: number; readonly to: number; readonly value: string };
type Region = { readonly from: number; readonly to: number };

const INTEGER = /^-?(?:0|[1-9]\d{0,8})$/;
const STRING = /^(['"])[^'"\\\r\n$%{}]+\1$/;
const TRUTH = /^(?:true|false|True|False)$/;
const LITERAL = String.raw`(?:-?\d+|'[^'\\\r\n]+'|"[^"\\\r\n]+")`;
const LIST = new RegExp(String.raw`^\[\s*(${LITERAL})(?:\s*,\s*${LITERAL})*\s*,?\s*\]$`);

/**
 * The start of an asserting line; its bracket comes last. A project's own helpers count too: the base shows what they
 * do.
 */
const CALL = /(?:return\s+|await\s+)*((?:[\w$]+\s*\.\s*)*[\w$]+)(!?)\s*\(/y;
const PYTHON_ASSERT = /assert\s+[^\n]*?[^=!<>]==\s*(?=\S)/y;
const GO_IF = /if\s+[^\n{}]*?!=\s*(?=[^\n{}]*\{)/y;
const EQUALS = /^(?:equal|strictEqual|deepEqual|deepStrictEqual|equals|deepEquals|is|same|Equal|EqualValues)$/;
const PYTHON_EQUALS = /^assert(?:Equal|Equals|Is|ListEqual|SequenceEqual|CountEqual)$/;
const HELPER = /^(?:assert|check|verify|expect|same|equal|strictEqual|deepEqual)\w*$/;
const CHAIN = /\s*((?:\.\s*[\w$]+\s*)+)\(/y;
const CHAIN_EQUALS = /^\.(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\.eq|to\.be\.equal|to\.deep\.equal)$/;

/** Assertions that a body certainly reaches: at the start of a line, and not inside a nested block. */
export function expectedIn(
  family: TestLanguage,
  text: string,
  scanned: Scanned,
  { from, to }: Region,
): readonly Expected[] {
  const { code, pairs } = scanned;
  const found: Expected[] = [];
  let isStart = true;
  for (let at = from; at < to; ) {
    const char = code[at] ?? '';
    if (/\s/.test(char)) {
      isStart ||= char === '\n';
      at += 1;
      continue;
    }
    if (isStart) {
      const one = asserted(family, text, scanned, at);
      if (one !== null && one.to <= to) found.push(one);
    }
    isStart = char === ';';
    at = (pairs.get(at) ?? at) + 1;
  }
  return found;
}

function asserted(family: TestLanguage, text: string, { code, pairs }: Scanned, at: number): Expected | null {
  const sticky = (pattern: RegExp, from = at): RegExpExecArray | null => {
    pattern.lastIndex = from;
    return pattern.exec(code);
  };
  if (family === 'python') {
    const head = sticky(PYTHON_ASSERT)?.[0];
    if (head !== undefined) return literal(text, at + head.length, lineEnd(code, at));
  }
  if (family === 'go') {
    const head = sticky(GO_IF)?.[0];
    if (head !== undefined) return literal(text, at + head.length, code.indexOf('{', at + head.length));
  }
  const [head, path, bang = ''] = sticky(CALL) ?? [];
  if (head === undefined || path === undefined) return null;
  const open = at + head.length - 1;
  const close = pairs.get(open);
  if (close === undefined) return null;
  const words = path.replaceAll(/\s/g, '').split('.');
  const args = argsOf(scannedArgs(code, pairs, open, close), text);
  const [name = '', root = ''] = [words.at(-1), words[0]];
  if (family === 'script' && path === 'expect') {
    const [chain = '', links = ''] = sticky(CHAIN, close + 1) ?? [];
    const inner = close + chain.length;
    const end = pairs.get(inner);
    if (end === undefined || !CHAIN_EQUALS.test(links.replaceAll(/\s/g, ''))) return null;
    return literal(text, inner + 1, end);
  }
  if (family === 'rust') return name === 'assert_eq' && bang === '!' ? single(args.slice(0, 2)) : null;
  // With one value, or as `assert(…, 'message')`, it compares with no literal.
  if (words.length === 1)
    return HELPER.test(name) && name !== 'assert' && args.length > 1 ? (args.at(-1) ?? null) : null;
  if (family === 'go') return /^(?:assert|require)$/.test(root) && EQUALS.test(name) ? single(args.slice(1, 3)) : null;
  if (family === 'python') return PYTHON_EQUALS.test(name) ? single(args.slice(0, 2)) : null;
  return /^(?:assert|t|ctx|context)$/.test(root) && EQUALS.test(name) ? single(args.slice(0, 2)) : null;
}

/** One compared value is a literal, the other is computed. */
const single = ([one = null, other = null]: readonly (Expected | null)[]): Expected | null =>
  one !== null && other !== null ? null : (one ?? other);

function scannedArgs(code: string, pairs: Scanned['pairs'], open: number, close: number): readonly Region[] {
  const args: Region[] = [];
  let from = open + 1;
  for (let at = from; at < close; at += 1) {
    if (code[at] === ',') {
      args.push({ from, to: at });
      from = at + 1;
    }
    at = pairs.get(at) ?? at;
  }
  args.push({ from, to: close });
  return code.slice(from, close).trim() === '' ? args.slice(0, -1) : args;
}

const argsOf = (args: readonly Region[], text: string): readonly (Expected | null)[] =>
  args.map(({ from, to }) => literal(text, from, to));

/** A number, string or truth value that stands alone, or the first one in a list of such. */
function literal(text: string, from: number, to: number): Expected | null {
  const raw = text.slice(from, to).replace(/\s+#.*$/, '');
  const value = raw.trim();
  const begin = from + raw.length - raw.trimStart().length;
  if (INTEGER.test(value) || STRING.test(value) || TRUTH.test(value))
    return { from: begin, to: begin + value.length, value };
  const first = LIST.exec(value)?.[1];
  if (first === undefined || !(INTEGER.test(first) || STRING.test(first))) return null;
  const at = begin + value.indexOf(first);
  return { from: at, to: at + first.length, value: first };
}

function lineEnd(code: string, from: number): number {
  const end = code.indexOf('\n', from);
  return end < 0 ? code.length : end;
}

/**
 * Another value of the same kind: one expected elsewhere in the file, so that a list of known values does not expose
 * it, or a near one.
 */
export function otherThan(value: string, all: readonly Expected[], dice: () => number): string {
  const kindOf = (one: string) => [INTEGER, STRING, TRUTH].findIndex((kind) => kind.test(one));
  const known = [...new Set(all.map((one) => one.value))].filter(
    (one) => one !== value && kindOf(one) === kindOf(value),
  );
  const sibling = known[Math.floor(dice() * known.length)];
  const isKnown = dice() < 0.8;
  if (TRUTH.test(value)) return { true: 'false', false: 'true', True: 'False', False: 'True' }[value] ?? value;
  if (isKnown && sibling !== undefined && (!STRING.test(value) || sibling.slice(1, -1) !== value.slice(1, -1)))
    return sibling;
  if (INTEGER.test(value)) return String(Number(value) + 1 + Math.floor(dice() * 8));
  return `${value.slice(0, -1)}s${value.at(-1)}`;
}
