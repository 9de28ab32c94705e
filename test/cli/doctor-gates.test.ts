/** `doctor` on gates: never ✓ for one whose program is not there. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { programsOf } from '../../src/mind/gates/programs.ts';
import { ENV, refused, script } from '../real/task.ts';
import { World } from '../support/cli.ts';

const SYSTEM = '/usr/bin:/bin';
/** On no machine. */
const NOWHERE = 'pnpm-of-nowhere';

async function findings(world: World, config: string, path = SYSTEM) {
  world.userConfig(config);
  const { findings } = await world.json<{ findings: { name: string; state: string; detail: string }[] }>(['doctor'], {
    PATH: path,
  });
  return findings
    .filter(({ name }) => /^gates$|^gate |^environment/.test(name))
    .map(({ name, state }) => [name, state]);
}

test('a gate with a missing program is missing; the others are ok', async () => {
  using world = new World();
  const config = (command: string, more = '') =>
    `gates:\n  - {name: tests, command: ${JSON.stringify(command)}${more}}\n  - {name: lint, command: git status}\n`;
  expect(await findings(world, config('git diff --check'))).toEqual([['gates', 'ok']]);
  expect(await findings(world, config(`cd x && CI=1 ${NOWHERE} test`))).toEqual([
    ['gates', 'ok'],
    ['gate tests', 'missing'],
  ]);
  const { code, stdout } = await world.run(['doctor'], { PATH: SYSTEM });
  expect(code).toBe(5);
  expect(stdout).toMatch(
    /✓ gates +lint\n✗ gate tests +pnpm-of-nowhere is not found in the sandbox[^\n]*\n +fix: install pnpm-of-nowhere/,
  );
  expect(await findings(world, config(`${NOWHERE} test`, ', blocking: false'))).toEqual([
    ['gates', 'ok'],
    ['gate tests', 'degraded'],
  ]);
  // It is there when the operator's PATH has it, and that part of PATH is shown to gates.
  const dir = join(world.dir, 'bin');
  mkdirSync(dir);
  writeFileSync(join(dir, NOWHERE), '#!/bin/sh\n');
  chmodSync(join(dir, NOWHERE), 0o755);
  expect(await findings(world, config(`${NOWHERE} test`), `${dir}:${SYSTEM}`)).toEqual([['gates', 'ok']]);
});

test('without the installer of the environment only gates that need no environment are ok; what it installs is not looked for', async () => {
  using world = new World();
  const config = (prepare: string, gate: string, more = '') =>
    `gates: [{name: tests, command: ${gate}}, {name: syntax, kind: syntax}${more}]\nenvironment: {prepare: ${prepare}, key: [a], outputs: [/env/venv]}\n`;
  const informs = ', {name: lint, command: ruff-of-nowhere, blocking: false}';
  expect(await findings(world, config(NOWHERE, 'pytest-of-nowhere', informs))).toEqual([
    ['gates', 'ok'],
    ['gate tests', 'missing'],
    ['gate lint', 'degraded'],
    ['environment', 'missing'],
  ]);
  const { code, stdout } = await world.run(['doctor'], { PATH: SYSTEM });
  expect(code).toBe(5);
  expect(stdout).toMatch(/✓ gates +syntax\n/);
  expect(stdout).toMatch(
    /✗ gate tests +cannot run: pnpm-of-nowhere, which prepares its environment, is not found\n[!] gate lint[\s\S]*✗ environment +pnpm-of-nowhere is not found[^\n]*\n +fix: install pnpm-of-nowhere/,
  );
  const dir = join(world.dir, 'bin');
  mkdirSync(dir);
  writeFileSync(join(dir, NOWHERE), '#!/bin/sh\n', { mode: 0o755 });
  expect(await findings(world, config(NOWHERE, 'pytest-of-nowhere', informs), `${dir}:${SYSTEM}`)).toEqual([
    ['gates', 'ok'],
    ['environment', 'ok'],
  ]);
  expect((await world.run(['doctor'], { PATH: `${dir}:${SYSTEM}` })).stdout).toMatch(/✓ gates +tests, syntax, lint\n/);
  expect(await findings(world, config('git status', 'git diff'))).toEqual([
    ['gates', 'ok'],
    ['environment', 'ok'],
  ]);
});

test.each<[string | string[], string[]]>([
  ['pnpm test', ['pnpm']],
  ['PYTHONPATH=src make -B test', ['make']],
  ['export A=1 && uv run pytest; npm test || exit 1', ['uv', 'npm']],
  ['(cd a && go test ./...) | tee x', ['go', 'tee']],
  ['test -z "$(gofmt -l .)"', []],
  ['! grep -q x y', ['grep']],
  ['if command -v uv; then uv run pytest; fi', ['uv']],
  ['/env/venv/bin/python -m pytest', []],
  ['node_modules/.bin/eslint .', []],
  ['$RUNNER test', []],
  ["sh -c 'a; b'", ['sh']],
  [['pnpm', 'run', 'a; b'], ['pnpm']],
  [['./x'], []],
])('programs of %j', (command, programs) => {
  expect(programsOf(command as string)).toEqual(programs);
});

