/**
 * The tests of a JavaScript or TypeScript file that certainly run: plain calls, at the top level or in plain suites.
 */
import type { Scanned } from './scan.ts';
import type { BoundName } from './script-imports.ts';

export type ScriptTest = {
  readonly name: string;
  /** The parameters of the test's function, as written. */
  readonly params: string;
  readonly isAsync: boolean;
  readonly body: FunctionBody;
};

/** A block between its braces; for an arrow function without one, its expression. */
type FunctionBody =
  | { readonly kind: 'block'; readonly at: number; readonly end: number }
  | { readonly kind: 'expression'; readonly from: number; readonly to: number };

type TestNames = { readonly tests: readonly string[]; readonly suites: readonly string[] };

const FRAMEWORK = /^(?:node:test|vitest|@jest\/globals|bun:test|vite-plus\/test)$/;
const TESTS: ReadonlySet<string> = new Set(['test', 'it']);
const SUITES: ReadonlySet<string> = new Set(['describe', 'suite', 'context']);

/** The names by which a file calls tests and suites. */
export function testNames(bound: readonly BoundName[]): TestNames {
  const aliases = (names: ReadonlySet<string>, isDefault: boolean) => [
    ...names,
    ...bound
      .filter(({ module }) => module !== null && FRAMEWORK.test(module))
      .filter(({ imported }) => names.has(imported) || (isDefault && imported === 'default'))
      .map(({ local }) => local),
  ];
  const tests = new Set(aliases(TESTS, true));
  return { tests: [...tests], suites: [...new Set(aliases(SUITES, false))].filter((name) => !tests.has(name)) };
}

