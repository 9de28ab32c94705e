/** `init` takes the project's own tests before a guess, the product's dependencies, and the pipeline that runs tests. */
import { describe, expect, test } from 'vitest';
import { asSuggested } from '../../src/mind/detect/choose.ts';
import { detect } from '../../src/mind/detect/detect.ts';
import { foundIn, PACKS } from './detect-found.ts';

type Files = Readonly<Record<string, string>>;
const found = (files: Files) => detect(foundIn(files), PACKS);
const gates = (files: Files) =>
  found(files).gates.flatMap(({ name, command, ids }) => (name.startsWith('tests') ? [[command, ids]] : []));
const packs = (files: Files) => asSuggested(found(files)).packs;
const json = (value: object) => JSON.stringify(value);

describe('a test target of a Makefile goes before a guess', () => {
  test.each<[string, Files, [string, string | null]]>([
    [
      'go',
      { 'go.mod': '', Makefile: 'test: deps\n\t$(GO) test -v ./...\ndeps:\n\tgo get ./...\n' },
      ['make test', 'go'],
    ],
    ['another runner', { 'go.mod': '', Makefile: 'test:\n\t./all.sh\n' }, ['make test', null]],
    ['cargo', { 'Cargo.toml': '', Makefile: 'check:\n\tcargo test\n' }, ['make check', 'cargo']],
    [
      'pytest',
      { 'setup.py': '', 'a.py': '', 'requirements.txt': 'pytest', Makefile: 'test:\n\tpytest\n' },
      ['PYTHONPATH=. make test', 'pytest'],
    ],
    [
      'python in src',
      { 'pyproject.toml': 'pytest', 'src/a/__init__.py': '', Makefile: 'test:\n\tpytest\n' },
      ['PYTHONPATH=src make test', 'pytest'],
    ],
    [
      'a runner of Node',
      {
        'package.json': json({ devDependencies: { mocha: '1' } }),
        'package-lock.json': '',
        Makefile: 'test:\n\tmocha\n',
      },
      ['make test', null],
    ],
    ['a folder', { 'api/go.mod': '', 'api/Makefile': 'test:\n\tgo test ./...\n' }, ['cd api && make test', 'go']],
    [
      'the top, for a guess in a folder',
      { 'api/go.mod': '', Makefile: 'test:\n\tcd api && go test ./...\n' },
      ['make test', null],
    ],
  ])('%s', (_, files, gate) => {
    expect(gates(files)).toEqual([gate]);
  });

  test('but not before a script of the package', () => {
    const files = { 'package.json': json({ scripts: { test: 'node --test' } }), Makefile: 'test:\n\tnpm test\n' };
    expect(gates(files)).toEqual([['node --test --test-reporter=tap', 'tap']]);
  });

  test('once for all tool chains beside it', () => {
    const files = { 'go.mod': '', 'setup.py': '', 'src/a.py': '', 'tests/': '', Makefile: 'test:\n\tgo test ./...\n' };
    expect(gates(files)).toEqual([['PYTHONPATH=src make test', null]]);
  });

  test.each([
    ['docker', 'test:\n\tdocker compose run app\n'],
    ['pip install', 'test: venv\n\tpytest\nvenv:\n\tpip install -r requirements.txt\n'],
    ['npm ci', 'test:\n\t@npm ci && npm test\n'],
    ['curl', 'test: ; curl localhost\n'],
    ['tox', 'test:\n\ttox -p\n'],
  ])('a script that runs %s needs the network: the guess stays, and a note says why', (program, text) => {
    const files = { 'go.mod': '', Makefile: text };
    expect(gates(files)).toEqual([['go test ./...', 'go']]);
    expect(found(files).notes).toContainEqual(
      `\`make test\` is not suggested: it runs \`${program}\`, and a gate has no network`,
    );
  });

  test('printing such a word is not running it', () => {
    const files = { 'go.mod': '', Makefile: 'test:\n\t@echo docker is not needed\n\t# curl\n\tgo test ./...\n' };
    expect(gates(files)).toEqual([['make test', 'go']]);
  });
});

