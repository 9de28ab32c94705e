/** What a change does to manifests; each with the nearest change that is harmless. */
import { describe, expect, test } from 'vitest';
import { type AddedDependency, dependencyFindings } from '../../../src/mind/gates/security/dependencies.ts';
import { similarName } from '../../../src/mind/gates/security/similar-name.ts';
import { cpuSeconds } from '../../support/cpu.ts';

const run = (path: string, before: string | null, after: string | null) =>
  dependencyFindings([{ path, before, after }]);
const rules = (path: string, before: string | null, after: string | null) =>
  run(path, before, after).findings.map(({ rule, severity }) => `${severity} ${rule}`);
const json = (value: unknown) => JSON.stringify(value, null, 2);

const npmLock = (packages: object) => json({ lockfileVersion: 3, packages: { '': { name: 'a' }, ...packages } });

const BASE = { name: 'a', version: '1.0.0', dependencies: { express: '^4.0.0' }, scripts: { build: 'tsc' } };
const with_ = (more: object) => json({ ...BASE, ...more });

describe('package.json', () => {
  test.each<[string, object, string[]]>([
    ['a new dependency', { dependencies: { express: '^4.0.0', ky: '1.0.0' } }, ['medium dependency-added']],
    ['one for development', { devDependencies: { vitest: '4' } }, ['medium dependency-added']],
    [
      'a name that is nearly a known one',
      { dependencies: { express: '^4.0.0', expresss: '1' } },
      ['high dependency-similar-name', 'medium dependency-added'],
    ],
    [
      'git instead of the registry',
      { dependencies: { express: 'git+https://github.com/x/express.git' } },
      ['high dependency-source'],
    ],
    ['the short form of GitHub', { dependencies: { express: 'x/express' } }, ['high dependency-source']],
    ['an archive of the web', { dependencies: { express: 'https://example.com/e.tgz' } }, ['high dependency-source']],
    ['another package under the old name', { dependencies: { express: 'npm:evil@1' } }, ['medium dependency-added']],
    ['a script that runs on install', { scripts: { build: 'tsc', postinstall: 'node x.js' } }, ['high install-script']],
    ['another one', { scripts: { build: 'tsc', prepare: 'node x.js' } }, ['high install-script']],
    ['an override', { overrides: { qs: '6.0.0' } }, ['high dependency-override']],
    ['a resolution', { resolutions: { qs: '6.0.0' } }, ['high dependency-override']],
    ['an override of pnpm', { pnpm: { overrides: { qs: '6' } } }, ['high dependency-override']],
    ['scripts that may run', { pnpm: { onlyBuiltDependencies: ['x'] } }, ['high install-script']],
    ['where it is published', { publishConfig: { registry: 'https://example.com' } }, ['high registry']],
    ['another package manager', { packageManager: 'pnpm@9.0.0' }, ['low package-manager']],
    ['a newer range', { dependencies: { express: '^4.1.0' } }, []],
    ['a workspace', { dependencies: { express: '^4.0.0', own: 'workspace:*' } }, []],
    ['a removed dependency', { dependencies: {} }, []],
    ['another script', { scripts: { build: 'tsc', lint: 'biome' } }, []],
    ['another version of its own', { version: '2.0.0', description: 'b' }, []],
  ])('%s', (_, more, expected) => expect(rules('package.json', json(BASE), with_(more))).toEqual(expected));

  test('the names that are added, with the place in the file', () => {
    const { added, findings } = run(
      'web/package.json',
      json(BASE),
      with_({ dependencies: { express: '^4.0.0', ky: '1.2.3' } }),
    );
    expect(added).toEqual<readonly AddedDependency[]>([
      { ecosystem: 'npm', name: 'ky', version: '1.2.3', path: 'web/package.json' },
    ]);
    expect(findings).toMatchObject([{ line: 6, message: expect.stringContaining('`ky`') }]);
  });

  test.each([
    ['cut off', '{ "dependencies": {'],
    ['a key twice', '{ "scripts": {}, "scripts": { "install": "x" } }'],
    ['no object', '[]'],
  ])('an unreadable file is reported: %s', (_, after) => {
    expect(rules('package.json', json(BASE), after)).toEqual(['medium dependencies-not-read']);
  });

  test('a file that is no text, or too large, is said', () => {
    expect(rules('package.json', null, null)).toEqual(['medium dependencies-not-read']);
    expect(rules('package-lock.json', '{}', null)).toEqual(['medium dependencies-not-read']);
    expect(rules('package-lock.json', '{}', ' '.repeat((1 << 20) + 1))).toEqual(['medium dependencies-not-read']);
    expect(rules('package.json', json(BASE), null)).toEqual([]);
  });
});

