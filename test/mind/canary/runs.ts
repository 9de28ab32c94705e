/** Real runs of each runner in a throw-away directory: what it printed, how it ended, and which tests it says failed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isReported,
  type Plant,
  type Planted,
  plantBeside,
  plantInto,
  type TestRunner,
} from '../../../src/mind/canary/plant.ts';
import { failedTests } from '../../../src/mind/gates/ids.ts';
import { put } from '../../workspace/repository.ts';
import { diceOf } from './dice.ts';

export type Tree = Readonly<Record<string, string>>;
export type Ran = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

const MODULES = join(import.meta.dirname, '../../../node_modules');
const TIMEOUT_MS = 120_000;
const env = process.env;

/** Where jest is, when it is installed here or where `NODE_PATH` points. */
const JEST = resolved('jest/bin/jest');
const PYTHON = first('python3', '-c', 'import sys; print(sys.executable)');

const COMMANDS: Readonly<Record<TestRunner, readonly string[]>> = {
  tap: [process.execPath, '--test', '--test-reporter=tap'],
  // Otherwise vitest 5 may end with advice about isolation, and its summary is not the last word.
  vitest: [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--no-isolate'],
  jest: [process.execPath, JEST ?? 'jest', '--ci'],
  pytest: [PYTHON ?? 'python3', '-m', 'pytest', '-p', 'no:cacheprovider'],
  unittest: [PYTHON ?? 'python3', '-m', 'unittest'],
  go: ['go', 'test', './...'],
  cargo: ['cargo', 'test', '--offline', '--no-fail-fast'],
};

/** Why a runner cannot be tried here; null when it can. */
export const WITHOUT: Readonly<Record<TestRunner, string | null>> = {
  tap: null,
  vitest: null,
  jest: JEST === null ? 'jest is not installed' : null,
  pytest: PYTHON !== null && first(PYTHON, '-c', 'import pytest') !== null ? null : 'pytest is not installed',
  unittest: PYTHON === null ? 'python3 is not installed' : null,
  go: first('go', 'version') === null ? 'go is not installed' : null,
  cargo: first('cargo', '--version') === null ? 'cargo is not installed' : null,
};

export class Runs implements Disposable {
  readonly #dir = mkdtempSync(join(tmpdir(), 'supervisor-canary-'));
  #count = 0;

  /** Runs a command, or a runner's own, in a new directory with these files. */
  run(runner: TestRunner, tree: Tree, command: readonly string[] = COMMANDS[runner]): Ran {
    this.#count += 1;
    const dir = join(this.#dir, String(this.#count));
    put(dir, tree);
    // Programs of the project.
    for (const path of Object.keys(tree)) if (tree[path]?.startsWith('#!/bin/sh')) chmodSync(join(dir, path), 0o755);
    if (runner === 'vitest') symlinkSync(MODULES, join(dir, 'node_modules'));
    const [program = '', ...args] = command.map((arg) => COMMANDS[runner][Number(/^@(\d)$/.exec(arg)?.[1])] ?? arg);
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: dir,
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 26,
      env: this.#env(runner),
    });
    rmSync(dir, { recursive: true, force: true });
    return { status, stdout: stdout.replaceAll(`${dir}/`, '/workspace/'), stderr };
  }

  #env(runner: TestRunner): NodeJS.ProcessEnv {
    const home = env['HOME'] ?? tmpdir();
    const tools = {
      CARGO_HOME: env['CARGO_HOME'] ?? join(home, '.cargo'),
      RUSTUP_HOME: env['RUSTUP_HOME'] ?? join(home, '.rustup'),
      CARGO_TARGET_DIR: join(this.#dir, 'target'),
    };
    const plain = {
      PATH: env['PATH'],
      HOME: this.#dir,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
      GOFLAGS: '-count=1',
    };
    return runner === 'cargo' ? { ...plain, ...tools } : plain;
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** The names of failed tests; null when the list is not certain. */
export function failedIn(runner: TestRunner, ran: Ran): readonly string[] | null {
  if (runner !== 'unittest') return failedTests(runner, ran)?.failed ?? null;
  const names = ran.stderr.matchAll(/^(?:FAIL|ERROR): \w+ \(([\w.]+)\)/gm);
  return /^FAILED \(/m.test(ran.stderr) ? [...names].map(([, name]) => name ?? '') : null;
}

/** A tree with everything planted into some of its files. */
export function plantedTree(
  runner: TestRunner,
  tree: Tree,
  files: readonly string[],
  seed: number,
  alterable: 'all' | ReadonlySet<string> = new Set<string>(),
): { tree: Tree; plants: readonly Plant[] } {
  const dice = diceOf(seed);
  const planted: Planted[] = files.flatMap((path) => {
    const text = tree[path] ?? '';
    const into = plantInto(runner, path, text, dice, null, alterable);
    return [into, plantBeside(runner, path, text, dice)].filter((one) => one !== null);
  });
  return {
    tree: { ...tree, ...Object.fromEntries(planted.map(({ path, text }) => [path, text])) },
    plants: planted.flatMap(({ plants }) => plants),
  };
}

/** The plants that a run does not name; all of them where its list is not certain. */
export function unreported(runner: TestRunner, ran: Ran, plants: readonly Plant[]): readonly Plant[] {
  const failed = failedIn(runner, ran) ?? [];
  return plants.filter((plant) => !isReported(plant, failed));
}

function resolved(name: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return null;
  }
}

function first(program: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
