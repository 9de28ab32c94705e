/**
 * The feedback document for each kind of failure as a person would read it. What tools print here, they printed: node:test,
 * vitest, pytest 9, go, tsc and Biome on a small project. After a change: `UPDATE_GOLDEN=1 npx vitest run
 * test/mind/feedback/golden.test.ts`, and read what changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { violationText } from '../../../src/mind/candidates/violation-text.ts';
import { type FeedbackFacts, feedbackOf } from '../../../src/mind/feedback/document.ts';
import { feedbackMarkdown, fenced } from '../../../src/mind/feedback/markdown.ts';
import { evidenceText, type GateFacts } from '../../../src/mind/gates/evidence.ts';
import { sentBack } from '../../support/sent-back.ts';

const printed = (name: string) => readFileSync(join(import.meta.dirname, 'printed', `${name}.txt`), 'utf8');
const evidence = (over: Partial<GateFacts>): string =>
  evidenceText({
    ...{ gate: 'tests', status: 'fail', command: 'npm test', ended: 'exit code 1', ms: 1_204, tree: null, base: null },
    ...{ environment: null, cached: null, notes: [], output: '' },
    ...over,
  });
type Counts = {
  readonly score: number | null;
  readonly tests: { run: number; failed: number; skipped: number } | null;
};
const byGate = (gate: string, over: Partial<GateFacts>, { score, tests }: Counts = { score: 0, tests: null }) =>
  sentBack(`gate failed: ${gate}`, {
    gates: [{ gate, status: 'fail', score, tests, text: evidence({ gate, ...over }) }],
    starts_from: 'last',
    scope: { only: [], frozen: ['test/**', 'tests/**'], except: [] },
  });
const HALF = { score: 0.5, tests: { run: 2, failed: 1, skipped: 0 } };
const BASE_PASSES = ['baseline: nothing is excused: the base passes'];
const review = {
  status: 'CHANGES_REQUESTED',
  issues: [
    { severity: 'low', file: 'src/greet.js', line: 4, message: 'The name is not trimmed.' },
    {
      ...{ severity: 'high', file: 'src/greet.js', line: 1, message: 'An empty name leaves a blank at the end.' },
      suggestion: "Leave out empty parts: [hello, name].filter(Boolean).join(' ')",
    },
  ],
  suggestions: ['Name the function politeGreeting.'],
  notes: 'The list of parts is joined without a look at what is in it.',
};

const cause = {
  status: 'SUCCESS',
  answer: 'An empty name is joined like any other: src/greet.js:1 leaves the blank.',
  findings: ["return name === '' ? 'good day' : `good day ${name}`;"],
};

/** The failure that has to stand in the first ten lines. */
const CASES: Readonly<Record<string, readonly [FeedbackFacts, string]>> = {
  'assertion-node-test': [
    byGate('tests', { command: 'node --test', output: printed('node-test'), notes: BASE_PASSES }, HALF),
    "+ 'good day '",
  ],
  'analysed-by-models': [
    {
      ...byGate('tests', { command: 'node --test', output: printed('node-test'), notes: BASE_PASSES }, HALF),
      answers: [
        { by: 'investigator', kind: 'generic', text: `\`\`\`json\n${JSON.stringify(cause)}\n\`\`\``, about: 'failure' },
        { by: 'reviewer', kind: 'review', text: `\`\`\`json\n${JSON.stringify(review)}\n\`\`\``, about: 'failure' },
      ],
    },
    "+ 'good day '",
  ],
  'assertion-vitest': [
    byGate('tests', { command: 'vitest run', output: printed('vitest'), notes: BASE_PASSES }, HALF),
    "AssertionError: expected 'good day ' to be 'good day'",
  ],
  'assertion-pytest': [
    byGate('tests', { command: 'pytest', output: printed('pytest'), notes: BASE_PASSES }, HALF),
    "AssertionError: assert 'good day ' == 'good day'",
  ],
  'assertion-go': [
    byGate('tests', { command: 'go test -v ./...', output: printed('go') }, HALF),
    'fail_test.go:4: got 3 <want> 4',
  ],
  'type-error': [
    byGate('types', { command: 'tsc --noEmit', ended: 'exit code 2', output: printed('types') }),
    "src/typed.ts(3,14): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  lint: [
    byGate('lint', { command: 'biome lint', output: printed('lint') }),
    'Using == may be unsafe if you are relying on type coercion.',
  ],
  'missing-tests': [
    byGate('tests', {
      ...{
        command: 'node --test',
        ended: 'exit code 0',
        output: '✔ greets by name (0.4ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n',
      },
      notes: ['tests of the base: 1 no longer run: greets without a name: let them run again'],
    }),
    '1 no longer run: greets without a name',
  ],
  'scope-violation': [
    sentBack(
      violationText([
        { path: 'test/greet.test.js', reason: 'is an existing test' },
        { path: 'src/other.js', reason: 'is not among the files of this task' },
      ] as never),
      { scope: { only: ['src/greet.js'], frozen: ['test/**'], except: [] } },
    ),
    '`test/greet.test.js` is an existing test',
  ],
  finding: [
    sentBack('The change is refused: src/greet.js:3: it asks whether a test is running (`process.env.NODE_TEST`).'),
    'src/greet.js:3: it asks whether a test is running',
  ],
  'finding-of-a-gate': [
    byGate('security', {
      ...{ command: null, ended: 'found 1, the worst: high: src/run.js:8: a shell runs text of the request' },
      output: 'high: src/run.js:8: a shell runs text of the request\n',
    }),
    'src/run.js:8: a shell runs text of the request',
  ],
  timeout: [
    byGate('tests', {
      ended: 'stopped: it ran longer than its timeout of 300000 ms',
      output: '✔ greets by name (0.4ms)\n',
    }),
    'it ran longer than its timeout of 300000 ms',
  ],
  'out-of-memory': [
    byGate('tests', {
      ended: 'stopped: it used more than 2048 MiB of memory',
      output: 'Error: something that was printed on the way\n',
    }),
    'it used more than 2048 MiB of memory',
  ],
  'red-report': [
    byGate(
      'tests',
      {
        ...{ command: 'pytest --junitxml=$REPORT_DIR/junit.xml -q --no-summary', output: '' },
        notes: [
          'baseline: nothing is excused: the base passes',
          'failed in the report: tests.test_greet > test_without_a_name',
        ],
      },
      HALF,
    ),
    'failed in the report: tests.test_greet > test_without_a_name',
  ],
  'review-rejection': [
    sentBack('the reviewer says CHANGES_REQUESTED', {
      answers: [{ by: 'reviewer', kind: 'review', text: `\`\`\`json\n${JSON.stringify(review)}\n\`\`\`` }],
      starts_from: 'last',
    }),
    'high: An empty name leaves a blank at the end.',
  ],
};

