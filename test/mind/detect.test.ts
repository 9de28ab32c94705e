/** What `init` suggests, from names and a few texts; what it writes is a config that says exactly that. */
import { describe, expect, test } from 'vitest';
import { config } from '../../src/mind/config/project-config.ts';
import { configText } from '../../src/mind/detect/config-text.ts';
import { detect, type Suggestion } from '../../src/mind/detect/detect.ts';
import { parseFile, problemText } from '../../src/mind/fields/parse-file.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { foundIn, PACKS } from './detect-found.ts';

type Files = Readonly<Record<string, string>>;
const found = (files: Files, ...executables: string[]) => detect(foundIn(files, executables), PACKS);

/** Commands and environment as the written file has them, read back by the real schema. */
function written(files: Files, ...executables: string[]) {
  const parsed = parseFile(config, configText(found(files, ...executables)), 'config.yaml');
  if (parsed.type === 'problem') throw new Error(problemText(parsed));
  const { gates = [], environment, packs: _packs, ...rest } = parsed.value;
  expect(rest).toEqual({});
  const { services: _, ...env } = environment ?? {};
  return {
    gates: gates.flatMap(({ name, command, ids }) => (command === undefined ? [] : [[name, command, ids ?? null]])),
    environment: environment === undefined ? null : env,
  };
}

const manifest = (fields: object) => JSON.stringify(fields);
const NODE = manifest({ scripts: { test: 'vitest run' }, devDependencies: { vitest: '1' } });

/** Words by which a runner writes its report. */
const VITEST = '--reporter=default --reporter=json --outputFile.json="$REPORT_DIR/vitest.json"';
const PYTEST = '--junitxml="$REPORT_DIR/junit.xml"';