test('a repository that `run` refuses is not ✓: without a commit, with a submodule, with an unreadable prompt', async () => {
  using world = new World();
  const empty = join(world.dir, 'empty');
  execFileSync('git', ['init', '-q', empty]);
  const env = { PATH: SYSTEM };
  const refused = await world.run(['run', 'x', '--simulate', '--project', empty], env);
  expect(refused.code, refused.stdout).not.toBe(0);
  expect((await world.run(['doctor', '--project', empty], env)).stdout).toMatch(
    /! project +p-\S+ \(\S+\) has no commit yet, so `run` refuses\n +fix: git commit/,
  );
  expect((await world.run(['doctor'], env)).stdout).toMatch(/✓ config /);
  world.git('update-index', '--add', '--cacheinfo', `160000,${world.git('rev-parse', 'HEAD')},inner`);
  world.git('commit', '-qm', 'a submodule');
  expect((await world.run(['doctor'], env)).stdout).toMatch(/! project +`run` refuses: inner is a submodule/);
  world.git('reset', '-q', '--hard', 'HEAD~1');
  mkdirSync(join(world.home, '.supervisor', 'templates'), { recursive: true });
  writeFileSync(join(world.home, '.supervisor', 'templates', '_base.liquid'), '{% if %}');
  const run = await world.run(['run', 'x', '--gate', 'a=true', '--cli', 'scripted'], env);
  expect(run.code, run.stdout).toBe(2);
  expect((await world.run(['doctor'], env)).stdout).toMatch(/✗ config /);
});

test('a script is missing, not ok, if no package installs its program; with an environment it is not looked for', async () => {
  using world = new World();
  world.commit({ 'package.json': '{"scripts": {"test": "runner-of-nowhere run", "lint": "git status"}}\n' });
  const gates = 'gates: [{name: tests, command: "npm test -- --ci"}, {name: lint, command: npm run lint}]\n';
  const path = `${dirname(process.execPath)}:${SYSTEM}`;
  const tests = [
    ['gates', 'ok'],
    ['gate tests', 'missing'],
  ];
  expect(await findings(world, gates, path)).toEqual(tests);
  const { stdout } = await world.run(['doctor'], { PATH: path });
  expect(stdout).toMatch(
    /✗ gate tests +cannot run: its script starts runner-of-nowhere[^\n]*\n +fix: commit a lock file/,
  );
  const environment = 'environment: {prepare: npm ci, key: [package.json], outputs: [node_modules]}\n';
  expect(await findings(world, gates + environment, path)).toEqual([
    ['gates', 'ok'],
    ['environment', 'ok'],
  ]);
});

test('`run` starts no worker for a gate that cannot run, and says what to do; where a shell may find a way it only warns', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'package.json': '{"scripts": {"test": "vitest-of-nowhere run"}}' });
  const play = script(world, [{ files: { 'a.txt': 'two\n' } }]);
  const ask = async (command: string, more: readonly string[] = []) => {
    world.userConfig(`gates:\n  - {name: tests, command: ${JSON.stringify(command)}}\n`);
    return world.run(['run', 'x', '--script', play, ...more], ENV);
  };
  refused(await ask(`cd . && ${NOWHERE} test`), 5, `gate tests: ${NOWHERE} is not found`, `install ${NOWHERE}`);
  refused(await ask('npm test'), 5, 'its script starts vitest-of-nowhere', 'name under `environment:`');
  expect(await world.run(['status', '--json'])).toMatchObject({ stdout: expect.stringContaining('"tasks": []') });
  const warned = await ask(`${NOWHERE} test || grep -q two a.txt`);
  expect([warned.code, warned.stderr]).toEqual([0, expect.stringContaining(`${NOWHERE} is not found`)]);
  // Control: the same gate with a program that is there.
  const fine = await ask('cd . && grep -q two a.txt');
  expect([fine.code, fine.stderr]).toEqual([0, expect.not.stringContaining('not found')]);
  // A gate of the command line in its place is the person's own word.
  expect((await ask(`${NOWHERE} test`, ['--gate', 'tests=grep -q two a.txt'])).code).toBe(0);
  // Packages that are in the repository need no environment.
  world.commit({ 'node_modules/.bin/vitest-of-nowhere': '#!/bin/sh\n' });
  const brought = await ask('npm test');
  expect(brought.stderr).not.toContain('nothing installs that');
});
