/** What reports get wrong or leave in doubt: paths, sums, numbers, structure. In doubt a report is unusable. */
import { describe, expect, test } from 'vitest';
import { type CoverageFormat, readCoverage } from '../../../src/mind/gates/coverage/index.ts';
import { coverageOf, GO_MODULES, recorded, summary } from './reports.ts';

const lcov = (name: string, records = 'DA:1,1') => `SF:${name}\n${records}\nend_of_record\n`;
const cobertura = (roots: readonly string[], name: string, lines = '<line number="1" hits="1"/>') =>
  `<coverage><sources>${roots.map((root) => `<source>${root}</source>`).join('')}</sources><packages><package><classes><class filename="${name}"><lines>${lines}</lines></class></classes></package></packages></coverage>`;
const istanbul = (name: string, file: object = {}) =>
  JSON.stringify({
    [name]: { statementMap: { 0: { start: { line: 1 } } }, s: { 0: 1 }, branchMap: {}, b: {}, ...file },
  });
const go = (block: string, mode = 'count') => `mode: ${mode}\n${block}\n`;
const python = (name: string, file: object = {}, meta: object = { branch_coverage: false }) =>
  JSON.stringify({ meta, files: { [name]: { executed_lines: [1], missing_lines: [], excluded_lines: [], ...file } } });

const problemOf = (format: CoverageFormat, text: string, places = {}) => {
  const read = readCoverage(format, text, places);
  return read.type === 'unusable' ? read.problem : null;
};

describe('paths', () => {
  const FORMS: readonly (readonly [CoverageFormat, (name: string) => string])[] = [
    ['lcov', lcov],
    ['cobertura', (name) => cobertura(['/workspace'], name)],
    ['istanbul', istanbul],
    ['go', (name) => go(`${name}:1.1,1.9 1 1`)],
    ['coverage.py', python],
  ];
  test.each(
    FORMS.flatMap(([format, report]) =>
      [
        ['src/a.x', 'src/a.x'],
        ['./src/a.x', 'src/a.x'],
        ['/workspace/src/a.x', 'src/a.x'],
        ['/workspace//src/../lib/./a.x', 'lib/a.x'],
        ['/workspacer/src/a.x', null],
        ['/workspace/../etc/a.x', null],
        ['../a.x', null],
        ['src/../../a.x', null],
        ['/usr/lib/python3/a.x', null],
        ['C:\\src\\a.x', null],
        ['.venv/lib/site-packages/a.x', null],
        ['/workspace/node_modules/a/a.x', null],
        ['/usr/lib/python3/dist-packages/a.x', null],
      ].map(([name, path]) => [format, name ?? '', path ?? null, report] as const),
    ),
  )('%s: %s is %s', (format, name, path, report) => {
    const read = readCoverage(format, report(name));
    expect(read).toEqual(
      path === null
        ? { type: 'unusable', problem: 'it names no file of the workspace' }
        : {
            type: 'coverage',
            coverage: { files: [{ path, lines: new Map([[1, 1]]), branches: null, excluded: [] }] },
          },
    );
  });

  test('a file name of a Cobertura report is relative to its one source folder', () => {
    expect(summary(coverageOf('cobertura', cobertura(['/workspace/app'], 'a.py')))).toEqual(['app/a.py 1/1']);
    expect(summary(coverageOf('cobertura', cobertura(['.'], 'a.py')))).toEqual(['a.py 1/1']);
    expect(summary(coverageOf('cobertura', cobertura([''], 'a.py')))).toEqual(['a.py 1/1']);
    expect(summary(coverageOf('cobertura', cobertura(['/workspace/app'], '/workspace/lib/a.py')))).toEqual([
      'lib/a.py 1/1',
    ]);
    expect(problemOf('cobertura', cobertura(['/elsewhere'], 'a.py'))).toBe('it names no file of the workspace');
  });

  test('with several source folders the tree decides; without it the report is unusable', () => {
    const text = cobertura(['/workspace/app', '/workspace/lib'], 'a.py');
    const inLib = { isFile: (path: string) => path === 'lib/a.py' };
    expect(problemOf('cobertura', text)).toMatch(/several source folders/);
    expect(problemOf('cobertura', text, { isFile: () => true })).toMatch(/several source folders/);
    expect(summary(coverageOf('cobertura', text, inLib))).toEqual(['lib/a.py 1/1']);
    expect(problemOf('cobertura', text, { isFile: () => false })).toBe('it names no file of the workspace');
  });

  test('Go files are named by module: the longest module counts, other modules are left out', () => {
    const text = 'mode: set\nex.com/m/a.go:1.1,1.9 1 1\nex.com/m/sub/b.go:1.1,1.9 1 1\nex.com/mm/c.go:1.1,1.9 1 1\n';
    const goModules = new Map([
      ['ex.com/m', ''],
      ['ex.com/m/sub', 'tools/sub'],
    ]);
    expect(summary(coverageOf('go', text, { goModules }))).toEqual(['a.go 1/1', 'tools/sub/b.go 1/1']);
    expect(summary(coverageOf('go', text))[0]).toBe('ex.com/m/a.go 1/1');
    expect(summary(coverageOf('go', go('_/workspace/a.go:1.1,1.9 1 1'), GO_MODULES))).toEqual(['a.go 1/1']);
  });

  test('one file under two names is one file', () => {
    expect(
      summary(
        coverageOf(
          'lcov',
          lcov('a.c', 'DA:1,0\nBRDA:1,0,0,-') + lcov('/workspace/a.c', 'DA:1,3\nDA:2,0\nBRDA:1,0,0,2'),
        ),
      ),
    ).toEqual(['a.c 1/2, branches 1/1']);
  });
});

