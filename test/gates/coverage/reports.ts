/** Coverage reports for tests: recorded ones, and small ones put together from numbers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Coverage } from '../../../src/mind/gates/coverage/coverage.ts';
import { type CoverageFormat, readCoverage } from '../../../src/mind/gates/coverage/index.ts';

export const GO_MODULES = { goModules: new Map([['example.com/sample', '']]) };

/** Each was written by the real tool, in a project that lay at `/workspace`. */
export const RECORDED: readonly (readonly [string, CoverageFormat])[] = [
  ['node-24.lcov', 'lcov'],
  ['c8.lcov', 'lcov'],
  ['nyc.lcov', 'lcov'],
  ['coverage-py-6.lcov', 'lcov'],
  ['coverage-py-7.lcov', 'lcov'],
  ['c8.xml', 'cobertura'],
  ['nyc.xml', 'cobertura'],
  ['coverage-py-6.xml', 'cobertura'],
  ['coverage-py-7.xml', 'cobertura'],
  ['c8.json', 'istanbul'],
  ['nyc.json', 'istanbul'],
  ['coverage-py-6.json', 'coverage.py'],
  ['coverage-py-7.json', 'coverage.py'],
  ['coverage-py-7-lines.json', 'coverage.py'],
  ['coverage-py-7-source.json', 'coverage.py'],
  ['go-set.out', 'go'],
  ['go-count.out', 'go'],
  ['go-atomic.out', 'go'],
];

export const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/coverage', name), 'utf8');

export function coverageOf(format: CoverageFormat, text: string, places = {}): Coverage {
  const read = readCoverage(format, text, places);
  if (read.type === 'unusable') throw new Error(`unusable: ${read.problem}`);
  return read.coverage;
}

/** `path: covered/total [branches covered/total]`, one line per file. */
export const summary = (coverage: Coverage): string[] =>
  coverage.files.map(({ path, lines, branches, excluded }) => {
    const covered = [...lines.values()].filter((hits) => hits > 0).length;
    const of = branches === null ? '' : `, branches ${branches.covered}/${branches.total}`;
    return `${path} ${covered}/${lines.size}${of}${excluded.length > 0 ? `, excluded ${excluded.join(' ')}` : ''}`;
  });