describe('python', () => {
  const SRC = { 'src/shop/__init__.py': '', 'tests/test_a.py': '' };

  test('a src layout is on the path of every kind of test', () => {
    expect(gates({ ...SRC, 'requirements.txt': 'pytest' })).toEqual([
      ['PYTHONPATH=src /env/venv/bin/python -m pytest', 'pytest'],
    ]);
    expect(gates({ ...SRC, 'pyproject.toml': '' })).toEqual([
      ['PYTHONPATH=src python3 -m unittest discover -s tests', 'unittest'],
    ]);
    expect(gates({ 'api/pyproject.toml': 'pytest', 'api/src/a.py': '', 'api/tests/a.py': '' })).toEqual([
      ['cd api && PYTHONPATH=src python3 -m pytest', 'pytest'],
    ]);
  });

  test('a src that is a package itself, or holds other languages, is not', () => {
    const other = { 'pyproject.toml': 'pytest', 'tests/test_a.py': '' };
    expect(gates({ ...other, 'src/__init__.py': '', 'src/a.py': '' })).toEqual([['python3 -m pytest', 'pytest']]);
    expect(gates({ ...other, 'src/main.c': '' })).toEqual([['python3 -m pytest', 'pytest']]);
  });

  const TOX = '[tox]\nenvlist = py3\n[testenv]\ndeps = pytest\ncommands =\n';
  test.each<[string, Files, string, string | null]>([
    [
      'tox.ini',
      { 'tox.ini': `${TOX}    pytest {posargs:tests}\n[testenv:docs]\ncommands = sphinx\n` },
      'PYTHONPATH=src pytest tests',
      'pytest',
    ],
    [
      'several commands',
      { 'tox.ini': `${TOX}  # x\n  python -m a \\\n    --b\n  {envpython} c.py {toxinidir}/d {posargs}\n` },
      'export PYTHONPATH=src && python3 -m a --b && python3 c.py ./d',
      null,
    ],
    [
      'tox.toml',
      {
        'tox.toml':
          '[env_run_base]\ncommands = [["pytest", "-m", "not slow", { replace = "posargs", default = [], extend = true }]]\n',
      },
      "PYTHONPATH=src pytest -m 'not slow'",
      'pytest',
    ],
    [
      'pyproject.toml',
      {
        'pyproject.toml':
          '[tool.tox.env_run_base]\ncommands = [\n  ["python", "-m", "unittest"],\n]\n[tool.x]\ncommands = [["no"]]\n',
      },
      'PYTHONPATH=src python3 -m unittest',
      'unittest',
    ],
    [
      'tox.ini in pyproject.toml',
      { 'pyproject.toml': `[tool.tox]\nlegacy_tox_ini = """\n${TOX}  pytest\n"""\n` },
      'PYTHONPATH=src pytest',
      'pytest',
    ],
  ])('what tox runs, by %s', (_, files, command, ids) => {
    expect(gates({ 'setup.py': '', ...SRC, ...files })).toEqual([[command, ids]]);
  });

  test.each(['py3: pytest', '- pytest', 'pytest {[base]args}', 'sh -c "a; b"', 'pytest $(touch x)'])(
    'a line of tox that a shell would read otherwise is not taken: %s',
    (line) => {
      expect(gates({ 'setup.py': '', ...SRC, 'tox.ini': `${TOX}  ${line}\n` })).toEqual([
        ['PYTHONPATH=src python3 -m unittest discover -s tests', 'unittest'],
      ]);
    },
  );

  test('a session of nox runs in the prepared environment, where nox is installed too', () => {
    const files = {
      ...SRC,
      'requirements.txt': 'pytest',
      'noxfile.py': 'import nox\n\n@nox.session(python=["3.12"])\ndef tests(session):\n    session.install(".")\n',
    };
    expect(gates(files)).toEqual([['PYTHONPATH=src nox --no-venv --no-install -s tests', null]]);
    expect(found(files).environment?.prepare).toMatch(
      /pip install -r requirements.txt && \/env\/venv\/bin\/pip install nox$/,
    );
    const uv = found({ ...files, 'uv.lock': '' }).environment?.prepare;
    expect(uv).toMatch(/^uv sync .* && uv pip install --python \/env\/venv\/bin\/python nox$/);
    expect(gates({ ...files, 'noxfile.py': 'def docs(session):\n' })).toEqual([
      ['PYTHONPATH=src /env/venv/bin/python -m pytest', 'pytest'],
    ]);
  });
});

