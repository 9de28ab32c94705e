/** Reports of scanners: recorded ones are read whole, cut or forged ones are never taken for "clean". */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { newFindings, withLineHashes } from '../../../src/mind/gates/security/new-findings.ts';
import { readSarif } from '../../../src/mind/gates/security/sarif.ts';
import { readGitleaks, readOsv, readSemgrep, SCANNERS } from '../../../src/mind/gates/security/scanners.ts';
import type { SecurityFinding } from '../../../src/mind/gates/security/security-finding.ts';
import { cpuSeconds } from '../../support/cpu.ts';

const recorded = (name: string) => readFileSync(new URL(`../../fixtures/scanners/${name}`, import.meta.url), 'utf8');
const sarif = (text: string) => readSarif(text, 'codeql');

const READERS = [
  ['gitleaks.json', readGitleaks],
  ['semgrep.json', readSemgrep],
  ['osv-scanner.json', readOsv],
  ['codeql.sarif', sarif],
] as const;

/** Severity, rule and place of each finding; or the problem. */
function told(report: ReturnType<typeof readGitleaks>): readonly string[] | string {
  if (report.type === 'unusable') return report.problem;
  return report.findings.map(({ severity, rule, path, line }) => `${severity} ${rule} ${path}:${line}`);
}

test.each([
  ['gitleaks.json', ['critical github-pat src/client.js:3', 'critical generic-api-key config/app.yml:12']],
  [
    'semgrep.json',
    [
      'high rules.python.eval-detected app/views.py:42',
      'medium rules.python.weak-hash app/users.py:7',
      'low partly-scanned app/broken.py:null',
      'low rules.python.print app/users.py:9',
    ],
  ],
  ['osv-scanner.json', ['critical GHSA-c3h9-896r-86jm go.mod:null', 'high GHSA-whgm-jr23-g3j9 package-lock.json:null']],
  ['codeql.sarif', ['high js/sql-injection src/db.js:14', 'low js/unused src/a b.js:2']],
])('recorded: %s', (name, expected) => {
  const read = READERS.find(([one]) => one === name)?.[1];
  expect(read === undefined ? null : told(read(recorded(name)))).toEqual(expected);
});

describe.each(READERS)('%s', (name, read) => {
  const text = recorded(name);

  test('cut off at any place it is unusable', () => {
    const whole = text.trimEnd();
    for (let size = 0; size < whole.length; size += 37) expect(read(whole.slice(0, size)).type).toBe('unusable');
  });

  test.each([
    '',
    'null',
    '0',
    '"ok"',
    '{}',
    '{"results":null}',
    '[null]',
    '[{}]',
    `${text} x`,
    '{"version":"2.1.0"}',
    '<xml/>',
  ])('forged: %#', (forged) => expect(read(forged).type).toBe('unusable'));

  test('50 MB are read in bounded time, or refused', () => {
    const many = `[${Array.from({ length: 200_000 }, () => '{"RuleID":"a","File":"b","StartLine":1}').join(',')}]`;
    expect(cpuSeconds(() => read(many))).toBeLessThan(5);
    expect(read(' '.repeat(70 << 20)).type).toBe('unusable');
    expect(read('['.repeat(5 << 20)).type).toBe('unusable');
  });
});

describe('gitleaks', () => {
  test('an empty list is clean', () => expect(told(readGitleaks('[]\n'))).toEqual([]));

  test('the secret is in no finding, also where it was not redacted', () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const leak = {
      RuleID: `rule ${secret}`,
      Description: secret,
      File: 'a.js',
      StartLine: 1,
      Match: secret,
      Secret: secret,
    };
    expect(JSON.stringify(readGitleaks(JSON.stringify([leak])))).not.toContain(secret);
  });

  test('1,000 findings and a count of the rest', () => {
    const leaks = Array.from({ length: 3_000 }, (_, n) => ({ RuleID: 'a', File: 'b', StartLine: n }));
    const report = readGitleaks(JSON.stringify(leaks));
    expect(report.type === 'findings' && report.findings.length).toBe(1_000);
    expect(report.type === 'findings' && report.findings.at(-1)).toMatchObject({
      rule: 'more-findings',
      severity: 'critical',
      message: expect.stringMatching(/^2001 more/),
    });
  });
});

