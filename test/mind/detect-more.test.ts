/** Further checks, projects in folders, services and pipelines: what `init` tells beside the tests. */
import { describe, expect, test } from 'vitest';
import { config } from '../../src/mind/config/project-config.ts';
import { asSuggested, chosen, readAnswer } from '../../src/mind/detect/choose.ts';
import { configText } from '../../src/mind/detect/config-text.ts';
import { detect, type Suggestion } from '../../src/mind/detect/detect.ts';
import { parseFile, problemText } from '../../src/mind/fields/parse-file.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { foundIn, PACKS, withoutBuiltIn } from './detect-found.ts';

type Files = Readonly<Record<string, string>>;
const found = (files: Files) => withoutBuiltIn(detect(foundIn(files), PACKS));
const json = (value: object) => JSON.stringify(value);
const needs = (...names: string[]) =>
  json({ scripts: { test: 'x' }, dependencies: Object.fromEntries(names.map((name) => [name, '1'])) });

function parsed(text: string) {
  const read = parseFile(config, text, 'config.yaml');
  if (read.type === 'problem') throw new Error(problemText(read));
  return read.value;
}
/** What a person gets who takes the marks away from the lines of this key on. */
const unmarked = (text: string, from: string, to: string) => {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.includes(from));
  const end = lines.findIndex((line, n) => n > start && line.includes(to));
  return lines.map((line, n) => (n >= start && n < end ? line.replace(/^( *)# /, '$1') : line)).join('\n');
};

describe('linters, formatters and types', () => {
  const lint = {
    'package.json': needs('eslint', 'prettier', 'typescript', 'c8'),
    'eslint.config.js': '',
    '.prettierrc': '',
    'tsconfig.json': '',
  };
  const names = (gates: Suggestion['gates']) => gates.map(({ name, command, blocking }) => [name, command, blocking]);

  test('are gates where a lock file pins them, and comments where none does; formatters block nothing', () => {
    const locked = found({ ...lint, 'package-lock.json': '' });
    expect(names(locked.gates)).toEqual([
      ['tests', 'npm test', true],
      ['lint', 'node_modules/.bin/eslint .', true],
      ['format', 'node_modules/.bin/prettier --check .', false],
      ['types', 'node_modules/.bin/tsc --noEmit', true],
    ]);
    expect(parsed(configText(locked)).gates?.map(({ name, blocking }) => [name, blocking])).toEqual([
      ['tests', true],
      ['lint', true],
      ['format', false],
      ['types', true],
    ]);
    // It writes into the tree: for a person to decide.
    expect(names(locked.ideas)).toEqual([['coverage', 'node_modules/.bin/c8 npm test', false]]);
    const loose = found(lint);
    expect([names(loose.gates), loose.ideas.map(({ name }) => name)]).toEqual([
      [['tests', 'npm test', true]],
      ['lint', 'format', 'types', 'coverage'],
    ]);
  });

  test('their comments are gates when the marks are taken away', () => {
    const text = configText(found(lint));
    expect(parsed(text).gates).toHaveLength(1);
    expect(parsed(unmarked(text, '- name: lint', '# What the checks need')).gates?.map(({ name }) => name)).toEqual([
      'tests',
      'lint',
      'format',
      'types',
      'coverage',
    ]);
  });

  test("a project's own script is used, unless it repairs", () => {
    const own = (script: string) =>
      found({
        'package.json': json({ scripts: { lint: script }, devDependencies: { eslint: '9' } }),
        'eslint.config.js': '',
        'package-lock.json': '',
      }).gates.map(({ command }) => command);
    expect(own('eslint src')).toEqual(['npm run lint']);
    expect(own('eslint --fix src')).toEqual(['node_modules/.bin/eslint .']);
    expect(own('rm -rf /')).toEqual(['node_modules/.bin/eslint .']);
  });

  test('python', () => {
    const { gates, ideas } = found({ 'requirements-dev.txt': 'pytest\nruff\nmypy\npytest-cov\n' });
    expect([names(gates), names(ideas)]).toEqual([
      [
        ['tests', '/env/venv/bin/python -m pytest', true],
        ['lint', '/env/venv/bin/python -m ruff check .', true],
        ['types', '/env/venv/bin/python -m mypy .', true],
      ],
      [
        ['format', '/env/venv/bin/python -m ruff format --check .', false],
        ['coverage', '/env/venv/bin/python -m pytest --cov', false],
      ],
    ]);
  });

  test.each([
    ['black beside ruff, without settings of its own', 'ruff\nblack\n', '', ['ruff format --check .']],
    ['black beside ruff, with settings', 'ruff\nblack\n', '[tool.black]\n', ['black --check .']],
    ['black alone', 'black\n', '', ['black --check .']],
    ['coverage beside pytest', 'coverage\npytest\n', '', ['coverage run -m pytest']],
    ['coverage alone', 'coverage\n', '', ['coverage run -m unittest discover']],
  ])('python: %s', (_, requirements, project, commands) => {
    const { gates, ideas } = found({ 'requirements.txt': requirements, 'pyproject.toml': project });
    const told = [...gates, ...ideas].filter(({ name }) => name === 'format' || name === 'coverage');
    expect(told.map(({ command }) => command)).toEqual(commands.map((one) => `/env/venv/bin/python -m ${one}`));
  });

  test('python: a tool that only pyproject.toml names is not there where pip installs requirements', () => {
    const files = { 'pyproject.toml': '[dependency-groups]\ndev = ["pyright"]\n' };
    const types = (more: Files) => found({ ...files, ...more }).gates.some(({ name }) => name === 'types');
    expect([types({ 'requirements.txt': 'pytest\n-e .\n' }), types({ 'uv.lock': '' })]).toEqual([false, true]);
  });

  test('python: requirements that install the project are prepared again when its manifest changes', () => {
    const key = (requirements: string) =>
      found({ 'requirements-dev.txt': requirements, 'pyproject.toml': '', 'setup.py': '' }).environment?.key;
    for (const own of ['-e .[socks]', '.', './', '--editable .  # this'])
      expect([own, key(`pytest\n${own}\n`)]).toEqual([own, ['requirements-dev.txt', 'pyproject.toml', 'setup.py']]);
    for (const other of ['-e ./lib', './lib', '-r base.txt'])
      expect([other, key(`pytest\n${other}\n`)]).toEqual([other, ['requirements-dev.txt']]);
  });
});

describe('other ways to test', () => {
  test.each<[string, Files, string]>([
    ['django', { 'manage.py': '', 'requirements.txt': 'Django' }, '/env/venv/bin/python manage.py test'],
    ['django in a folder', { 'site/manage.py': 'import django', 'setup.py': '' }, 'cd site && python3 manage.py test'],
    [
      'a manage.py of something else',
      { 'manage.py': 'import flask_script', 'tests/': '' },
      'python3 -m unittest discover -s tests',
    ],
    ['modules of tests', { 'test_a.py': '', 'a.py': '' }, 'python3 -m unittest discover'],
    ['what only pytest reads', { 'tests/conftest.py': '', 'a.py': '' }, 'python3 -m pytest'],
    ['gradle', { 'build.gradle.kts': '' }, 'gradle --offline --no-daemon test'],
    ['foundry', { 'foundry.toml': '' }, 'forge test --offline'],
    [
      'vitest without a script',
      { 'package.json': json({ devDependencies: { vitest: '1' } }), 'yarn.lock': '' },
      'node_modules/.bin/vitest run',
    ],
    ["Node's own", { 'package.json': '{}', 'lib/a.test.js': '' }, 'node --test --test-reporter=tap'],
    ['what would watch', { 'package.json': json({ scripts: { test: 'react-scripts test' } }) }, 'CI=true npm test'],
    ['make check', { Makefile: 'check:\n' }, 'make check'],
    ['a folder that hides a target', { Makefile: 'test:\n\t./t\n', 'test/a': '' }, 'make -B test'],
    ['one that does not', { Makefile: '.PHONY: all test\ntest:\n\t./t\n', 'test/a': '' }, 'make test'],
    ['a cargo workspace', { 'Cargo.toml': '[workspace]\n' }, 'cargo test --offline --workspace --no-fail-fast'],
  ])('%s', (_, files, command) => {
    expect(found(files).gates.map((gate) => gate.command)).toEqual([command]);
  });

  test('the wrapper of gradle', () => {
    const { gates } = withoutBuiltIn(detect(foundIn({ 'build.gradle': '' }, ['gradlew']), PACKS));
    expect(gates.map(({ command }) => command)).toEqual(['./gradlew --offline --no-daemon test']);
  });
});

describe('a monorepo', () => {
  test('of Node: each package is in the key, and its folder is kept', () => {
    const { gates, environment } = found({
      'package.json': json({ workspaces: ['packages/*', '!packages/old'] }),
      'package-lock.json': '',
      'packages/a/package.json': json({ scripts: { test: 'vitest' }, dependencies: { b: '*' } }),
      'packages/b/package.json': '{}',
      'packages/old/package.json': needs('x'),
      'elsewhere/package.json': needs('x'),
    });
    expect(gates.map(({ command }) => command)).toEqual(['npm test --workspaces --if-present']);
    expect(environment).toMatchObject({
      prepare: 'npm ci --ignore-scripts --no-audit --no-fund && mkdir -p packages/a/node_modules',
      key: ['package.json', 'package-lock.json', 'packages/a/package.json', 'packages/b/package.json'],
      outputs: ['node_modules', 'packages/a/node_modules'],
    });
  });

  test('of pnpm, by its own file', () => {
    const { environment } = found({
      'package.json': json({ scripts: { test: 'x' } }),
      'pnpm-workspace.yaml': 'packages:\n  - "apps/**" # all\n  - lib-*\n\ncatalog:\n  - no/*\n',
      'pnpm-lock.yaml': '',
      ...{ 'apps/x/y/package.json': needs('a'), 'lib-z/package.json': '{}', 'no/w/package.json': '{}' },
    });
    expect(environment?.key).toEqual(['package.json', 'pnpm-lock.yaml', 'apps/x/y/package.json', 'lib-z/package.json']);
  });

  test('of several languages: each folder is tested in its place, and two do not share an environment', () => {
    const files = {
      'web/package.json': json({ scripts: { test: 'jest' }, devDependencies: { jest: '1' } }),
      'web/package-lock.json': '',
      'api/requirements.txt': 'pytest\n',
      'jobs/pyproject.toml': '[dependency-groups]\ndev = ["pytest"]\n',
      'jobs/uv.lock': '',
      ...{ 'a/go.mod': '', 'a/go.sum': '', 'b/go.mod': '', 'b/go.sum': '' },
      'examples/x/package.json': json({ scripts: { test: 'jest' } }),
    };
    const { gates, environment } = parsed(configText(found(files)));
    expect(gates?.map(({ name, command }) => [name, command])).toEqual([
      ['tests', 'cd web && npm test -- --json --outputFile="$REPORT_DIR/jest.json"'],
      ['tests-python', 'cd api && /env/at-api/venv/bin/python -m pytest --junitxml="$REPORT_DIR/junit.xml"'],
      ['tests-python-jobs', 'cd jobs && /env/at-jobs/venv/bin/python -m pytest --junitxml="$REPORT_DIR/junit.xml"'],
      ['tests-go', 'cd a && go test ./...'],
      ['tests-go-b', 'cd b && go test ./...'],
    ]);
    expect(environment).toMatchObject({
      outputs: ['web/node_modules', '/env/at-api/venv', '/env/at-jobs/venv', '/env/go'],
      env: { GOMODCACHE: '/env/go' },
    });
    expect(environment?.prepare).toContain(
      '(cd jobs && export UV_PROJECT_ENVIRONMENT=/env/at-jobs/venv UV_PYTHON_PREFERENCE=only-system',
    );
  });

  test('whose top has nothing to test itself', () => {
    const { gates } = found({
      'package.json': json({ devDependencies: { husky: '9' } }),
      'frontend/package.json': json({ scripts: { test: 'jest' } }),
      'backend/package.json': '{}',
    });
    expect(gates.map(({ name, command }) => [name, command])).toEqual([['tests', 'cd frontend && npm test']]);
  });

  test.each(['a b', '$(touch x)', "a'b", '-rf', 'a;b'])('a folder named %j gets into no command', (dir) => {
    const { gates } = found({ [`${dir}/package.json`]: json({ scripts: { test: 'x' } }), [`${dir}/manage.py`]: '' });
    expect(gates).toEqual([]);
    const files = {
      'package.json': json({ workspaces: ['*'] }),
      'package-lock.json': '',
      [`${dir}/package.json`]: needs('a'),
    };
    expect(found(files).environment).toBeNull();
  });
});

describe('services', () => {
  const COMPOSE = [
    'x-common: &common',
    '  restart: always',
    'services:',
    '  db: # the one',
    '    <<: *common',
    "    image: 'postgis/postgis:16-3.4'",
    '    environment:',
    '      image: redis',
    '  Queue:',
    '    image: rabbitmq:3',
    '  app:',
    '    image: shop/app:latest',
    'volumes:',
    '  redis:',
    '    image: redis',
  ].join('\n');

  test('come as comments that are services when the marks are taken away', () => {
    for (const files of [
      { 'docker-compose.yml': COMPOSE },
      { 'docker-compose.yml': COMPOSE, 'requirements.txt': 'pytest' },
    ]) {
      const text = configText(found(files));
      expect(parsed(text).environment?.services ?? []).toEqual([]);
      expect(text).toContain('docker-compose.yml has a service db of postgres');
      const from = 'requirements.txt' in files ? 'No container is started' : '# environment:';
      const { environment } = parsed(unmarked(text, from, '# What every worker'));
      expect(environment?.services.map(({ name, ready }) => [name, ready])).toEqual([
        ['db', 'pg_isready -h 127.0.0.1 -U postgres'],
        ['queue', undefined],
      ]);
    }
  });
});

/** As GitHub writes a variable. */
const VARIABLE = `$${'{{ x }}'}`;

describe('pipelines', () => {
  const CI = `jobs:\n  a:\n    steps:\n      - run: npm run test:unit -- --ci\n      - run: |\n          make check\n          echo ${VARIABLE}\n`;

  test('are hints: named, and offered where nothing else tells', () => {
    const { gates, ideas, notes } = found({ '.github/workflows/ci.yml': CI });
    expect([gates, notes]).toEqual([[], ['GitHub Actions tests with: npm run test:unit -- --ci; make check']]);
    expect(ideas).toMatchObject([{ name: 'tests', command: 'npm run test:unit -- --ci' }]);
    const text = configText(found({ '.github/workflows/ci.yml': CI }));
    expect(parsed(text).gates).toEqual([]);
    expect(text).toContain('#     command: "npm run test:unit -- --ci"');
    expect(found({ '.github/workflows/ci.yml': CI, 'go.mod': '' }).ideas.map(({ name }) => name)).not.toContain(
      'tests',
    );
  });

  test.each([`npm test && ${VARIABLE}`, 'npm test \\', 'curl evil | sh', 'echo npm test'])('%j is none', (run) => {
    expect(found({ '.gitlab-ci.yml': `t:\n  script:\n    - ${run}\n` }).notes).toEqual([]);
  });
});

test('knowledge is listed, and more of it offered', () => {
  const files = { 'AGENTS.md': '', 'sub/AGENTS.md': '', 'docs/knowledge/a/b.md': '', '.cursorrules': '' };
  expect(found(files).knowledge).toEqual({ read: ['AGENTS.md', 'docs/knowledge/a/b.md'], more: ['.cursorrules'] });
  const text = configText(found(files));
  expect(text).toContain('# Found: AGENTS.md, docs/knowledge/a/b.md\n');
  expect(parsed(unmarked(text, '# knowledge:', '# Existing tests')).knowledge).toEqual({ paths: ['.cursorrules'] });
});

describe('choices of a person', () => {
  const suggestion = found({ 'package.json': needs('react', 'eslint'), 'eslint.config.js': '' });

  test('is what is written', () => {
    expect(chosen(suggestion, asSuggested(suggestion))).toEqual(suggestion);
    const other = chosen(suggestion, { packs: ['security'], gates: ['lint'], environment: true });
    const { packs, gates } = parsed(configText(other));
    expect([packs, gates?.map(({ name }) => name)]).toEqual([['security'], ['lint']]);
    expect(configText(other)).toContain('  # - web # not wanted (package.json names react)');
  });

  test.each<[string, ReturnType<typeof readAnswer>]>([
    ['', { type: 'names', names: ['web'] }],
    ['Y', { type: 'names', names: ['web'] }],
    ['no', { type: 'names', names: [] }],
    ['none', { type: 'names', names: [] }],
    ['go, web  go', { type: 'names', names: ['go', 'web'] }],
    ['go gone', { type: 'unknown', name: 'gone' }],
    ['x', { type: 'unknown', name: 'x' }],
  ])('%j', (answer, expected) => {
    expect(readAnswer(answer, ['web'], ['web', 'go', 'data'])).toEqual(expected);
  });
});

test('for any texts, the written file is a config without a line of theirs', () => {
  const evil = '\r\n\u2028\u0085gates: [{name: evil, command: evil}]\n"; `touch x` \u001b[2J';
  const files = {
    'package.json': json({ scripts: { test: evil, lint: evil }, workspaces: [evil, '**/**/**'], packageManager: evil }),
    'pnpm-workspace.yaml': `packages:\n  - ${evil}`,
    'pyproject.toml': `[project]\ndependencies = ["pandas", ${json([evil])}`,
    'docker-compose.yml': `services:\n  db:\n    image: postgres${evil}\n  "${evil}":\n    image: redis\n`,
    '.github/workflows/\u2028evil.yml': `run: npm test ${evil}`,
    [`${evil}/Cargo.toml`]: evil,
    [`a/${evil}.sol`]: '',
    [`docs/knowledge/${evil}.md`]: '',
  };
  const text = configText(found(files));
  const { gates, packs } = parsed(text);
  expect(gates?.map(({ name, command }) => [name, command])).toEqual([['tests', 'pnpm test']]);
  expect(packs).toEqual(expect.arrayContaining(['data', 'databases', 'rust', 'smart_contracts']));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0085\u2028]/);
  expect(text.split('\n').filter((line) => /^\s*[^#\s]/.test(line) && line.includes('evil'))).toEqual([]);
});

test('UI-14: huge texts of one kind are looked at in no time', () => {
  for (const piece of ['\n', ' ', '[', '"', '- ', 'a: ', '  image: x\n', '<artifactId>', "'a:", '**/']) {
    const text = piece.repeat((1 << 18) / piece.length);
    const files = {
      ...{ 'pyproject.toml': text, 'docker-compose.yml': `services:\n${text}`, '.gitlab-ci.yml': text },
      ...{ 'pom.xml': text, 'build.gradle': text, 'pnpm-workspace.yaml': `packages:\n${text}`, 'go.mod': text },
      'package.json': json({ workspaces: ['**/'.repeat(200), '*'.repeat(400)] }),
      [`${'a/'.repeat(6)}package.json`]: '{}',
    };
    expect(
      cpuSeconds(() => found(files)),
      piece,
    ).toBeLessThan(3);
  }
});
