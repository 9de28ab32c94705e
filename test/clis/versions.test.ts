/** Versions of CLIs outside of the tested range: what works is used with a warning, what does not is refused, and doctor agrees. */
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compareVersions, judgeVersion } from '../../src/kernel/version.ts';
import { adapterOf, READY_NAMES } from '../../src/mind/workers/cli-config.ts';
import { judgeCli } from '../../src/mind/workers/judge-cli.ts';
import { type Result, World } from '../support/cli.ts';
import { cliBin } from '../support/clis.ts';
import { GATE, KEY, Through, WRITES } from './through.ts';

const SYSTEM = '/usr/bin:/bin';

/** A program of that name that tells this version, and does `rest` otherwise. */
function program(world: World, name: string, version: string, rest: string): string {
  const dir = join(world.dir, 'programs');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `#!/bin/sh\n[ "$1" = --version ] && { echo "${version}"; exit; }\n${rest}\n`);
  chmodSync(join(dir, name), 0o755);
  return dir;
}

const findings = async (world: World, env: Record<string, string>) =>
  (
    await world.json<{ findings: { name: string; state: string; detail: string; fix: string | null }[] }>(
      ['doctor'],
      env,
    )
  ).findings;

test('a version that is older than tested and passes its self-test is used, with a warning; the test runs once', async () => {
  await using through = await new Through([...(WRITES ?? []), ...(WRITES ?? [])]).open(['claude']);
  const { world } = through;
  // The real program, which calls itself older. In a folder of packages, so that all of it is shown to sandboxes.
  const packages = join(world.dir, 'node_modules', 'older');
  mkdirSync(packages, { recursive: true });
  copyFileSync(realpathSync(cliBin('claude')), join(packages, 'real'), constants.COPYFILE_FICLONE);
  const script = program(world, 'claude', '2.1.0 (Claude Code)', 'exec "$(dirname "$0")/real" "$@"');
  renameSync(join(script, 'claude'), join(packages, 'claude'));
  const dir = join(world.dir, 'bin');
  mkdirSync(dir);
  symlinkSync(join(packages, 'claude'), join(dir, 'claude'));
  const env = { ...through.env(), PATH: `${dir}:${through.env()['PATH']}` };
  const run = (): Promise<Result> => world.run(['run', 'write a greeting', '--cli', 'claude', ...GATE, '--json'], env);
  const before = await findings(world, env);
  expect(before.find(({ name }) => name === 'cli claude')).toMatchObject({
    state: 'degraded',
    detail: expect.stringMatching(/^2\.1\.0 is older than what was tested .*; `run` tests it first/),
    fix: expect.stringContaining('newest version that was tested: npm install -g @anthropic-ai/claude-code@'),
  });
  const first = await run();
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toMatch(/2\.1\.0 is older than what was tested .*; its self-test runs once, offline/);
  expect(first.stderr).toMatch(/CLI claude: its self-test passed; it is used/);
  const second = await run();
  expect(second.stderr).toMatch(/2\.1\.0 is older than what was tested .*; its self-test passed/);
  expect(second.stderr).not.toContain('runs once');
  const after = await findings(world, env);
  expect(after.find(({ name }) => name === 'cli claude')?.detail).toContain('; its self-test passed; ');
});

test('a version that fails its self-test is refused; doctor names it and the CLI that would do the work', async () => {
  using world = new World();
  const env = { PATH: `${program(world, 'codex', 'codex-cli 0.150.0', 'exit 1')}:${SYSTEM}`, OPENAI_API_KEY: KEY };
  const workers = async () => (await findings(world, env)).find(({ name }) => name === 'workers')?.state;
  expect(await workers()).toBe('ok');
  const refused = await world.run(['run', 'x', ...GATE], env);
  expect([refused.code, refused.stdout]).toEqual([5, '']);
  expect(refused.stderr).toMatch(/0\.150\.0 is older .* and its self-test failed .*npm install -g @openai\/codex@/);
  expect(await world.tasks()).toEqual([]);
  const found = await findings(world, env);
  expect(found.find(({ name }) => name === 'cli codex')).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('its self-test failed'),
    fix: expect.stringContaining('npm install -g @openai/codex@'),
  });
  expect(found.find(({ name }) => name === 'workers')).toMatchObject({
    state: 'missing',
    detail: 'no CLI works, so `run` refuses',
  });
  // A choice of the person: then the CLI itself is what is missing.
  world.userConfig('default_cli: [codex]\n');
  expect((await findings(world, env)).find(({ name }) => name === 'cli codex')?.state).toBe('missing');
});

