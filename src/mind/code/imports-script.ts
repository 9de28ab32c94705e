/** Imports of TypeScript and JavaScript: import, export from, import(), require(); including type imports. */
import { maskOf } from './mask.ts';

/** After the last of these nothing is imported, so the rest of the file is not read. */
const SIGN = /\b(?:from|import|require)\b[\s(]*(?:['"`]|\/[*/])/g;
const WORD = /\b(?:(import)|(export)|require)\b/g;
const CALL = /\s*\(\s*['"`]/y;
const BARE = /\s*['"]/y;
const REEXPORT = /\s*(?:type\s*)?[{*]/y;
/** What can stand between `import` and its module's name. */
const CLAUSE = /[^'"`;()=<>.:[\]]*/y;

export function scriptImports(text: string): readonly string[] {
  let last = -1;
  for (const sign of text.matchAll(SIGN)) last = sign.index + sign[0].length;
  if (last < 0) return [];
  // After a comment the name is still to come.
  const code = maskOf('typescript', text.length > last + 4_000 ? text.slice(0, last + 4_000) : text);
  const found = new Set<string>();
  let readUntil = 0;

  const take = (quote: number, call: boolean): void => {
    const mark = code[quote] ?? '';
    const end = code.indexOf(mark, quote + 1);
    if (end < 0 || (call && !/^\s{0,200}[),]/.test(code.slice(end + 1, end + 202)))) return;
    const name = text.slice(quote + 1, end);
    if (name !== '' && name.length < 1_000 && !/[\n\\]|\$\{/.test(name)) found.add(name);
  };

  for (const { index, 0: word, 1: imports, 2: exports } of code.matchAll(WORD)) {
    const before = code[index - 1];
    // A member of that name; three dots are a spread.
    if (before === '$' || before === '#' || (before === '.' && code[index - 2] !== '.')) continue;
    const after = index + word.length;
    const call = exports !== undefined ? -1 : endOf(CALL, code, after);
    if (call >= 0) take(call - 1, true);
    if (call >= 0 || (imports ?? exports) === undefined) continue;
    const bare = imports !== undefined ? endOf(BARE, code, after) : -1;
    if (bare >= 0) {
      take(bare - 1, false);
      continue;
    }
    if (index < readUntil || (exports !== undefined && endOf(REEXPORT, code, after) < 0)) continue;
    // Text before the same end was judged with it: no part of a text is read twice.
    readUntil = endOf(CLAUSE, code, after);
    if (
      /['"]/.test(code[readUntil] ?? '') &&
      /\bfrom\s{0,200}$/.test(code.slice(Math.max(after, readUntil - 204), readUntil))
    ) {
      take(readUntil, false);
    }
  }
  return [...found];
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
