/** Which files of the base a gate runs by its own command. */
import { describe, expect, test } from 'vitest';
import { packageScripts, recipesOf, scriptFilesWanted } from '../../../src/mind/candidates/base-scripts.ts';
import { gateFiles } from '../../../src/mind/candidates/gate-files.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import { check } from './check.ts';

const BASE = [
  ...['check.sh', 'scripts/check.sh', 'tools/verify.js', 'src/a.js', 'a.txt', 'run-tests', 'tools/x.py', 'x.ts'],
  ...['sub/all.sh', 'sub/deep/all.sh', 'tools/hook.js', 'x.rb', 'only.py', 'b.txt', 'src/a.c', 'part.sh'],
];
const run = (command: string | readonly string[], texts: Readonly<Record<string, string>> = {}) =>
  [...gateFiles([{ who: 'gate g', command }], BASE, new Map(Object.entries(texts))).keys()].sort();

test.each([
  ['sh check.sh', ['check.sh']],
  ['sh -eu ./scripts/check.sh --all', ['scripts/check.sh']],
  ['./run-tests', ['run-tests']],
  ['CI=1 exec ./run-tests | tee out', ['run-tests']],
  ['. ./check.sh && node --enable-source-maps tools/verify.js', ['check.sh', 'tools/verify.js']],
  ["timeout 60 sh -c 'bash scripts/check.sh'", ['scripts/check.sh']],
  [['bash', '/workspace/check.sh'], ['check.sh']],
  [
    ['sh', '-c', 'sh check.sh; node tools/verify.js'],
    ['check.sh', 'tools/verify.js'],
  ],
  ['if ./run-tests; then true; fi', ['run-tests']],
  ['out=$(sh check.sh)', ['check.sh']],
  // Options of shells are not those of interpreters, and those after the file are the file's.
  ['sh -e check.sh', ['check.sh']],
  ['sh -p check.sh', ['check.sh']],
  ['bash -euo pipefail check.sh', ['check.sh']],
  ['bash -o errexit +x check.sh', ['check.sh']],
  ['sh check.sh -c -n', ['check.sh']],
  ['node tools/verify.js -p -e', ['tools/verify.js']],
  ['perl -p tools/x.py', ['tools/x.py']],
  ['node -r ./tools/hook.js --test-reporter spec tools/verify.js', ['tools/hook.js', 'tools/verify.js']],
  ['node --import=./tools/hook.js --test', ['tools/hook.js']],
  ['sh <check.sh', ['check.sh']],
  ['sh "check.sh"', ['check.sh']],
  ["sh -c './run-tests'", ['run-tests']],
  ['eval ./run-tests', ['run-tests']],
  ['sh "$PWD/check.sh"', ['check.sh']],
  ['sh $(pwd)/scripts/check.sh', ['scripts/check.sh']],
  ['sh "$(git rev-parse --show-toplevel)/check.sh"', ['check.sh']],
  // Another directory.
  ['cd sub && sh all.sh', ['sub/all.sh']],
  ['cd "sub" && cd deep; ./all.sh', ['sub/all.sh', 'sub/deep/all.sh']],
  ['(cd ./sub/deep/ && sh ../all.sh)', ['sub/all.sh']],
  ['cd sub && sh ../check.sh', ['check.sh']],
  ['env -C sub sh all.sh', ['sub/all.sh']],
  // With a launcher in front.
  ['uv run only.py', ['only.py']],
  ['uv run --with pytest tools/x.py', ['tools/x.py']],
  ['poetry run python tools/x.py', ['tools/x.py']],
  ['npx tsx x.ts', ['x.ts']],
  ['npx -y -p tsx tsx x.ts', ['x.ts']],
  ['pnpm exec tsx x.ts', ['x.ts']],
  ['bundle exec ruby -Ispec x.rb', ['x.rb']],
  ['env A=b sh check.sh', ['check.sh']],
  ['env -u A -i sh check.sh', ['check.sh']],
  ['timeout -s KILL 5 ./run-tests', ['run-tests']],
  ['time -p ./run-tests', ['run-tests']],
  ['coverage run tools/x.py', ['tools/x.py']],
  ['find . -name a -exec sh check.sh {} +', ['check.sh']],
])('%s runs %j', (command, files) => expect(run(command)).toEqual([...files].sort()));

test.each([
  'grep -q right a.txt',
  'node --check src/a.js',
  'node src/a.js --version',
  'test -f check.sh',
  'npm test',
  'make test',
  'cat check.sh',
  'python3 -m pytest src/a.js',
  'sh -n check.sh',
  'node -p tools/verify.js',
  'perl -ne print a.txt',
  'npx --yes eslint src/a.js a.txt',
  'uv run --frozen pytest only.py',
  'uv run src/a.js',
  'gcc -c src/a.c',
  '# sh check.sh isn’t it',
  'cd .. && sh check.sh/../../x',
  '',
])('%s runs none of them', (command) => expect(run(command)).toEqual([]));

