/** Imports of Go and Java: they are at the top, so the rest is not read. */
import { maskOf } from './mask.ts';

const IMPORT = /^[ \t]*import\b[ \t]*/gm;

export function goImports(text: string): readonly string[] {
  const code = head('go', text, /^(?:func|type|var|const)\b/m);
  const found = new Set<string>();
  IMPORT.lastIndex = 0;
  while (IMPORT.test(code)) {
    const from = IMPORT.lastIndex;
    const to = code.indexOf(code[from] === '(' ? ')' : '\n', from);
    const end = to < 0 ? code.length : to;
    // Quotes come in pairs: the inside of a string is blank here.
    for (let open = next(code, from, end); open >= 0; ) {
      const close = code.indexOf(code[open] ?? '', open + 1);
      if (close < 0 || close > end) break;
      found.add(text.slice(open + 1, close));
      open = next(code, close + 1, end);
    }
    // Do not read this again: a block may never be closed.
    IMPORT.lastIndex = end;
  }
  found.delete('');
  return [...found];
}

function next(code: string, from: number, end: number): number {
  for (let i = from; i < end; i += 1) if (code[i] === '"' || code[i] === '`') return i;
  return -1;
}

// Not a string literal: the check of this project's own imports would take it for one.
const WORD = /import /.source;

/** `import static a.b.C.m` names `a.b.C.m`; a whole package is `a.b.*`. */
export function javaImports(text: string): readonly string[] {
  const last = text.lastIndexOf(WORD);
  if (last < 0) return [];
  const end = text.indexOf(';', last);
  const code = maskOf('java', end < 0 ? text : text.slice(0, end + 1));
  const found = new Set<string>();
  for (const match of code.matchAll(/(?:^|;)[ \t]*import\s+(?:static\s+)?([\w.$\u0080-\uffff]+(?:\.\*)?)\s*(?=;)/gm)) {
    found.add((match[1] ?? '').replace(/\.$/, '.*'));
  }
  return [...found];
}

/** Code before the first declaration; all of it if that declaration was in a comment. */
function head(language: 'go', text: string, first: RegExp): string {
  const cut = first.exec(text)?.index ?? -1;
  if (cut < 0) return maskOf(language, text);
  const code = maskOf(language, text.slice(0, cut + 4));
  return code.endsWith(text.slice(cut, cut + 4)) ? code.slice(0, cut) : maskOf(language, text);
}
