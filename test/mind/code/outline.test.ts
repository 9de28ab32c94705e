import { describe, expect, test } from 'vitest';
import { outlineOf, outlineText } from '../../../src/mind/code/outline.ts';
import { GO, JAVA, PYTHON, RUST, TYPESCRIPT } from './samples.ts';

const brief = (path: string, text: string): string[] =>
  outlineOf(path, text).map(({ line, exported, kind, name }) => `${line} ${exported ? '+' : '-'} ${kind} ${name}`);

describe('outlineOf', () => {
  test('TypeScript', () => {
    expect(brief('a.ts', TYPESCRIPT)).toEqual([
      ...['4 + function parse', '12 - function inner', '15 + interface Ast', '20 + type Visitor', '24 + const LIMIT'],
      ...[
        '25 + function double',
        '30 + class Store',
        '31 + property size',
        '34 + method constructor',
        '36 + method get',
      ],
      ...['37 - method drop', '38 - method #mine', '39 + method of', '42 + class Local', '44 + enum Mode'],
    ]);
  });

  test('Python', () => {
    expect(brief('a.py', PYTHON)).toEqual([
      ...['2 + const LIMIT', '6 + function parse', '20 + function fetch', '24 + class Store', '27 + method __init__'],
      ...['31 + method size', '34 - method _drop', '37 + class Inner', '38 + method deep', '42 + function later'],
      ...['46 - function _hidden'],
    ]);
  });

  test('a name that `__all__` lacks is not exported', () => {
    expect(brief('a.py', "__all__ = ['a']\ndef a(): ...\ndef b(): ...\n")).toEqual([
      '2 + function a',
      '3 - function b',
    ]);
  });

  test('Go', () => {
    expect(brief('a.go', GO)).toEqual([
      ...['6 + const Limit', '10 + const First', '11 - const second', '15 + type Store', '21 + interface Getter'],
      ...['26 + function New', '31 + method Get', '32 - method drop', '33 + function Any', '34 - function hidden'],
    ]);
  });

  test('Rust', () => {
    expect(brief('a.rs', RUST)).toEqual([
      ...['4 + const LIMIT', '8 + class Store', '14 + impl Store', '16 + method new', '17 - method drop_all'],
      ...[
        '20 + impl Default for Store',
        '21 - method default',
        '24 + interface Getter',
        '25 + method get',
        '28 + enum Mode',
      ],
      ...['29 - function within', '30 - function hidden'],
    ]);
  });

  test('Java', () => {
    expect(brief('A.java', JAVA)).toEqual([
      ...['7 + class Store', '8 + const LIMIT', '11 + method Store', '15 + method get', '22 - method drop'],
      ...['24 + interface Inner', '25 + method two'],
    ]);
  });

  test.each([
    ['a.md', '# One\n```\n# no\n```\n## Two\n#no', ['1 + heading One', '5 + heading Two']],
    ['a.yaml', 'a:\n  b: 1\n# no:\n"c": 2\n- d: 3\n', ['1 + key a', '4 + key "c"']],
    ['a.json', '{\n  "a": {\n    "no": 1\n  },\n  "b": 2\n}', ['2 + key a', '5 + key b']],
    ['a.toml', '[a]\nb = 1\n[[c.d]]', ['1 + key [a]', '3 + key [[c.d]]']],
    ['a.txt', '# no', []],
  ])('%s', (path, text, found) => {
    expect(brief(path, text)).toEqual(found);
  });

  test('the script of a component keeps its lines', () => {
    expect(brief('a.vue', '<template>\n</template>\n<script>\nexport function a() {}\n</script>')).toEqual([
      '4 + function a',
    ]);
  });

  test.each([
    [
      'a.ts',
      TYPESCRIPT,
      'parse',
      'export function parse(text: string, { strict = false }: { strict?: boolean } = {}): { readonly ast: Ast } | null',
    ],
    ['a.ts', TYPESCRIPT, 'Store', 'export abstract class Store<T = {}> extends Base<T>'],
    ['a.ts', TYPESCRIPT, 'double', 'export const double = async (n: number): Promise<number>'],
    ['a.py', PYTHON, 'parse', 'def parse(text: str, *, strict: bool = False) -> "Ast"'],
    ['a.go', GO, 'New', 'func New(where string, opts ...func(*Store)) (*Store, error)'],
    ['a.go', GO, 'Any', 'func Any(v interface{}) interface{}'],
    ['a.rs', RUST, 'new', 'pub fn new(name: &str) -> Self'],
    ['A.java', JAVA, 'get', 'public String get(@Nullable String id, List<Map<String, T>> all) throws IOException'],
  ])('a signature is one line: %s', (path, text, name, signature) => {
    expect(outlineOf(path, text).find((one) => one.name === name)?.signature).toBe(signature);
  });
});

describe('outlineText', () => {
  test('has a line for each, members indented', () => {
    expect(outlineText('a.rs', outlineOf('a.rs', 'pub struct A;\nimpl A {\n    pub fn b(&self) {}\n}\n'), 10)).toBe(
      ['a.rs', '  1 pub struct A', '  2 impl A', '  3   pub fn b(&self)'].join('\n'),
    );
  });

  test('shows what others use when not all fits, and says how many are missing', () => {
    const outlined = outlineOf('a.py', 'def _a(): ...\ndef b(): ...\ndef _c(): ...\ndef d(): ...\n');
    expect(outlineText('a.py', outlined, 4)).toBe(['a.py', '  2 def b()', '  4 def d()', '  … 2 more'].join('\n'));
  });

  test.each([0, 1, 2, 3, 5, 100])('never has more than %i lines', (max) => {
    const text = outlineText('a.ts', outlineOf('a.ts', TYPESCRIPT), max);
    expect(text === '' ? 0 : text.split('\n').length).toBeLessThanOrEqual(max);
  });
});