describe('findings from published projects', () => {
  const environment = (files: Files) => found(files).environment?.key;

  test('requirements that other requirements name are in the key, and so is what they install of the project', () => {
    const files = {
      'requirements_test.txt':
        '-r requirements_min.txt\n-c requirements-lock.txt\n-r ../x.txt\n-r gone.txt\ncoverage\n',
      'requirements_min.txt': '-e .[tests]\n-r requirements_test.txt\npytest\n',
      'requirements-lock.txt': 'pytest==7\n',
      'pyproject.toml': '',
    };
    expect(environment(files)).toEqual([
      ...['requirements_test.txt', 'requirements_min.txt', 'requirements-lock.txt', 'pyproject.toml'],
    ]);
  });

  test("the project's own runtests.py goes before a guess", () => {
    const files = { 'setup.py': '', 'tests/runtests.py': '', 'tests/a/tests.py': '' };
    expect(gates(files)).toEqual([['PYTHONPATH=. python3 tests/runtests.py', null]]);
  });

  test.each([
    ['setup.py', "setup(\n    install_requires=[\n        'six',\n    ],\n)\n"],
    ['setup.cfg', '[options]\ninstall_requires =\n  six\n'],
  ])('dependencies that only %s names are listed', (file, text) => {
    expect(found({ 'setup.py': '', 'tests/test_a.py': '', [file]: text }).notes).toContainEqual(
      expect.stringContaining(`${file} has dependencies but no lock file`),
    );
  });

  test('packages that only the pipeline needs make no product', () => {
    expect(packs({ 'Cargo.toml': '', 'ci/docker/arm/Dockerfile': '' })).not.toContain('infrastructure');
    expect(packs({ 'Cargo.toml': '', Dockerfile: '' })).toContain('infrastructure');
  });

  test.each<[string, Files, string]>([
    ['a script of composer', { 'composer.json': json({ scripts: { test: 'phpunit' } }) }, 'composer test'],
    ['PHPUnit', { 'composer.json': '{}', 'phpunit.xml.dist': '' }, 'vendor/bin/phpunit'],
    ['RSpec', { Gemfile: '', 'spec/a_spec.rb': '' }, 'bundle exec rspec'],
    ['rake', { Gemfile: '', Rakefile: '', 'test/a_test.rb': '' }, 'bundle exec rake test'],
  ])('%s is an idea that a person may take, with a note about its packages', (_, files, command) => {
    const { gates: suggested, ideas, notes } = found(files);
    expect(suggested.filter((gate) => gate.blocking)).toEqual([]);
    expect(ideas.find(({ name }) => name === 'tests')?.command).toBe(command);
    expect(notes).toContainEqual(expect.stringMatching(/nothing is suggested for `(?:composer|bundle) install`/));
  });

  test('with known tests, or without any, there is no such idea', () => {
    const php = { 'composer.json': '{}', 'phpunit.xml': '' };
    expect(found({ 'go.mod': '', ...php }).ideas.filter(({ name }) => name === 'tests')).toEqual([]);
    expect(found({ 'composer.json': '{"scripts": 1}', Gemfile: '' }).notes).toEqual([]);
  });
});

