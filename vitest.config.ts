import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

// Long suites (*.long.ts) are part of `make test-all` only.
const all = process.env['TEST_ALL'] === '1';
const long = all ? ['test/**/*.long.ts'] : [];
// A file or folder that is named on the command line is always run.
const isNamed = process.argv.slice(2).some((word) => word.startsWith('test/'));
const wide = readFileSync(join(import.meta.dirname, 'test/wide.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('test/'));
for (const file of wide)
  if (!existsSync(join(import.meta.dirname, file))) throw new Error(`test/wide.txt names ${file}, which is not there`);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', ...long],
    exclude: [...configDefaults.exclude, ...(all || isNamed ? [] : wide)],
    // Tests start real processes, repositories and sandboxes; a slow machine is not a failure.
    setupFiles: ['test/support/no-survivors.ts', 'test/support/property-seed.ts'],
    globalSetup: ['test/support/suite.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Processes, not threads: tests change directory, send signals and load native code.
    pool: 'forks',
    // A file finds what the one before it has loaded: to load everything for each takes longer than most of them take.
    isolate: false,
    // More than a small machine has cores: most of what a test does is to wait for others.
    maxWorkers: 3,
    // Of the cases of a file that run beside each other: each is a whole Supervisor.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
  },
});
