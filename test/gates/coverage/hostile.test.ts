/** Reports that were cut, or written to harm: nothing is lifted by them, and reading stays linear and within memory. */
import { describe, expect, test } from 'vitest';
import type { Coverage } from '../../../src/mind/gates/coverage/coverage.ts';
import { type CoverageFormat, readCoverage } from '../../../src/mind/gates/coverage/index.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import { coverageOf, GO_MODULES, RECORDED, recorded } from './reports.ts';

/** A small generator of its own, so that a failing cut can be named and found again. */
function* cuts(length: number, count: number): Generator<number> {
  let state = 20_261_118;
  for (let i = 0; i < count; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state % length;
  }
}

/** Whether each line and file of one report is in the other, with at most its hits. */
const isWithin = (part: Coverage, whole: Coverage): boolean =>
  part.files.every(({ path, lines }) => {
    const full = whole.files.find((file) => file.path === path);
    return full !== undefined && [...lines].every(([line, hits]) => hits <= (full.lines.get(line) ?? -1));
  });

describe('truncated', () => {
  test.each(RECORDED)('%s: of 200 cuts none says more than the whole report', (name, format) => {
    const text = recorded(name);
    const whole = coverageOf(format, text, GO_MODULES);
    const end = text.trimEnd().length;
    for (const cut of cuts(end, 200)) {
      const read = readCoverage(format, text.slice(0, cut), GO_MODULES);
      if (read.type === 'unusable') continue;
      // Cut exactly between two files or blocks, these two look whole. Elsewhere they are unusable, and the others always.
      expect(['lcov', 'go'], `cut at ${cut}`).toContain(format);
      expect(text.slice(0, cut), `cut at ${cut}`).toMatch(
        format === 'go' ? /\n$/ : /(?:^|\n)(?:TN:.*\n?|T|TN|end_of_record\n?)$/,
      );
      expect(isWithin(read.coverage, whole), `cut at ${cut}`).toBe(true);
    }
  });
});

const SIZE = 50_000_000;
const repeated = (text: string, size = SIZE): string => text.repeat(Math.ceil(size / text.length));

/** Numbered pieces up to a size, joined. */
function numbered(size: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0, index = 0; length < size; index += 1) {
    const next = piece(index);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('');
}

const LINES = Array.from({ length: 500 }, (_, index) => index + 1);
/** What is the same for every file of a large report. */
const each = (lines: readonly number[], piece: (line: number) => string): string => lines.map(piece).join('');
const SHORT = each(LINES.slice(0, 99), (line) => `DA:${line},1\n`);
const LCOV = each(LINES, (line) => `DA:${line},7\nBRDA:${line},0,0,1\n`);
const COBERTURA = each(LINES, (line) => `<line number="${line}" hits="1" branch="false"/>`);
const STATEMENTS = LINES.map(
  (line) => `"${line}":{"start":{"line":${line},"column":0},"end":{"line":${line},"column":24}}`,
);
const ISTANBUL = `{"statementMap":{${STATEMENTS}},"s":{${LINES.map((line) => `"${line}":1`)}},"branchMap":{},"b":{}}`;
const EXECUTED = `"executed_lines": [${LINES.join(', ')}]`;
const PYTHON = `{${EXECUTED}, "missing_lines": [], "excluded_lines": [], "functions": {"": {${EXECUTED}}}, "classes": {"": {${EXECUTED}}}}`;

const LARGE: Readonly<Record<CoverageFormat, (size: number) => string>> = {
  lcov: (size) => numbered(size, (file) => `SF:f${file}.c\n${LCOV}end_of_record\n`),
  cobertura: (size) =>
    `<coverage>${numbered(size, (file) => `<class filename="f${file}.py"><lines>${COBERTURA}</lines></class>`)}</coverage>`,
  istanbul: (size) =>
    `{${numbered(size, (file) => `"/workspace/f${file}.js":${ISTANBUL},`)}"/workspace/last.js":${ISTANBUL}}`,
  go: (size) =>
    `mode: set\n${numbered(size, (block) => `example.com/sample/f${block >> 9}.go:${(block & 511) * 4 + 1}.2,${(block & 511) * 4 + 4}.3 1 1\n`)}`,
  'coverage.py': (size) =>
    `{"meta": {}, "files": {${numbered(size, (file) => `"f${file}.py": ${PYTHON}, `)}"last.py": ${PYTHON}}}`,
};

