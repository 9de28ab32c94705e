/**
 * The tests of one source text, each with its lines, its assertions and whether it is skipped. Uses patterns, no
 * parser.
 */
import type { Language } from '../code/languages.ts';

export type TestBlock = {
  readonly name: string;
  /** Starts at 1. */
  readonly line: number;
  /** The first line after it. */
  readonly end: number;
  /** `no`: it runs; `some`: under a condition; `yes`: never; `only`: others do not run; `todo`: it may fail. */
  readonly skip: 'no' | 'some' | 'yes' | 'only';
  /** The number of assertions that can fail, including those on errors. */
  readonly checks: number;
  /** Assertions that check more than whether there is an error. */
  readonly assertions: number;
  /** The number of those that compare an exact value. */
  readonly exact: number;
};

export type TestBlocks = {
  readonly tests: readonly TestBlock[];
  /** The number in the whole file, including helpers. */
  readonly assertions: number;
  /** Lines that skip more than one test, or the rest of the file. */
  readonly wideSkips: readonly number[];
};

type Reader = {
  /** The start of a test, in masked code; the groups `skip` and `only` say whether it runs. */
  readonly start: RegExp;
  /** The name, in the text that begins with the start. */
  readonly name: RegExp;
  /** On the lines above a start, such as decorators and attributes. */
  readonly above: RegExp | null;
  readonly aboveSkip: RegExp | null;
  readonly aboveSome: RegExp | null;
  /** Skips from inside the test. */
  readonly insideSkip: RegExp | null;
  readonly wideSkip: RegExp | null;
  readonly assertion: RegExp;
  /** Assertions that always hold, in the unmasked text. */
  readonly trivial: RegExp | null;
  /** Assertions that there is no error: other code and helpers need a different number of them. */
  readonly plain: RegExp | null;
  /** Assertions that hold for nearly every value. */
  readonly weak: RegExp | null;
};

