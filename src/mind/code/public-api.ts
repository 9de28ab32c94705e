/** What others may use of a file: signatures and doc comments of its exports. Bodies and private parts are left out. */
import type { Declared } from './declared.ts';
import { docOf } from './doc-comments.ts';
import { endingOf, type Language, languageOf } from './languages.ts';
import { maskOf, withoutComments } from './mask.ts';
import { declaredIn } from './outline.ts';
import { nameOf } from './paths.ts';
import { scriptOf } from './script-blocks.ts';

/** Kinds whose inside is part of their promise. */
const OPEN: Readonly<Record<Language, ReadonlySet<string>>> = {
  typescript: new Set(['interface', 'type', 'enum']),
  javascript: new Set(),
  python: new Set(['type']),
  go: new Set(['interface', 'type']),
  rust: new Set(['enum', 'class', 'type']),
  java: new Set(['enum']),
  other: new Set(),
};
const MAX_INSIDE = 20_000;

/** Empty if it exports nothing, or the language is unknown. A file with only type definitions is its own API. */
export function publicApi(path: string, text: string): string {
  const language = languageOf(path);
  if (language === 'other') return isInterfaceFile(path) ? text : '';
  const source = scriptOf(path, text);
  const code = maskOf(language, source);
  const parts: string[] = [];
  const declared = declaredIn(language, source, code);
  declared.forEach((one, i) => {
    if (!one.exported || isEmptyImpl(one, declared, i + 1)) return;
    const doc = docOf(language, source, one);
    const shown = OPEN[language].has(one.kind) ? whole(language, source, code, one) : signature(language, source, one);
    const lines = language === 'python' ? [shown, doc === '' ? '' : indented(doc, 1)] : [doc, shown];
    const part = lines.filter((line) => line !== '').join('\n');
    parts.push((one.depth === 0 && parts.length > 0 ? '\n' : '') + indented(part, one.depth));
  });
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

/** An `impl` without anything public says nothing, unless it is of a trait. */
function isEmptyImpl({ kind, name, depth }: Declared, declared: readonly Declared[], next: number): boolean {
  if (kind !== 'impl' || name.includes(' for ')) return false;
  for (let i = next; (declared[i]?.depth ?? 0) > depth; i += 1) if (declared[i]?.exported) return false;
  return true;
}

/** The signature's lines as written, without comments. */
function signature(language: Language, text: string, { at, end }: Declared): string {
  const bare = withoutComments(language, text.slice(at, end));
  return dedented(
    bare
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== ''),
  ).trim();
}

/** With the content of its braces; its private members are dropped line by line. */
function whole(language: Language, text: string, code: string, one: Declared): string {
  const end = insideEnd(code, one, language);
  const lines = text.slice(one.at, end).trimEnd().split('\n');
  const shown =
    lines.length <= 2
      ? lines
      : lines.filter((line, i) => i === 0 || i === lines.length - 1 || !isHidden(language, one, line));
  return dedented(shown);
}

function isHidden(language: Language, { kind }: Declared, line: string): boolean {
  // Go fields are public by their capital, Rust struct fields by `pub`; variants and comments always are.
  if (language === 'go' && kind === 'type') return /^\s*[a-z_]\w*(?:\s|,)/.test(line);
  if (language === 'rust' && kind === 'class') return /^\s*(?:pub\s*\([^)]{0,40}\)\s*)?\w+\s*:(?!:)/.test(line);
  return false;
}

function insideEnd(code: string, { at, end, kind }: Declared, language: Language): number {
  const last = Math.min(code.length, at + MAX_INSIDE);
  let open = 0;
  for (let i = end; i < last; i += 1) {
    const letter = code[i];
    if (letter === '{' || letter === '(' || letter === '[') open += 1;
    else if (letter === '}' || letter === ')' || letter === ']') {
      open -= 1;
      if (open < 0) return i;
      if (open === 0 && letter === '}' && kind !== 'type') return i + 1;
    } else if (open === 0 && letter === ';') return i + 1;
    else if (open === 0 && letter === '\n' && (kind !== 'type' || !goesOn(code, i, language))) return i;
  }
  return last;
}

/** Whether a type alias continues on the next line. */
function goesOn(code: string, newline: number, language: Language): boolean {
  if (language === 'go' || language === 'python') return false;
  return (
    /[=|&<,?:]\s{0,9}$/.test(code.slice(Math.max(0, newline - 10), newline)) ||
    /^\s{0,40}[|&?:>=]/.test(code.slice(newline, newline + 42))
  );
}

const indented = (text: string, depth: number): string =>
  depth === 0 ? text : text.replace(/^(?=.)/gm, '  '.repeat(Math.min(depth, 4)));

/** Moves all lines but the first left together. */
function dedented(lines: readonly string[]): string {
  const [first = '', ...rest] = lines;
  const margin = Math.min(
    ...rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
    40,
  );
  const last = rest.at(-1)?.trim() ?? '';
  const closes = /^[)}\]>]/.test(last);
  return [
    first,
    ...rest.map((line) => (closes || margin === 0 ? '' : '  ') + line.slice(Math.min(margin, line.length))),
  ].join('\n');
}

const DEFINITIONS: ReadonlySet<string> = new Set(
  'proto thrift graphql gql graphqls avsc avdl fbs capnp wsdl xsd raml pyi mli hrl'.split(' '),
);
const BY_NAME =
  /(?:^|[._-])(?:openapi|swagger|asyncapi)\b[^/]*\.(?:ya?ml|json)$|\.schema\.(?:json|graphql|ts)$|\.d\.[cm]?ts$|(?:^|[._-])(?:types?|interfaces?|contracts?|protocols?|ports?|abc)\.[cm]?[jt]sx?$|^(?:types?|interfaces?|protocols?|abc|base|abstract|ports?|traits?|contracts?)\.(?:py|rs|go|java)$|^(?:Abstract|Base|I(?=[A-Z][a-z]))\w+\.(?:java|ts)$|(?:Interface|Api|Spi|Port)\.java$/;
const BY_PLACE =
  /(?:^|\/)(?:interfaces?|contracts?|ports|protocols?|typings|@types|schemas?)\/[^/]+\.(?:[cm]?tsx?|py|go|rs|java|json|ya?ml)$/;

/** Files that define contracts between parts. Given its text, also one that declares almost only types. */
export function isInterfaceFile(path: string, text?: string): boolean {
  if (DEFINITIONS.has(endingOf(path)) || BY_NAME.test(nameOf(path)) || BY_PLACE.test(path)) return true;
  if (text === undefined) return false;
  const language = languageOf(path);
  if (language === 'other')
    return /^\s{0,99}["']?(?:openapi|swagger|asyncapi)["']?\s{0,9}:/m.test(text.slice(0, 2_000));
  const shown = declaredIn(language, text).filter(({ exported, depth }) => exported && depth === 0);
  const types = shown.filter(
    (one) =>
      one.kind === 'interface' || (language === 'typescript' && one.kind === 'type') || isAbstract(language, text, one),
  );
  return types.length > 0 && types.length * 4 >= shown.length * 3;
}

function isAbstract(language: Language, text: string, { kind, at, end }: Declared): boolean {
  if (kind !== 'class') return false;
  const written = text.slice(at, end);
  return language === 'python' ? /\b(?:ABC|ABCMeta|Protocol)\b/.test(written) : /\babstract\b/.test(written);
}