describe('sums that lie', () => {
  test.each<[CoverageFormat, string, string]>([
    [
      'lcov',
      lcov('a.py', 'DA:1,1\nDA:4,0\nLF:4\nLH:4\nBRDA:1,0,0,1\nBRDA:1,0,1,-\nBRF:2\nBRH:2'),
      'a.py 1/2, branches 1/2',
    ],
    [
      'cobertura',
      cobertura(['/workspace'], 'a.py', '<line number="1" hits="1"/><line number="4" hits="0"/>').replace(
        '<coverage>',
        '<coverage line-rate="1" lines-covered="4" lines-valid="4">',
      ),
      'a.py 1/2',
    ],
    [
      'coverage.py',
      python('a.py', { missing_lines: [4], summary: { covered_lines: 2, num_statements: 2, percent_covered: 100 } }),
      'a.py 1/2',
    ],
  ])('%s: only lines count', (format, text, line) => {
    expect(summary(coverageOf(format, text))).toEqual([line]);
  });

  test('a line under its method and its class counts once', () => {
    const text = cobertura(['/workspace'], 'a.py').replace(
      '<lines>',
      '<methods><method><lines><line number="1" hits="0"/></lines></method></methods><lines>',
    );
    expect(summary(coverageOf('cobertura', text))).toEqual(['a.py 1/1']);
  });

  test('coverage.py: an excluded line is neither run nor missing', () => {
    const text = python('a.py', { executed_lines: [1, 5], missing_lines: [6], excluded_lines: [5, 6] });
    expect(summary(coverageOf('coverage.py', text))).toEqual(['a.py 1/1, excluded 5 6']);
  });

  test('coverage.py before 6.5 lists no branches: they are unknown, not zero', () => {
    const text = python('a.py', { summary: { num_branches: 4 } }, { branch_coverage: true });
    expect(coverageOf('coverage.py', text).files[0]?.branches).toBeNull();
  });
});

