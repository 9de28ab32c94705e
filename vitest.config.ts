import { defineConfig } from 'vitest/config';

// Long suites (*.long.ts) are part of `make test-all` only.
const long = process.env['TEST_ALL'] === '1' ? ['test/**/*.long.ts'] : [];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', ...long],
    // Tests start real processes, repositories and sandboxes; a slow machine is not a failure.
    setupFiles: ['test/support/no-survivors.ts', 'test/support/property-seed.ts'],
    globalSetup: ['test/support/suite.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Processes, not threads: tests change directory, send signals and load native code.
    pool: 'forks',
    // More than a small machine has cores: most of what a test does is to wait for others.
    maxWorkers: 3,
  },
});
