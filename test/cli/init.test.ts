/** `supervisor init`: suggests from what it finds, writes once, trusts only what it wrote, never overwrites. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cascade } from '../../src/mind/config/cascade.ts';
import { config as schema } from '../../src/mind/config/project-config.ts';
import { parseFile } from '../../src/mind/fields/parse-file.ts';
import { ENTRY, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';

const put = (world: World, name: string, text: string) => writeFileSync(join(world.repository, name), text);
const config = (world: World) => join(world.repository, '.supervisor', 'config.yaml');
function loadSettings(text: string) {
  const parsed = parseFile(schema, text, 'config.yaml');
  if (parsed.type === 'problem') throw new Error(parsed.message);
  return cascade({ project: parsed.value });
}
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
    gates: [
      { name: 'tests', command: 'make test', reason: 'Makefile has a target `test`' },
      { name: 'syntax', kind: 'syntax', command: null },
      { name: 'security', kind: 'security', command: null },
    ],
    environment: null,
  });
});

test('sources that lie deep are counted, and manifests that deep say nothing', async () => {
  using world = new World();
  const deep = join(world.repository, 'core/src/main/java/com/example/shop/prices/rules');
  mkdirSync(deep, { recursive: true });
  for (const name of ['A.java', 'B.java']) writeFileSync(join(deep, name), '');
  writeFileSync(join(deep, 'package.json'), JSON.stringify({ dependencies: { react: '1' } }));
  const { stdout } = await world.run(['init', '--yes']);
  expect(stdout).toContain('Java (2 files)');
  expect(stdout).toContain('[ ] web ');
});

test('runs no program of the repository', async () => {
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

test('does not trust files that another person put into .supervisor/', async () => {
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
  expect([code, stdout]).toEqual([0, expect.stringContaining('`supervisor run` refuses until you add one')]);
  const script = world.file('s.yaml', 'steps: {}\n');
  const run = await world.run(['run', 'x', '--script', script]);
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('gate')]);
});

/** Answers each question when it is asked, and tells how it ended. */
async function onTerminal(world: World, ...answers: (readonly [question: string, keys: string])[]) {
  using pty = new Pty([process.execPath, ENTRY, 'init', '--project', world.repository], {
    dir: world.dir,
    columns: 200,
    rows: 60,
    env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
  });
  for (const [question, keys] of answers) {
    await pty.shows(question);
    pty.type(keys);
  }
  const code = await pty.done;
  return { code, text: pty.terminal.text };
}
const PACKS = 'Which packs? [';
const GATES = 'Which gates? [';
const WRITE = 'Write .supervisor/config.yaml? [Y/n]';

test('writes nothing without a terminal to ask on', async () => {
  using world = new World();
  put(world, 'go.mod', 'module x\n');
  const silent = await world.run(['init']);
  expect([silent.code, silent.stdout]).toEqual([3, expect.stringContaining('go test ./...')]);
  expect(await world.json(['init'])).toMatchObject({ error: { code: 'confirm' } });
  expect([existsSync(join(world.repository, '.supervisor')), existsSync(world.state)]).toEqual([false, false]);
});

test('asks group by group on a terminal: Enter takes what is suggested', async () => {
  using world = new World();
  put(world, 'go.mod', 'module x\n');
  put(world, 'go.sum', '');
  const { code, text } = await onTerminal(
    world,
    [`${PACKS}Enter: go; n: none; or names]`, '\n'],
    [`${GATES}Enter: tests, syntax, security;`, '\n'],
    ['Use this environment? [Y/n]', '\n'],
    [WRITE, '\n'],
  );
  expect([code, text]).toEqual([0, expect.stringContaining('and trusted it')]);
  expect(text).toContain('[ ] data            off: no pandas or airflow');
  expect(readFileSync(config(world), 'utf8')).toMatch(
    /^packs:\n {2}# go\.mod is there: concurrency_reviewer, go_dev\n {2}- go\n[\s\S]*^gates:[\s\S]*^environment:/m,
  );
  expect(await world.json(['trust'])).toMatchObject({ state: 'trusted' });
});