test.each([
  ['express', 'expresss', true],
  ['lodash', 'lodahs', true],
  ['python-dateutil', 'python_dateutil', true],
  ['@scope/package', '@scope/packages', true],
  ['lodash', 'lodash-es', false],
  ['golang.org/x/net', 'golang.org/x/ne', false],
  ['react', 'redux', false],
  ['python2', 'python3', false],
  ['ky', 'ku', false],
])('%s and %s are similar: %s', (known, name, expected) => {
  expect(similarName(name, new Set(['other', known])) === known).toBe(expected);
});

describe('other manifests', () => {
  const NEW = 'medium dependency-added';
  test.each<[string, string, string, string, string[]]>([
    ['requirements: a new one', 'requirements.txt', 'flask==1\n', 'flask==1\nhttpx>=1\n', [NEW]],
    ['requirements: in a folder', 'requirements/dev.txt', '', 'httpx\n', [NEW]],
    [
      'requirements: another index',
      'requirements.txt',
      'flask==1\n',
      '--index-url https://evil.example\nflask==1\n',
      ['high registry'],
    ],
    [
      'requirements: one more index',
      'requirements.txt',
      'flask==1\n',
      '--extra-index-url https://evil.example\nflask==1\n',
      ['high registry'],
    ],
    [
      'requirements: git',
      'requirements.txt',
      'flask==1\n',
      'flask @ git+https://github.com/x/flask\n',
      ['high dependency-source'],
    ],
    [
      'requirements: an archive',
      'requirements.txt',
      '',
      'https://evil.example/a.whl\n',
      ['high dependency-source', NEW],
    ],
    ['requirements: a newer version', 'requirements.txt', 'flask==1\n', 'flask==2  # why\n', []],
    ['requirements: the same name in other letters', 'requirements.txt', 'Flask_Login==1\n', 'flask-login==1\n', []],
    [
      'pyproject: a new one',
      'pyproject.toml',
      '[project]\ndependencies = [\n  "flask",\n]\n',
      '[project]\ndependencies = [\n  "flask",\n  "httpx>=1", # c\n]\n',
      [NEW],
    ],
    [
      'pyproject: Poetry',
      'pyproject.toml',
      '[tool.poetry.dependencies]\npython = "^3"\n',
      '[tool.poetry.dependencies]\npython = "^3"\nhttpx = { git = "https://github.com/x/httpx" }\n',
      ['high dependency-source', NEW],
    ],
    [
      'pyproject: an index',
      'pyproject.toml',
      '',
      '[[tool.uv.index]]\nname = "x"\nurl = "https://evil.example"\n',
      ['high registry'],
    ],
    [
      'pyproject: who builds',
      'pyproject.toml',
      '[build-system]\nrequires = []\n',
      '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n',
      ['high install-script', 'high install-script'],
    ],
    [
      'pyproject: another tool',
      'pyproject.toml',
      '[project]\nname = "a"\n',
      '[project]\nname = "a"\n[tool.ruff]\nselect = ["E", "F"]\n',
      [],
    ],
    [
      'setup.py: a new one',
      'setup.py',
      'setup(install_requires=["flask"])\n',
      'setup(install_requires=["flask", "httpx>=1"])\n',
      [NEW],
    ],
    [
      'setup.py: its own commands',
      'setup.py',
      'setup(name="a")\n',
      'setup(name="a", cmdclass={"install": Own})\n',
      ['high install-script'],
    ],
    ['setup.py: its name', 'setup.py', 'setup(name="a")\n', 'setup(name="b", install_requires=[])\n', []],
    [
      'go.mod: a new one',
      'go.mod',
      'module a\n\nrequire a.b/c v1.0.0\n',
      'module a\n\nrequire (\n\ta.b/c v1.0.0\n\ta.b/d v1.0.0 // indirect\n)\n',
      [NEW],
    ],
    [
      'go.mod: replaced',
      'go.mod',
      'module a\n',
      'module a\n\nreplace a.b/c => evil.example/c v1.0.0\n',
      ['high dependency-override'],
    ],
    [
      'go.mod: replaced in a block',
      'go.mod',
      'module a\n',
      'module a\n\nreplace (\n\ta.b/c => ../c\n)\n',
      ['high dependency-override'],
    ],
    ['go.mod: a newer version', 'go.mod', 'require a.b/c v1.0.0\n', 'require a.b/c v1.1.0\n', []],
    [
      'Cargo: a new one',
      'Cargo.toml',
      '[dependencies]\nserde = "1"\n',
      '[dependencies]\nserde = "1"\nrand = { version = "0.8" }\n',
      [NEW],
    ],
    [
      'Cargo: git',
      'Cargo.toml',
      '[dependencies]\nserde = "1"\n',
      '[dependencies.serde]\ngit = "https://github.com/x/serde"\n',
      ['high dependency-source'],
    ],
    [
      'Cargo: patched',
      'Cargo.toml',
      '',
      '[patch.crates-io]\nserde = { path = "../serde" }\n',
      ['high dependency-override'],
    ],
    [
      'Cargo: a build script',
      'Cargo.toml',
      '[package]\nname = "a"\n',
      '[package]\nname = "a"\nbuild = "go.rs"\n',
      ['high install-script'],
    ],
    ['Cargo: features', 'Cargo.toml', '[features]\na = []\n', '[features]\na = []\nb = ["a"]\n', []],
    ['Cargo: a source', '.cargo/config.toml', '', '[source.crates-io]\nreplace-with = "x"\n', ['high registry']],
    ['a new build.rs', 'build.rs', '', 'fn main() {}\n', ['high install-script']],
    ['a new binding.gyp', 'binding.gyp', '', '{}\n', ['high install-script']],
    ['Gemfile: a new one', 'Gemfile', "gem 'rack'\n", "gem 'rack'\ngem 'puma', '~> 6'\n", [NEW]],
    ['Gemfile: git', 'Gemfile', "gem 'rack'\n", "gem 'rack', github: 'x/rack'\n", ['high dependency-source']],
    [
      'Gemfile: another source',
      'Gemfile',
      "source 'https://gems.example'\n",
      "source 'https://evil.example'\n",
      ['high registry'],
    ],
    ['.npmrc: a registry', '.npmrc', '', 'registry=https://evil.example\n', ['high registry']],
    ['.npmrc: of a scope', 'web/.npmrc', '', '@a:registry=https://evil.example\n', ['high registry']],
    ['.npmrc: stricter', '.npmrc', '', 'ignore-scripts=true\nsave-exact=true\n', []],
    ['.yarnrc.yml', '.yarnrc.yml', '', 'npmRegistryServer: "https://evil.example"\n', ['high registry']],
    ['pip.conf', 'pip.conf', '', '[global]\nindex-url = https://evil.example\n', ['high registry']],
    ['go.env', 'go.env', '', 'GOPROXY=https://evil.example\n', ['high registry']],
    ['a file of another kind', 'src/package.js', '', '{"dependencies":{"a":"1"}}', []],
  ])('%s', (_, path, before, after, expected) => expect(rules(path, before, after)).toEqual(expected));
});

