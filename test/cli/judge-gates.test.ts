/** `supervisor judge` on changes of what its gates check: scripts, pipelines, files that gates run, existing tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const world = new World();
const CONFIG = `gates:
  - { name: tests, command: node --test test/total.test.js }
  - { name: script, command: npm test }
  - { name: lint, command: npm run lint }
  - { name: shape, command: sh scripts/shape.sh }
`;
const PACKAGE = `{
  "scripts": {
    "test": "node --test --test-reporter=tap",
    "lint": "node --check src/total.js",
    "serve": "node src/server.js"
  }
}
`;
const PIPELINE = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n';
const TOTAL = 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n';
const TEST = `import test from 'node:test';
import assert from 'node:assert';
import { total } from '../src/total.js';
test('adds prices', () => { assert.equal(total([1, 2]), 3); });
test('nothing costs nothing', () => { assert.equal(total([]), 0); });
`;

type Said = {
  code: number | null;
  decision: string;
  reasons: string[];
  findings: { rule: string; path: string; line: number | null; blocks: boolean }[];
  gate_results: Record<string, { status: string; ended: string }>;
};

/** A commit of its own on the base, judged with the gates that this is about: what its diff says does not depend on them. */
async function judged(
  files: Readonly<Record<string, string>>,
  message: string,
  gate = 'shape',
  task?: string,
): Promise<Said> {
  world.commit(files, message);
  const words = task === undefined ? [] : ['--task', task];
  const { code, stdout, stderr } = await world.run([
    'judge',
    'HEAD',
    '--no-canary',
    '--gate',
    gate,
    ...words,
    '--json',
  ]);
  try {
    return { code, ...(JSON.parse(stdout) as Omit<Said, 'code'>) };
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
}

const blocking = ({ findings }: Said): string[] =>
  findings.filter(({ blocks }) => blocks).map(({ rule, path, line }) => `${rule} ${path}:${line ?? ''}`);
const replaced = (path: string, from: string, to: string): Record<string, string> => ({
  [path]: readFileSync(join(world.repository, path), 'utf8').replace(from, to),
});

beforeAll(async () => {
  world.commit({
    'package.json': PACKAGE,
    '.github/workflows/ci.yml': PIPELINE,
    'scripts/shape.sh': 'test -f src/total.js\n',
    'src/total.js': TOTAL,
    'test/total.test.js': TEST,
    '.supervisor/config.yaml': CONFIG,
  });
  world.git('branch', '-M', 'main');
  world.git('tag', 'base');
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
});
afterEach(() => world.git('reset', '-q', '--hard', 'base'));
afterAll(() => world[Symbol.dispose]());

test('a test script that runs nothing is refused; a task that names the script is not asked again', async () => {
  const gutted = replaced('package.json', '"node --test --test-reporter=tap"', '"true"');
  const said = await judged(gutted, 'Tidy up');
  expect(said).toMatchObject({ code: 1, decision: 'REJECT' });
  expect(blocking(said)).toEqual(['failure-hidden package.json:3']);
  world.git('reset', '-q', '--hard', 'base');
  const narrowed = replaced('package.json', 'reporter=tap"', 'reporter=tap test/total.test.js"');
  expect(blocking(await judged(narrowed, 'Tidy up'))).toEqual(['gate-changed package.json:3']);
  world.git('reset', '-q', '--hard', 'base');
  const granted = await judged(narrowed, 'Let the test script name its file');
  expect(granted).toMatchObject({ code: 0, decision: 'APPROVE' });
});

test('a lint script that checks nothing is refused, a script that no gate runs may change', async () => {
  const said = await judged(replaced('package.json', '"node --check src/total.js"', '"true"'), 'Tidy up');
  expect([said.code, blocking(said)]).toEqual([1, ['failure-hidden package.json:4']]);
  world.git('reset', '-q', '--hard', 'base');
  const other = await judged(replaced('package.json', 'src/server.js', 'src/serve.js'), 'Tidy up');
  expect([other.code, blocking(other)]).toEqual([0, []]);
  world.git('reset', '-q', '--hard', 'base');
  const granted = await judged(
    replaced('package.json', 'node --check src/total.js', 'node --check src/total.js test/total.test.js'),
    'Let `npm run lint` check the tests too',
  );
  expect([granted.code, blocking(granted)]).toEqual([0, []]);
});

test('a pipeline that ignores its failures is refused, unless the words say that it may fail', async () => {
  const hushed = replaced('.github/workflows/ci.yml', 'npm test', 'npm test || true');
  const said = await judged(hushed, 'Make CI green');
  expect([said.code, blocking(said)]).toEqual([1, ['failure-hidden .github/workflows/ci.yml:6']]);
  world.git('reset', '-q', '--hard', 'base');
  const granted = await judged(hushed, 'Allow the tests to fail in CI for now');
  expect(granted).toMatchObject({ code: 0, decision: 'APPROVE' });
  expect(granted.findings.map(({ rule }) => rule)).toContain('failure-hidden');
});

test('a file that a gate runs is refused unless the words name it', async () => {
  const shape = replaced('scripts/shape.sh', 'test -f src/total.js', 'test -d src');
  const said = await judged(shape, 'Tidy up');
  expect([said.code, blocking(said)]).toEqual([1, ['gate-changed scripts/shape.sh:']]);
  world.git('reset', '-q', '--hard', 'base');
  const granted = await judged(shape, 'Let scripts/shape.sh look for the directory');
  expect([granted.code, blocking(granted)]).toEqual([0, []]);
});

test('code that changed together with the expected value of its test: the old test decides', async () => {
  const both = {
    ...replaced('src/total.js', 'sum + price', 'sum + price + 1'),
    ...replaced('test/total.test.js', '[1, 2]), 3', '[1, 2]), 5'),
  };
  const said = await judged(both, 'Clean up total', 'tests');
  expect(said).toMatchObject({ code: 1, decision: 'REJECT', gate_results: { tests: { status: 'pass' } } });
  expect(blocking(said)).toEqual(['rewritten-test test/total.test.js:']);
  world.git('reset', '-q', '--hard', 'base');
  const meant = await judged(both, 'Add a fee of one for each price', 'tests');
  expect(meant).toMatchObject({ code: 0, decision: 'APPROVE' });
  expect(meant.findings).toMatchObject([{ rule: 'rewritten-test', severity: 'high', blocks: false }]);
  world.git('reset', '-q', '--hard', 'base');
  const task = 'Add a fee of one for each price, and adapt test/total.test.js';
  expect(await judged(both, 'Fee', 'tests', task)).toMatchObject({ code: 0, findings: [] });
  world.git('reset', '-q', '--hard', 'base');
  expect(await judged(both, 'Fee', 'tests', 'Add a fee of one for each price')).toMatchObject({ code: 1 });
  world.git('reset', '-q', '--hard', 'base');
  // The test is written in another way, and still says the same.
  const same = replaced(
    'test/total.test.js',
    'assert.equal(total([]), 0)',
    'const none = []; assert.equal(total(none), 0)',
  );
  expect(await judged(same, 'Clean up total', 'tests')).toMatchObject({ code: 0, findings: [] });
});
