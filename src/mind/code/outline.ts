/** What a file declares, line by line: enough to know where to look, far smaller than the file. */
import { type Declared, type Outlined, signatureOf } from './declared.ts';
import { goDeclared } from './declared-go.ts';
import { javaDeclared } from './declared-java.ts';
import { pythonDeclared } from './declared-python.ts';
import { rustDeclared } from './declared-rust.ts';
import { scriptDeclared } from './declared-script.ts';
import { isCode, type Language, languageOf } from './languages.ts';
import { maskOf } from './mask.ts';
import { plainOutline } from './outline-plain.ts';
import { scriptOf } from './script-blocks.ts';

const MAX_SIGNATURE = 200;
/** A larger file is a table, not a program. */
const MAX_OUTLINED = 5_000;

/** Whether `outlineOf` knows the language of a code file. Other files have an outline if they have headings or keys. */
export const hasOutlines = (path: string): boolean => languageOf(path) !== 'other' || !isCode(path);

/** Only the line numbers that `outlineOf` returns: half of the time. */
export function definedLines(path: string, text: string): number[] {
  const language = languageOf(path);
  if (language === 'other') return plainOutline(path, text).map(({ line }) => line);
  return declaredIn(language, scriptOf(path, text))
    .slice(0, MAX_OUTLINED)
    .map(({ line }) => line);
}

export function outlineOf(path: string, text: string): readonly Outlined[] {
  const language = languageOf(path);
  if (language === 'other') return plainOutline(path, text);
  const source = scriptOf(path, text);
  return declaredIn(language, source)
    .slice(0, MAX_OUTLINED)
    .map((one) => {
      const { name, kind, line, exported, depth } = one;
      const whole = signatureOf(language, source, one);
      const signature = language === 'rust' ? whole.replace(/ where .*$/, '') : whole;
      return { name, kind, line, exported, signature: cut(signature), depth };
    });
}

/** `code`: the text as `maskOf` leaves it, if it is at hand. */
export function declaredIn(language: Language, text: string, code = maskOf(language, text)): readonly Declared[] {
  switch (language) {
    case 'typescript':
    case 'javascript':
      return scriptDeclared(code);
    case 'python':
      return pythonDeclared(code, text);
    case 'go':
      return goDeclared(code);
    case 'rust':
      return rustDeclared(code);
    case 'java':
      return javaDeclared(code);
    default:
      return [];
  }
}

/**
 * The path, then a line for each: ` 12 export function parse(text: string): Ast`. If there are more than `maxLines`,
 * those that `weigh` finds relevant come first, then what others can use; the last line gives the number of missing
 * ones.
 */
export function outlineText(
  path: string,
  outlined: readonly Outlined[],
  maxLines: number,
  weigh: (name: string) => number = () => 0,
): string {
  if (maxLines <= 0) return '';
  const room = Math.max(0, maxLines - 1);
  let shown = outlined;
  if (outlined.length > room) {
    const order = outlined.map((one, i) => ({ one, i, weight: weigh(one.name), rank: rankOf(one) }));
    order.sort((a, b) => b.weight - a.weight || a.rank - b.rank || a.i - b.i);
    shown = order
      .slice(0, Math.max(0, room - 1))
      .sort((a, b) => a.i - b.i)
      .map(({ one }) => one);
  }
  const lines = shown.map(({ line, depth, signature }) => `${line} ${'  '.repeat(Math.min(depth, 4))}${signature}`);
  const left = outlined.length - shown.length;
  return [path, ...lines.map((line) => `  ${line}`), ...(left > 0 && room > 0 ? [`  … ${left} more`] : [])].join('\n');
}

/** Callable things come first; traits of a type are seldom needed. */
function rankOf({ kind, name, exported, depth }: Outlined): number {
  if (kind === 'impl' && name.includes(' for ')) return 2;
  return (exported ? 0 : 3) + (depth > 0 ? 1 : 0);
}

const cut = (text: string): string => (text.length > MAX_SIGNATURE ? `${text.slice(0, MAX_SIGNATURE - 1)}…` : text);