describe('semgrep', () => {
  const semgrep = (more: object) =>
    told(readSemgrep(JSON.stringify({ version: '1', results: [], errors: [], paths: { scanned: ['a'] }, ...more })));
  const result = (severity: string) => ({
    check_id: 'r',
    path: './a.py',
    start: { line: 1 },
    extra: { message: 'm', severity },
  });

  test.each([
    ['CRITICAL', 'critical'],
    ['ERROR', 'high'],
    ['HIGH', 'high'],
    ['WARNING', 'medium'],
    ['MEDIUM', 'medium'],
    ['INFO', 'low'],
    ['LOW', 'low'],
    ['INVENTORY', 'info'],
    ['EXPERIMENT', 'info'],
    ['another word', 'medium'],
  ])('%s is %s', (word, severity) => expect(semgrep({ results: [result(word)] })).toEqual([`${severity} r a.py:1`]));

  test.each<[string, object, unknown]>([
    ['nothing found', {}, []],
    [
      'an error',
      { errors: [{ level: 'error', message: 'out of memory' }] },
      'says that Semgrep had an error: out of memory',
    ],
    ['no list of errors', { errors: undefined }, 'lacks the results or the errors of Semgrep'],
    ['no file looked at', { paths: { scanned: [] } }, 'says that Semgrep looked at no file'],
    [
      'a comment that switches a rule off',
      { results: [{ ...result('ERROR'), extra: { ...result('ERROR').extra, is_ignored: true } }] },
      ['high r a.py:1'],
    ],
  ])('%s', (_, more, expected) => expect(semgrep(more)).toEqual(expected));
});

describe('osv-scanner', () => {
  const osv = (one: object) =>
    told(
      readOsv(
        JSON.stringify({
          results: [{ source: { path: 'a.lock' }, packages: [{ package: { name: 'p', version: '1' }, ...one }] }],
        }),
      ),
    );
  const group = (max_severity: string, id = 'V-1') => ({ groups: [{ ids: [id], max_severity }] });

  test.each([
    ['10.0', 'critical'],
    ['9.0', 'critical'],
    ['8.9', 'high'],
    ['7.0', 'high'],
    ['6.9', 'medium'],
    ['4.0', 'medium'],
    ['3.9', 'low'],
    ['0.1', 'low'],
    ['0.0', 'info'],
    ['', 'medium'],
    ['nonsense', 'medium'],
    ['11', 'medium'],
  ])('CVSS %s is %s', (score, severity) => expect(osv(group(score))).toEqual([`${severity} V-1 a.lock:null`]));

  test('a malicious package is critical; without a score the word of the database counts; no group is one finding each', () => {
    expect(osv(group('', 'MAL-2026-1'))).toEqual(['critical MAL-2026-1 a.lock:null']);
    const entry = (id: string, severity: string) => ({ id, summary: 's', database_specific: { severity } });
    expect(osv({ vulnerabilities: [entry('A', 'MODERATE'), entry('B', 'LOW')] })).toEqual([
      'medium A a.lock:null',
      'low B a.lock:null',
    ]);
  });

  test('no vulnerability, and no package, is clean', () => {
    expect(osv({})).toEqual([]);
    expect(told(readOsv('{"results":[]}'))).toEqual([]);
  });
});