const loop = { locations: [{}, {}] };
const UNUSABLE: readonly (readonly [CoverageFormat, string, string, RegExp])[] = [
  ['lcov', 'a negative count', lcov('a', 'DA:1,-1'), /count of line 2 is not a plausible/],
  ['lcov', 'a count beyond all numbers', lcov('a', 'DA:1,18446744073709551615'), /not a plausible/],
  ['lcov', 'a count in another form', lcov('a', 'DA:1,1e3'), /not a plausible/],
  ['lcov', 'no count', lcov('a', 'DA:1'), /not a plausible/],
  ['lcov', 'line 0', lcov('a', 'DA:0,1'), /is 0/],
  ['lcov', 'a line beyond all files', lcov('a', 'DA:99999999,1'), /not a plausible/],
  ['lcov', 'a branch without a count', lcov('a', 'BRDA:1,0,1'), /incomplete branch/],
  ['lcov', 'a branch with a negative count', lcov('a', 'BRDA:1,0,0,-1'), /not a plausible/],
  ['lcov', 'a record outside of a file', 'DA:1,1\n', /belongs to no file/],
  ['lcov', 'an end without a beginning', 'end_of_record\n', /has not begun/],
  ['lcov', 'a file within a file', `SF:b\n${lcov('a')}`, /before the one before it has ended/],
  ['lcov', 'a file without an end', 'SF:a\nDA:1,1\n', /truncated/],
  ['lcov', 'text', 'All tests passed.\n', /not an lcov record/],
  ['lcov', 'a path without an end', lcov('a/'.repeat(5000)), /more than 4096/],
  ['cobertura', 'negative hits', cobertura([], 'a', '<line number="1" hits="-1"/>'), /not a plausible/],
  ['cobertura', 'no hits', cobertura([], 'a', '<line number="1"/>'), /not a plausible/],
  [
    'cobertura',
    'more branches than there are',
    cobertura([], 'a', '<line number="1" hits="1" condition-coverage="150% (3/2)"/>'),
    /more covered branches/,
  ],
  [
    'cobertura',
    'a condition in another form',
    cobertura([], 'a', '<line number="1" hits="1" condition-coverage="most"/>'),
    /not a plausible/,
  ],
  ['cobertura', 'another root', '<report/>', /root element is not/],
  [
    'cobertura',
    'a report of Clover',
    '<coverage><project><file name="a"><line num="1" count="1"/></file></project></coverage>',
    /belongs to no class/,
  ],
  ['cobertura', 'a class without a file', '<coverage><class/></coverage>', /without a file name/],
  [
    'cobertura',
    'source folders that come late',
    '<coverage><class filename="a"/><source>/workspace/app</source></coverage>',
    /not named first/,
  ],
  ['cobertura', 'a declared entity', `<!DOCTYPE coverage [<!ENTITY a "b">]>${cobertura([], 'a')}`, /not well-formed/],
  ['cobertura', 'an entity of its own', cobertura([], '&a;'), /not well-formed/],
  ['istanbul', 'a negative count', istanbul('a', { s: { 0: -1 } }), /not a plausible/],
  ['istanbul', 'half a count', istanbul('a', { s: { 0: 0.5 } }), /not a plausible/],
  ['istanbul', 'a count that is none', istanbul('a', { s: { 0: null } }), /not a plausible/],
  ['istanbul', 'a count for another statement', istanbul('a', { s: { 1: 1 } }), /not a plausible/],
  ['istanbul', 'statements without counts', istanbul('a', { s: {} }), /other statements/],
  ['istanbul', 'counts without statements', istanbul('a', { statementMap: {} }), /other statements/],
  ['istanbul', 'branches without counts', istanbul('a', { branchMap: { 0: loop } }), /other branches/],
  ['istanbul', 'a branch that lacks a way', istanbul('a', { branchMap: { 0: loop }, b: { 0: [1] } }), /other ways/],
  ['istanbul', 'a statement on no line', istanbul('a', { statementMap: { 0: { start: {} } } }), /not a plausible/],
  ['istanbul', 'no counts at all', '{"a":{}}', /`statementMap` of a file is missing/],
  ['istanbul', 'a list', '[]', /not the JSON object/],
  ['istanbul', 'a word', 'null', /not the JSON object/],
  ['istanbul', 'a file twice', `${istanbul('a').slice(0, -1)},${istanbul('a').slice(1)}`, /same key twice/],
  ['istanbul', 'something behind its end', `${istanbul('a')} {}`, /not well-formed/],
  ['istanbul', 'a comma too many', `${istanbul('a').slice(0, -1)},}`, /not well-formed/],
  ['istanbul', 'brackets that do not match', '{"a":{]}', /not well-formed/],
  ['istanbul', 'deep nesting', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, /nested deeper/],
  ['go', 'no mode', 'a.go:1.1,1.9 1 1\n', /does not begin with/],
  ['go', 'another mode', go('a.go:1.1,1.9 1 1', 'sum'), /does not begin with/],
  ['go', 'a second mode', go('mode: count'), /not a block/],
  ['go', 'a count of 2 where 1 is the most', go('a.go:1.1,1.9 1 2', 'set'), /not a plausible/],
  ['go', 'a negative count', go('a.go:1.1,1.9 1 -1'), /not a block/],
  ['go', 'a block that ends before it begins', go('a.go:9.1,1.9 1 1'), /ends before it begins/],
  ['go', 'line 0', go('a.go:0.1,1.9 1 1'), /is 0/],
  ['go', 'a block without measure', go('a.go:1.1,9999999.9 1 1'), /a block of more than/],
  ['go', 'no end of the last line', 'mode: set\na.go:1.1,1.9 1 1', /truncated/],
  ['go', 'no file', 'mode: set\n', /names no file/],
  ['coverage.py', 'a line that ran and did not', python('a', { missing_lines: [1] }), /executed and as missing/],
  ['coverage.py', 'a negative line', python('a', { missing_lines: [-1] }), /not a plausible/],
  ['coverage.py', 'no list', python('a', { executed_lines: 3 }), /not a list/],
  [
    'coverage.py',
    'no list of missing lines',
    python('a', { missing_lines: undefined }),
    /`missing_lines` of a file is missing/,
  ],
  ['coverage.py', 'no files', '{"meta":{}}', /no `files`/],
  [
    'coverage.py',
    'inherited names',
    '{"meta":{},"files":{"a":{"__proto__":{"executed_lines":[1],"missing_lines":[],"excluded_lines":[]}}}}',
    /is missing/,
  ],
  ['lcov', 'nothing', '', /is empty/],
  ['go', 'white space', ' \n\n', /is empty/],
];

describe('unusable', () => {
  test.each(UNUSABLE)('%s: %s', (format, _, text, problem) => {
    expect(problemOf(format, text)).toMatch(problem);
  });

  test('no problem quotes the report, which the candidate wrote', () => {
    for (const [format, , text] of UNUSABLE) {
      const marked = problemOf(format, text.replaceAll('a', 'SECRET'));
      expect(marked ?? '').not.toContain('SECRET');
    }
  });

  test('a report of one format is unusable in every other', () => {
    const reports = [
      ['lcov', 'nyc.lcov'],
      ['cobertura', 'nyc.xml'],
      ['istanbul', 'nyc.json'],
      ['go', 'go-set.out'],
      ['coverage.py', 'coverage-py-7.json'],
    ] as const;
    for (const [own, name] of reports)
      for (const [format] of reports)
        if (own !== format) expect(problemOf(format, recorded(name)), `${name} as ${format}`).not.toBeNull();
  });
});
