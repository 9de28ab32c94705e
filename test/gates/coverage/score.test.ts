/** The numbers of the coverage gate: targets, score, penalty, regression; and what cannot be hidden from them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Coverage, FileCoverage } from '../../../src/mind/gates/coverage/coverage.ts';
import { COVERAGE_TARGETS, scoreCoverage } from '../../../src/mind/gates/coverage/score.ts';
import { coverageOf, recorded } from './reports.ts';

/** A file of which the first lines ran. */
const file = (path: string, covered: number, total: number, more: Partial<FileCoverage> = {}): FileCoverage => ({
  path,
  lines: new Map(Array.from({ length: total }, (_, index) => [index + 1, index < covered ? 1 : 0])),
  branches: null,
  excluded: [],
  ...more,
});
const report = (...files: FileCoverage[]): Coverage => ({ files });
const percent = (covered: number, branches: number | null = null): Coverage =>
  report(file('a.ts', covered, 100, { branches: branches === null ? null : { covered: branches, total: 100 } }));

type Asked = { targets?: { line: number; branch: number }; changed?: Readonly<Record<string, readonly number[]>> };
const scored = (
  now: Coverage,
  base: Coverage | null = null,
  { targets = COVERAGE_TARGETS, changed = {} }: Asked = {},
) => scoreCoverage(now, base, { targets, changedLines: new Map(Object.entries(changed)) });

describe('numbers', () => {
  test('the targets are 70 % of lines and 60 % of branches', () => {
    expect(COVERAGE_TARGETS).toEqual({ line: 70, branch: 60 });
  });

  test.each([
    // line, branch, base, score, pass
    [70, 60, null, 1, true],
    [100, 100, null, 1, true],
    [69, 60, null, (69 / 70 + 1) / 2, false],
    [70, 59, null, (1 + 59 / 60) / 2, false],
    [35, 60, null, 0.75, false],
    [35, 30, null, 0.5, false],
    [0, 0, null, 0, false],
    // Branches that are not measured are unknown, and not zero.
    [70, null, null, 1, true],
    [35, null, null, 0.5, false],
    // A drop costs 0.2, however small; only more than 5 points are a regression.
    [80, null, 80, 1, true],
    [81, null, 80, 1, true],
    [79, null, 80, 0.8, true],
    [75, null, 80, 0.8, true],
    [74, null, 80, 0.8, false],
    [35, null, 80, 0.3, false],
    [7, null, 80, 0, false],
  ])('lines %d, branches %s, base %s: score %d, pass %s', (line, branch, base, score, pass) => {
    const result = scored(percent(line, branch), base === null ? null : percent(base));
    expect(result.line).toBeCloseTo(line / 100, 12);
    expect(result.branch).toBe(branch === null ? null : branch / 100);
    expect(result.score).toBeCloseTo(score, 12);
    expect(result.pass).toBe(pass);
    expect(result.delta).toBe(base === null ? null : line - base);
    expect(result.regressed).toBe(base !== null && base - line > 5);
  });

  test('a drop of exactly 5 points is no regression, whatever the sums; a line more is', () => {
    for (const total of [20, 60, 140, 1_000, 999_980]) {
      const base = report(file('a.ts', total * 0.9, total));
      expect(scored(report(file('a.ts', total * 0.85, total)), base), `${total}`).toMatchObject({
        delta: -5,
        regressed: false,
      });
      expect(scored(report(file('a.ts', total * 0.85 - 1, total)), base), `${total}`).toMatchObject({
        regressed: true,
      });
    }
  });

  test('other targets count; a target of 0 is always reached', () => {
    expect(scored(percent(80, 50), null, { targets: { line: 80, branch: 50 } })).toMatchObject({
      score: 1,
      pass: true,
    });
    expect(scored(percent(80, 50), null, { targets: { line: 100, branch: 100 } })).toMatchObject({
      score: 0.65,
      pass: false,
    });
    expect(scored(percent(0, 0), null, { targets: { line: 0, branch: 0 } })).toMatchObject({ score: 1, pass: true });
  });

  test('without lines nothing is known, and nothing passes', () => {
    const nothing = {
      line: null,
      branch: null,
      score: null,
      delta: null,
      regressed: false,
      pass: false,
      uncoveredChanged: [],
      changed: null,
      newlyExcluded: 0,
    };
    expect(scored(report())).toEqual({ ...nothing, missing: [] });
    expect(scored(report(file('a.ts', 0, 0)))).toEqual({ ...nothing, missing: [] });
    expect(scored(report(), percent(80))).toEqual({ ...nothing, missing: ['a.ts'] });
    expect(scored(percent(80), report()).delta).toBeNull();
  });
});

describe('changed lines', () => {
  test('lines that can run count; those that did not are named', () => {
    const now = report(file('a.ts', 2, 4), file('b.ts', 1, 1), file('c.ts', 0, 2));
    const result = scored(now, null, { changed: { 'a.ts': [4, 1, 3, 99, 3], 'b.ts': [1], 'README.md': [1, 2] } });
    expect(result.uncoveredChanged).toEqual([{ path: 'a.ts', lines: [3, 4] }]);
    expect(result.changed).toEqual({ covered: 2, total: 4 });
    expect(result.missing).toEqual([]);
  });

  test('if none of them can run, nothing is known', () => {
    expect(scored(percent(80), null, { changed: { 'a.ts': [101], 'b.md': [1] } }).changed).toBeNull();
  });

  test('a changed line that a comment excludes is not covered', () => {
    const now = coverageOf('coverage.py', recorded('coverage-py-7.json'));
    const result = scored(now, null, { changed: { 'app/price.py': [5, 12, 13] } });
    expect(result).toMatchObject({
      uncoveredChanged: [{ path: 'app/price.py', lines: [12, 13] }],
      changed: { covered: 1, total: 3 },
      newlyExcluded: 2,
    });
    expect(result.line).toBe(12 / 15);
  });
});