test('a secret in an address is not in the finding', () => {
  const secret = 'Tr0ub4dor-and-3-horses';
  const { findings } = run('requirements.txt', '', `--index-url https://user:${secret}@evil.example/simple\n`);
  expect(findings).toHaveLength(1);
  expect(JSON.stringify(findings)).not.toContain(secret);
});

test.each([
  [
    'package-lock.json',
    npmLock(
      Object.fromEntries(
        Array.from({ length: 9_000 }, (_, n) => [
          `node_modules/p${n}`,
          { version: '1.0.0', resolved: 'http://evil.example' },
        ]),
      ),
    ),
  ],
  ['pnpm-lock.yaml', `packages:\n${'  a@1:\n'.repeat(140_000)}`],
  ['yarn.lock', 'a@1:\n  version "1"\n'.repeat(50_000)],
  ['Cargo.lock', '[[package]]\nname = "a"\nversion = "1"\n'.repeat(26_000)],
  ['pyproject.toml', `[project]\ndependencies = [${'"a",['.repeat(200_000)}`],
  ['Cargo.toml', '[dependencies.a]\nb = [\n'.repeat(40_000)],
  ['requirements.txt', '-i a\n'.repeat(200_000)],
  ['setup.py', 'install_requires=['.repeat(58_000)],
  ['package.json', `{"dependencies":{${Array.from({ length: 40_000 }, (_, n) => `"pack${n}x":"1"`).join(',')}}}`],
  ['go.mod', 'require a.b/c v1.0.0\n'.repeat(49_000)],
  ['Gemfile', "gem 'a', ".repeat(110_000)],
])('a hostile %s of a megabyte takes no time and few findings', (path, after) => {
  const spent = cpuSeconds(() =>
    expect(run(path, '', after.slice(0, 1 << 20)).findings.length).toBeLessThanOrEqual(1_000),
  );
  expect(spent).toBeLessThan(5);
});
