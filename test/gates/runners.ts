/** Real test runners in the sandbox: the tools that a sandbox is shown for each, and why one cannot be tried here. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environments } from '../../src/engine/ports/environments.ts';
import type { GateTools } from '../../src/hands/gates/run-result.ts';
import type { TestRunner } from '../../src/mind/canary/plant.ts';
import { findToolChains } from '../../src/os/machine/tool-chains.ts';
import { WITHOUT } from '../mind/canary/runs.ts';
import { untested } from '../support/untested.ts';
import { Checks, TOOLS } from './checks.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');
/** Where jest is, when `NODE_PATH` points to it. */
const JEST = (process.env['NODE_PATH'] ?? '').split(':').find((dir) => dir !== '' && existsSync(join(dir, 'jest')));

/** What a gate calls for its runner's own words. */
const COMMANDS: Readonly<Record<TestRunner, string>> = {
  tap: 'node --test --test-reporter=tap',
  vitest: 'vitest run --no-isolate',
  jest: 'jest --ci',
  pytest: 'python3 -m pytest -p no:cacheprovider',
  unittest: 'python3 -m unittest',
  go: 'go test ./...',
  cargo: 'cargo test --offline --no-fail-fast',
};

/** Why it cannot be tried here; null: it can. */
export const missing = (runner: TestRunner): string | null =>
  runner === 'jest' && JEST === undefined ? 'NODE_PATH names no jest' : WITHOUT[runner];
export const lacks = (runner: TestRunner): boolean => untested(`gates of ${runner} in a sandbox`, missing(runner));

const OF_NODE: ReadonlySet<TestRunner> = new Set(['tap', 'vitest', 'jest']);

/** The gate `tests` of a project, run by a real runner. `command`: `@0`, `@1` … are the words of the runner's own. */
export function runnerChecks(
  runner: TestRunner,
  files: Readonly<Record<string, string>>,
  command: readonly string[] = [],
): Checks {
  const checks = new Checks(files);
  checks.tools = OF_NODE.has(runner) ? TOOLS : operatorTools();
  if (runner === 'vitest') checks.environments = sealedModules(checks, MODULES, 'vitest/vitest.mjs');
  if (runner === 'jest') checks.environments = sealedModules(checks, JEST ?? '', 'jest/bin/jest.js');
  const words = COMMANDS[runner].split(' ');
  const own = command.map((word) => words[Number(/^@(\d)$/.exec(word)?.[1])] ?? word).join(' ');
  checks.settings = { ...checks.settings, environment: environmentOf(runner) };
  checks.gates({ name: 'tests', command: own === '' ? COMMANDS[runner] : own, ids: runner });
  return checks;
}

let found: GateTools | null = null;
/** As the operator has them: a version manager's programs lie in a home directory. */
function operatorTools(): GateTools {
  found ??= findToolChains({ path: process.env['PATH'] ?? '', home: homedir(), never: [] });
  return { ...found, readable: [...TOOLS.readable, ...found.readable], path: [...TOOLS.path, ...found.path] };
}

const ENV: Partial<Readonly<Record<TestRunner, Readonly<Record<string, string>>>>> = {
  pytest: { PYTHONDONTWRITEBYTECODE: '1', PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' },
  // Each run compiles everything anew.
  go: { GOFLAGS: '-vet=off' },
  cargo: { CARGO_INCREMENTAL: '0', CARGO_PROFILE_TEST_DEBUG: '0', CARGO_PROFILE_DEV_DEBUG: '0' },
};

function environmentOf(runner: TestRunner) {
  const env = ENV[runner];
  return env === undefined ? null : ({ env } as unknown as Checks['settings']['environment']);
}

/** Packages as an environment: links to them, a runner among them, and places for what tools write beside them. */
function sealedModules(checks: Checks, modules: string, runner: string): Environments {
  const dir = mkdtempSync(join(checks.world.root, 'modules-'));
  chmodSync(dir, 0o755);
  for (const name of readdirSync(modules)) {
    if (!name.startsWith('.')) symlinkSync(`/opt/node_modules/${name}`, join(dir, name));
  }
  mkdirSync(join(dir, '.bin'));
  symlinkSync(`/opt/node_modules/${runner}`, join(dir, '.bin', runner.replace(/\/.*/, '')));
  const written = ['.vite', '.vite-temp', '.vitest-cache'];
  for (const name of written) mkdirSync(join(dir, name));
  const at = '/workspace/node_modules';
  return {
    outputs: ['node_modules'],
    keyOf: async () => 'modules',
    changedKeys: async () => [],
    ready: async () => ({
      type: 'ready',
      environment: {
        key: 'modules',
        readable: [
          { from: modules, to: '/opt/node_modules' },
          { from: dir, to: at },
        ],
        env: {},
        path: [`${at}/.bin`],
        temporary: written.map((name) => `${at}/${name}`),
      },
    }),
    sweep: async () => [],
  };
}