const FOLDER = join(import.meta.dirname, 'golden');
const textOf = (facts: FeedbackFacts) => `${feedbackMarkdown(feedbackOf(facts), fenced)}\n`;

describe.each(Object.entries(CASES))('%s', (name, [facts, failure]) => {
  test('as a person reads it', () => {
    const file = join(FOLDER, `${name}.md`);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, textOf(facts));
    expect(textOf(facts)).toBe(readFileSync(file, 'utf8'));
  });

  test('the failure is in the first ten lines, and there is something to do', () => {
    expect(textOf(facts).split('\n').slice(0, 10).join('\n')).toContain(failure);
    expect(feedbackOf(facts).actions.length).toBeGreaterThan(0);
  });
});

test('for a task that has ended, the count is shown, and where the next attempt begins', () => {
  const attempt = { number: 4, sent_back: 3, of: 3, ended: true } as const;
  expect(feedbackMarkdown(feedbackOf(sentBack('a reason', { attempt })), fenced)).toContain(
    '- Retry count: 3/3. The task has ended: attempt 4 comes with `supervisor resume t-1`, which counts anew.',
  );
});

test('there is no golden file that nothing renders', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(
    Object.keys(CASES)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

test('50 MB of noise on both sides push neither the failure out nor anything else in', () => {
  const noise = 'Error: connection refused, attempt 17 of 20 will follow in 3 seconds\n'.repeat(370_000);
  const [facts] = CASES['assertion-vitest'] as (typeof CASES)[string];
  const loud = byGate('tests', { command: 'vitest run', output: `${noise}${printed('vitest')}${noise}` }, HALF);
  expect(noise.length).toBeGreaterThan(25_000_000);
  const [quiet, told] = [feedbackOf(facts), feedbackOf(loud)];
  expect(told.first_failure.at).toBe('test/greet.vitest.ts:6');
  expect(told.first_failure.lines.slice(0, 4)).toEqual(quiet.first_failure.lines.slice(0, 4));
  expect(textOf(loud).split('\n').slice(0, 10).join('\n')).toContain(
    "AssertionError: expected 'good day ' to be 'good day'",
  );
  expect(textOf(loud).length).toBeLessThan(24_000);
});

test('blocking gates come first, then advisory ones, and those that could not run last', () => {
  const gate = (name: string, status: 'fail' | 'error', blocking: boolean) =>
    ({ gate: name, status, blocking, text: evidence({ gate: name, output: `AssertionError: ${name}\n` }) }) as const;
  const gates = [gate('advice', 'fail', false), gate('broken', 'error', true), gate('tests', 'fail', true)];
  const feedback = feedbackOf(sentBack('gate failed: tests', { gates }));
  expect(feedback.failed_gates.map((one) => one.gate)).toEqual(['tests', 'broken', 'advice']);
  expect(feedback.first_failure).toMatchObject({ by: 'gate tests', lines: ['AssertionError: tests'] });
  expect(feedback.actions).toHaveLength(2);
});

test('texts of models are labelled as opinions, and a point of a review is none of a gate', () => {
  const [facts] = CASES['review-rejection'] as (typeof CASES)[string];
  const { issues, opinions, failed_gates } = feedbackOf(facts);
  expect(issues.map(({ severity }) => severity)).toEqual(['high', 'low']);
  expect(opinions.map(({ by, about }) => `${about} of ${by}`)).toEqual([
    'analysis of reviewer',
    'suggestion of reviewer',
    'suggestion of reviewer',
  ]);
  expect(failed_gates).toEqual([]);
  expect(textOf(facts)).toContain('These are opinions of models, and unchecked.');
});