/** Returns null if only some tests of a file run (`.only`). */
export function scriptTests(text: string, scanned: Scanned, names: TestNames): readonly ScriptTest[] | null {
  const { code } = scanned;
  const all = [...names.tests, ...names.suites].map((name) => name.replaceAll('$', '\\$')).join('|');
  if (new RegExp(`(?<![\\w$])(?:(?:${all})(?:\\.[\\w$]+)*\\.only|fit|fdescribe)\\b|\\bonly\\s*:\\s*true\\b`).test(code))
    return null;
  const found = new Reader(text, scanned, names).testsIn(0, text.length);
  const uses = new Map<string, number>();
  for (const { 0: head, index, 1: quote = '' } of code.matchAll(
    new RegExp(`(?<![\\w$])(?:${all})[\\w$.]*\\s*\\(\\s*(['"\`])`, 'g'),
  )) {
    const from = index + head.length;
    const name = text.slice(from, code.indexOf(quote, from));
    uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  // A runner's list has names and no places: of two tests with one name, neither is certain.
  return found.filter(({ written }) => uses.get(written) === 1);
}

const WORD = /[A-Za-z_$][\w$]*/y;
const MODIFIED = /((?:\.(?:concurrent|sequential|shuffle))*)\s*\(/y;
const FUNCTION = /\s*(async\b\s*)?(function\b\s*[\w$]*\s*)?/y;
const ARROW = /\s*(?::\s*[\w$<>[\]|.\s]+?)?\s*=>\s*/y;
const RETURNS = /\s*(?::\s*[\w$<>[\]|.\s]+?)?\s*(?=\{)/y;
const HARMLESS = /^\s*\{(?:\s*(?:timeout|concurrency|concurrent|sequential)\s*:\s*[\w.]+\s*,?)*\s*\}\s*$/;
const NUMBER = /^\s*[\w.]+(?:\s*\*\s*[\w.]+)*\s*$/;

type Arg = { readonly from: number; readonly to: number };
type Callback = Omit<ScriptTest, 'name'> & { readonly end: number };
type WrittenTest = ScriptTest & { readonly written: string };

class Reader {
  readonly #text: string;
  readonly #code: string;
  readonly #pairs: ReadonlyMap<number, number>;
  readonly #names: TestNames;

  constructor(text: string, { code, pairs }: Scanned, names: TestNames) {
    this.#text = text;
    this.#code = code;
    this.#pairs = pairs;
    this.#names = names;
  }

  /** Tests of a region, which is a file or the body of a suite. */
  testsIn(from: number, to: number): readonly WrittenTest[] {
    const found: WrittenTest[] = [];
    for (let at = from; at < to; ) {
      const close = this.#pairs.get(at);
      if (close !== undefined) {
        at = close + 1;
        continue;
      }
      WORD.lastIndex = at;
      const word = WORD.exec(this.#code)?.[0];
      if (word === undefined) {
        at += 1;
        continue;
      }
      // What follows may not be reached.
      if (word === 'return') break;
      const isTest = this.#names.tests.includes(word);
      if ((isTest || this.#names.suites.includes(word)) && this.#isStatement(at, from)) {
        found.push(...this.#call(at + word.length, isTest));
      }
      at += word.length;
    }
    return found;
  }

  #call(at: number, isTest: boolean): readonly WrittenTest[] {
    MODIFIED.lastIndex = at;
    if (!MODIFIED.test(this.#code)) return this.#member(at, isTest);
    const open = MODIFIED.lastIndex - 1;
    const args = this.#args(open);
    const [first, ...others] = args;
    const callback = this.#callback(others);
    if (first === undefined || callback === null) return [];
    if (!isTest) return callback.body.kind === 'block' ? this.testsIn(callback.body.at, callback.end) : [];
    const written = this.#literal(first);
    const name = written === null ? null : unescaped(written);
    if (name === null || written === null) return [];
    return [{ name, written, params: callback.params, isAsync: callback.isAsync, body: callback.body }];
  }

  /** `test.describe(…)`, `test.it(…)` of a framework's default import. */
  #member(at: number, isTest: boolean): readonly WrittenTest[] {
    const word = /\.([\w$]+)(?=\s*\()/y;
    word.lastIndex = at;
    const name = isTest ? (word.exec(this.#code)?.[1] ?? '') : '';
    if (!TESTS.has(name) && !SUITES.has(name)) return [];
    return this.#call(word.lastIndex, TESTS.has(name));
  }

  #args(open: number): readonly Arg[] {
    const end = this.#pairs.get(open) ?? open;
    const args: Arg[] = [];
    let from = open + 1;
    for (let at = from; at < end; at += 1) {
      if (this.#code[at] === ',') {
        args.push({ from, to: at });
        from = at + 1;
      }
      at = this.#pairs.get(at) ?? at;
    }
    args.push({ from, to: end });
    return this.#codeOf(args.at(-1)).trim() === '' ? args.slice(0, -1) : args;
  }

  readonly #codeOf = (arg: Arg | undefined) => (arg === undefined ? '' : this.#code.slice(arg.from, arg.to));

  /** Options without influence, a function, a timeout. */
  #callback(args: readonly Arg[]): Callback | null {
    const [first, second] = args;
    if (first === undefined || args.length > 2) return null;
    if (second === undefined) return this.#function(first);
    if (HARMLESS.test(this.#codeOf(first))) return this.#function(second);
    const after = this.#codeOf(second);
    return NUMBER.test(after) || HARMLESS.test(after) ? this.#function(first) : null;
  }

  #function({ from, to }: Arg): Callback | null {
    const code = this.#code;
    FUNCTION.lastIndex = from;
    const [, isAsync, word] = FUNCTION.exec(code) ?? [];
    let at = FUNCTION.lastIndex;
    const bare = word === undefined ? /^[\w$]+(?=\s*=>)/.exec(code.slice(at, to))?.[0] : undefined;
    const close = bare === undefined ? this.#pairs.get(at) : at + bare.length - 1;
    if (close === undefined || (bare === undefined && code[at] !== '(')) return null;
    const params = bare ?? this.#text.slice(at + 1, close);
    const sticky = word === undefined ? ARROW : RETURNS;
    sticky.lastIndex = close + 1;
    if (!sticky.test(code)) return null;
    at = sticky.lastIndex;
    const about = { params, isAsync: isAsync !== undefined };
    if (code[at] !== '{') {
      const isEmpty = code.slice(at, to).trim() === '';
      return isEmpty ? null : { ...about, body: { kind: 'expression', from: at, to }, end: to };
    }
    const end = this.#pairs.get(at) ?? to;
    if (code.slice(end + 1, to).trim() !== '') return null;
    return { ...about, body: { kind: 'block', at: at + 1, end }, end };
  }

  /** The source text inside a string, if the argument is nothing else. */
  #literal(arg: Arg): string | null {
    const code = this.#codeOf(arg);
    if (!/^\s*(['"`]) *\1\s*$/.test(code)) return null;
    const from = arg.from + code.search(/['"`]/) + 1;
    return this.#text.slice(from, arg.from + code.trimEnd().length - 1);
  }

  /** Whether a call is a statement of its own: conditions stand before a call. */
  #isStatement(at: number, from: number): boolean {
    const before = this.#code.slice(from, at);
    const waits = /(?<![\w$.])(?:await|void)\s+$/.exec(before.slice(-20))?.[0].length ?? 0;
    const rest = before.slice(0, before.length - waits);
    const all = rest.trimEnd();
    const last = all.at(-1);
    if (last === undefined || last === ';' || last === '}') return true;
    const trimmed = all.slice(-20);
    if (!rest.slice(all.length).includes('\n') || /[&|?:=,+\-*/<>!.([]$/.test(trimmed)) return false;
    if (/\b(?:else|do|return|yield|of|in|new|typeof)$/.test(trimmed)) return false;
    return last !== ')' || !this.#endsCondition(from + all.length - 1);
  }

  #endsCondition(close: number): boolean {
    const open = [...this.#pairs].find(([, end]) => end === close)?.[0] ?? 0;
    return /\b(?:if|for|while|with)\s*$/.test(this.#code.slice(Math.max(0, open - 12), open));
  }
}

/** The value of a string; null for a name that a list may show differently. */
function unescaped(written: string): string | null {
  const name = written.replaceAll(/\\(['"`\\])/g, '$1');
  if (/\\[^'"`\\]/.test(written.replaceAll('\\\\', '')) || name !== name.trim() || name === '') return null;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line ends and the like
  return /[\u0000-\u001f\u007f]|\$\{| {2}/.test(name) ? null : name;
}
