/** The numbers of the security gate: counts, score, and what each of its checks calls critical. */
import { describe, expect, test } from 'vitest';
import type { Severity } from '../../../src/mind/changes/finding.ts';
import { dangerousFindings } from '../../../src/mind/gates/security/dangerous.ts';
import {
  countFindings,
  FindingList,
  isCritical,
  MAX_FINDINGS,
  ownFinding,
  type SecurityFinding,
  securityScore,
} from '../../../src/mind/gates/security/security-finding.ts';

const CLEAN = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const one = (severity: Severity): SecurityFinding => ownFinding('a', severity, 'a.js', 1, 'is bad');

describe('the worst finding decides the score', () => {
  test.each([
    ['critical found', { critical: 1, high: 5 }, 0],
    ['high found', { high: 1, medium: 9, low: 3 }, 0.3],
    ['medium found', { medium: 1, low: 3 }, 0.7],
    ['low only', { low: 100, info: 2 }, 0.9],
    ['info only counts as clean', { info: 7 }, 1],
    ['clean', {}, 1],
  ])('%s', (_, counts, score) => expect(securityScore({ ...CLEAN, ...counts })).toBe(score));
});

describe('findings that fail the gate', () => {
  test.each([
    ['secret_scan', ['critical', 'high', 'medium', 'low', 'info'], 'any match'],
    ['owasp_check', ['critical', 'high'], 'high severity'],
    ['dependency_audit', ['critical'], 'a critical CVE'],
  ] as const)('%s', (check, severities, _) => {
    const all: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];
    expect(all.filter((severity) => isCritical(check, severity))).toEqual(severities);
  });
});

test('findings are counted by severity', () => {
  expect(countFindings([one('high'), one('low'), one('low')])).toEqual({ ...CLEAN, high: 1, low: 2 });
  expect(countFindings([])).toEqual(CLEAN);
});

test('beyond 1,000 findings the most severe stay, and one says how many more there are', () => {
  const list = new FindingList();
  for (let n = 0; n < 5_000; n += 1) list.add(one('low'));
  list.add(one('critical'));
  const all = list.all();
  expect(all).toHaveLength(MAX_FINDINGS);
  expect(all[0]?.severity).toBe('critical');
  expect(all.at(-1)).toMatchObject({
    rule: 'more-findings',
    severity: 'low',
    message: expect.stringMatching(/^4002 more/),
  });
});

test('more than 2,000 files are reported, not skipped', () => {
  const files = Array.from({ length: 2_010 }, (_, n) => ({ path: `${n}.js`, before: null, after: 'let a;\n' }));
  expect(dangerousFindings(files)).toMatchObject([
    { rule: 'files-not-checked', severity: 'high', path: '2000.js', message: expect.stringContaining('and 9 more') },
  ]);
});

test('hostile names are cut and cannot act on a terminal', () => {
  const finding = ownFinding('a', 'low', `\u001b[31m${'x'.repeat(5_000)}\n.js`, 1, 'is bad');
  expect(finding.path.length).toBeLessThanOrEqual(300);
  expect(finding.path).not.toContain('\u001b');
});
