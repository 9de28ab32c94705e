/** Recorded reports of real tools give the lines that ran, and nothing of what the tools summed up wrongly. */
import { describe, expect, test } from 'vitest';
import { COVERAGE_FORMATS } from '../../../src/mind/gates/coverage/index.ts';
import { coverageOf, GO_MODULES, RECORDED, recorded, summary } from './reports.ts';

const C8 = ['src/hidden.js 9/9, branches 2/2', 'src/never.js 0/3, branches 0/1', 'src/price.js 11/13, branches 4/5'];
const NYC = ['src/hidden.js 1/1', 'src/never.js 0/1', 'src/price.js 5/5, branches 4/6'];
const PYTHON = [
  'app/__init__.py 0/0',
  'app/price.py 5/6, branches 3/4',
  'tests/__init__.py 0/0',
  'tests/test_price.py 7/7',
];
const GO = ['calc/calc.go 7/9', 'text/text.go 0/3'];

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  // `src/never.js` is loaded by no test, and node says nothing about it.
  'node-24.lcov': ['src/hidden.js 6/9, branches 2/2', 'src/price.js 11/13, branches 4/5'],
  // c8 writes lines that a comment ignores as lines that ran.
  'c8.lcov': C8,
  'c8.xml': C8,
  'c8.json': C8,
  'nyc.lcov': NYC,
  'nyc.xml': NYC,
  'nyc.json': NYC,
  // Version 6.5 counts docstrings and excluded lines as run (`LF:6` beside `LH:7`), but not in XML.
  'coverage-py-6.lcov': [
    'app/__init__.py 0/0',
    'app/price.py 7/8, branches 3/4',
    'tests/__init__.py 0/0',
    'tests/test_price.py 7/7',
  ],
  'coverage-py-6.xml': PYTHON,
  'coverage-py-6.json': [
    'app/__init__.py 0/0, branches 0/0',
    'app/price.py 6/7, branches 3/4, excluded 12 13 14 15',
    'tests/__init__.py 0/0, branches 0/0',
    'tests/test_price.py 7/7, branches 0/0',
  ],
  'coverage-py-7.lcov': PYTHON,
  'coverage-py-7.xml': PYTHON,
  'coverage-py-7.json': [
    'app/__init__.py 0/0, branches 0/0',
    'app/price.py 5/6, branches 3/4, excluded 12 13 14 15',
    'tests/__init__.py 0/0, branches 0/0',
    'tests/test_price.py 7/7, branches 0/0',
  ],
  'coverage-py-7-lines.json': [
    'app/__init__.py 0/0',
    'app/price.py 5/6, excluded 12 13 14 15',
    'tests/__init__.py 0/0',
    'tests/test_price.py 7/7',
  ],
  // With `--source` a file that no test loads is there, and the tests are not.
  'coverage-py-7-source.json': [
    'app/__init__.py 0/0, branches 0/0',
    'app/never.py 0/2, branches 0/0',
    'app/price.py 5/6, branches 3/4, excluded 12 13 14 15',
  ],
  'go-set.out': GO,
  'go-count.out': GO,
  'go-atomic.out': GO,
};

describe('recorded reports', () => {
  test.each(RECORDED)('%s', (name, format) => {
    expect(summary(coverageOf(format, recorded(name), GO_MODULES))).toEqual(EXPECTED[name]);
  });

  test('cover every format', () => {
    expect(new Set(RECORDED.map(([, format]) => format))).toEqual(new Set(COVERAGE_FORMATS));
  });

  test.each(RECORDED)('%s reads the same with Windows line ends or a byte order mark', (name, format) => {
    const [plain, text] = [coverageOf(format, recorded(name), GO_MODULES), recorded(name)];
    if (!format.startsWith('istanbul'))
      expect(coverageOf(format, text.replaceAll('\n', '\r\n'), GO_MODULES)).toEqual(plain);
    if (['cobertura', 'istanbul', 'coverage.py'].includes(format))
      expect(coverageOf(format, `\ufeff${text}`)).toEqual(plain);
  });

  test('lines have their hits', () => {
    const [, price] = coverageOf('lcov', recorded('node-24.lcov')).files;
    expect([...(price?.lines ?? [])]).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 1],
      [5, 1],
      [6, 1],
      [7, 2],
      [8, 0],
      [9, 0],
      [10, 1],
      [11, 2],
      [12, 1],
      [13, 1],
    ]);
  });

  test('if several Go blocks share a line, the one that ran most counts', () => {
    const [calc] = coverageOf('go', recorded('go-count.out'), GO_MODULES).files;
    expect([...(calc?.lines ?? [])].sort(([a], [b]) => a - b)).toEqual([
      [4, 2],
      [5, 2],
      [6, 1],
      [7, 1],
      [8, 1],
      [9, 0],
      [10, 0],
      [11, 1],
      [16, 1],
    ]);
  });
});
