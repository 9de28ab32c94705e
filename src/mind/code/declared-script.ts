/** TypeScript and JavaScript declarations. */
import {
  type Declared,
  type DeclaredKind,
  type EnclosingScope,
  endOfSignature,
  type SourceLine,
  scanBraces,
} from './declared.ts';

const DECLARATION =
  /(export\s+)?(default\s+)?(?:declare\s+)?(?:(?:async\s+)?(function)\b\s*\*?\s*([\w$]*)|(?:abstract\s+)?(class)\b\s*([\w$]*)|(interface)\s+([\w$]+)|(type)\s+([\w$]+)\s*[=<]|(?:const\s+)?(enum)\s+([\w$]+)|(namespace|module)\s+([\w$.]+)|(const|let|var)\s+([\w$]+))/y;
const KINDS: Readonly<Record<string, DeclaredKind>> = {
  function: 'function',
  class: 'class',
  interface: 'interface',
  type: 'type',
  enum: 'enum',
  namespace: 'module',
  module: 'module',
  const: 'const',
  let: 'const',
  var: 'const',
};
const DEFAULT = /export\s+default\s/y;
const COMMON = /(?:module\s*\.\s*)?exports\s*\.\s*([\w$]+)\s*=(?!=)/y;
const MEMBER =
  /((?:(?:public|private|protected|static|async|get|set|readonly|override|abstract|declare|accessor)\s+)*)\*?\s*(#?[\w$]+)\s*[?!]?\s*([(<:=;])/y;
const FUNCTION = /=\s*(?:async\s*)?(?:\(|<|[\w$]+\s*=>|function\b)/y;
const NO_MEMBER: ReadonlySet<string> = new Set(['if', 'for', 'while', 'switch', 'return', 'super']);

export function scriptDeclared(code: string): Declared[] {
  const found: Declared[] = [];
  const listed = listedExports(code);
  scanBraces(code, (line) => (line.inside?.kind === 'class' ? member(line) : declaration(line)));
  return found;

  function declaration({ line, at, depth, inside }: SourceLine): EnclosingScope | null {
    DECLARATION.lastIndex = at;
    const match = DECLARATION.exec(code);
    if (match === null) {
      const name = matched(COMMON, at)?.[1] ?? (matched(DEFAULT, at) === null ? null : 'default');
      if (name !== null && depth === 0) {
        found.push({ name, kind: 'const', line, exported: true, at, end: endOfSignature(code, at, '{;', true), depth });
      }
      return null;
    }
    const groups = match.slice(3);
    const word = groups.find((one, i) => i % 2 === 0 && one !== undefined) ?? '';
    const name = groups.find((one, i) => i % 2 === 1 && one !== undefined) || 'default';
    const exported = match[1] !== undefined ? (inside?.exported ?? true) : listed.has(name) && depth === 0;
    const scope = { name, kind: KINDS[word] ?? 'const', exported };
    if (scope.kind === 'const') return constant(scope, match[0].length, { line, at, depth, inside });
    const end = scope.kind === 'type' ? endOfSignature(code, at, '=;', false) : endOfFunction(code, at);
    found.push({ ...scope, line, at, end, depth });
    return scope.kind === 'class' || scope.kind === 'module' ? scope : null;
  }

  function constant({ name, exported }: EnclosingScope, length: number, { line, at, depth }: SourceLine): null {
    const equals = endOfConstant(code, at + length);
    const made = matched(FUNCTION, equals) !== null;
    if (!made && !exported && !/^[A-Z][A-Z0-9_]+$/.test(name)) return null;
    const arrow = made ? code.slice(equals, equals + 1_000).search(/=>|[{;]/) : -1;
    const end = arrow > 0 ? equals + arrow : equals;
    found.push({ name, kind: made ? 'function' : 'const', line, exported, at, end, depth });
    return null;
  }

  function member({ line, at, depth, inside }: SourceLine): null {
    const match = matched(MEMBER, at);
    const [, modifiers = '', name = '', mark = ''] = match ?? [];
    if (match === null || NO_MEMBER.has(name)) return null;
    const exported =
      (inside?.exported ?? false) && !name.startsWith('#') && !/\b(?:private|protected)\b/.test(modifiers);
    const method = mark === '(' || mark === '<';
    if (!method && !exported) return null;
    const end = method ? endOfFunction(code, at) : endOfSignature(code, at, '=;', true);
    found.push({ name, kind: method ? 'method' : 'property', line, exported, at, end, depth });
    return null;
  }

  function matched(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(code);
  }
}

/** Before its value, or at the end of its line if it has none. */
function endOfConstant(code: string, at: number): number {
  const end = endOfSignature(code, at, '=;', true);
  const goesOn = code[end] === '\n' && /[:|&<,]\s{0,40}$/.test(code.slice(Math.max(at, end - 41), end));
  return goesOn ? endOfSignature(code, at, '=;', false) : end;
}

/** Before the body; types in braces, such as a result type, belong to the signature. */
function endOfFunction(code: string, at: number): number {
  let end = endOfSignature(code, at, '{;', false);
  for (let i = 0; i < 4; i += 1) {
    if (code[end] !== '{' || !/[:|&<,=]\s{0,40}$/.test(code.slice(Math.max(at, end - 41), end))) return end;
    const type = endOfSignature(code, end + 1, '', false) + 1;
    if (type - end > 400) return end;
    end = endOfSignature(code, type, '{;', i > 2);
    // A declaration without a body or semicolon ends with its line.
    const line = code.slice(type, end).search(/\n\s*[\w@#}]/);
    if (line >= 0) return type + line;
  }
  return end;
}

/** Names in `export { a, b as c }`. */
function listedExports(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { index } of code.matchAll(/\bexport\s*(?:type\s*)?\{/g)) {
    const open = code.indexOf('{', index);
    const close = code.indexOf('}', open);
    if (close < 0) break;
    if (close - open > 20_000) continue;
    for (const [, name = ''] of code.slice(open + 1, close).matchAll(/(?:^|,)\s*(?:type\s+)?([\w$]+)/g))
      names.add(name);
  }
  return names;
}
