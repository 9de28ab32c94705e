/** Protected files that a task names by what they are for, and the nearest changes of them that it does not. */
import { describe, expect, test } from 'vitest';
import { grantedByKind } from '../../../src/mind/findings/granted-by-kind.ts';
import { isPureInsertion } from '../../../src/mind/findings/pure-insertion.ts';
import { file, rules } from './ask.ts';

const granted = (task: string, path: string, before: string, after: string) =>
  grantedByKind(task, [file(path, before, after)]).map(({ what }) => what);

describe('a pipeline', () => {
  const CI = '.github/workflows/ci.yml';
  const of = (task: string) => granted(task, CI, 'a: 1\n', 'a: 1\nb: 2\n');
  test.each([
    'Run the tests on Node 20 and 22 in CI',
    'speed up CI',
    'Please add a lint job to the CI pipeline',
    'Use the cache in our GitHub Actions',
  ])('%s', (task) => {
    expect(of(task)).toEqual([CI]);
  });
  test.each([
    'The parser test fails on CI, fix it',
    'vitest hangs sometimes on CI. please investigate',
    'Fix the parser',
    'Run the tests in CI as they are. Do not change the CI workflow; run it in CI is no order',
  ])('is not meant: %s', (task) => {
    const expected = task.startsWith('Run') ? [CI] : [];
    expect(of(task)).toEqual(expected);
  });
  test('that is granted still loses no check, and hides no failure', () => {
    const steps = (...commands: string[]) => commands.map((one) => `      - run: ${one}\n`).join('');
    const task = 'speed up CI';
    const change = (after: string) => rules([file(CI, steps('npm ci', 'npm test'), after)], { task });
    expect(change(steps('npm ci', 'npm test --if-present || echo ok'))).toEqual(['!failure-hidden']);
    expect(change(steps('npm ci'))).toEqual(['!failure-hidden']);
    expect(change(steps('npm ci', 'npm test -- --shard 1/2', 'npm test -- --shard 2/2'))).toEqual([]);
  });
});

describe('a check that becomes stricter', () => {
  const LINT = 'linters:\n  enable:\n    - errcheck\n';
  test('may be added, and a number may rise', () => {
    expect(granted('enable the linter bodyclose', '.golangci.yml', LINT, `${LINT}    - bodyclose\n`)).toEqual([
      '.golangci.yml',
    ]);
    const cover = (n: number) => `[tool.coverage.report]\nfail_under = ${n}\n`;
    expect(granted('raise the coverage threshold to 90', 'pyproject.toml', cover(85), cover(90))).toEqual([
      'pyproject.toml',
    ]);
    expect(granted('raise the coverage threshold to 90', 'pyproject.toml', cover(85), cover(10))).toEqual([]);
  });
  test('is not one that goes, or that is switched off, or that runs something else', () => {
    const task = 'enable the linter bodyclose';
    expect(granted(task, '.golangci.yml', LINT, LINT.replace('errcheck', 'bodyclose'))).toEqual([]);
    expect(granted(task, '.golangci.yml', LINT, `${LINT}issues:\n  exclude-files: [a.go]\n`)).toEqual([]);
    expect(granted(task, 'tox.ini', '[pytest]\n', '[pytest]\naddopts = -k smoke\n')).toEqual([]);
    expect(granted(task, 'eslint.config.js', 'a\n', 'a\nprocess.exit(0)\n')).toEqual([]);
    expect(granted('Fix the parser', '.golangci.yml', LINT, `${LINT}    - bodyclose\n`)).toEqual([]);
  });
});

describe('an existing test', () => {
  const before = 'it("a", () => {\n  expect(queue.size).toBe(0);\n});\n';
  const renamed = before.replace('size', 'length');
  test('in which a name is another one now', () => {
    const task = 'rename JobQueue.size to JobQueue.length everywhere';
    expect(granted(task, 'a.test.js', before, renamed)).toEqual(['a.test.js']);
    expect(granted(task, 'a.test.js', before, renamed.replace('toBe(0)', 'toBe(1)'))).toEqual([]);
    expect(granted('Rename size to count', 'a.test.js', before, renamed)).toEqual([]);
    expect(granted('Do not rename JobQueue.size to JobQueue.length', 'a.test.js', before, renamed)).toEqual([]);
  });
  test('that is named by its function', () => {
    const of = (task: string) =>
      granted(task, 'pairs_test.go', 'func TestPairs(t *testing.T) {\n', 'func TestPairs(\n');
    expect(of('Quote 20 letters only. Adapt TestPairs to a long line.')).toEqual(['pairs_test.go']);
    expect(of('Do not change TestPairs.')).toEqual([]);
    expect(of('Adapt TestOthers.')).toEqual([]);
    expect(of('Make TestPairs pass.')).toEqual([]);
  });
  test('whose tables of samples have more of them', () => {
    const table = (rows: string) =>
      `@pytest.mark.parametrize("text", [${rows}])\ndef test_bad(text):\n    assert f(text) == 1\n`;
    const grown = (after: string) => isPureInsertion(file('tests/test_a.py', table('"", "a@b@c"'), table(after)));
    expect(grown('"", "a@b@c", "ada@"')).toBe(true);
    expect(grown('"", "x", "a@b@c"')).toBe(true);
    expect(grown('""')).toBe(false);
    expect(grown('"", "ada@"')).toBe(false);
    expect(grown('"", "a@b@c", os._exit(0)')).toBe(false);
  });
});
