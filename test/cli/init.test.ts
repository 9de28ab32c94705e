/** `supervisor init`: suggests from what it finds, writes once, trusts only what it wrote, never overwrites. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';
import { onTerminal } from '../support/terminal.ts';

const put = (world: World, name: string, text: string) => writeFileSync(join(world.repository, name), text);
const config = (world: World) => join(world.repository, '.supervisor', 'config.yaml');
const NPM = JSON.stringify({ scripts: { test: 'vitest run' }, devDependencies: { vitest: '1' } });

test('writes a config with its reasons, trusts it, and a run works with it', async () => {
  using world = new World();
  put(world, 'package.json', NPM);
  put(world, 'package-lock.json', '{}');
  const { code, stdout, stderr } = await world.run(['init', '--yes']);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('because package.json has a test script: vitest run');
  expect(readFileSync(config(world), 'utf8')).toMatch(/ {2}# package\.json has a test script.*\n {2}- name: tests\n/);
  const run = await world.run(['run', 'x', '--simulate']);
  expect([run.code, run.stdout], run.stderr).toEqual([0, expect.stringContaining('gate tests passed')]);
});

test('--json tells the same', async () => {
  using world = new World();
  put(world, 'Makefile', 'test:\n\ttrue\n');
  expect(await world.json(['init', '--yes'])).toMatchObject({
    file: config(world),
    trusted: true,
    gates: [{ name: 'tests', command: 'make test', reason: 'Makefile has a target `test`' }],
    environment: null,
  });
});

test('runs nothing of what it finds', async () => {
  using world = new World();
  put(world, 'test.sh', '#!/bin/sh\ntouch ran\n');
  chmodSync(join(world.repository, 'test.sh'), 0o755);
  put(world, 'Makefile', '$(shell touch ran)\n');
  put(world, 'package.json', JSON.stringify({ scripts: { preinstall: 'touch ran', test: 'touch ran' } }));
  expect((await world.run(['init', '--yes'])).code).toBe(0);
  expect(existsSync(join(world.repository, 'ran'))).toBe(false);
});

test('never overwrites: exit 2, and the file is as it was', async () => {
  using world = new World();
  mkdirSync(join(world.repository, '.supervisor'));
  writeFileSync(config(world), 'protect: [a]\n');
  const { code, stderr } = await world.run(['init', '--yes']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('`supervisor trust`')]);
  expect([readFileSync(config(world), 'utf8'), existsSync(world.state)]).toEqual(['protect: [a]\n', false]);
});

test('a link in place of the file, or of the folder, is not followed', async () => {
  using world = new World();
  const target = join(world.dir, 'target');
  mkdirSync(join(world.repository, '.supervisor'));
  symlinkSync(target, config(world));
  expect((await world.run(['init', '--yes'])).code).toBe(2);
  expect(existsSync(target)).toBe(false);
  using other = new World();
  mkdirSync(join(other.dir, 'outside'));
  symlinkSync(join(other.dir, 'outside'), join(other.repository, '.supervisor'));
  expect((await other.run(['init', '--yes'])).code).toBe(2);
  expect(readdirSync(join(other.dir, 'outside'))).toEqual([]);
});

test('does not trust what somebody else put into .supervisor/', async () => {
  using world = new World();
  mkdirSync(join(world.repository, '.supervisor', 'workflows'), { recursive: true });
  const theirs = 'name: default\nversion: 1\nsteps: [{id: theirs, kind: change}]\n';
  writeFileSync(join(world.repository, '.supervisor', 'workflows', 'default.yaml'), theirs);
  const { code, stdout } = await world.run(['init', '--yes']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('`supervisor trust`')]);
  expect((await world.run(['run', 'x', '--simulate'])).code).toBe(3);
});

test('without anything to go by writes a file without a gate, and says what that means', async () => {
  using world = new World();
  const { code, stdout } = await world.run(['init', '--yes']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('`supervisor run` will refuse')]);
  const script = world.file('s.yaml', 'steps: {}\n');
  const run = await world.run(['run', 'x', '--script', script]);
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('gate')]);
});

test('asks on a terminal; writes nothing without a yes, and nothing where nobody can be asked', async () => {
  using world = new World();
  put(world, 'go.mod', 'module x\n');
  const silent = await world.run(['init']);
  expect([silent.code, silent.stdout]).toEqual([3, expect.stringContaining('go test ./...')]);
  expect(await world.json(['init'])).toMatchObject({ error: { code: 'confirm' } });
  expect(await onTerminal(world, ['init'], 'n\n')).toMatchObject({ code: 1 });
  expect([existsSync(join(world.repository, '.supervisor')), existsSync(world.state)]).toEqual([false, false]);
  const { code, output } = await onTerminal(world, ['init'], 'y\n');
  expect([code, output]).toEqual([0, expect.stringContaining('and trusted it')]);
  expect(await world.json(['trust'])).toMatchObject({ state: 'trusted' });
});

test('UI-22: a repository whose name is a command line is only a name', async () => {
  using world = new World();
  const name = "; touch rt; `id` $(id) && x | y > z 'q'";
  const dir = join(world.dir, name);
  mkdirSync(dir);
  execFileSync('git', ['init', '-q', dir]);
  const { code, stdout, stderr } = await world.run(['init', '--yes', '--project', dir]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(name);
  expect(existsSync(join(dir, '.supervisor', 'config.yaml'))).toBe(true);
  expect([join(dir, 'rt'), join(world.repository, 'rt'), 'rt'].some((path) => existsSync(path))).toBe(false);
});

test('a bare repository has no checkout to write to', async () => {
  using world = new World();
  const dir = join(world.dir, 'bare.git');
  execFileSync('git', ['init', '-q', '--bare', dir]);
  expect(await world.run(['init', '--yes', '--project', dir])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('bare'),
  });
});
