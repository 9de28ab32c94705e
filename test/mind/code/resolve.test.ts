import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeResolver, mayLeadTo, RESOLVER_FILES } from '../../../src/mind/code/resolve.ts';

type Repository = { readonly files: readonly string[]; readonly configs?: Readonly<Record<string, string>> };
type Case = readonly [from: string, specifier: string, found: readonly string[]];

const resolver = ({ files, configs = {} }: Repository) =>
  makeResolver(new Set([...files, ...Object.keys(configs)]), new Map(Object.entries(configs)));

const json = (value: unknown): string => JSON.stringify(value);

const SCRIPT: Repository = {
  files: [
    ...['src/a.ts', 'src/b.tsx', 'src/c/index.ts', 'src/d.d.ts', 'src/e.js', 'src/f.mts', 'src/logo.svg', 'index.ts'],
    ...['packages/core/src/index.ts', 'packages/core/src/deep/x.ts', 'packages/ui/lib/button.js', 'packages/ui/own.ts'],
    ...[
      'apps/web/src/main.ts',
      'apps/web/src/views/home.vue',
      'test/fixtures/react/index.js',
      'shared/x.ts',
      'old/index.js',
    ],
  ],
  configs: {
    'tsconfig.json':
      '{ // comments and commas\n "extends": "./tsconfig.base.json", "compilerOptions": {"strict": true,}, }',
    'tsconfig.base.json': json({
      compilerOptions: {
        baseUrl: '.',
        paths: { '@/*': ['src/*'], exact: ['src/a.ts'], '@/c/*': ['shared/*'], out: ['../../x'] },
      },
    }),
    'package.json': json({
      name: 'top',
      workspaces: ['packages/*'],
      imports: { '#a': './src/a.ts', '#in/*': { default: './src/*.ts' } },
    }),
    'packages/core/package.json': json({
      name: '@my/core',
      exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' }, './deep/*': './dist/deep/*.js' },
    }),
    'packages/ui/package.json': json({ name: 'ui', main: 'lib/button.js', imports: { '#own': './own.js' } }),
    'apps/web/package.json': json({ name: 'web' }),
    'old/package.json': json({ name: 'old' }),
    'test/fixtures/react/package.json': json({ name: 'react' }),
  },
};

const SCRIPT_CASES: readonly Case[] = [
  ['src/x.ts', './a', ['src/a.ts']],
  ['src/x.ts', './a.js', ['src/a.ts']],
  ['src/x.ts', './a.ts', ['src/a.ts']],
  ['src/x.ts', './b.jsx', ['src/b.tsx']],
  ['src/x.ts', './f.mjs', ['src/f.mts']],
  ['src/x.ts', './c', ['src/c/index.ts']],
  ['src/x.ts', './c/', ['src/c/index.ts']],
  ['src/x.ts', '..', ['index.ts']],
  ['src/x.ts', './d', ['src/d.d.ts']],
  ['src/x.ts', './logo.svg?raw', ['src/logo.svg']],
  ['src/x.ts', './none', []],
  ['src/x.ts', '@/a', ['src/a.ts']],
  ['src/x.ts', '@/c/x', ['shared/x.ts']],
  ['src/x.ts', 'exact', ['src/a.ts']],
  ['src/x.ts', 'src/e', ['src/e.js']],
  ['src/x.ts', 'out', []],
  ['src/x.ts', '#a', ['src/a.ts']],
  ['src/x.ts', '#in/a', ['src/a.ts']],
  ['packages/ui/own.js', '#own', ['packages/ui/own.ts']],
  ['apps/web/src/main.ts', '@my/core', ['packages/core/src/index.ts']],
  ['apps/web/src/main.ts', '@my/core/deep/x', ['packages/core/src/deep/x.ts']],
  ['apps/web/src/main.ts', 'ui', ['packages/ui/lib/button.js']],
  ['apps/web/src/main.ts', 'old', ['old/index.js']],
  ['apps/web/src/main.ts', '@/views/home.vue', ['apps/web/src/views/home.vue']],
  ['apps/web/src/main.ts', '/src/main.ts', []],
  ['apps/web/src/other.ts', '/src/main.ts', ['apps/web/src/main.ts']],
  ['src/x.ts', 'react', []],
  ['src/x.ts', 'node:fs', []],
  ['src/x.ts', 'https://example.org/a.ts', []],
];

const PYTHON: Repository = {
  files: [
    ...['src/app/__init__.py', 'src/app/models.py', 'src/app/views/__init__.py', 'src/app/views/home.py', 'setup.py'],
    ...['tests/orders/__init__.py', 'tests/orders/helper.py', 'tests/conftest.py', 'scripts/run.py', 'scripts/tool.py'],
    ...['code/lib1/__init__.py', 'stubs/typed.pyi', 'flat/only.py'],
  ],
  configs: {
    'pyproject.toml':
      '[tool.setuptools.packages.find]\nwhere = ["code", "../outside"]\n[tool.pytest.ini_options]\npythonpath = "stubs"\n',
  },
};

const PYTHON_CASES: readonly Case[] = [
  ['src/app/views/home.py', '.', ['src/app/views/__init__.py']],
  ['src/app/views/home.py', '..models', ['src/app/models.py']],
  ['src/app/views/home.py', '..', ['src/app/__init__.py']],
  ['src/app/views/home.py', '.home.name', []],
  ['src/app/views/home.py', '.....x', []],
  ['src/app/models.py', 'app.views.home', ['src/app/views/home.py']],
  ['src/app/models.py', 'app', ['src/app/__init__.py']],
  ['src/app/models.py', 'os', []],
  ['tests/conftest.py', 'orders.helper', ['tests/orders/helper.py']],
  ['tests/conftest.py', 'app.models', ['src/app/models.py']],
  ['scripts/run.py', 'tool', ['scripts/tool.py']],
  ['src/app/models.py', 'lib1', ['code/lib1/__init__.py']],
  ['src/app/models.py', 'flat.only', ['flat/only.py']],
];

const GO: Repository = {
  files: ['main.go', 'a/a.go', 'a/b.go', 'a/a_test.go', 'a/doc.md', 'sub/c/c.go', 'sub/d.go'],
  configs: {
    'go.mod': 'module example.org/app/v2\n\ngo 1.25\n',
    'sub/go.mod': '// comment\nmodule example.org/app/v2/other',
  },
};

const GO_CASES: readonly Case[] = [
  ['main.go', 'example.org/app/v2/a', ['a/a.go', 'a/b.go']],
  ['a/a.go', 'example.org/app/v2', ['main.go']],
  ['a/a.go', 'example.org/app/v2/other', ['sub/d.go']],
  ['a/a.go', 'example.org/app/v2/other/c', ['sub/c/c.go']],
  ['a/a.go', 'fmt', []],
  ['a/a.go', 'example.org/app/v2/../../x', []],
];

const RUST: Repository = {
  files: [
    ...[
      'core/src/lib.rs',
      'core/src/a.rs',
      'core/src/a/b.rs',
      'core/src/c/mod.rs',
      'core/src/c/d.rs',
      'core/tests/it.rs',
    ],
    ...[
      'core/src/inner/deep.rs',
      'cli/src/main.rs',
      'cli/src/args.rs',
      'cli/src/bin/tool.rs',
      'core/tests/common/mod.rs',
    ],
  ],
  configs: {
    'Cargo.toml': '[workspace]\nmembers = ["core", "cli"]\n',
    'core/Cargo.toml': '[package]\nname = "my-core"\n',
    'cli/Cargo.toml': '[package]\nname = "cli"\n[dependencies]\nmy-core = { path = "../core" }\n',
  },
};

const RUST_CASES: readonly Case[] = [
  ['core/src/lib.rs', 'self::a', ['core/src/a.rs']],
  ['core/src/a.rs', 'self::b', ['core/src/a/b.rs']],
  ['core/src/c/mod.rs', 'self::d', ['core/src/c/d.rs']],
  ['core/src/a/b.rs', 'crate::c::d::Thing', ['core/src/c/d.rs']],
  ['core/src/a/b.rs', 'crate::Thing', ['core/src/lib.rs']],
  ['core/src/a/b.rs', 'super::x', ['core/src/a.rs']],
  ['core/src/a/b.rs', 'super::super::c', ['core/src/c/mod.rs']],
  ['core/src/c/d.rs', 'super::super::super::x', []],
  ['core/src/lib.rs', 'self::inner::deep', ['core/src/inner/deep.rs']],
  ['core/src/lib.rs', 'self::Item', []],
  ['core/src/lib.rs', './a/b.rs', ['core/src/a/b.rs']],
  ['core/src/lib.rs', './../../../../etc/passwd', []],
  ['core/tests/it.rs', 'my_core::a::b', ['core/src/a/b.rs']],
  ['core/tests/it.rs', 'self::common', ['core/tests/common/mod.rs']],
  ['cli/src/main.rs', 'crate::args', ['cli/src/args.rs']],
  ['cli/src/main.rs', 'my_core::c', ['core/src/c/mod.rs']],
  ['cli/src/bin/tool.rs', 'my_core', ['core/src/lib.rs']],
  ['cli/src/main.rs', 'serde::Deserialize', []],
];

const JAVA: Repository = {
  files: [
    ...['app/src/main/java/a/b/C.java', 'app/src/main/java/a/b/D.java', 'app/src/test/java/a/b/CTest.java'],
    ...['lib/src/main/java/a/b/C.java', 'lib/src/main/java/x/C.java'],
  ],
};

const JAVA_CASES: readonly Case[] = [
  ['app/src/main/java/a/E.java', 'a.b.C', ['app/src/main/java/a/b/C.java']],
  ['lib/src/main/java/a/E.java', 'a.b.C', ['lib/src/main/java/a/b/C.java']],
  ['lib/src/main/java/a/E.java', 'x.C.Inner.MEMBER', ['lib/src/main/java/x/C.java']],
  ['lib/src/main/java/a/E.java', 'x.*', ['lib/src/main/java/x/C.java']],
  ['app/src/main/java/a/E.java', 'java.util.List', []],
  ['app/src/main/java/a/E.java', 'b.C', ['app/src/main/java/a/b/C.java']],
];

describe.each([
  ['TypeScript', SCRIPT, SCRIPT_CASES],
  ['Python', PYTHON, PYTHON_CASES],
  ['Go', GO, GO_CASES],
  ['Rust', RUST, RUST_CASES],
  ['Java', JAVA, JAVA_CASES],
] as const)('imports of %s', (_language, repository, cases) => {
  const resolve = resolver(repository);
  test.each(cases)('%s: %s', (from, specifier, found) => {
    expect(resolve(from, specifier)).toEqual(found);
  });
});

describe('no import leaves the repository', () => {
  // Even if somebody listed such files: a path with `..` in it is none of the repository.
  const files = ['../x.ts', 'src/a.ts', '/etc/passwd', '../x.py', '../x.rs'];
  const resolve = resolver({
    files,
    configs: {
      'tsconfig.json': json({
        extends: '../tsconfig.json',
        compilerOptions: { paths: { up: ['../x'], 'abs/*': ['/etc/*'] } },
      }),
      'package.json': json({
        name: 'top',
        main: '../x.ts',
        imports: { '#up': '../x.ts' },
        exports: { './up': '../x.ts' },
      }),
      'Cargo.toml': '[package]\nname = "top"\n[lib]\npath = "../x.rs"\n',
    },
  });
  test.each([
    ['src/a.ts', '../../x.ts'],
    ['src/a.ts', '../../../../../x'],
    ['src/a.ts', 'up'],
    ['src/a.ts', '#up'],
    ['src/a.ts', 'top'],
    ['src/a.ts', 'top/up'],
    ['src/a.ts', 'abs/passwd'],
    ['src/a.ts', '/etc/passwd'],
    ['src/a.ts', 'file:///etc/passwd'],
    ['src/a.ts', '..\\..\\x.ts'],
    ['src/a.py', '...x'],
    ['src/a.rs', './../../x.rs'],
    ['src/a.rs', 'top'],
  ])('%s: %s', (from, specifier) => {
    expect(resolve(from, specifier)).toEqual([]);
  });
});

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"compilerOptions": 5}',
  '{"compilerOptions":{"paths":[1]}}',
  '\0\0',
  '{"exports":{".":[[[]]]},"name":7}',
  '{"extends":["./tsconfig.json"]}',
])('a broken config is ignored: %j', (text) => {
  const configs = Object.fromEntries(
    ['tsconfig.json', 'package.json', 'go.mod', 'Cargo.toml', 'pyproject.toml', 'setup.cfg'].map((path) => [
      path,
      text,
    ]),
  );
  const resolve = resolver({ files: ['src/a.ts', 'src/b.ts', 'a.go', 'a.py'], configs });
  expect(resolve('src/a.ts', './b')).toEqual(['src/b.ts']);
  for (const from of ['src/a.ts', 'a.go', 'a.py', 'a.rs', 'A.java']) expect(resolve(from, 'x')).toEqual([]);
});

test('configs that extend each other end', () => {
  const resolve = resolver({
    files: ['a.ts'],
    configs: {
      'tsconfig.json': json({ extends: './tsconfig.b.json' }),
      'tsconfig.b.json': json({ extends: './tsconfig.json', compilerOptions: { paths: { x: ['a.ts'] } } }),
    },
  });
  expect(resolve('b.ts', 'x')).toEqual(['a.ts']);
});

test('the config files that are needed', () => {
  const wanted = [
    'tsconfig.json',
    'a/tsconfig.app.json',
    'jsconfig.json',
    'a/package.json',
    'go.mod',
    'b/Cargo.toml',
    'pyproject.toml',
    'setup.cfg',
  ];
  const not = ['node_modules/a/package.json', 'package-lock.json', 'mytsconfig.json', 'go.sum', 'a.json', 'pom.xml'];
  expect([...wanted, ...not].filter(RESOLVER_FILES)).toEqual(wanted);
});

test('a specifier that cannot lead to a file is known without looking for it, and never wrongly', () => {
  const files = [
    'a/b.ts',
    'a/b.d.ts',
    'a/c/index.js',
    'a.b/c.mjs',
    'index.ts',
    'a/b.c.vue',
    'src/a.json',
    'a/b/index.tsx',
  ];
  const resolve = makeResolver(new Set(files), new Map());
  const piece = fc.constantFrom(
    'a',
    'b',
    'c',
    '.',
    '..',
    'index',
    'b.ts',
    'b.js',
    'c.mjs',
    'b.d.ts',
    'b.c',
    '?raw',
    'a.b',
    '',
  );
  const specifier = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('/'));
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.constantFrom('', './', '../'), specifier, (from, head, rest) => {
      for (const found of resolve(from, head + rest)) expect(mayLeadTo(from, head + rest, new Set([found]))).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(mayLeadTo('a/b.ts', './c', new Set(['index.ts']))).toBe(false);
});