describe('SARIF', () => {
  const run = (more: object, result: object | null = {}) =>
    told(
      sarif(
        JSON.stringify({
          version: '2.1.0',
          runs: [
            {
              tool: { driver: { name: 't' } },
              results: result === null ? [] : [{ ruleId: 'r', message: { text: 'm' }, ...result }],
              ...more,
            },
          ],
        }),
      ),
    );

  test.each<[string, object, readonly string[]]>([
    ['no level is a warning', {}, ['medium r :null']],
    ['error', { level: 'error' }, ['high r :null']],
    ['note', { level: 'note' }, ['low r :null']],
    ['none', { level: 'none' }, ['info r :null']],
    ['passed', { kind: 'pass' }, []],
    ['not applicable', { kind: 'notApplicable' }, []],
    ['informational', { kind: 'informational', level: 'error' }, []],
    ['open', { kind: 'open' }, ['low r :null']],
    ['for a person', { kind: 'review' }, ['low r :null']],
    ['suppressed by a person', { suppressions: [{ kind: 'external' }] }, []],
    ['the same, refused', { suppressions: [{ kind: 'external', status: 'rejected' }] }, ['medium r :null']],
    ['the same, not decided', { suppressions: [{ kind: 'external', status: 'underReview' }] }, ['medium r :null']],
    ['suppressed by the candidate itself', { suppressions: [{ kind: 'inSource' }] }, ['medium r :null']],
    ['gone since the baseline', { baselineState: 'absent' }, []],
    ['a score', { properties: { 'security-severity': '9.1' } }, ['critical r :null']],
  ])('%s', (_, result, expected) => expect(run({}, result)).toEqual(expected));

  test.each<[string, object, string]>([
    ['no results: it did not look', { results: undefined }, 'has a run without results: the scanner did not look'],
    [
      'a failed invocation',
      { invocations: [{ executionSuccessful: true }, { executionSuccessful: false }] },
      'says that the scanner did not end successfully',
    ],
    ['an invocation that does not say', { invocations: [{}] }, 'says that the scanner did not end successfully'],
    [
      'an error beside',
      {
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: [{ level: 'error', message: { text: 'no memory' } }],
          },
        ],
      },
      'says that the scanner had an error: no memory',
    ],
    [
      'an error of its setting',
      { invocations: [{ executionSuccessful: true, toolConfigurationNotifications: [{ level: 'error' }] }] },
      'says that the scanner had an error: unknown',
    ],
    ['no tool', { tool: {} }, 'has a run without the name of its tool'],
  ])('%s is unusable', (_, more, problem) => expect(run(more, null)).toBe(problem));

  test('an empty list of results is clean; no run, or one of two runs that did not look, is not', () => {
    expect(run({}, null)).toEqual([]);
    expect(told(sarif('{"version":"2.1.0","runs":[]}'))).toBe('has no run');
    const good = { tool: { driver: {} }, results: [] };
    expect(told(sarif(JSON.stringify({ version: '2.1.0', runs: [good, { tool: { driver: {} } }] })))).toMatch(
      /did not look/,
    );
  });
});

describe('only what the base does not have', () => {
  const at = (line: number, more: Partial<SecurityFinding> = {}): SecurityFinding => ({
    ...{ rule: 'r', severity: 'high', path: 'a.js', line, message: 'm', tool: 't', lineHash: null },
    ...more,
  });
  const hashed = (text: string, findings: readonly SecurityFinding[]) => withLineHashes(findings, () => text);
  const base = hashed('eval(a)\n', [at(1)]);

  test('the same line at another place is not new', () => {
    expect(newFindings(hashed('\n\n  eval(a)\n', [at(3)]), base)).toEqual([]);
  });

  test('another text, rule, path or tool is; and so is a copy of the line', () => {
    const text = 'eval(a)\neval(b)\neval(a)\n';
    expect(newFindings(hashed(text, [at(1), at(2)]), base).map(({ line }) => line)).toEqual([2]);
    expect(newFindings(hashed(text, [at(1), at(3)]), base).map(({ line }) => line)).toEqual([3]);
    for (const more of [{ rule: 'q' }, { path: 'b.js' }, { tool: 'u' }])
      expect(newFindings(hashed(text, [at(1, more)]), base)).toHaveLength(1);
  });

  test('without a line the message tells them apart', () => {
    const none = { ...at(0), line: null };
    expect(newFindings([none, { ...none, message: 'other' }], [none])).toEqual([{ ...none, message: 'other' }]);
  });
});

test('each scanner writes its report to a given place, and says which exit codes mean that it ran', () => {
  expect(SCANNERS.map(({ name }) => name)).toEqual(['gitleaks', 'semgrep', 'osv-scanner']);
  for (const { name, argv, exitCodes, rules } of SCANNERS) {
    expect(argv[0]).toBe(name);
    expect(argv.filter((word) => word.includes('REPORT'))).toHaveLength(1);
    expect(argv.some((word) => word.includes('RULES'))).toBe(rules.length > 0);
    expect(exitCodes).toContain(0);
  }
  // By default 1 means "leaks or an error".
  expect(SCANNERS[0]?.exitCodes).not.toContain(1);
});
