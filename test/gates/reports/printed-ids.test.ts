/** A test has the same id in a report as in what its runner prints, so that both can be compared with one base. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failedTests, type IdFormat, type RunnerOutput } from '../../../src/mind/gates/ids.ts';
import { countsOf, type ReportFormat, statusById } from '../../../src/mind/gates/reports/index.ts';
import { totalsIn } from '../../../src/mind/gates/totals.ts';
import { put } from '../../workspace/repository.ts';
import { isGreen, recorded, reportOf } from './read.ts';

const on = (stdout: string, stderr = ''): RunnerOutput => ({ stdout, stderr });

const failedIn = (format: ReportFormat, text: string): string[] =>
  [...statusById(reportOf(format, text))].flatMap(([id, status]) => (status === 'failed' ? [id] : [])).sort();

test.each<[IdFormat, RunnerOutput, ReportFormat, string]>([
  ['vitest', on(recorded('vitest-mixed.stdout'), recorded('vitest-mixed.stderr')), 'vitest', 'vitest-mixed.report'],
  ['vitest', on(recorded('vitest-mixed.stdout'), recorded('vitest-mixed.stderr')), 'junit', 'vitest-mixed.xml'],
  ['jest', on('', recorded('jest-mixed.printed')), 'jest', 'jest-mixed.report'],
  ['pytest', on(recorded('pytest-failed.printed')), 'junit', 'pytest-failed.xml'],
  ['go', on(recorded('go-fail.printed')), 'go', 'go-fail.jsonl'],
  ['tap', on(recorded('node-cases.tap')), 'junit', 'node-cases.xml'],
])('what %s printed and its report name the same failed tests, and count as many: %#', (ids, printed, format, name) => {
  const text = recorded(name);
  expect(failedTests(ids, printed)?.failed).toEqual(failedIn(format, text));
  const { ran, failed } = countsOf(reportOf(format, text));
  // A report of pytest lists an expected failure as skipped; its summary counts it among the tests that ran.
  const expected = text.split('"pytest.xfail"').length - 1;
  // go's summary counts tests without their subtests.
  if (ids !== 'go') expect(totalsIn(ids, printed)).toEqual({ ran: ran + expected, failed });
});

test.each(['node-parent.tap', 'node-20.tap'])('TAP: with its file before it, the id is the printed one: %s', (name) => {
  const text = recorded(name);
  const failed = reportOf('tap', text).tests.filter(({ status }) => status === 'failed');
  expect(failed.map(({ id, file }) => `${file} > ${id}`).sort()).toEqual(failedTests('tap', on(text))?.failed);
});

test('node --test and vitest write today what is read here', () => {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-reports-'));
  try {
    put(dir, {
      'a.test.mjs': `import { describe, test } from 'node:test';
        test('good', () => {}); describe('suite', () => { test('bad', () => { throw new Error('<&"'); }); test.todo('later'); });`,
      'a.test.ts': `import { describe, expect, test } from 'vitest';
        test('good', () => {}); describe('suite', () => { test('bad', () => expect(1).toBe(2)); test.todo('later'); });`,
    });
    symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(dir, 'node_modules'));
    const run = (file: string, ...args: string[]) => {
      const env = { PATH: '/usr/bin:/bin', HOME: dir };
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8', env });
      expect(status, stderr).toBe(1);
      return readFileSync(join(dir, file), 'utf8').replaceAll(`${dir}/`, '/workspace/');
    };
    const node = (format: 'tap' | 'junit') =>
      run(
        `out.${format}`,
        '--test',
        `--test-reporter=${format}`,
        `--test-reporter-destination=out.${format}`,
        'a.test.mjs',
      );
    const vitest = (format: 'json' | 'junit') =>
      run(
        `v.${format}`,
        'node_modules/vitest/vitest.mjs',
        'run',
        'a.test.ts',
        `--reporter=${format}`,
        `--outputFile=v.${format}`,
      );
    const all: [ReportFormat, string, string][] = [
      ['junit', node('junit'), 'a.test.mjs > '],
      ['tap', node('tap'), ''],
      ['vitest', vitest('json'), 'a.test.ts > '],
      ['junit', vitest('junit'), 'a.test.ts > '],
    ];
    for (const [format, text, file] of all) {
      expect([...statusById(reportOf(format, text))]).toEqual([
        [`${file}good`, 'passed'],
        [`${file}suite > bad`, 'failed'],
        [`${file}suite > later`, 'skipped'],
      ]);
      expect(isGreen(format, text)).toBe(false);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
