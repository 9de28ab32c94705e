/**
 * Reads coverage reports of five formats. A report is written inside the sandbox, beside code of the candidate: it is
 * parsed in linear time and bounded memory, and any doubt makes it unusable.
 */
import { assertNever } from '../../../kernel/assert-never.ts';
import { readCobertura } from './cobertura.ts';
import { UnusableReport } from './collect.ts';
import type { Coverage, ReadCoverage } from './coverage.ts';
import { readCoveragePy } from './coverage-py.ts';
import { readGoProfile } from './go-profile.ts';
import { readIstanbul } from './istanbul.ts';
import { readLcov } from './lcov.ts';
import type { SourcePlaces } from './paths.ts';

export const COVERAGE_FORMATS = ['lcov', 'cobertura', 'istanbul', 'go', 'coverage.py'] as const;
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number];

const MAX_LENGTH = 64 * 1024 * 1024;

/**
 * Paths are relative to the workspace. Files outside it and installed packages are left out. `places` adds what a
 * report lacks: for Cobertura, which source folder a file belongs to; for Go, where the modules are. Without
 * `goModules` a Go profile keeps its module names, which match no changed path.
 */
export function readCoverage(format: CoverageFormat, text: string, places: SourcePlaces = {}): ReadCoverage {
  if (text.length > MAX_LENGTH) return unusable(`it is longer than ${MAX_LENGTH} characters`);
  if (text.trim() === '') return unusable('it is empty');
  try {
    const coverage = read(format, text, places);
    return coverage.files.length > 0 ? { type: 'coverage', coverage } : unusable('it names no file of the workspace');
  } catch (error) {
    if (error instanceof UnusableReport) return unusable(error.message);
    throw error;
  }
}

const unusable = (problem: string): ReadCoverage => ({ type: 'unusable', problem });

function read(format: CoverageFormat, text: string, places: SourcePlaces): Coverage {
  switch (format) {
    case 'lcov':
      return readLcov(text);
    case 'cobertura':
      return readCobertura(text, places);
    case 'istanbul':
      return readIstanbul(text);
    case 'go':
      return readGoProfile(text, places);
    case 'coverage.py':
      return readCoveragePy(text);
    default:
      return assertNever(format, 'coverage format');
  }
}
