/** Java declarations: types, their methods, and public constants. */
import {
  type Declared,
  type DeclaredKind,
  type EnclosingScope,
  endOfSignature,
  type SourceLine,
  scanBraces,
} from './declared.ts';

const TYPE =
  /((?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)\s+)*)(class|interface|enum|record|@interface)\s+([\w$\u0080-\uffff]+)/y;
const KINDS: Readonly<Record<string, DeclaredKind>> = {
  class: 'class',
  record: 'class',
  interface: 'interface',
  '@interface': 'interface',
  enum: 'enum',
};
const ANNOTATION = /@(?!interface\b)[\w.]+\s*/y;
const NO_NAME = /^(?:if|for|while|switch|return|catch|new|throw|else|synchronized|super|this|try|assert)$/;

export function javaDeclared(code: string): Declared[] {
  const found: Declared[] = [];
  scanBraces(code, ({ line: first, at: start, depth, inside }: SourceLine): EnclosingScope | null => {
    const at = afterAnnotations(code, start);
    const line = first + code.slice(start, at).split('\n').length - 1;
    // Below an annotation, and already found from there.
    if (found.at(-1)?.at === at) return null;
    TYPE.lastIndex = at;
    const match = TYPE.exec(code);
    const outer = inside === null || inside.exported;
    if (match !== null) {
      const [, modifiers = '', word = '', name = ''] = match;
      const exported = outer && (/\bpublic\b/.test(modifiers) || inside?.kind === 'interface');
      const scope = { name, kind: KINDS[word] ?? 'class', exported } as const;
      found.push({ ...scope, line, at, end: endOfSignature(code, at, '{;', false), depth });
      return scope;
    }
    if (inside === null) return null;
    const end = endOfSignature(code, at, '{;=', false);
    const bracket = code.indexOf('(', at);
    const head = code.slice(at, bracket >= 0 && bracket < end ? bracket : end);
    const words = head.split(/[^\w$<>[\].?,&@\u0080-\uffff]+/).filter((word) => word !== '');
    const name = words.at(-1) ?? '';
    if (!/^[\w$\u0080-\uffff]+$/.test(name) || words.some((word) => NO_NAME.test(word))) return null;
    const method = bracket >= 0 && bracket < end;
    // A call in an initialiser has one word; so has a constructor, but its word is the class's name.
    if (method ? words.length < 2 && name !== inside.name : !/\bstatic\b/.test(head)) return null;
    const open = words.includes('public') || (inside.kind === 'interface' && !words.includes('private'));
    if (!method && !open) return null;
    found.push({ name, kind: method ? 'method' : 'const', line, exported: outer && open, at, end, depth });
    return null;
  });
  return found;
}

function afterAnnotations(code: string, start: number): number {
  let at = start;
  for (let i = 0; i < 20; i += 1) {
    ANNOTATION.lastIndex = at;
    if (!ANNOTATION.test(code)) break;
    at = ANNOTATION.lastIndex;
    if (code[at] !== '(') continue;
    at = endOfSignature(code, at + 1, '', false) + 1;
    while (/\s/.test(code[at] ?? '')) at += 1;
  }
  return at;
}
