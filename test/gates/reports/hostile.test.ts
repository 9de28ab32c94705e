/** Reports are written by the code under check: cut off, forged, huge or built to be slow, they are read in time and no pass. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countsOf,
  REPORT_FORMATS,
  type ReportFormat,
  readReport,
  statusById,
} from '../../../src/mind/gates/reports/index.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import { isGreen, problemOf, recorded, reportOf } from './read.ts';

/** Each with at least one failure. */
const RED: readonly (readonly [ReportFormat, string])[] = [
  ['junit', 'node-mixed.xml'],
  ['junit', 'vitest-mixed.xml'],
  ['junit', 'pytest-mixed.xml'],
  ['tap', 'node-mixed.tap'],
  ['tap', 'node-all.tap'],
  ['vitest', 'vitest-mixed.report'],
  ['jest', 'jest-mixed.report'],
  ['go', 'go-fail.jsonl'],
  ['go', 'go-panic.jsonl'],
];
const GREEN: readonly (readonly [ReportFormat, string])[] = [
  ['junit', 'node-green.xml'],
  ['junit', 'vitest-green.xml'],
  ['junit', 'pytest-green.xml'],
  ['tap', 'node-green.tap'],
  ['vitest', 'vitest-green.report'],
  ['jest', 'jest-green.report'],
  ['go', 'go-green.jsonl'],
];

