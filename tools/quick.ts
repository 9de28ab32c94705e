/**
 * `make quick`: lint, types, and the tests that a change can reach, in about a minute. A change is all that was not pushed.
 * What would take longer is named and left to `make test`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { LONG } from '../test/support/longest-first.ts';
import { importsOf } from '../test/support/scan-source.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Seconds that all chosen files may take together. They run beside each other, and lint and types come first. */
const BUDGET = 60;
/** What a file takes that no earlier run has timed: most take less, those of these folders start whole processes. */
const USUAL = 1;
const USUAL_LONG = 10;
const SCENARIOS = 'test/scenarios/scenarios.test.ts';
/** A few of the scenarios: see `SMOKE` there. */
const SMOKE_SECONDS = 10;
/** Starts the bundle: all that lies behind it is reached by no import. The scenarios stand for it. */
const WORLD = 'test/support/cli.ts';

export type Imports = ReadonlyMap<string, readonly string[]>;
export type Choice = { readonly run: readonly string[]; readonly left: readonly string[] };

/** Types are left out: the compiler looks after them. */
export function readImports(root = ROOT): Imports {
  const files = ['src', 'test', 'bench', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = files.filter((file) => file.endsWith('.ts'));
  return new Map(
    sources.map((file) => {
      const own = importsOf(readFileSync(join(root, file), 'utf8'));
      const near = own.filter(({ from, typeOnly }) => !typeOnly && from.startsWith('.'));
      return [file, near.map(({ from }) => relative(root, resolve(root, dirname(file), from)))];
    }),
  );
}

/** How far each test is from the nearest changed file, counted in imports; tests that reach none are not in it. */
export function distances(imports: Imports, changed: readonly string[]): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, targets] of imports)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  const found = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of found)
    if (file !== WORLD || distance === 0)
      for (const importer of importers.get(file) ?? []) if (!found.has(importer)) found.set(importer, distance + 1);
  const tests = [...found].filter(([file]) => file.endsWith('.test.ts') && imports.has(file));
  const unseen = [...readers(imports, changed), ...namesakes(imports, changed)];
  return new Map([...unseen.map((test): [string, number] => [test, 1]), ...tests]);
}

/** Tests that start the command line are reached by no import, but many are named like what they test. */
function namesakes(imports: Imports, changed: readonly string[]): string[] {
  const names = changed.filter((file) => /^src\/.*\.ts$/.test(file)).map((file) => basename(file, '.ts'));
  const isNamed = (test: string) => names.some((name) => test === `${name}.test.ts` || test.startsWith(`${name}-`));
  return [...imports.keys()].filter((file) => file.endsWith('.test.ts') && isNamed(basename(file)));
}

/** Data that no import names is read by tests of its folder; templates by those of prompts and roles. */
function readers(imports: Imports, changed: readonly string[]): string[] {
  const data = changed.filter((file) => !file.endsWith('.ts'));
  const folders = data.flatMap((file) => {
    if (file.startsWith('templates/')) return ['test/mind/prompts/', 'test/mind/roles/'];
    const [folder] = /^test\/(?:mind\/)?[^/]+\//.exec(file) ?? [];
    return folder === undefined ? [] : [folder];
  });
  return [...imports.keys()].filter(
    (file) => file.endsWith('.test.ts') && folders.some((folder) => file.startsWith(folder)),
  );
}

/** The nearest first, and of those the quickest, until the budget is used up. A test that was changed itself is always run. */
export function choose(
  imports: Imports,
  changed: readonly string[],
  seconds: (test: string) => number,
  budget = BUDGET,
): Choice {
  const near = distances(imports, changed);
  const acts = changed.some((file) => /^(?:src|templates)\//.test(file));
  if (changed.some((file) => file.startsWith('src/'))) near.set('test/architecture.test.ts', 0);
  if (acts) near.set(SCENARIOS, 0);
  const cost = (test: string) => (test === SCENARIOS ? SMOKE_SECONDS : seconds(test));
  const sorted = [...near].sort(([a, far], [b, farther]) => far - farther || cost(a) - cost(b));
  let spent = 0;
  const run = sorted.flatMap(([test, distance]) => {
    if (distance > 0 && spent + cost(test) > budget) return [];
    spent += cost(test);
    return [test];
  });
  return { run, left: sorted.map(([test]) => test).filter((test) => !run.includes(test)) };
}

/** As the last `make test` has timed them. */
function timed(root = ROOT): (test: string) => number {
  const file = join(root, '.tools', 'test-results.json');
  type Results = { testResults: { name: string; startTime: number; endTime: number }[] };
  const { testResults }: Results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  const known = new Map(
    testResults.map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000]),
  );
  const isLong = (test: string) => LONG.includes(test.split('/')[1] ?? '');
  return (test) => known.get(test) ?? (isLong(test) ? USUAL_LONG : USUAL);
}

function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** All that was not pushed, committed or not; without an upstream, what was not committed. */
function changedFiles(since: string | undefined): string[] {
  const base = since ?? git('merge-base', 'HEAD', '@{upstream}') ?? 'HEAD';
  const told = git('diff', '--name-only', base);
  if (told === null) throw new Error(`git does not know ${base}`);
  const all = [...told.split('\n'), ...(git('ls-files', '--others', '--exclude-standard') ?? '').split('\n')];
  return [...new Set(all)].filter((file) => file !== '').sort();
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((done) => {
    child.on('error', () => done(false));
    child.on('exit', (code) => done(code === 0));
  });
}

async function main(): Promise<number> {
  const changed = changedFiles(process.argv[2]);
  const there = changed.filter((file) => existsSync(join(ROOT, file)));
  if (changed.length === 0) {
    console.log('nothing has changed');
    return 0;
  }
  const lint = ['check', '--no-errors-on-unmatched', ...there];
  // With what the last time found out: a third of the time (measured 2026-11).
  const types = ['--incremental', '--tsBuildInfoFile', join(ROOT, '.tools', 'quick.tsbuildinfo')];
  const [linted, typed] = await Promise.all([run('biome', lint), run('tsc', types)]);
  if (!linted || !typed) return 1;
  const { run: tests, left } = choose(readImports(), changed, timed());
  if (left.length > 0) console.log(`left to \`make test\`, for time: ${left.join(' ')}`);
  if (tests.length === 0) return 0;
  // One that was changed itself is run whole.
  const smoke = changed.some((file) => file.startsWith('test/scenarios/')) ? {} : { SCENARIOS: 'smoke' };
  return (await run('vitest', ['run', ...tests], smoke)) ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main();