const SCRIPT: Reader = {
  start:
    /(?<![\w$.])(?:(?<skip>x)|(?<only>f))?(?:it|test|specify)(?<chain>(?:\.(?:skip|only|todo|each|concurrent|sequential|serial|failing|fails|fixme|skipIf|runIf|cb|step|if|for|extend|prop|before|after)\b){0,4})\s{0,3}(?:\(|`|<)|(?<![\w$.])(?:t|tt|st|suite|Deno)\.test(?<chain2>(?:\.(?:skip|only|todo|ignore)\b){0,3})\s{0,3}\(/,
  name: /^[^'"`\n]{0,200}\n?\s{0,80}(?:'((?:[^'\\\n]|\\.){0,300})'|"((?:[^"\\\n]|\\.){0,300})"|`((?:[^`\\]|\\.){0,300})`)/,
  above: null,
  aboveSkip: null,
  aboveSome: null,
  insideSkip: /(?<![\w$])(?:this|t|tt|ctx|context|test)\.(?:skip|todo)\s{0,3}\(/,
  wideSkip:
    /(?<![\w$.]|[?:]\s)(?:x(?:describe|context|suite)\s{0,3}\(|(?:describe|context|suite)(?:\.\w{1,20}){0,2}\.(?:skip|todo)\b)|(?<![\w$.])(?:fdescribe\s{0,3}\(|(?:describe|context|suite)(?:\.\w{1,20}){0,2}\.only\b)/,
  assertion:
    /(?<![\w$.])(?:expect|expectTypeOf|expectType|expectError|expectAssignable|assertType|assert\w*)(?:\.(?!any\b|anything\b|objectContaining|arrayContaining|string|extend|addSnapshot)\w{1,40}){0,4}\s{0,3}(?:<[^()\n]{0,80}>)?\(|\.should\b|\.expect\(|(?<![\w$.])(?:t|tt|st|tap|qunit|chai)\.(?:assert\.\w{1,30}|is|not|deepEqual|notDeepEqual|like|throws\w*|notThrows\w*|rejects|regex|notRegex|snapshot|true|false|truthy|falsy|fail|assert|equals?|strictEquals?|same|strictSame|notSame|ok|notOk|error|match|has\w*|equal|notEqual|deepEquals?|type|resolves|doesNotThrow|strictDeepEqual|looseEqual)\(/g,
  trivial:
    /\bexpect\(\s*(true|false|\d{1,9}|'[^'\n]{0,40}'|"[^"\n]{0,40}")\s*\)\s*\.(?:not\.)?to\w+\(\s*(?:\1)?\s*\)|\bassert(?:\.ok|\.isTrue)?\(\s*(?:true|1)\s*[,)]|\bt\.(?:true|truthy|ok|assert)\(\s*(?:true|1)\s*[,)]|\b(?:assert\.\w*[eE]qual|t\.(?:is|equal|same))\(\s*(true|false|\d{1,9})\s*,\s*\2\s*[,)]|\|\|\s*true\s*\)|\bassert\.\w{0,30}[eE]qual\(\s*(\S.{2,200}?)\s*,\s*\3\s*[,)]|\bexpect\(\s*(\S.{2,200}?)\s*\)\s*\.to\w{1,20}\(\s*\4\s*\)|\bexpect\(.{1,200}\)\s*\.to\w{1,20}\(\s*expect\.anything\(\s*\)\s*\)/g,
  plain: /(?<![\w$.])(?:t|tt|assert)(?:\.assert)?\.(?:ifError|error)\(/g,
  weak: /\.(?:toBeGreaterThan\w{0,10}|toBeLessThan\w{0,10}|toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|toThrow(?=\s{0,3}\(\s{0,3}\))|toThrowError(?=\s{0,3}\(\s{0,3}\))|not\.toThrow|not\.toBeNull|not\.toBeUndefined)\s{0,3}\(|\.to\w{1,20}\(\s{0,3}expect\.any\(|\.toMatchObject\(\s{0,3}\{\s{0,3}\}\s{0,3}\)|\bassert\.(?:ok|exists|isDefined|isOk|isNotNull)\(|(?<![\w$.])assert\(|(?<![\w$.])t\.(?:ok|truthy|assert|notThrows\w*)\(/g,
};

const PYTHON: Reader = {
  start: /^[ \t]{0,40}(?:async[ \t]+)?def[ \t]+(?=test(?:_|[A-Z]|\d))/,
  name: /^[ \t]{0,40}(?:async[ \t]+)?def[ \t]+(\w{1,200})/,
  above: /^[ \t]{0,40}@/,
  aboveSkip: /@(?:pytest\.mark\.|mark\.)?(?:skip|xfail)\b(?!if)|@(?:unittest\.)?(?:skip|expectedFailure)\b/,
  // Without a condition as its first argument, it always applies.
  aboveSome:
    /@(?:pytest\.mark\.|mark\.|unittest\.)?skip(?:if|If|Unless)\b|@(?:pytest\.mark\.|mark\.)?xfail\(\s{0,20}(?!(?:reason|strict|raises|run)\b)[^)\s]/,
  insideSkip: /\bpytest\.(?:skip|xfail)\(|\bself\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest\b/,
  wideSkip:
    /^(?:\w{1,40}\s{0,3}=\s{0,3})?pytest\.importorskip\(|^pytestmark\s{0,3}=.{0,80}\b(?:skip|xfail)\b|\ballow_module_level\s{0,3}=\s{0,3}True|^collect_ignore(?:_glob)?\b|^__test__\s{0,3}=\s{0,3}False|^[ \t]{1,40}__test__\s{0,3}=\s{0,3}False/,
  assertion:
    /^[ \t]{0,80}assert\b|\bself\.(?:assert|fail)\w*\(|\bpytest\.(?:raises|warns|fail|deprecated_call)\b|\.assert_\w+\(|(?<![\w.])assert_\w+\(|\bself\.check\w*\(/g,
  trivial:
    /^[ \t]*assert\s+(?:True|1|not False|not None)\s*(?:,|#|$)|^[ \t]*assert\s*\(?\s*(\d{1,9}|True|False|None)\s*(?:==|is)\s*\1\s*\)?\s*(?:,|#|$)|\bor\s+(?:True|1)\s*\)?\s*(?:,|#|$)|\bself\.assertTrue\(\s*True\s*[,)]|\bself\.assertFalse\(\s*False\s*[,)]|\bself\.assertEqual\(\s*(\d{1,9}|True|False|None)\s*,\s*\2\s*[,)]|\bself\.assert\w{0,20}Equal\(\s*(\S.{1,200}?)\s*,\s*\3\s*[,)]|^[ \t]*assert\s+(\S.{1,200}?)\s*(?:==|is|<=|>=)\s*\4\s*(?:,|#|$)|^[ \t]*assert\s*\(.{1,300},\s*(?:f?"[^"\n]*"|f?'[^'\n]*')\s*\)\s*$/g,
  plain: null,
  weak: /\bis not None\b|\bself\.(?:assertGreater\w{0,10}|assertLess\w{0,10}|assertTrue|assertIsNotNone|assertIsInstance|assertFalse)\(|^[ \t]*assert\s+(?:isinstance|callable|hasattr|bool|len)\(|^[ \t]*assert\s+[\w.]{1,80}\s*(?:,|#|$)|^[ \t]*assert\s+[^=!<>\n]{1,200}(?:[<>]=?|!=)(?![^\n]{0,200}[<>]=?)|\bpytest\.raises\([^,()\n]{0,120}\)|\bself\.assertRaises\(/g,
};

const GO: Reader = {
  start:
    /^func[ \t]+(?:\([^)\n]{0,100}\)[ \t]*)?(?=(?:Test|Benchmark|Fuzz|Example)(?:[A-Z_]\w*)?\()|(?<![\w.])(?:t|tt|s|suite|b)\.Run\(/,
  name: /^(?:func[ \t]+(?:\([^)\n]{0,100}\)[ \t]*)?(\w{1,200})|.{0,12}Run\(\s{0,9}(?:"((?:[^"\\\n]|\\.){0,300})"|`([^`]{0,300})`|([\w.]{1,100})))/,
  above: null,
  aboveSkip: null,
  aboveSome: null,
  insideSkip: /(?<![\w.])(?:t|tt|b|s\.T\(\))\.(?:Skip|Skipf|SkipNow)\(/,
  wideSkip: /^\/\/(?:go:build|\s{0,3}\+build)\s/,
  assertion:
    /(?<![\w.])(?:t|tt|b|tb)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|(?<![\w.])(?:assert|require|is|c|g)\.[A-Z]\w{0,40}\(|(?<![\w.])(?!func\b)\w{1,60}\((?:t|tt),|\bpanic\(/g,
  trivial:
    /\b(?:assert|require)\.True\(\s*t\s*,\s*true\b|\b(?:assert|require)\.Equal\(\s*t\s*,\s*(\d{1,9}|true|false)\s*,\s*\1\s*[,)]/g,
  plain: /(?<![\w.])(?:t|tt|b|tb)\.(?:Error|Fatal)\(err\)|\b(?:assert|require)\.NoError\(/g,
  weak: /\b(?:assert|require)\.(?:NotNil|NotEmpty|NoError|True|False)\(/g,
};

const RUST: Reader = {
  start:
    /^[ \t]{0,40}#\[(?:\w{1,40}::){0,3}(?:test|rstest|proptest|bench)\b|^[ \t]{0,20}(?:rgtest|proptest|quickcheck)!\s{0,3}[({]/,
  name: /^(?:[^\n]{0,200}\n){1,8}?[ \t]{0,40}(?:pub(?:\([^)\n]{0,30}\))?[ \t]+)?(?:async[ \t]+|unsafe[ \t]+)?fn[ \t]+(\w{1,200})|^[ \t]{0,20}\w{1,40}!\s{0,3}[({]\s{0,20}(\w{1,200})/,
  above: /^[ \t]{0,40}#\[/,
  aboveSkip: /#\[ignore\b/,
  aboveSome: /#\[cfg_attr\(.{0,80}\bignore\b/,
  insideSkip: null,
  wideSkip: /#!?\[cfg\((?:(?:any\(\)|FALSE)\)\]|all\([^\]\n]{0,80}\btest\b)/,
  assertion: /\b(?:debug_)?assert\w*!|(?<![\w.])\w{0,30}eq\w{0,20}!|\bshould_panic\b|\bpanic!\s{0,3}[({[]/g,
  trivial: /\bassert!\(\s*true\s*[,)]|\bassert_eq!\(\s*(\d{1,9}|true|false)\s*,\s*\1\s*[,)]|\|\|\s*true\s*\)/g,
  plain: null,
  weak: /\.is_(?:ok|some|err)\(\)|\bassert!\((?=[^=!\n]{0,200}[<>]=?)(?![^\n]{0,200}(?:==|matches!))/g,
};

const JAVA: Reader = {
  start: /^[ \t]{0,40}@(?:\w{1,20}\.){0,8}(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b/,
  name: /^(?:[^\n]{0,300}\n){1,8}?[^\n(=]{0,120}?\b(\w{1,200})\s{0,3}\(\s{0,3}(?:\)|final|\w)[^\n;]{0,300}(?:\{|throws)/,
  above: /^[ \t]{0,40}@/,
  aboveSkip: /@(?:Disabled|Ignore)\b/,
  aboveSome: /@(?:Disabled|Enabled)(?:If|On|For)\w{1,40}/,
  insideSkip: null,
  wideSkip: null,
  assertion: /(?<![\w])(?:assert\w*|verify\w*|fail)\s{0,3}\(/g,
  trivial: /\bassertTrue\(\s*true\s*\)|\bassertEquals\(\s*(\d{1,9})\s*,\s*\1\s*\)/g,
  plain: null,
  weak: /\bassert(?:NotNull|True|False)\(/g,
};

const READERS: Readonly<Record<Language, Reader | null>> = {
  typescript: SCRIPT,
  javascript: SCRIPT,
  python: PYTHON,
  go: GO,
  rust: RUST,
  java: JAVA,
  other: null,
};
const NONE: TestBlocks = { tests: [], assertions: 0, wideSkips: [] };
/** The longest line that is read; longer ones are data. */
const MAX_LINE = 2_000;
const MAX_TESTS = 5_000;
/** How much text after a start is searched for its name. */
const NAME_WITHIN = 1_200;

export function testBlocksIn(language: Language, text: string, code: readonly string[]): TestBlocks {
  const reader = READERS[language];
  if (reader === null || text === '') return NONE;
  const lines = text.split('\n');
  const starts = startsIn(reader, lines, code);
  const counted = code.map((line, i) => assertionsIn(reader, line, lines[i] ?? ''));
  const tests = starts.map((start, n): TestBlock => {
    const end = starts[n + 1]?.line ?? lines.length;
    const last = lastReached(language, lines, code, start.line, end);
    let [checks, assertions, exact] = [0, 0, 0];
    let skip = start.skip;
    for (let i = start.line; i < end; i += 1) {
      if (i < last) {
        checks += counted[i]?.checks ?? 0;
        assertions += counted[i]?.all ?? 0;
        exact += counted[i]?.exact ?? 0;
      }
      if (i > start.line || language === 'go') skip = insideSkip(reader, lines, code, start, i) ?? skip;
    }
    return { name: start.name, line: start.line + 1, end: end + 1, skip, checks, assertions, exact };
  });
  const wideSkips = code.flatMap((line, i) =>
    reader.wideSkip?.test((language === 'go' ? (lines[i] ?? '') : line).slice(0, MAX_LINE)) ? [i + 1] : [],
  );
  const outside = counted.slice(0, starts[0]?.line ?? counted.length).reduce((sum, { all }) => sum + all, 0);
  return { tests, assertions: outside + tests.reduce((sum, one) => sum + one.assertions, 0), wideSkips };
}

/** `line` counts from 0. */
type TestBlockStart = {
  readonly line: number;
  readonly name: string;
  readonly skip: TestBlock['skip'];
  readonly indent: number;
};

function startsIn(reader: Reader, lines: readonly string[], code: readonly string[]): TestBlockStart[] {
  const starts: TestBlockStart[] = [];
  for (let i = 0; i < code.length && starts.length < MAX_TESTS; i += 1) {
    const line = (code[i] ?? '').slice(0, MAX_LINE);
    const match = reader.start.exec(line);
    if (match === null) continue;
    const found = reader.name.exec(
      lines
        .slice(i, i + 9)
        .join('\n')
        .slice(match.index)
        .slice(0, NAME_WITHIN),
    );
    const name = found?.slice(1).find((one) => one !== undefined) ?? '';
    const chain = `${match.groups?.['chain'] ?? ''}${match.groups?.['chain2'] ?? ''}`;
    // `test(name)` in a helper is no test, nor is a call of something else with that name.
    if (name === '' && chain === '' && reader === SCRIPT) continue;
    starts.push({ line: i, name, skip: skipOf(reader, match, chain, code, i, line), indent: indentOf(line) });
  }
  return starts;
}

function skipOf(
  reader: Reader,
  { groups }: RegExpExecArray,
  chain: string,
  code: readonly string[],
  at: number,
  line: string,
): TestBlock['skip'] {
  if (groups?.['only'] !== undefined || /\.only\b/.test(chain) || /\{\s{0,9}only\s{0,3}:\s{0,3}true/.test(line))
    return 'only';
  if (groups?.['skip'] !== undefined || /\.(?:skip|todo|fails|failing|fixme)\b/.test(chain)) return 'yes';
  if (/\.skipIf\s{0,3}\(\s{0,3}(?:true|1|!0)\b|\.runIf\s{0,3}\(\s{0,3}(?:false|0)\b/.test(line)) return 'yes';
  // Gates do not set this variable, so the test never runs.
  if (/\.runIf\s{0,3}\(\s{0,3}process\.env\b/.test(line)) return 'yes';
  if (/\.(?:skipIf|runIf)\b/.test(chain)) return 'some';
  if (reader === SCRIPT && /\{[^}]{0,80}\b(?:skip|todo)\s{0,3}:\s{0,3}(?:true|['"`])/.test(line)) return 'yes';
  if (reader.above === null) return 'no';
  let skip: TestBlock['skip'] = 'no';
  const look = (i: number): boolean => {
    const above = (code[i] ?? '').slice(0, MAX_LINE);
    if (/\bskip(?:if|If)\(\s{0,3}(?:True|1|not False)\b|\bskipUnless\(\s{0,3}(?:False|0)\b/.test(above)) skip = 'yes';
    else if (reader.aboveSome?.test(above)) skip = skip === 'yes' ? 'yes' : 'some';
    else if (reader.aboveSkip?.test(above)) skip = 'yes';
    return /\S/.test(above) && !/^[ \t]{0,40}(?:(?:async )?def |class |func |\})/.test(above);
  };
  for (let i = at - 1; i >= Math.max(0, at - 20) && look(i); i -= 1);
  // Attributes of Rust and annotations of Java may also follow the one that makes the test.
  if (reader !== PYTHON) for (let i = at; i < at + 6 && reader.above.test(code[i] ?? ''); i += 1) look(i);
  return skip;
}

/** A skip at the first level of the test's body always happens; a deeper one is conditional. */
function insideSkip(
  reader: Reader,
  lines: readonly string[],
  code: readonly string[],
  start: TestBlockStart,
  at: number,
): TestBlock['skip'] | null {
  const line = code[at] ?? '';
  if (reader.insideSkip?.test(line.slice(0, MAX_LINE)) !== true || start.skip !== 'no') return null;
  const isFirstLevel = indentOf(line) <= bodyIndent(lines, start.line);
  return isFirstLevel || ALWAYS.test(`${code[at - 1] ?? ''}\n${line}`.slice(0, MAX_LINE)) ? 'yes' : 'some';
}

/** A condition that always holds. */
const ALWAYS =
  /\b(?:if|when)\s{0,3}\(?\s{0,3}(?:true|True|1|!false|!0|not False)\s{0,3}(?:\)|\{|:|$)|(?:\|\||\bor)\s{0,3}(?:true|True|1|!false)\b/m;

/** The line of a bare return at the first level of the body: nothing after it runs. */
function lastReached(language: Language, lines: readonly string[], code: readonly string[], from: number, to: number) {
  if (language === 'rust' || language === 'java') return to;
  const body = bodyIndent(lines, from);
  for (let i = from + 1; i < to; i += 1) {
    const line = code[i] ?? '';
    if (
      /^\s{1,40}(?:return\s{0,3};?|process\.exit\(.{0,3}\);?|os\._exit\(.{0,3}\))\s{0,9}$/.test(line) &&
      indentOf(line) === body
    )
      return i;
  }
  return to;
}

function bodyIndent(lines: readonly string[], start: number): number {
  const own = indentOf(lines[start] ?? '');
  for (let i = start + 1; i < Math.min(lines.length, start + 12); i += 1) {
    const line = lines[i] ?? '';
    if (line.trim() !== '' && indentOf(line) > own) return indentOf(line);
  }
  return own + 1;
}

/** A tab is one step, and so is any run of spaces that a file uses. */
function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

type AssertionCount = { readonly checks: number; readonly all: number; readonly exact: number };

function assertionsIn(reader: Reader, code: string, text: string): AssertionCount {
  const line = code.slice(0, MAX_LINE);
  const all = countOf(line, reader.assertion);
  if (all === 0) return { checks: 0, all, exact: 0 };
  const written = text.slice(0, MAX_LINE);
  const real = Math.max(0, all - (reader.trivial === null ? 0 : countOf(written, reader.trivial)));
  const weak = reader.weak === null ? 0 : countOf(line, reader.weak);
  const telling = Math.max(0, real - (reader.plain === null ? 0 : countOf(line, reader.plain)));
  return { checks: real, all: telling, exact: Math.max(0, telling - weak) };
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