test('takes other names, asks again for ones that are not there, and leaves out what is not wanted', async () => {
  using world = new World();
  put(world, 'go.mod', 'module x\n');
  put(world, 'go.sum', '');
  const { code, text } = await onTerminal(
    world,
    [PACKS, 'golang\n'],
    ['there is no pack golang; there are: go, ', 'go security\n'],
    [GATES, 'tests, lint\n'],
    ['Use this environment? [Y/n]', 'n\n'],
    [WRITE, 'y\n'],
  );
  expect(code, text).toBe(0);
  const { settings } = loadSettings(readFileSync(config(world), 'utf8'));
  expect([settings.packs, settings.gates.map(({ name, blocking }) => [name, blocking]), settings.environment]).toEqual([
    ['go', 'security'],
    [
      ['tests', true],
      ['lint', false],
    ],
    null,
  ]);
});

test('writes nothing after a no, or when the person leaves', async () => {
  using world = new World();
  put(world, 'Makefile', 'test:\n\ttrue\n');
  const answers = [
    [PACKS, '\n'],
    [GATES, '\n'],
  ] as const;
  expect(await onTerminal(world, ...answers, [WRITE, 'n\n'])).toMatchObject({ code: 1 });
  // The end of input, as by Ctrl-D.
  expect(await onTerminal(world, ...answers, [WRITE, '\u0004'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('nothing was written'),
  });
  expect(await onTerminal(world, [PACKS, '\u0003'])).toMatchObject({ code: 130 });
  expect([existsSync(join(world.repository, '.supervisor')), existsSync(world.state)]).toEqual([false, false]);
});

test('says which files every worker receives, and looks into folders but follows no link', async () => {
  using world = new World();
  world.commit({
    'AGENTS.md': 'x\n',
    'docs/knowledge/a.md': 'x\n',
    'contracts/deep/V.sol': '',
    'node_modules/x/Cargo.toml': '',
    // Beyond how deep it looks.
    '1/2/3/4/5/6/7/go.mod': '',
  });
  mkdirSync(join(world.dir, 'outside'));
  writeFileSync(join(world.dir, 'outside', 'Cargo.toml'), '');
  symlinkSync(join(world.dir, 'outside'), join(world.repository, 'linked'));
  symlinkSync(join(world.dir, 'outside', 'Cargo.toml'), join(world.repository, 'Cargo.toml'));
  const { stdout } = await world.run(['init', '--yes']);
  expect(stdout).toMatch(/knowledge +AGENTS\.md, docs\/knowledge\/a\.md: read as project knowledge/);
  expect(stdout).toMatch(/\[x\] smart_contracts[\s\S]*such as contracts\/deep\/V\.sol/);
  // The positive control is below: each is seen where nothing is in the way.
  expect(stdout).toContain('[ ] rust');
  expect(stdout).toContain('[ ] go');
  world.commit({ 'real/Cargo.toml': '', '1/2/3/4/5/6/go.mod': '' });
  rmSync(join(world.repository, '.supervisor'), { recursive: true });
  const again = (await world.run(['init', '--yes'])).stdout;
  expect(again).toContain('[x] rust');
  expect(again).toContain('[x] go');
});

test('names that could act on a terminal or in the file are left out', async () => {
  using world = new World();
  const name = 'a\n✓ wrote nothing\u001b[2J';
  world.commit({ [`${name}/Cargo.toml`]: '', 'b\u202e/go.mod': '' });
  const { stdout } = await world.run(['init', '--yes']);
  expect(stdout).toContain('[ ] rust');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(stdout + readFileSync(config(world), 'utf8')).not.toMatch(/[\u001b\u202e]|^✓ wrote nothing/m);
  expect(stdout).toContain('[x] go');
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