describe('javascript', () => {
  test('npm: the lock file decides how to install', () => {
    expect(written({ 'package.json': NODE, 'package-lock.json': '{}' })).toEqual({
      gates: [['tests', `npm test -- ${VITEST}`, 'vitest']],
      environment: {
        prepare: 'npm ci --ignore-scripts --no-audit --no-fund',
        key: ['package.json', 'package-lock.json'],
        outputs: ['node_modules'],
        env: {},
      },
    });
  });

  test.each([
    ['pnpm-lock.yaml', 'pnpm test', 'pnpm install --frozen-lockfile --ignore-scripts'],
    ['yarn.lock', 'yarn test', 'yarn install --frozen-lockfile --ignore-scripts --non-interactive'],
    ['bun.lock', 'bun run test', 'bun install --frozen-lockfile --ignore-scripts'],
  ])('%s', (lock, command, prepare) => {
    expect(written({ 'package.json': NODE, [lock]: '' })).toMatchObject({
      gates: [['tests', `${command} ${VITEST}`, 'vitest']],
      environment: { prepare, key: ['package.json', lock], outputs: ['node_modules'] },
    });
  });

  test('a newer yarn, known by packageManager, has other flags', () => {
    const text = manifest({ packageManager: 'yarn@4.1.0', scripts: { test: 'jest' }, dependencies: { a: '1' } });
    expect(written({ 'package.json': text, 'yarn.lock': '', 'package-lock.json': '' })).toMatchObject({
      gates: [['tests', 'yarn test --json --outputFile="$REPORT_DIR/jest.json"', 'jest']],
      // It would leave archives, and no folder to show.
      environment: {
        prepare: 'yarn install --immutable --mode=skip-build',
        env: { YARN_NODE_LINKER: 'node-modules' },
      },
    });
  });

  test('without dependencies nothing is installed, and without a lock file a note says so', () => {
    expect(written({ 'package.json': manifest({ scripts: { test: 'node --test' } }) })).toEqual({
      gates: [['tests', 'node --test --test-reporter=tap', 'tap']],
      environment: null,
    });
    const { environment, notes } = found({ 'package.json': NODE });
    expect([environment, notes.join()]).toEqual([null, expect.stringContaining('no lock file')]);
  });

  test.each([
    ['what npm init writes', manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1' } })],
    ['no scripts', '{}'],
    ['a script that is no text', manifest({ scripts: { test: { a: 1 } } })],
    ['no JSON', '{"scripts":'],
    ['a list', '[]'],
    ['a null', 'null'],
  ])('%s is no test', (_, text) => {
    expect(written({ 'package.json': text })).toEqual({ gates: [], environment: null });
  });

  test("a repository's text stays a comment, whatever is in it", () => {
    const evil = 'x\ngates: [{name: evil, command: evil}]\n\u2028\u0085- y: "\u001b[2J';
    const text = configText(found({ 'package.json': manifest({ scripts: { test: evil } }) }));
    expect(written({ 'package.json': manifest({ scripts: { test: evil } }) }).gates).toEqual([
      ['tests', 'npm test', null],
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0085\u2028]/);
  });
});

test.each([
  ['node --test', 'node --test --test-reporter=tap'],
  ['node --test test/*.test.js', 'node --test --test-reporter=tap test/*.test.js'],
  ['node  --import tsx --test "test/**/*.test.ts"', 'node --import tsx --test --test-reporter=tap "test/**/*.test.ts"'],
  [
    'node --no-warnings --test --test-concurrency=1',
    'node --no-warnings --test --test-reporter=tap --test-concurrency=1',
  ],
])('a script that only calls node --test is called itself, so that its output can be read: %s', (script, command) => {
  expect(written({ 'package.json': manifest({ scripts: { test: script } }) }).gates).toEqual([
    ['tests', command, 'tap'],
  ]);
  expect(written({ 'package.json': manifest({ scripts: { test: script } }), 'pnpm-lock.yaml': '' }).gates).toEqual([
    ['tests', command, 'tap'],
  ]);
});

test.each([
  ['another program first', { test: 'npm run build && node --test' }],
  ['another program after', { test: 'node --test; true' }],
  ['a pipe', { test: 'node --test | tee x' }],
  ['a variable', { test: 'node --test $TESTS' }],
  ['a substitution', { test: 'node --test `ls`' }],
  ['a file for its output', { test: 'node --test > out.txt' }],
  ['a variable before it', { test: 'NODE_ENV=test node --test' }],
  ['a reporter of its own', { test: 'node --test --test-reporter=spec' }],
  ['a watcher', { test: 'node --test --watch' }],
  ['a program that has the flag', { test: 'node run.js --test' }],
  ['another flag', { test: 'node --test-only a.js' }],
  ['something before it', { pretest: 'make', test: 'node --test' }],
  ['something after it', { posttest: 'make', test: 'node --test' }],
])('a script with %s runs as it is', (_, scripts) => {
  expect(written({ 'package.json': manifest({ scripts }) }).gates).toEqual([['tests', 'npm test', null]]);
});

test.each([
  ['yarn.lock', 'yarn test'],
  ['bun.lock', 'bun run test'],
])('%s: its program may bring a loader, so it calls the script', (lock, command) => {
  const files = { 'package.json': manifest({ scripts: { test: 'node --test' } }), [lock]: '' };
  expect(written(files).gates).toEqual([['tests', command, null]]);
});

describe('python', () => {
  test('pip', () => {
    expect(written({ 'requirements.txt': 'pytest==8\n' })).toEqual({
      gates: [['tests', `/env/venv/bin/python -m pytest ${PYTEST}`, 'pytest']],
      environment: {
        prepare: 'python3 -m venv /env/venv && /env/venv/bin/pip install -r requirements.txt',
        key: ['requirements.txt'],
        outputs: ['/env/venv'],
        env: {},
      },
    });
  });

  test('pip with requirements for tests, not those for documentation', () => {
    const files = { 'requirements.txt': '', 'requirements-dev.txt': 'pytest\n', 'requirements-docs.txt': 'sphinx\n' };
    expect(written(files).environment).toMatchObject({
      prepare: 'python3 -m venv /env/venv && /env/venv/bin/pip install -r requirements.txt -r requirements-dev.txt',
      key: ['requirements.txt', 'requirements-dev.txt'],
    });
  });

  test.each([
    ['uv.lock', 'uv sync --frozen --no-install-project'],
    ['poetry.lock', 'python3 -m venv /env/venv && VIRTUAL_ENV=/env/venv poetry install --no-root --no-interaction'],
  ])('%s', (lock, prepare) => {
    expect(written({ 'pyproject.toml': '[dependency-groups]\ndev = ["pytest"]\n', [lock]: '' })).toMatchObject({
      gates: [['tests', `/env/venv/bin/python -m pytest ${PYTEST}`, 'pytest']],
      environment: { prepare, key: ['pyproject.toml', lock], outputs: ['/env/venv'] },
    });
  });

  test('modules beside a folder of tests are enough', () => {
    expect(written({ 'calc.py': '', 'test/': '' })).toMatchObject({
      gates: [['tests', 'python3 -m unittest discover -s test', 'unittest']],
    });
  });

  test('unittest, when there are tests and nothing names pytest', () => {
    expect(written({ 'pyproject.toml': '[project]\n', 'tests/': '' })).toEqual({
      gates: [['tests', 'python3 -m unittest discover -s tests', 'unittest']],
      environment: null,
    });
  });

  test('dependencies without a lock file are reported', () => {
    expect(found({ 'pyproject.toml': '[project]\ndependencies = ["flask"]\n' }).notes.join()).toContain('no lock file');
  });
});

test('go', () => {
  expect(written({ 'go.mod': 'module x\n', 'go.sum': '' })).toEqual({
    gates: [['tests', 'go test ./...', 'go']],
    environment: {
      prepare: 'go mod download',
      key: ['go.mod', 'go.sum'],
      outputs: ['/env/go'],
      env: { GOMODCACHE: '/env/go' },
    },
  });
  expect(written({ 'go.mod': 'module x\n' }).environment).toBeNull();
});

test('cargo', () => {
  expect(written({ 'Cargo.toml': '[package]\n[dev-dependencies]\na = "1"\n', 'Cargo.lock': '' })).toEqual({
    gates: [['tests', 'cargo test --offline --locked --no-fail-fast', 'cargo']],
    environment: {
      prepare: 'cargo fetch --locked',
      key: ['Cargo.toml', 'Cargo.lock'],
      outputs: ['/env/cargo'],
      env: { CARGO_HOME: '/env/cargo' },
    },
  });
  expect(written({ 'Cargo.toml': '[package]\n', 'Cargo.lock': '' }).environment).toBeNull();
  expect(found({ 'Cargo.toml': "[target.'cfg(unix)'.dependencies.libc]\n" }).notes.join()).toContain('no Cargo.lock');
});

test('maven', () => {
  expect(written({ 'pom.xml': '<project/>' })).toMatchObject({
    gates: [['tests', 'mvn -B -o -Dmaven.repo.local=/env/m2 test', null]],
    environment: { key: ['pom.xml'], outputs: ['/env/m2'] },
  });
});

describe('when no tool chain says how to test', () => {
  test.each([
    ['Makefile', 'all: build\ntest: all\n\t./t\n'],
    ['makefile', 'check test:\n\t./t\n'],
    ['GNUmakefile', 'test:: \n\t./t\n'],
  ])('a target of a %s', (name, text) => {
    expect(written({ [name]: text }).gates).toEqual([['tests', 'make test', null]]);
  });

  test.each(['TEST := 1\n', 'test := 1\n', 'tests:\n', '# test: x\n', 'a:\n\ttest: x\n', 'a: test\n'])(
    'but not %j',
    (text) => {
      expect(written({ Makefile: text }).gates).toEqual([]);
    },
  );

  test('a test script that can be executed, and only then', () => {
    expect(written({}, 'run-tests.sh').gates).toEqual([['tests', './run-tests.sh', null]]);
    expect(written({ 'run-tests.sh': '' }).gates).toEqual([]);
  });

  test('but one without tests does not hide it', () => {
    expect(written({ 'package.json': '{}', Makefile: 'test:\n' }).gates).toEqual([['tests', 'make test', null]]);
  });
});

test('several tool chains are prepared one after the other and checked each', () => {
  expect(written({ 'package.json': NODE, 'package-lock.json': '', 'requirements.txt': 'pytest' })).toEqual({
    gates: [
      ['tests', `npm test -- ${VITEST}`, 'vitest'],
      ['tests-python', `/env/venv/bin/python -m pytest ${PYTEST}`, 'pytest'],
    ],
    environment: {
      prepare:
        'npm ci --ignore-scripts --no-audit --no-fund && python3 -m venv /env/venv && /env/venv/bin/pip install -r requirements.txt',
      key: ['package.json', 'package-lock.json', 'requirements.txt'],
      outputs: ['node_modules', '/env/venv'],
      env: {},
    },
  });
});

test('UI-14: a huge file with nothing but blanks, brackets or names is looked at in no time', () => {
  for (const text of ['\n'.repeat(1 << 20), ' '.repeat(1 << 20), '['.repeat(1 << 20), 'test '.repeat(200_000)]) {
    const files = {
      'pyproject.toml': text,
      'Cargo.toml': text,
      Makefile: text,
      'requirements.txt': text,
      'go.mod': text,
    };
    expect(
      cpuSeconds(() => found(files)),
      text.slice(0, 10),
    ).toBeLessThan(5);
  }
});

describe('gates that come with Supervisor', () => {
  const gatesOf = (files: Files) => {
    const parsed = parseFile(config, configText(found(files)), 'config.yaml');
    if (parsed.type === 'problem') throw new Error(problemText(parsed));
    return parsed.value.gates;
  };

  test('are suggested beside tests, and block', () => {
    expect(gatesOf({ 'go.mod': 'module x\n' })).toEqual([
      { name: 'tests', command: 'go test ./...', ids: 'go', blocking: true, on_fail: 'retry' },
      { name: 'syntax', kind: 'syntax', blocking: true, on_fail: 'retry' },
      { name: 'security', kind: 'security', blocking: true, on_fail: 'retry' },
    ]);
  });

  test('are only named in a comment where there are no tests: a change would look checked', () => {
    expect(gatesOf({ 'README.md': '' })).toEqual([]);
    expect(configText(found({}))).toMatch(/^# {3}- name: tests\n[\s\S]*^# {3}- name: security\n# {5}kind: security\n/m);
    const linted = { 'package.json': manifest({ devDependencies: { eslint: '9' } }), 'eslint.config.js': '' };
    expect(gatesOf({ ...linted, 'package-lock.json': '' })).toMatchObject([{ name: 'lint', blocking: false }]);
  });
});

test('a gate whose name does not say its kind says it', () => {
  const many = { 'package.json': manifest({ scripts: { test: 'x' } }), 'b/go.mod': '', 'requirements.txt': 'pytest\n' };
  const tools = { 'requirements.txt': 'pytest\nblack\npytest-cov\n' };
  const kinds = ({ gates, ideas }: Suggestion) => [...gates, ...ideas].map(({ name, kind }) => [name, kind]);
  expect(kinds(found({ ...many, 'pom.xml': '' }))).toEqual(
    expect.arrayContaining([
      ['tests', null],
      ['tests-python', null],
      ['tests-maven', 'tests'],
    ]),
  );
  expect(kinds(found(tools))).toEqual(
    expect.arrayContaining([
      ['format', 'lint'],
      ['coverage', 'command'],
    ]),
  );
});

test('nothing found: a valid file with no gate in it, which says so', () => {
  expect(written({ 'README.md': '' })).toEqual({ gates: [], environment: null });
  expect(configText(found({}))).toContain('`supervisor run` will refuse');
});