test('ava is named as a test runner before a library for browsers', () => {
  const files = { 'package.json': json({ scripts: { test: 'ava' }, devDependencies: { playwright: '1', ava: '6' } }) };
  const runners = found(files).stack.flatMap(({ kind, name }) => (kind === 'test runner' ? [name] : []));
  expect(runners).toEqual(['ava', 'playwright']);
});

describe('uv installs the groups that hold the test runner and the linters', () => {
  const uv = (toml: string) => found({ 'uv.lock': '', 'pyproject.toml': toml }).environment?.prepare;
  const sync = 'uv sync --frozen --no-install-project';

  test.each([
    [
      'a group for tests, and one for types',
      'dev = ["ruff"]\nall = ["pytest"]\ntests = [\n  "pytest>=8",\n]\ntyping = ["mypy"]\n',
      `${sync} --group tests --group typing`,
    ],
    ['the default group', 'dev = ["pytest", "ruff"]\ntests = ["pytest"]\n', sync],
    ['a group that the default one includes', 'dev = [{include-group = "tests"}]\ntests = ["pytest"]\n', sync],
    ['groups that include themselves', 'tests = [{include-group = "tests"}, "pytest"]\n', `${sync} --group tests`],
    ['default groups of its own', 'tests = ["pytest"]\n[tool.uv]\ndefault-groups = ["tests"]\n', sync],
  ])('%s', (_, groups, prepare) => {
    expect(uv(`[project]\nname = "a"\n[dependency-groups]\n${groups}`)).toBe(prepare);
  });

  test('an extra', () => {
    expect(uv('[project]\ndependencies = ["a"]\n[project.optional-dependencies]\ntest = ["pytest"]\n')).toBe(
      `${sync} --extra test`,
    );
  });
});

test('a package script of another usual name goes before a guess', () => {
  const files = { 'package.json': json({ scripts: { 'test:unit': 'vitest run' }, devDependencies: { jest: '1' } }) };
  expect(gates({ ...files, 'pnpm-lock.yaml': '' })).toEqual([['pnpm run test:unit', 'vitest']]);
});

