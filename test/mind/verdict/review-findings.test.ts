/** Which findings of a review count: those that name a line of the change, each once. */
import { describe, expect, test } from 'vitest';
import { checkFindings, type ReviewFinding, uncountedText } from '../../../src/mind/verdict/review-findings.ts';

const SHOWN = new Map([
  ['src/a.js', 20],
  ['src/logo.png', null],
]);
const finding = (over: Partial<ReviewFinding> = {}): ReviewFinding => ({
  ...{ severity: 'high', file: 'src/a.js', line: 3, message: 'loses data' },
  ...over,
});
const faults = (...findings: ReviewFinding[]) => checkFindings(findings, SHOWN).uncounted.map(({ fault }) => fault);

describe('a finding counts', () => {
  test.each<[string, Partial<ReviewFinding>]>([
    ['on a line of the change', {}],
    ['on its last line', { line: 20 }],
    ['with ./ before its path', { file: './src/a.js' }],
    ['on any line of a file that is no text', { file: 'src/logo.png', line: 99 }],
  ])('%s', (_, over) => {
    expect(checkFindings([finding(over)], SHOWN)).toEqual({ counted: [finding(over)], uncounted: [] });
  });
});

describe('a finding does not count', () => {
  test.each<[Partial<ReviewFinding>, string]>([
    [{ file: undefined }, 'no file and line'],
    [{ line: undefined }, 'no file and line'],
    [{ file: 'nowhere/else.js', line: 9999 }, 'not in the change'],
    [{ file: 'SRC/a.js' }, 'not in the change'],
    [{ line: 21 }, 'no such line'],
  ])('%j: %s', (over, fault) => {
    expect(faults(finding(over))).toEqual([fault]);
    expect(checkFindings([finding(over)], SHOWN).counted).toEqual([]);
  });

  test('twice, whatever its punctuation; the more severe one counts', () => {
    const again = finding({ severity: 'critical', file: './src/a.js', message: 'Loses  data!' });
    const { counted, uncounted } = checkFindings([finding(), again, finding()], SHOWN);
    expect(counted).toEqual([again]);
    expect(uncounted.map(({ fault }) => fault)).toEqual(['said twice', 'said twice']);
    // The controls: another line, another claim.
    expect(faults(finding(), finding({ line: 4 }), finding({ message: 'leaks data' }))).toEqual([]);
    // Claims without a letter are compared as they are.
    expect(faults(finding({ message: '!' }), finding({ message: '?' }))).toEqual([]);
  });
});

test('the record says why, on one line', () => {
  const [one] = checkFindings([finding({ file: 'b.js', message: 'x\ny' })], SHOWN).uncounted;
  expect(one === undefined ? '' : uncountedText(one)).toMatch(/^not in the change: high b\.js:3 x.+y$/);
});
