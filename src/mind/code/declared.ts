/** What a source file declares, and the places where an outline and a public API are cut. */
import type { Language } from './languages.ts';
import { withoutComments } from './mask.ts';

const DECLARED_KINDS = [
  ...(['function', 'class', 'method', 'property', 'type', 'const', 'interface', 'enum'] as const),
  ...(['module', 'macro', 'impl', 'heading', 'key'] as const),
] as const;
export type DeclaredKind = (typeof DECLARED_KINDS)[number];

export type Declared = {
  readonly name: string;
  readonly kind: DeclaredKind;
  /** Starts at 1. */
  readonly line: number;
  /** Visible from outside: exported, public, or the language's equivalent. */
  readonly exported: boolean;
  /** Where it starts in the text, and where its signature ends. */
  readonly at: number;
  readonly end: number;
  /** How many other declarations surround it. */
  readonly depth: number;
};

export type Outlined = {
  readonly name: string;
  readonly kind: DeclaredKind;
  /** Starts at 1. */
  readonly line: number;
  /** Visible outside its file or package. */
  readonly exported: boolean;
  /** One line of at most 200 characters. `outlineText` indents members, this does not. */
  readonly signature: string;
  /** How many other declarations surround it. */
  readonly depth: number;
};

export type EnclosingScope = { readonly name: string; readonly kind: DeclaredKind; readonly exported: boolean };
export type SourceLine = {
  readonly line: number;
  readonly at: number;
  readonly depth: number;
  readonly inside: EnclosingScope | null;
};

const [NEWLINE, SPACE, TAB, RETURN, SEMICOLON] = [10, 32, 9, 13, 59];
/** Text that stands at the left margin only at the top level: after a wrong guess, counting restarts there. */
const TOP = /(?:export|pub|func|impl|public|package)\b/y;

/** A line end, an opening or a closing bracket. */
const MARK = /[\n()[\]{};]/g;

/**
 * Visits lines that start a statement at the top level or directly in a scope. `visit` returns a scope if the next
 * brace opens one; lines inside other braces and brackets are skipped.
 */
export function scanBraces(code: string, visit: (line: SourceLine) => EnclosingScope | null): void {
  let [depth, round, line] = [0, 0, 1];
  const scopes: { readonly scope: EnclosingScope; readonly depth: number }[] = [];
  let opening: EnclosingScope | null = null;
  for (let i = 0, fresh = true; i < code.length; i += 1) {
    if (fresh) {
      fresh = false;
      const start = i;
      let letter = code.charCodeAt(i);
      while (letter === SPACE || letter === TAB || letter === RETURN) {
        i += 1;
        letter = code.charCodeAt(i);
      }
      TOP.lastIndex = i;
      if (i === start && (depth > 0 || round > 0) && TOP.test(code)) {
        [depth, round, opening] = [0, 0, null];
        scopes.length = 0;
      }
      const around = scopes.at(-1);
      const within = round === 0 && depth === (around?.depth ?? 0);
      if (within && letter !== NEWLINE && i < code.length && !continues(code, i)) {
        opening = visit({ line, at: i, depth: scopes.length, inside: around?.scope ?? null }) ?? opening;
      }
    }
    MARK.lastIndex = i;
    if (!MARK.test(code)) return;
    i = MARK.lastIndex - 1;
    switch (code.charCodeAt(i)) {
      case NEWLINE:
        line += 1;
        fresh = true;
        break;
      case 40: // (
      case 91: // [
        round += 1;
        break;
      case 41:
      case 93:
        if (round > 0) round -= 1;
        break;
      case 123: // {
        depth += 1;
        // `class A<B = {}> {`: the first brace belongs to a type.
        if (opening !== null && round === 0 && !continues(code, i)) {
          scopes.push({ scope: opening, depth });
          opening = null;
        }
        break;
      case 125:
        if (depth > 0) depth -= 1;
        while ((scopes.at(-1)?.depth ?? 0) > depth) scopes.pop();
        break;
      case SEMICOLON:
        if (round === 0) opening = null;
        break;
    }
  }
}

/** Whether a line continues the previous statement. Blank text is walked once, by the line that follows it. */
function continues(code: string, at: number): boolean {
  let i = at - 1;
  while (i >= 0 && code.charCodeAt(i) <= SPACE) i -= 1;
  return i >= 0 && ',<|&=?:+.'.includes(code[i] as string);
}

/** A longer signature is cut. */
const MAX_SIGNATURE = 2_000;

/** The first place outside brackets with one of the marks; a line end counts if `lines` is set. */
export function endOfSignature(code: string, at: number, marks: string, lines: boolean): number {
  const last = Math.min(code.length, at + MAX_SIGNATURE);
  let open = 0;
  for (let i = at; i < last; i += 1) {
    const letter = code[i] as string;
    if (open === 0 && (marks.includes(letter) || (lines && letter === '\n'))) return i;
    if (letter === '(' || letter === '[' || letter === '{') open += 1;
    else if (letter === ')' || letter === ']' || letter === '}') {
      if (open === 0) return i;
      open -= 1;
    }
  }
  return last;
}

/** The signature of one line, without comments. */
export function signatureOf(language: Language, text: string, { at, end }: Declared): string {
  const slice = text.slice(at, end);
  const bare = /\/[/*]|#/.test(slice) ? withoutComments(language, slice) : slice;
  const line = bare.replace(/\s+/g, ' ').trim();
  return line.replace(/([(<]) /g, '$1').replace(/,? ([)>])(?!=)/g, '$1');
}
