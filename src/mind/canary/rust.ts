/** Plants into Rust: files in `tests/`, and test modules in other files. */

import { complaint, filled, freePhrase, type Phrase, snake, unequal } from './plant-names.ts';
import {
  type Dice,
  edited,
  isLast,
  lineEndOf,
  oneOf,
  type PlantedText,
  type PlantOptions,
  someOf,
  type TestBody,
} from './planted.ts';
import { type Scanned, scan } from './scan.ts';

type RustTest = {
  /** Prefixed with the modules of its file. */
  readonly name: string;
  /** After the brace of its body. */
  readonly at: number;
  /** After its last statement, with the separator for another one; null if that may not be reached. */
  readonly end: { readonly at: number; readonly before: string } | null;
  readonly module: RustModule;
};
/** The file itself, or a `mod` in it; tests are added before its end. */
type RustModule = { readonly path: readonly string[]; readonly end: number };

const MACROS: ReadonlyMap<string, string> = new Map([
  ['assert_eq', 'assert_eq!(LOW, HIGH);'],
  ['assert_ne', 'assert_ne!(LOW, LOW);'],
  ['assert', 'assert!(core::hint::black_box(LOW) == HIGH);'],
]);
/** Not `panic!` alone: what follows would be unreachable, and warnings may be errors. */
const panics = (dice: Dice) => `if core::hint::black_box(true) { panic!("${complaint(dice)}"); }`;
const ATTRIBUTE = /#\s*\[/y;
const TEST = /^#\[(?:\w+::)*test(?:\([^)]*\))?\]$/;
const HARMLESS = /^#\[(?:allow\(.*\)|inline|tracing_test::traced_test|serial)\]$/;
const HEAD = /(?:pub(?:\([^)]*\))?\s+)?(async\s+)?fn\s+(\w+)\s*\(\s*\)\s*(?:->[^{};]+)?\{/y;
const MODULE = /(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{/y;
const WORD = /\w+/y;

export function plantIntoRust(path: string, text: string, wish: PlantOptions): PlantedText | null {
  const { dice, only } = wish;
  const scanned = path.endsWith('.rs') ? scan('rust', text) : null;
  const phrase = freePhrase(text, dice);
  if (scanned === null || phrase === null) return null;
  const tests = rustTests(text, scanned);
  if (tests.length === 0) return null;
  const macros = macrosIn(scanned.code);
  const chosen = someOf(tests, wish, ({ name }) => name);
  const panicker = chosen.length > 1 ? Math.floor(dice() * chosen.length) : -1;
  const newline = lineEndOf(text);
  const edits = chosen.map(({ at, end }, index) => {
    const line = index === panicker || (index > 1 && dice() < 0.3) ? panics(dice) : asserts(macros, dice);
    const last = isLast(wish) && end !== null ? end : null;
    return last === null ? { at, text: ` ${line}` } : { at: last.at, text: `${last.before} ${line} ` };
  });
  if (edits.length === 0) return null;
  const { module } = oneOf(tests as [RustTest, ...RustTest[]], dice);
  const indent = '    '.repeat(module.path.length);
  const line = chosen.length === 1 || dice() < 0.5 ? panics(dice) : asserts(macros, dice);
  const begin = module.path.length > 0 || text.endsWith('\n') ? newline : newline + newline;
  const added = newTest(phrase, line, newline, indent);
  // Before the indentation of a closing brace.
  const end = text.slice(0, module.end).replace(/[ \t]+$/, '').length;
  if (only === null) edits.push({ at: module.path.length > 0 ? end : module.end, text: begin + added });
  const planted = edited(text, edits);
  const again = scan('rust', planted);
  if (again === null || rustTests(planted, again).length !== tests.length + (only === null ? 1 : 0)) return null;
  const name = [...module.path, `${snake(phrase)}`].join('::');
  return { text: planted, inside: chosen.map((test) => test.name), added: only === null ? name : null };
}

/** Only in `tests/`, where every file is a target; elsewhere a file counts only if another one names it. */
export function plantBesideRust(
  path: string,
  text: string,
  dice: Dice,
): { path: string; text: string; test: string } | null {
  const folder = /^((?:.*\/)?tests\/)[^/]+\.rs$/.exec(path)?.[1];
  const scanned = folder === undefined || /(?:^|\/)src\//.test(path) ? null : scan('rust', text);
  const phrase = freePhrase(text, dice);
  if (folder === undefined || scanned === null || phrase === null || rustTests(text, scanned).length === 0) return null;
  const line = asserts(macrosIn(scanned.code), dice);
  return { path: `${folder}${snake(phrase)}.rs`, text: newTest(phrase, line, '\n', ''), test: snake(phrase) };
}

export const bodiesOfRust = (text: string, scanned: Scanned): readonly TestBody[] =>
  rustTests(text, scanned).map(({ name, at }) => ({ name, from: at, to: scanned.pairs.get(at - 1) ?? at }));

/** The assertion macros that a file uses; all of them if it uses none. */
function macrosIn(code: string): readonly string[] {
  const used = [...MACROS].filter(([name]) => new RegExp(`(?<![\\w:])${name}!\\s*\\(`).test(code));
  return (used.length === 0 ? [...MACROS] : used).map(([, statement]) => statement);
}

const asserts = (macros: readonly string[], dice: Dice): string =>
  filled(oneOf(macros as [string, ...string[]], dice), ...unequal(dice));

function newTest(phrase: Phrase, line: string, newline: string, indent: string): string {
  const lines = ['#[test]', `fn ${snake(phrase)}() {`, `    ${line}`, '}'];
  return lines.map((one) => `${indent}${one}${newline}`).join('');
}

function rustTests(text: string, { code, pairs }: Scanned): readonly RustTest[] {
  const found: RustTest[] = [];
  const read = (from: number, module: RustModule): void => {
    let attributes: string[] = [];
    for (let at = from; at < module.end; ) {
      const attribute = stickyEnd(ATTRIBUTE, code, at);
      if (attribute !== null) {
        const close = pairs.get(attribute - 1) ?? attribute;
        attributes.push(text.slice(at, close + 1).replaceAll(/\s+/g, ''));
        at = close + 1;
        continue;
      }
      const [head, , name = ''] = stickyMatch(HEAD, code, at) ?? [];
      const [inner, moduleName = ''] = stickyMatch(MODULE, code, at) ?? [];
      const item = head ?? inner;
      const begin = at + (item ?? '').length;
      const end = item === undefined ? undefined : pairs.get(begin - 1);
      if (inner !== undefined && end !== undefined) {
        if (attributes.every((one) => one === '#[cfg(test)]' || HARMLESS.test(one))) {
          read(begin, { path: [...module.path, moduleName], end });
        }
      } else if (head !== undefined && isPlainTest(attributes) && !/^\s*#!/.test(code.slice(begin, begin + 200))) {
        found.push({
          name: [...module.path, name].join('::'),
          at: begin,
          end: head.includes('->') ? null : endOf(code, begin, end ?? begin),
          module,
        });
      }
      if (!/\s/.test(code[at] ?? '')) attributes = [];
      at = behind(end ?? pairs.get(at)) ?? stickyEnd(WORD, code, at) ?? at + 1;
    }
  };
  read(0, { path: [], end: text.length });
  const uses = Map.groupBy(found, ({ name }) => name);
  return found.filter(({ name }) => uses.get(name)?.length === 1);
}

/** Before the brace that closes a body. */
function endOf(code: string, from: number, to: number): RustTest['end'] {
  const body = code.slice(from, to);
  const written = body.trimEnd();
  if (written === '' || /\b(?:return|loop|panic|todo|unimplemented|unreachable|exit|abort)\b/.test(body)) return null;
  return { at: from + written.length, before: /[;}]$/.test(written) ? '' : ';' };
}

const behind = (at: number | undefined): number | undefined => (at === undefined ? undefined : at + 1);

const isPlainTest = (attributes: readonly string[]): boolean =>
  attributes.some((one) => TEST.test(one)) && attributes.every((one) => TEST.test(one) || HARMLESS.test(one));

function stickyMatch(pattern: RegExp, code: string, at: number): RegExpExecArray | null {
  if (/\w/.test(code[at - 1] ?? '')) return null;
  pattern.lastIndex = at;
  return pattern.exec(code);
}

function stickyEnd(pattern: RegExp, code: string, at: number): number | null {
  return stickyMatch(pattern, code, at) === null ? null : pattern.lastIndex;
}
