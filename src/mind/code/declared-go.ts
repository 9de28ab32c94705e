/** Go declarations: at the left margin, or one tab deep in a block. A capital makes them public. */
import { type Declared, type DeclaredKind, endOfSignature } from './declared.ts';

const FUNC = /func\s+(?:\(([^)\n]{0,200})\)\s*)?([\w\u0080-\uffff]+)/y;
const ONE = /(type|const|var)[ \t]+([\w\u0080-\uffff]+)/y;
const BLOCK = /(type|const|var)[ \t]*\(/y;
const INSIDE = /\t([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)/y;

export function goDeclared(code: string): Declared[] {
  const found: Declared[] = [];
  let block: string | null = null;
  for (let at = 0, line = 1; at < code.length; line += 1) {
    const first = code.charCodeAt(at);
    if (first === 102) func(at, line);
    else if (first === 116 || first === 99 || first === 118) block = one(at, line);
    else if (first === 41) block = null;
    else if (first === 9 && block !== null) inside(at, line, block);
    const next = code.indexOf('\n', at);
    if (next < 0) break;
    at = next + 1;
  }
  return found;

  function func(at: number, line: number): void {
    const match = matched(FUNC, at);
    if (match === null) return;
    const [, receiver, name = ''] = match;
    const type = /(\w+)(?:\[[^\]]*\])?\s*$/.exec(receiver ?? '')?.[1];
    const exported = isPublic(name) && (type === undefined || isPublic(type));
    const kind = receiver === undefined ? 'function' : 'method';
    let end = endOfSignature(code, at, '{\n', false);
    // A result such as `interface{}` or `struct{}` belongs to the signature.
    for (let i = 0; i < 4 && /\b(?:interface|struct)\s?$/.test(code.slice(Math.max(at, end - 11), end)); i += 1) {
      end = endOfSignature(code, endOfSignature(code, end + 1, '', false) + 1, '{\n', false);
    }
    found.push({ name, kind, line, exported, at, end, depth: 0 });
  }

  function one(at: number, line: number): string | null {
    const opened = matched(BLOCK, at)?.[1];
    if (opened !== undefined) return opened;
    const match = matched(ONE, at);
    if (match !== null) push(match[2] ?? '', at, line, match[1] ?? '');
    return null;
  }

  function inside(at: number, line: number, word: string): void {
    const match = matched(INSIDE, at);
    if (match !== null) push(match[1] ?? '', at + 1, line, word);
  }

  function push(name: string, at: number, line: number, word: string): void {
    const end = endOfSignature(code, at, '{=', true);
    const isInterface = /\binterface\s*$/.test(code.slice(Math.max(at, end - 12), end));
    const kind: DeclaredKind = word !== 'type' ? 'const' : isInterface ? 'interface' : 'type';
    found.push({ name, kind, line, exported: isPublic(name), at, end, depth: 0 });
  }

  function matched(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(code);
  }
}

const isPublic = (name: string): boolean => /^\p{Lu}/u.test(name);