describe('scripts of package.json', () => {
  const scripts = {
    ...{ test: 'sh check.sh', pretest: 'node tools/verify.js', posttest: './run-tests', lint: 'npx tsx x.ts' },
    ...{
      all: 'npm run lint && yarn test',
      circle: 'npm run circle; sh part.sh',
      'ci:a': 'uv run only.py',
      prepare: './x.rb',
    },
    ...{ other: 'python tools/x.py', constructor: 'true', i: 'sh sub/deep/all.sh' },
  };
  const texts = {
    'package.json': JSON.stringify({ scripts }),
    'sub/package.json': '{"scripts": {"test": "./all.sh"}}',
  };
  const tests = ['check.sh', 'run-tests', 'tools/verify.js'];

  test.each([
    ...[
      'npm test',
      'npm t',
      'npm run test',
      'npm run -s test -- --bail',
      'yarn test',
      'pnpm test',
      'CI=1 pnpm run test',
    ]
      .concat(['node --run test', 'bun run test', "sh -c 'npm test'", 'npm --silent test'])
      .map((command) => [command, tests] as const),
    ['npm run lint', ['x.ts']],
    ['npm run all', [...tests, 'x.ts']],
    ['npm run circle', ['part.sh']],
    ['run-s ci:*', ['only.py']],
    ['npm ci', ['x.rb']],
    ['npm run i', ['sub/deep/all.sh', 'x.rb']],
    ['cd sub && npm test', [...tests, 'sub/all.sh']],
    ['npm --prefix sub test', [...tests, 'sub/all.sh']],
    ['npm test --workspaces', [...tests, 'sub/all.sh']],
    ['npm run nothing', []],
    ['npm run toString __proto__', []],
  ] as const)('%s runs %j', (command, files) => expect(run(command, texts)).toEqual([...files].sort()));

  test.each(['', '[]', 'null', '{"scripts": 1}', '{"scripts": {"test": ["sh check.sh"]}}', '{'])(
    '%s has none',
    (text) => expect(packageScripts(text).size).toBe(0),
  );
});

describe('recipes of a Makefile', () => {
  const makefile = [
    'PY ?= python3',
    'DIR = tools',
    'VERSION := $(shell ./run-tests --version)',
    'test: check.sh',
    '\t@-sh \\',
    '\t  check.sh',
    '\t$(PY) $(DIR)/x.py a.txt',
    '\t$(CC) src/a.c',
    '\tcd sub && ./all.sh',
    'quick: ; node tools/verify.js',
    'again:',
    '\t$(MAKE) -C sub test',
    '\tf=x; sh $$f b.txt',
  ].join('\n');

  test('all that they run counts, what they compile does not', () => {
    const files = ['check.sh', 'run-tests', 'sub/all.sh', 'tools/verify.js', 'tools/x.py'];
    expect(run('make test', { Makefile: makefile })).toEqual(files);
    expect(run('env A=b make -j4', { GNUmakefile: makefile })).toEqual(files);
    expect(run('make', { Makefile: makefile, 'sub/Makefile': 'test:\n\tsh deep/all.sh\n' })).toEqual(
      [...files, 'sub/deep/all.sh'].sort(),
    );
    expect(run('make', { Makefile: 'include a.mk', 'a.mk': 'x:\n\tsh part.sh' })).toEqual(['part.sh']);
    expect(run('npm test', { Makefile: makefile })).toEqual([]);
  });

  test('make and npm may call each other', () => {
    const texts = { Makefile: 'test:\n\tnpm test\n', 'package.json': '{"scripts": {"test": "make test; sh part.sh"}}' };
    expect(run('make', texts)).toEqual(['part.sh']);
    expect(run('npm test', texts)).toEqual(['part.sh']);
  });

  test('variables that hold each other come to an end', () => {
    const text = `${[1, 2, 3, 4].map((n) => `A${n} = ${`$(A${n - 1}) $(A${n}) `.repeat(50)}`).join('\n')}\nx:\n\t$(A4)\n`;
    expect(recipesOf(text.repeat(20)).join('').length).toBeLessThan(20_000_000);
  });

  test('another prefix', () => expect(recipesOf('.RECIPEPREFIX = >\nx:\n> sh part.sh\n')).toEqual(['sh part.sh']));
});

test('a very long command line is read in a time that grows with its length', () => {
  for (const text of [
    '"'.repeat(200_001),
    '\'"'.repeat(100_000),
    '$('.repeat(100_000),
    'sh '.repeat(50_000),
    '\\'.repeat(200_001),
  ]) {
    expect(
      cpuSeconds(() => run(text)),
      text.slice(0, 10),
    ).toBeLessThan(5);
  }
});

test('the files to read are those of the top first', () => {
  const many = Array.from({ length: 300 }, (_, n) => `p/${n}/package.json`);
  const wanted = scriptFilesWanted([...many, 'node_modules/a/package.json', 'Makefile', 'x/rules.mk', 'src/a.js']);
  expect(wanted.slice(0, 2)).toEqual(['Makefile', 'x/rules.mk']);
  expect([wanted.length, wanted.includes('node_modules/a/package.json')]).toEqual([100, false]);
});

test('a change is refused with who runs it: a gate, one hop further, or a service and its check', () => {
  const services = [{ name: 'db', command: ['sh', 'part.sh'], ready: 'python tools/ready.py' }];
  const told = {
    gates: [{ name: 'tests', command: 'npm test', blocking: true, on_fail: 'retry' as const }],
    services,
    baseTexts: { 'package.json': '{"scripts": {"test": "sh all.sh"}}' },
  };
  const reasons = check(['~ all.sh', '~ part.sh', '~ tools/ready.py', '~ free.sh'], told).violations;
  expect(reasons.map(({ path, reason }) => `${path} ${reason.split(':')[0]}`)).toEqual([
    'all.sh is run by gate tests',
    'part.sh is run by service db',
    'tools/ready.py is run by service db',
  ]);
});