test('a failing default CLI is skipped if another one works; a chosen one is refused', async () => {
  using world = new World();
  program(world, 'claude', '1.0.3 (Claude Code)', 'exit 1');
  const env = {
    PATH: `${program(world, 'codex', 'codex-cli 0.166.0', 'exit 1')}:${SYSTEM}`,
    OPENAI_API_KEY: KEY,
    ANTHROPIC_API_KEY: KEY,
  };
  expect((await findings(world, env)).find(({ name }) => name === 'workers')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('`run` takes codex ('),
  });
  const { stdout, stderr } = await world.run(['run', 'x', ...GATE], env);
  expect(stderr).toMatch(/skipped: CLI claude: 1\.0\.3 is older/);
  expect(stdout).toMatch(/attempt 1 of 3 begins \(codex\)/);
  const named = await world.run(['run', 'x', '--cli', 'claude,codex', ...GATE], env);
  expect([named.code, named.stderr]).toEqual([5, expect.stringMatching(/CLI claude: 1\.0\.3 is older/)]);
});

test('a version that does not start in the sandbox is no ready worker either', async () => {
  using world = new World();
  const env = { PATH: `${program(world, 'codex', 'no version', '')}:${SYSTEM}`, OPENAI_API_KEY: KEY };
  expect((await findings(world, env)).find(({ name }) => name === 'workers')?.state).toBe('missing');
  expect((await world.run(['run', 'x', ...GATE], env)).code).toBe(5);
});

test('a version that is known not to work is refused without a test', async () => {
  using world = new World();
  const env = {
    PATH: `${program(world, 'claude', '1.0.3 (Claude Code)', 'exit 1')}:${SYSTEM}`,
    ANTHROPIC_API_KEY: KEY,
  };
  const refused = await world.run(['run', 'x', ...GATE], env);
  expect([refused.code, refused.stdout]).toEqual([5, '']);
  expect(refused.stderr).toMatch(/1\.0\.3 is older .* it has no option --\S+: install the newest/);
  expect(refused.stderr).not.toContain('self-test');
});

test('by version and self-test', () => {
  const adapter = {
    name: 'a',
    install: 'npm install -g a@2.0.5',
    tested: { from: '2.0.5', below: '2.1.0' },
    broken: { below: '1.2.0', why: 'it has no option --x' },
  };
  const of = (version: string, selfTest: 'passed' | 'failed' | null) => {
    const { type, refused, advice } = judgeCli(adapter, version, selfTest);
    return [type, refused !== null, advice];
  };
  expect(of('2.0.9', null)).toEqual(['in range', false, null]);
  expect(of('2.0.9', 'failed')).toEqual(['in range', false, null]);
  expect(of('1.2.0', null)).toEqual(['older', false, expect.stringContaining('tests it first')]);
  expect(of('1.2.0', 'passed')).toEqual(['older', false, 'its self-test passed']);
  expect(of('1.2.0', 'failed')[1]).toBe(true);
  expect(of('1.1.9', 'passed')[1]).toBe(true);
  expect(of('2.1.0', null)).toEqual(['newer', false, expect.stringContaining('--selftest a')]);
  expect(of('2.1.0', 'failed')[1]).toBe(true);
  expect(judgeCli({ ...adapter, tested: null }, '0.0.1', null)).toMatchObject({ text: '0.0.1', refused: null });
});

test('the version given as installed is the one that the tests run, and not known to break', () => {
  const pins = JSON.parse(
    readFileSync(fileURLToPath(new URL('../../tools/clis/package.json', import.meta.url)), 'utf8'),
  ) as { dependencies: Record<string, string> };
  for (const name of READY_NAMES) {
    const adapter = adapterOf(name);
    if (adapter?.tested == null) continue;
    const [, pack = '', version = ''] = /npm install -g (\S+)@([\d.]+)$/.exec(adapter.install) ?? [];
    expect(pins.dependencies[pack], name).toBe(version);
    expect(judgeVersion(version, adapter.tested)).toBe('tested');
    if (adapter.broken !== undefined)
      expect(compareVersions(adapter.broken.below, adapter.tested.from)).toBeLessThan(1);
  }
});
