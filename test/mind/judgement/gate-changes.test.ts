/** What `judge` says of files and scripts that gates run, and of rewritten tests. */
import { describe, expect, test } from 'vitest';
import { gateChanges } from '../../../src/mind/judgement/gate-changes.ts';
import { rewrittenTests } from '../../../src/mind/judgement/rewritten-tests.ts';
import { file } from '../findings/ask.ts';
import { gate } from './judged.ts';

const scripts = (all: Readonly<Record<string, string>>): string => JSON.stringify({ scripts: all }, null, 2);
const OLD = { test: 'npm run lint && mocha test/', lint: 'eslint .', build: 'tsc', pretest: 'tsc' };

function found(after: Readonly<Record<string, string>>, words = 'Tidy up', commands = ['npm test']): string[] {
  const baseTexts = new Map([['package.json', scripts(OLD)]]);
  const gates = commands.map((command, n) => ({ name: `g${n}`, command, blocking: true, on_fail: 'retry' }) as const);
  return gateChanges({
    basePaths: ['package.json'],
    baseTexts,
    changed: [{ path: 'package.json', before: '100644 a', after: '100644 b' }],
    files: [file('package.json', scripts(OLD), scripts(after))],
    words,
    settings: { testPaths: [], protect: [], gates },
    outputs: [],
  })
    .filter(({ blocks }) => blocks)
    .map(({ rule, message }) => `${rule} ${/script `([^`]+)`/.exec(message)?.[1] ?? ''}`);
}

describe('scripts that gates run', () => {
  test.each([
    [{ ...OLD, test: 'mocha test/' }, 'test'],
    [{ ...OLD, test: 'npm run lint && mocha test/a.js' }, 'test'],
    [{ ...OLD, test: 'npm run lint && mocha test/ --grep fast' }, 'test'],
    [{ ...OLD, lint: 'eslint src' }, 'lint'],
    [{ ...OLD, pretest: 'node hide.js' }, 'pretest'],
    [{ ...OLD, posttest: 'node hide.js' }, 'posttest'],
  ])('%j', (after, name) => expect(found(after)).toEqual([`gate-changed ${name}`]));

  test.each([
    [{ ...OLD, build: 'tsc -b' }, 'Tidy up'],
    [{ ...OLD, test: 'npm run lint && mocha test/ && tsd' }, 'Tidy up'],
    [{ ...OLD, test: 'npm run lint && mocha test/ --timeout=20s' }, 'Tidy up'],
    [{ ...OLD, test: 'npm run lint && vitest run' }, 'Switch from mocha to vitest'],
    [{ ...OLD, test: 'mocha test/' }, 'Take linting out of `npm test`'],
    [{ ...OLD, lint: 'eslint src' }, 'Let the lint script look at src alone'],
  ])('not %j for "%s"', (after, words) => expect(found(after, words)).toEqual([]));

  test('of no gate', () => expect(found({ ...OLD, test: 'true' }, 'Tidy up', ['make'])).toEqual([]));
});

const rewritten = (words: string, ownWords = false, named: readonly string[] = [], red = true): (boolean | string)[] =>
  rewrittenTests({
    gates: [gate('tests', { old_tests_red: red })],
    changed: [
      { path: 'src/a.js', before: '100644 a', after: '100644 b' },
      { path: 'test/a.test.js', before: '100644 a', after: '100644 b' },
      { path: 'test/new.test.js', before: null, after: '100644 b' },
    ],
    testPaths: [],
    words,
    ownWords,
    named: new Set(named),
  }).flatMap(({ path, blocks }) => [path, blocks]);

test.each([
  ['Refactor the parser', true],
  ['Clean up', true],
  ['Speed up the loop', true],
  ['No functional changes', true],
  ['Refactor the parser and fix the empty line', false],
  ['Return null for an empty line', false],
  ['Rename total to sum', false],
  ['', false],
])('a commit "%s" whose tests fail as they were: blocks is %s', (words, blocks) =>
  expect(rewritten(words)).toEqual(['test/a.test.js', blocks]),
);

test('a task has to name the tests that it changes', () => {
  expect(rewritten('Return null for an empty line', true)).toEqual(['test/a.test.js', true]);
  expect(rewritten('Return null for an empty line', true, ['test/a.test.js'])).toEqual([]);
  expect(rewritten('Return null for an empty line', true, [], false)).toEqual([]);
});
