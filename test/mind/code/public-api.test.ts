import { describe, expect, test } from 'vitest';
import { isInterfaceFile, publicApi } from '../../../src/mind/code/public-api.ts';
import { GO, JAVA, PYTHON, RUST, TYPESCRIPT } from './samples.ts';

/** In each sample: what must be shown, and what is its own business. */
const SAMPLES = [
  [
    'a.ts',
    TYPESCRIPT,
    [
      '/** Reads a text. */',
      "kind: 'file'",
      '| ((node: Ast) => void)',
      'async get(id: string)',
      '/** Gets one. */',
      'On, Off',
    ],
    ['secretBody', 'inner', 'hidden', 'items', '#', 'drop', 'load('],
  ],
  [
    'a.py',
    PYTHON,
    ['def parse(text: str', 'Reads a text.', 'class Store(Base', 'def size(self) -> int', 'LIMIT = 10'],
    ['secret_body', 'nested', '_drop', '_hidden', '_private', 'self.where'],
  ],
  [
    'a.go',
    GO,
    [
      '// Store holds state.',
      'Name  string',
      '// Name of it.',
      'Get(id string) (string, error)',
      'func New(where string',
    ],
    ['secretBody', 'second', 'where map', 'drop', 'hidden'],
  ],
  [
    'a.rs',
    RUST,
    [
      '/// Holds state.',
      'pub name: String',
      '/// Makes one.',
      'pub fn new(name: &str) -> Self',
      'impl<T> Default for Store<T>',
      'On, Off',
      'fn get(&self',
    ],
    ['secret_body', 'secret:', 'drop_all', 'within', 'hidden', 'fn no'],
  ],
  [
    'A.java',
    JAVA,
    [
      '/** Holds state. */',
      'public Store(String where)',
      '/** Gets one. */',
      'throws IOException',
      'int two()',
      'LIMIT',
    ],
    ['secretBody', 'drop', 'private'],
  ],
] as const;

describe.each(SAMPLES)('publicApi of %s', (path, text, shown, hidden) => {
  const api = publicApi(path, text);
  test.each(shown)('shows %s', (part) => expect(api).toContain(part));
  // The sample has it: hiding what is not there would prove nothing.
  test.each(hidden)('hides %s', (part) => {
    expect(text).toContain(part);
    expect(api).not.toContain(part);
  });
});

test('reads like the code it is cut from', () => {
  expect(publicApi('a.ts', TYPESCRIPT).split('\n').slice(0, 11).join('\n')).toBe(`/** Reads a text. */
export function parse(
  text: string,
  { strict = false }: { strict?: boolean } = {},
): { readonly ast: Ast } | null

/** A tree. */
export interface Ast {
  readonly kind: 'file';
  children: Ast[];
}`);
});

test.each([
  ['a.ts', 'const a = 1;'],
  ['a.rb', 'def a; end'],
  ['a.py', ''],
  ['a.md', '# A'],
])('%s offers nothing', (path, text) => {
  expect(publicApi(path, text)).toBe('');
});

test('a file of definitions is its own API', () => {
  expect(publicApi('api/a.proto', 'message A {}')).toBe('message A {}');
});

describe('isInterfaceFile', () => {
  test.each([
    ...[
      'src/a.d.ts',
      'api/a.proto',
      'schema.graphql',
      'openapi.yaml',
      'docs/swagger.v2.json',
      'src/types.ts',
      'src/user.types.ts',
    ],
    ...[
      'src/engine/ports/store.ts',
      'app/interfaces/mailer.py',
      'src/a/AbstractStore.java',
      'core/base.py',
      'a.schema.json',
    ],
  ])('%s', (path) => expect(isInterfaceFile(path)).toBe(true));
  test.each(['src/a.ts', 'src/store.py', 'src/Abstraction/run.ts', 'README.md', 'config.yaml', 'src/port-scan.ts'])(
    'not %s',
    (path) => {
      expect(isInterfaceFile(path)).toBe(false);
    },
  );
  test.each([
    ['a.ts', 'export interface A { b: string }\nexport type C = 1;\n', true],
    ['a.ts', 'export interface A { b: string }\nexport function c() {}\n', false],
    ['a.py', 'class A(ABC):\n    def b(self): ...\n', true],
    ['a.py', 'class A:\n    def b(self): ...\n', false],
    ['a.go', 'package a\ntype A interface {\n\tB()\n}\n', true],
    ['spec.yml', 'openapi: 3.1.0\n', true],
    ['a.ts', '', false],
  ])('by its text: %s %j', (path, text, is) => expect(isInterfaceFile(path, text)).toBe(is));
});