describe('large', () => {
  test.each(Object.entries(LARGE))('%s: 50 MB are read, in linear time', (format, large) => {
    const seconds = (size: number) => {
      const text = large(size);
      return cpuSeconds(() => {
        const read = readCoverage(format as CoverageFormat, text, GO_MODULES);
        expect(read.type === 'unusable' ? read.problem : read.type).toBe('coverage');
      });
    };
    seconds(1_000_000);
    // Ten times the text: quadratic reading would take a hundred times as long.
    expect(seconds(SIZE)).toBeLessThan(seconds(SIZE / 10) * 40 + 1);
  });

  test.each<[CoverageFormat, string, () => string]>([
    ['lcov', 'characters in one line', () => repeated('a')],
    ['lcov', 'line ends', () => repeated('\n')],
    ['lcov', 'small files', () => numbered(SIZE / 2, (file) => `SF:${file}\nDA:1,1\nend_of_record\n`)],
    ['lcov', 'short lines', () => numbered(SIZE, (file) => `SF:${file}\n${SHORT}end_of_record\n`)],
    ['go', 'blocks without measure', () => `mode: set\n${repeated('a.go:1.2,100000.3 1 1\n')}`],
    ['cobertura', 'open tags', () => repeated('<a>')],
    ['cobertura', 'spaces in one tag', () => `<a${repeated(' ')}`],
    ['cobertura', 'characters of one name', () => `<${repeated('a')}`],
    ['cobertura', 'characters of one attribute', () => `<a b="${repeated('a')}`],
    ['cobertura', 'attributes', () => `<a ${numbered(SIZE / 5, (index) => `a${index}="" `)}/>`],
    ['cobertura', 'entities', () => `<a>${repeated('&amp;')}</a>`],
    ['cobertura', 'half entities', () => `<a>${repeated('&')}</a>`],
    ['cobertura', 'half comments', () => repeated('<!-- ')],
    ['cobertura', 'half declarations', () => repeated('<!DOCTYPE ')],
    [
      'cobertura',
      'doubling entities',
      () => `<!DOCTYPE a [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><coverage>${repeated('&b;')}</coverage>`,
    ],
    [
      'cobertura',
      'characters of one source folder',
      () => `<coverage><source>${repeated('a<b/>')}</source></coverage>`,
    ],
    ['istanbul', 'open brackets', () => repeated('[')],
    ['istanbul', 'empty lists', () => `{"a":[${repeated('[],')}[]]}`],
    ['istanbul', 'keys', () => `{"a":{${numbered(SIZE / 5, (index) => `"${index}":1,`)}"a":1}}`],
    [
      'istanbul',
      'files',
      () => `{${numbered(SIZE / 2, (index) => `"${index}":{"statementMap":{},"s":{},"branchMap":{},"b":{}},`)}"a":{}}`,
    ],
    ['istanbul', 'backslashes', () => `"${repeated('\\')}`],
    ['istanbul', 'escaped quotes', () => `"${repeated('\\"')}`],
    ['coverage.py', 'keys', () => `{${numbered(SIZE / 5, (index) => `"${index}":1,`)}"files":{}}`],
    ['coverage.py', 'lines', () => `{"meta":{},"files":{"a":{"executed_lines":[${repeated('1,')}1]}}}`],
  ])('%s: millions of %s are unusable', (format, _, text) => {
    const report = text();
    const before = process.memoryUsage().heapUsed;
    const seconds = cpuSeconds(() => expect(readCoverage(format, report).type).toBe('unusable'));
    expect(seconds).toBeLessThan(20);
    // Garbage included: without bounds several of these take gigabytes, or all there is.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(1.2e9);
  });

  test('more than 64 MB are not looked at', () => {
    const text = repeated('a', 70_000_000);
    expect(readCoverage('lcov', text)).toEqual({ type: 'unusable', problem: 'it is longer than 67108864 characters' });
  });
});