test.each([...RED, ...GREEN])('%s: %s cut off at any of 200 places is no pass', (format, name) => {
  const text = recorded(name).trimEnd();
  const counts = countsOf(reportOf(format, text));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: text.length - 1 }), (length) => {
      const cut = text.slice(0, length);
      // What is left of the last number of node's TAP, the duration, is a number too.
      if (format === 'tap' && /\n# duration_ms \d[\d.]*$/.test(cut))
        expect(countsOf(reportOf(format, cut))).toEqual(counts);
      else expect(isGreen(format, cut), cut.slice(-80)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test.each(GREEN)('%s: %s, the control, is green as a whole', (format, name) => {
  expect(isGreen(format, recorded(name))).toBe(true);
});

/** Changed numbers or dropped text can make a report unusable, but cannot turn its failures into passes. */
test.each(RED)('%s: no change of counts and no cut makes %s a pass with as many tests', (format, name) => {
  const text = recorded(name);
  const size = reportOf(format, text).tests.length;
  const digits = [...text.matchAll(/\d+/g)].map(({ index, 0: number }) => [index, number.length] as const);
  const change = fc.record({ at: fc.nat(), number: fc.nat({ max: 30 }) });
  const edits = fc.record({ changes: fc.array(change, { maxLength: 4 }), dropped: fc.nat({ max: 3 }), cut: fc.nat() });
  fc.assert(
    fc.property(edits, ({ changes, dropped, cut }) => {
      let hostile = text;
      // From the end on, so that earlier places stay where they are.
      const places = changes.map(({ at, number }) => [digits[at % digits.length]!, number] as const);
      for (const [[index, length], number] of places.sort(([one], [other]) => other[0] - one[0]))
        hostile = hostile.slice(0, index) + String(number) + hostile.slice(index + length);
      if (dropped === 0) hostile = hostile.slice(0, cut % hostile.length);
      const read = readReport(format, hostile);
      if (read.type === 'unusable' || read.report.problems.length > 0) return;
      expect(read.report.tests.length === size && countsOf(read.report).failed === 0).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test('random text in a report is read or refused, and never thrown', () => {
  const format = fc.constantFrom(...REPORT_FORMATS);
  const piece = fc.constantFrom(
    '<',
    '</testsuite>',
    '<testcase name="a">',
    '"',
    '&',
    '{',
    '}',
    '\n',
    'ok 1',
    '1..1',
    '    ',
    'null',
  );
  const parts = fc.array(fc.oneof(piece, fc.string()), { maxLength: 6 });
  fc.assert(
    fc.property(format, fc.constantFrom(...RED, ...GREEN), fc.nat(), parts, (format, [, name], at, put) => {
      const text = recorded(name);
      const place = at % text.length;
      expect(['report', 'unusable']).toContain(
        readReport(format, text.slice(0, place) + put.join('') + text.slice(place)).type,
      );
    }),
    { numRuns: 1000 },
  );
});

test('a failure cannot be taken out of a report that has totals', () => {
  for (const name of ['vitest-mixed.xml', 'pytest-failed.xml', 'node-mixed.xml']) {
    const text = recorded(name);
    for (const [match] of text.matchAll(
      /<testcase [^>]*[^/]>(?:(?!<\/testcase>)[\s\S])*?<failure[\s\S]*?<\/testcase>/g,
    ))
      expect(problemOf('junit', text.replace(match, '')), name).toMatch(/contradicts|counts/);
  }
});

const MB = 1 << 20;
const fill = (shape: string, size: number): string => shape.repeat(Math.ceil(size / shape.length));

test.each<[ReportFormat, string, (size: number) => string]>([
  [
    'junit',
    'output of one test',
    (size) => `<testsuite><testcase name="a">${fill('text &amp; more ', size)}</testcase></testsuite>`,
  ],
  ['junit', 'cases', (size) => `<testsuite>${fill('<testcase name="a"/>', size)}</testsuite>`],
  ['junit', 'elements', (size) => `<testsuite>${fill('<a>&amp;</a>', size)}</testsuite>`],
  ['junit', 'an attribute', (size) => `<testsuite name="${fill('&lt;', size)}"/>`],
  ['junit', 'open elements', (size) => fill('<testsuite>', size)],
  ['junit', 'references', (size) => `<testsuite>${fill('&#1', size)}`],
  [
    'junit',
    'cases below long names of suites',
    (size) => {
      const long = `<testsuite name="${fill('n', size / 50)}">`;
      return `${long.repeat(20)}${fill('<testcase/>', size / 200)}${'</testsuite>'.repeat(20)}<`;
    },
  ],
  ['junit', 'space', (size) => `<testsuite${fill(' ', size)}`],
  ['tap', 'points', (size) => fill('ok 1 - a\n', size)],
  ['tap', 'nested points', (size) => fill('    ok 1 - a\n    1..1\nok 1 - b\n', size)],
  ['tap', 'one point', (size) => `ok 1 ${fill(' # ', size)}`],
  ['tap', 'a block', (size) => `ok 1 - a\n  ---\n${fill("  type: 'test'\n", size)}`],
  ['vitest', 'lists', (size) => `[${fill('[],', size)}1]`],
  ['vitest', 'depth', (size) => fill('[', size)],
  [
    'vitest',
    'a long name of a file',
    (size) => {
      const test = '{"ancestorTitles":[],"title":"a","status":"passed"},'.repeat(100_000).slice(0, -1);
      const totals = '"numTotalTests":1,"numPassedTests":1,"numFailedTests":0,"numPendingTests":0,"numTodoTests":0';
      const file = `{"name":"${fill('n', size - test.length)}","status":"passed","assertionResults":[${test}]}`;
      return `{"success":true,${totals},"numFailedTestSuites":0,"numTotalTestSuites":1,"testResults":[${file}]}`;
    },
  ],
  ['jest', 'a string', (size) => `{"a":"${fill('\\\\', size)}"}`],
  ['jest', 'backslashes', (size) => `{"a":"${fill('\\', size)}`],
  ['go', 'output', (size) => fill('{"Action":"output","Package":"a","Output":"x"}\n', size)],
  ['go', 'runs of one test', (size) => fill('{"Action":"run","Package":"a","Test":"T"}\n', size)],
  ['go', 'one line', (size) => `{"Output":[${fill('[],', size)}1]}`],
  ['go', 'lines', (size) => fill('FAIL\n', size)],
])('%s: 50 MB of %s are read in time, and are no pass', (format, shape, textOf) => {
  const text = textOf(50 * MB);
  let green = false;
  expect(cpuSeconds(() => (green = isGreen(format, text)))).toBeLessThan(15);
  // One test that passed, with much output, is a pass.
  expect(green).toBe(shape === 'output of one test');
});

test('200,000 tests are read, more are refused', () => {
  const suite = (tests: number) =>
    `<testsuite tests="${tests}">${Array.from({ length: tests }, (_, index) => `<testcase name="${index}"/>`).join('')}</testsuite>`;
  expect(reportOf('junit', suite(200_000)).tests).toHaveLength(200_000);
  expect(problemOf('junit', suite(200_001))).toBe('it lists more than 200000 tests');
});

test('problems are bounded in number and length, ids in length; long ids of one beginning stay apart', () => {
  const name = 'n'.repeat(5_000);
  const { tests, problems } = reportOf(
    'junit',
    `<testsuite><testcase name="${name}1"/><testcase name="${name}2"/></testsuite>`,
  );
  expect(problems).toEqual([]);
  expect(tests.map(({ id }) => id.length)).toEqual([500, 500]);
  expect(new Set(tests.map(({ id }) => id)).size).toBe(2);
  const many = reportOf('go', `FAIL ${name}\n`.repeat(1_000)).problems;
  expect(many).toHaveLength(100);
  expect(Math.max(...many.map(({ length }) => length))).toBeLessThanOrEqual(301);
});

test('if tests share an id, the worst status counts, and each is counted', () => {
  const cases = ['<testcase name="a"/>', '<testcase name="a"><failure/></testcase>', '<testcase name="b"/>'];
  const skipped = '<testcase name="b"><skipped/></testcase>';
  const report = reportOf('junit', `<testsuite>${cases.join('')}<testcase name="a"/>${skipped}</testsuite>`);
  expect(countsOf(report)).toEqual({ ran: 4, failed: 1, skipped: 1 });
  expect([...statusById(report)]).toEqual([
    ['a', 'failed'],
    ['b', 'skipped'],
  ]);
});
