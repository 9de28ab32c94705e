/**
 * Imports of Rust. `mod x;` names `self::x` (or `./file.rs` if its path is given), `use a::{b, c::d}` names `a::b` and
 * `a::c::d`. Paths start at the file's own module, even if they stand in a module inside it.
 */
import { maskOf } from './mask.ts';

const ITEM = /\b(?:use\s+|mod\s+(\w+)\s*([;{])|extern\s+crate\s+(\w+))/g;
/** Files with more are generated, and not for reading. */
const MAX_PATHS = 5_000;
const MAX_DEPTH = 32;

export function rustImports(text: string): readonly string[] {
  const code = maskOf('rust', text);
  const found = new Set<string>();
  /** Ends of the open modules, innermost last. */
  const inner: { readonly name: string; readonly end: number }[] = [];
  let braces: Map<number, number> | null = null;
  ITEM.lastIndex = 0;
  for (let match = ITEM.exec(code); match !== null && found.size < MAX_PATHS; match = ITEM.exec(code)) {
    const [all, module, mark, crate] = match;
    while ((inner.at(-1)?.end ?? Number.POSITIVE_INFINITY) < match.index) inner.pop();
    const at = inner.map(({ name }) => name);
    if (crate !== undefined) found.add(crate);
    else if (module !== undefined && mark === ';') {
      const told = /#\[\s{0,9}path\s{0,9}=\s{0,9}"(\s{1,400})"\s{0,9}\]\s{0,99}(?:pub\s{1,9})?$/.exec(
        code.slice(Math.max(0, match.index - 600), match.index),
      );
      if (told === null) found.add(['self', ...at, module].join('::'));
      else {
        const from = Math.max(0, match.index - 600) + told.index + told[0].indexOf('"') + 1;
        found.add(`./${text.slice(from, from + (told[1]?.length ?? 0))}`);
      }
    } else if (module !== undefined) {
      braces ??= pairs(code);
      const end = braces.get(match.index + all.length - 1);
      if (end !== undefined && inner.length < MAX_DEPTH) inner.push({ name: module, end });
    } else {
      const end = code.indexOf(';', ITEM.lastIndex);
      if (end < 0) break;
      if (end - ITEM.lastIndex < 20_000)
        for (const path of expanded(code.slice(ITEM.lastIndex, end))) found.add(fromFile(path, at));
      ITEM.lastIndex = end;
    }
  }
  found.delete('');
  return [...found];
}

/** `super` of a module inside the file is the file. */
function fromFile(path: string, inner: readonly string[]): string {
  if (inner.length === 0) return path;
  const names = path.split('::');
  if (names[0] === 'self') return ['self', ...inner, ...names.slice(1)].join('::');
  const ups = names.findIndex((name) => name !== 'super');
  const up = ups < 0 ? names.length : ups;
  if (up === 0) return path;
  const rest = names.slice(up);
  if (up <= inner.length) return ['self', ...inner.slice(0, inner.length - up), ...rest].join('::');
  return [...names.slice(0, up - inner.length), ...rest].join('::');
}

/** The paths of a tree: `a::{self, b as c, d::*}` → `a`, `a::b`, `a::d`. */
function expanded(tree: string): string[] {
  const paths: string[] = [];
  const bases: string[] = [''];
  let name = '';
  const close = (): void => {
    const path = name
      .replace(/\s+as\s+\w+\s*$/, '')
      .replace(/\s+/g, '')
      .replace(/^::/, '');
    name = '';
    if (path === '' || paths.length >= MAX_PATHS) return;
    const whole = (bases.at(-1) ?? '') + path;
    paths.push(whole.replace(/::(?:\*|self)$/, '').replace(/^r#/, ''));
  };
  for (const letter of tree) {
    if (letter === '{') {
      if (bases.length > MAX_DEPTH) return paths;
      bases.push((bases.at(-1) ?? '') + name.replace(/\s+/g, '').replace(/^::/, ''));
      name = '';
    } else if (letter === '}') {
      close();
      if (bases.length > 1) bases.pop();
    } else if (letter === ',') close();
    else name += letter;
  }
  close();
  return paths;
}

function pairs(code: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < code.length; i += 1) {
    const letter = code.charCodeAt(i);
    if (letter === 123) open.push(i);
    else if (letter === 125) {
      const start = open.pop();
      if (start !== undefined) ends.set(start, i);
    }
  }
  return ends;
}
