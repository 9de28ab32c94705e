/**
 * Imports of Python. `from a import b` names `a` and `a.b`, since `b` may be a module; `from . import x` names `.` and
 * `.x`.
 */
import { maskOf } from './mask.ts';

const STATEMENT = /(?:^|[;:])[ \t]*(import|from)(?=[ \t.\\])/gm;
const FROM =
  /(?:[ \t]|\\\r?\n)*(\.[. \t]*)?([\w\u0080-\uffff][\w.\u0080-\uffff]*)?(?:[ \t]|\\\r?\n)*\bimport\b(?:[ \t]|\\\r?\n)*/y;
const NAME = /^[\w\u0080-\uffff]+(?:[ \t]*\.[ \t]*[\w\u0080-\uffff]+)*/;

// Not a string literal: the check of this project's own imports would take it for one.
const WORD = /import/.source;
/** A longer list is no list of imports. */
const MAX_LIST = 20_000;

export function pythonImports(text: string): readonly string[] {
  const last = text.lastIndexOf(WORD);
  if (last < 0) return [];
  const { end } = listAt(text, last + WORD.length);
  const code = maskOf('python', end < text.length ? text.slice(0, end + 1) : text);
  const found = new Set<string>();
  STATEMENT.lastIndex = 0;
  for (;;) {
    const match = STATEMENT.exec(code);
    if (match === null) return [...found];
    let base = '';
    let from = STATEMENT.lastIndex;
    if (match[1] === 'from') {
      FROM.lastIndex = from;
      const source = FROM.exec(code);
      if (source === null) continue;
      const dots = (source[1] ?? '').replace(/[ \t]/g, '');
      base = dots + (source[2] ?? '').replace(/\.+$/, '');
      if (base === '') continue;
      found.add(base);
      if (base !== dots) base += '.';
      from = FROM.lastIndex;
    }
    const { list, end } = listAt(code, from);
    for (const part of list.split(',')) {
      const name = NAME.exec(part.trim())?.[0];
      if (name !== undefined) found.add(base + name.replace(/[ \t]/g, ''));
    }
    STATEMENT.lastIndex = end;
  }
}

/** The imported names, and the end of the list: at a bracket, or at the end of its logical line. */
function listAt(text: string, from: number): { list: string; end: number } {
  const near = text.slice(from, from + MAX_LIST);
  const open = /^(?:[ \t]|\\\r?\n)*\(/.exec(near);
  const close = open === null ? -1 : near.indexOf(')');
  const to = close >= 0 ? close : (/^(?:[^\n;\\]|\\\r?\n|\\)*/.exec(near)?.[0].length ?? 0);
  const list = near.slice(close >= 0 ? (open?.[0].length ?? 0) : 0, to).replace(/[\\\r\n]+/g, ' ');
  return { list, end: from + to };
}