describe('packs are suggested by what the project itself needs', () => {
  const needs = (...names: string[]) => json({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) });
  const dev = (fields: object, ...names: string[]) =>
    json({ ...fields, devDependencies: Object.fromEntries(names.map((name) => [name, '1'])) });

  test.each<[string, Files]>([
    ...[
      'packages/integration',
      'test/fixtures/app',
      'examples/shop',
      'e2e',
      'packages/api-tests',
      'cypress',
      '.storybook',
      'integration-tests',
      'apps/web-e2e',
    ].map((dir): [string, Files] => [dir, { [`${dir}/package.json`]: needs('drizzle-orm', 'react', 'express') }]),
    ['a server for tests', { 'package.json': dev({}, 'express', 'pg', 'react') }],
    ['tools of a monorepo', { 'package.json': dev({ private: true, workspaces: ['a'] }, 'express', 'react') }],
    [
      'a private package with its own dependencies',
      { 'package.json': dev({ private: true, dependencies: { a: '1' } }, 'pg') },
    ],
    [
      'a group',
      { 'pyproject.toml': '[project]\n[dependency-groups]\ntest = ["flask"]\ntypecheck = ["cryptography"]\n' },
    ],
    ['an extra', { 'pyproject.toml': '[project.optional-dependencies]\ndev = ["flask"]\n' }],
    ['a group of poetry', { 'pyproject.toml': '[tool.poetry.group.test.dependencies]\nflask = "1"\n' }],
    ['requirements for tests', { 'requirements-test.txt': 'pandas', 'requirements_dev.txt': 'flask' }],
    [
      'requirements beside a pyproject.toml',
      { 'requirements.txt': 'cryptography', 'pyproject.toml': '[project]\ndependencies = ["a"]\n' },
    ],
    ['cargo', { 'a/Cargo.toml': '[dev-dependencies]\naxum = "1"\n' }],
    ['maven', { 'pom.xml': '<dependency><artifactId>postgresql</artifactId><scope>test</scope></dependency>' }],
    ['gradle', { 'build.gradle': "dependencies {\n  testImplementation 'org.postgresql:postgresql:42'\n}\n" }],
    ['a Dockerfile of the pipeline', { '.github/docker/Dockerfile': '', '.devcontainer/Dockerfile': '' }],
  ])('not by %s', (_, files) => {
    expect(packs(files).filter((pack) => pack !== 'rust')).toEqual([]);
  });

  test.each<[string, Files, string[]]>([
    ['a package of a workspace', { 'packages/db/package.json': needs('drizzle-orm') }, ['databases']],
    ['a peer', { 'package.json': json({ peerDependencies: { react: '1' } }) }, ['web']],
    ['a bundled application', { 'package.json': dev({ private: true, dependencies: { a: '1' } }, 'svelte') }, ['web']],
    ['one that bundles all', { 'package.json': dev({ private: true }, 'express') }, ['backend']],
    ['its own files', { 'packages/ui/App.vue': '' }, ['web']],
    [
      'an extra of the product',
      { 'pyproject.toml': '[project.optional-dependencies]\nserver = ["flask"]\n' },
      ['backend'],
    ],
    ['tools for types', { 'package.json': dev({}, 'typescript') }, ['types']],
    [
      'maven',
      {
        'pom.xml':
          '<dependency><artifactId>a</artifactId><scope>test</scope></dependency><dependency><artifactId>postgresql</artifactId></dependency>',
      },
      ['databases'],
    ],
  ])('but by %s', (_, files, names) => {
    expect(packs(files)).toEqual(names);
  });
});

describe('the pipeline that is named runs tests', () => {
  const at = (name: string) => `.github/workflows/${name}.yml`;
  const ci = (files: Files) => found(files).stack.flatMap(({ kind, by }) => (kind === 'CI' ? [by] : []));
  const variable = (name: string) => `$\{{ env.${name} }}`;
  const step = (run: string) => `jobs:\n  a:\n    steps:\n      - run: ${run}\n`;

  test.each([
    'npm test',
    'uv run --locked --group dev tox run',
    'pipx run nox -s tests',
    'make ci',
    'scripts/test',
    'cd api && go test ./...',
    'FORCE=1 make richtest',
    '"npm run test:unit"',
    `${variable('CARGO')} test --workspace ${variable('FLAGS')}`,
    'uv run --no-sync bash scripts/test-cov.sh',
    './phpunit --testsuite unit',
    'vendor/bin/simple-phpunit --verbose',
    'mage -v check',
  ])('%s', (run) => {
    const files = {
      [at('aaa')]: step('npm run lint'),
      [at('checks')]: step(run),
      [at('release')]: step('npm publish'),
    };
    expect(ci(files)).toEqual([at('checks')]);
  });

  test('ci.yml before other files that test', () => {
    const files = { [at('a-windows')]: step('npm test'), [at('ci')]: step('npm test'), [at('b')]: '' };
    expect(ci(files)).toEqual([at('ci')]);
  });

  test.each([
    'npx playwright install --with-deps',
    'nox --install-only -s x',
    'tox -e docs',
    './phpunit install',
    'mage -v hugo',
    'pnpm check:links',
    'vitest-ci x',
    'uv sync --no-dev --group tests --extra all',
    'uv run --no-sync pytest tests/benchmarks --codspeed',
    'mvn clean verify -Dmaven.test.skip',
  ])('%s tests nothing, and then no file is named', (run) => {
    expect(ci({ [at('a')]: step(run) })).toEqual(['no tests seen in .github/workflows/']);
    expect(found({ [at('a')]: step(run) }).notes).toEqual([]);
  });
});
