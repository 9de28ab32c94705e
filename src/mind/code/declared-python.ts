/**
 * Python declarations, by indentation. Names that start with an underscore, or are missing from `__all__`, are private.
 */
import { type Declared, endOfSignature } from './declared.ts';

const BLOCK = /([ \t]*)(async[ \t]+def|def|class)[ \t]+([\w\u0080-\uffff]+)/y;
const VALUE = /(type[ \t]+)?([A-Za-z_]\w*)[ \t]*(?::[^=\n]{1,300})?=(?!=)/y;

export function pythonDeclared(code: string, text: string): Declared[] {
  const found: Declared[] = [];
  const listed = namesOfAll(code, text);
  const isPublic = (name: string): boolean => (listed === null ? !name.startsWith('_') : listed.has(name));
  /** The blocks around a line. */
  const open: { readonly indent: number; readonly kind: string; readonly exported: boolean }[] = [];
  for (let at = 0, line = 1; at < code.length; line += 1) {
    const next = code.indexOf('\n', at);
    const first = code.charCodeAt(at);
    // d, a, c, a space or a tab: only those start a block.
    if (first === 32 || first === 9 || first === 100 || first === 97 || first === 99) block(at, line);
    else if (first > 64 && first < 123) open.length = 0;
    if (first > 64 && first < 123) value(at, line);
    if (next < 0) break;
    at = next + 1;
  }
  return found;

  function block(start: number, line: number): void {
    BLOCK.lastIndex = start;
    const match = BLOCK.exec(code);
    if (match === null) return;
    const [, space = '', word, name = ''] = match;
    while ((open.at(-1)?.indent ?? -1) >= space.length) open.pop();
    const around = open.at(-1);
    const method = around?.kind === 'class';
    const visible =
      around === undefined ? isPublic(name) : around.exported && (!name.startsWith('_') || /^__\w+__$/.test(name));
    // What a function defines inside itself is not visible outside.
    const hidden = around !== undefined && !method;
    const at = start + space.length;
    if (!hidden) {
      const kind = word === 'class' ? 'class' : method ? 'method' : 'function';
      found.push({
        name,
        kind,
        line,
        exported: visible,
        at,
        end: endOfSignature(code, at, ':', false),
        depth: open.length,
      });
    }
    open.push({ indent: space.length, kind: word === 'class' && !hidden ? 'class' : 'def', exported: visible });
  }

  function value(at: number, line: number): void {
    VALUE.lastIndex = at;
    const match = VALUE.exec(code);
    const name = match?.[2] ?? '';
    if (match === null || name === '__all__') return;
    if (match[1] === undefined && !/^_?[A-Z][A-Z0-9_]*$/.test(name) && !match[0].includes(':')) return;
    const end = endOfSignature(code, at, '', true);
    const kind = match[1] === undefined ? 'const' : 'type';
    found.push({ name, kind, line, exported: isPublic(name), at, end: Math.min(end, at + 120), depth: 0 });
  }
}

function namesOfAll(code: string, text: string): ReadonlySet<string> | null {
  const start = /^__all__[ \t]*(?::[^=\n]{0,99})?=[ \t]*[[(]/m.exec(code);
  if (start === null) return null;
  const from = start.index + start[0].length;
  const to = endOfSignature(code, from, '', false);
  // Names added elsewhere are not seen: a computed list counts as no list.
  return new Set([...text.slice(from, to).matchAll(/['"](\w+)['"]/g)].map(([, name = '']) => name));
}
