/** Rust declarations, including those inside `impl`, `trait` and `mod`, but not tests. */
import {
  type Declared,
  type DeclaredKind,
  type EnclosingScope,
  endOfSignature,
  type SourceLine,
  scanBraces,
} from './declared.ts';

const ITEM =
  /(pub\s*(?:\([^)\n]{0,99}\)\s*)?)?(?:default\s+)?(?:(?:const|async|unsafe|extern(?:\s*"\s*")?)\s+){0,4}(fn|struct|enum|union|trait|type|const|static|mod|impl|macro_rules!)\s*(?:mut\s+)?(<|[\w]+)?/y;
const KINDS: Readonly<Record<string, DeclaredKind>> = {
  fn: 'function',
  struct: 'class',
  enum: 'enum',
  union: 'class',
  trait: 'interface',
  type: 'type',
  const: 'const',
  static: 'const',
  mod: 'module',
  impl: 'impl',
  'macro_rules!': 'macro',
};

export function rustDeclared(code: string): Declared[] {
  const found: Declared[] = [];
  scanBraces(code, ({ line, at, depth, inside }: SourceLine): EnclosingScope | null => {
    ITEM.lastIndex = at;
    const match = ITEM.exec(code);
    if (match === null) return null;
    const [, written, word = '', named = ''] = match;
    let kind = KINDS[word] ?? 'const';
    const end = endOfSignature(code, at, word === 'const' || word === 'static' ? '=;' : '{;', false);
    const header = kind === 'impl' ? code.slice(at, end) : '';
    const name = kind === 'impl' ? implemented(header) : named;
    const ofTrait = inside?.kind === 'interface';
    const exported =
      kind === 'impl' || ofTrait ? (inside?.exported ?? true) : written?.trim() === 'pub' && (inside?.exported ?? true);
    if (kind === 'function' && (inside?.kind === 'impl' || inside?.kind === 'interface')) kind = 'method';
    if (name !== 'tests' || kind !== 'module') found.push({ name, kind, line, exported, at, end, depth });
    if (kind === 'module') return code[end] === '{' && name !== 'tests' ? { name, kind, exported } : null;
    return kind === 'impl' || kind === 'interface' ? { name, kind, exported } : null;
  });
  return found;
}

/** `impl<T> A<T> for B<T> where …` → `A for B`. */
function implemented(header: string): string {
  let depth = 0;
  let plain = '';
  for (const letter of header.replace(/^(?:unsafe\s+)?impl\s*/, '').replaceAll('->', '  ')) {
    if (letter === '<') depth += 1;
    else if (letter === '>') depth -= 1;
    else if (depth <= 0) plain += letter;
  }
  return (plain.split(/\bwhere\b/, 1)[0] ?? '').replace(/\s+/g, ' ').trim();
}