describe('lines that cannot be hidden', () => {
  test('lines newly excluded by a comment count as not covered', () => {
    const base = report(file('a.ts', 50, 100));
    const now = report(file('a.ts', 50, 60, { excluded: Array.from({ length: 40 }, (_, index) => index + 61) }));
    expect(scored(now, base)).toMatchObject({ line: 0.5, delta: 0, newlyExcluded: 40, pass: false });
    expect(scored(now, now)).toMatchObject({ line: 50 / 60, delta: 0, newlyExcluded: 0, pass: true });
  });

  test('a changed file that the report no longer knows counts with all its lines', () => {
    const base = report(file('a.ts', 80, 100, { branches: { covered: 1, total: 2 } }), file('b.ts', 5, 100));
    const now = report(file('a.ts', 80, 100));
    expect(scored(now, base, { changed: { 'b.ts': [1, 2] } })).toMatchObject({
      line: 0.4,
      pass: false,
      uncoveredChanged: [{ path: 'b.ts', lines: [1, 2] }],
      changed: { covered: 0, total: 2 },
      missing: ['b.ts'],
    });
  });

  test('a file that no test loads is named, and the rest is unknown', () => {
    const now = coverageOf('lcov', recorded('node-24.lcov'));
    const result = scored(now, null, { changed: { 'src/never.js': [1, 2, 3], 'docs/never.md': [1], Makefile: [1] } });
    expect(result).toMatchObject({ changed: null, uncoveredChanged: [], missing: ['src/never.js'] });
  });

  test('a file that the base measured and that is gone from the report is named, changed or not', () => {
    expect(scored(report(file('a.ts', 1, 1)), report(file('a.ts', 1, 1), file('b.ts', 0, 9))).missing).toEqual([
      'b.ts',
    ]);
  });
});

describe('random reports', () => {
  const count = fc.nat({ max: 3 });
  const someFile = fc.record({
    path: fc.constantFrom('a.ts', 'b.ts', 'c.ts', 'd.py'),
    lines: fc.array(count, { maxLength: 12 }),
    branches: fc.option(fc.tuple(count, count)),
    excluded: fc.uniqueArray(fc.integer({ min: 13, max: 20 }), { maxLength: 4 }),
  });
  const someReport = fc.uniqueArray(someFile, { selector: ({ path }) => path, maxLength: 4 }).map(
    (files): Coverage => ({
      files: files.map(({ path, lines, branches, excluded }) => ({
        path,
        lines: new Map(lines.map((hits, index) => [index + 1, hits])),
        branches: branches === null ? null : { covered: Math.min(...branches), total: Math.max(...branches) },
        excluded,
      })),
    }),
  );
  const someChange = fc
    .dictionary(
      fc.constantFrom('a.ts', 'b.ts', 'e.ts'),
      fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 6 }),
    )
    .map((changes) => new Map(Object.entries(changes)));

  test('more hits never lower a score, a delta, a pass or the covered changed lines', () => {
    fc.assert(
      fc.property(
        someReport,
        fc.option(someReport),
        someChange,
        fc.nat(),
        fc.nat(),
        (now, base, changedLines, seed, add) => {
          const ask = { targets: COVERAGE_TARGETS, changedLines };
          const more: Coverage = {
            files: now.files.map((one, at) => {
              const chosen = (line: number) => ((seed >> ((at * 7 + line) % 30)) & 1) === 1;
              const { branches } = one;
              const grown = branches === null ? 0 : Math.min(branches.total, branches.covered + (add % 3));
              return {
                ...one,
                lines: new Map(
                  [...one.lines].map(([line, hits]) => [line, chosen(line) ? hits + 1 + (add % 5) : hits]),
                ),
                branches: branches === null ? null : { ...branches, covered: grown },
              };
            }),
          };
          const [few, many] = [scoreCoverage(now, base, ask), scoreCoverage(more, base, ask)];
          for (const key of ['line', 'branch', 'score', 'delta'] as const) {
            expect(many[key] === null).toBe(few[key] === null);
            expect(many[key] ?? 0).toBeGreaterThanOrEqual(few[key] ?? 0);
          }
          if (few.pass) expect(many.pass).toBe(true);
          if (!few.regressed) expect(many.regressed).toBe(false);
          expect(many.changed?.total).toBe(few.changed?.total);
          expect(many.changed?.covered ?? 0).toBeGreaterThanOrEqual(few.changed?.covered ?? 0);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('every number is within its bounds, and what is uncovered adds up', () => {
    fc.assert(
      fc.property(someReport, fc.option(someReport), someChange, (now, base, changedLines) => {
        const result = scoreCoverage(now, base, { targets: COVERAGE_TARGETS, changedLines });
        for (const share of [result.line, result.branch, result.score]) {
          expect(share ?? 0).toBeGreaterThanOrEqual(0);
          expect(share ?? 1).toBeLessThanOrEqual(1);
        }
        const uncovered = result.uncoveredChanged.reduce((sum, { lines }) => sum + lines.length, 0);
        expect((result.changed?.total ?? 0) - (result.changed?.covered ?? 0)).toBe(uncovered);
      }),
      { numRuns: 300 },
    );
  });
});
