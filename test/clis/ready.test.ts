/** Before anything starts: is the CLI there, of a known version, with a way to its model? And what `doctor` says of it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Result, World } from '../support/cli.ts';
import { clisBin } from '../support/clis.ts';
import { GATE, KEY } from './through.ts';

const SYSTEM = '/usr/bin:/bin';

/** A program of that name on PATH, that tells this version and can do nothing else. */
function installed(world: World, name: string, version: string): string {
  const dir = join(world.dir, 'programs');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `#!/bin/sh\n[ "$1" = --version ] && echo "${version}"\n`);
  chmodSync(join(dir, name), 0o755);
  return `${dir}:${SYSTEM}`;
}

const run = (world: World, cli: string, env: Record<string, string>, ...more: string[]): Promise<Result> =>
  world.run(['run', 'x', '--cli', cli, ...GATE, ...more], env);

async function notReady(world: World, result: Promise<Result>, ...words: (string | RegExp)[]): Promise<void> {
  const { code, stdout, stderr } = await result;
  expect([code, stdout], stderr).toEqual([5, '']);
  for (const word of words) expect(stderr).toMatch(word);
  expect(await world.tasks()).toEqual([]);
}

test('not installed, without a key, too old, or without the sandbox: exit 5 with what to do, and no task', async () => {
  using world = new World();
  const key = { ANTHROPIC_API_KEY: KEY };
  await notReady(
    world,
    run(world, 'claude', { PATH: SYSTEM, ...key }),
    'not installed',
    'npm install -g',
    'clis.claude',
  );
  const old = installed(world, 'claude', '1.0.3 (Claude Code)');
  await notReady(world, run(world, 'claude', { PATH: old }), 'no key and no login', 'set ANTHROPIC_API_KEY');
  await notReady(
    world,
    run(world, 'claude', { PATH: old, ...key }),
    '1.0.3 is older than what was tested',
    'npm install',
  );
  const unsafe = run(world, 'claude', { PATH: old, ...key }, '--unsafe-no-sandbox');
  await notReady(world, unsafe, 'needs the sandbox', 'leave out --unsafe-no-sandbox');
  const broken = installed(world, 'claude', 'no version at all');
  await notReady(world, run(world, 'claude', { PATH: broken, ...key }), 'does not start in the sandbox');
});

test('a newer version than tested gives a warning, not a refusal', async () => {
  using world = new World();
  const path = installed(world, 'claude', '99.1.0 (Claude Code)');
  const { stderr } = await run(world, 'claude', { PATH: path, ANTHROPIC_API_KEY: KEY });
  expect(stderr).toMatch(/99\.1\.0 is newer than what was tested .* doctor --selftest claude/);
});

test('missing CLIs of a chosen chain are skipped with a message; with none left it is refused', async () => {
  using world = new World();
  world.userConfig('default_cli: [gemini, claude]\n');
  const path = installed(world, 'claude', '99.1.0 (Claude Code)');
  const { stderr, stdout } = await world.run(['run', 'x', ...GATE], { PATH: path, ANTHROPIC_API_KEY: KEY });
  expect(stderr).toMatch(/skipped: CLI gemini: gemini is not installed/);
  expect(stdout).toMatch(/attempt 1 of 3 begins \(claude\)/);
  using empty = new World();
  empty.userConfig('default_cli: [gemini, claude]\n');
  await notReady(empty, empty.run(['run', 'x', ...GATE], { PATH: SYSTEM }), 'gemini is not installed');
});

test("a project's file cannot say where keys go", async () => {
  using world = new World();
  mkdirSync(join(world.repository, '.supervisor'));
  writeFileSync(
    join(world.repository, '.supervisor/config.yaml'),
    'clis:\n  claude: {base_url: "https://evil.example"}\n',
  );
  const { code, stderr } = await world.run(['run', 'x', ...GATE]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/config\.yaml:2:\d+: .*a project may not set this/)]);
});

test('without a choice, the installed CLI with a key is used; doctor says which, and shows no key', async () => {
  using world = new World();
  const env = { PATH: `${installed(world, 'codex', 'codex-cli 0.166.0')}:${SYSTEM}`, OPENAI_API_KEY: KEY };
  const { stdout } = await world.run(['doctor'], env);
  expect(stdout).toMatch(
    /✓ cli codex +0\.166\.0 \(in tested range\); key from OPENAI_API_KEY, which stays outside the sandbox; can: /,
  );
  expect(stdout).toMatch(/· cli claude +claude is not installed[^\n]*\n +fix: npm install -g/);
  expect(stdout).toMatch(/✓ workers +none is chosen, so `run` takes codex/);
  expect(stdout).toMatch(/✓ egress /);
  expect(stdout).not.toContain(KEY);
  const report = await world.json<{ findings: { name: string; state: string }[] }>(['doctor'], { PATH: SYSTEM });
  expect(report.findings.find(({ name }) => name === 'cli claude')?.state).toBe('absent');
});

test('the self-test lets an installed CLI do a tiny task, offline', async () => {
  using world = new World();
  const { code, stdout, stderr } = await world.run(['doctor', '--selftest', 'codex'], {
    PATH: `${clisBin()}:${SYSTEM}`,
  });
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/✓ codex works: 2 requests, each with the key/)]);
  expect(await world.tasks()).toEqual([]);
  // A made-up cost beside "nothing was spent" would confuse.
  expect(stdout).toContain('nothing was spent');
  expect(stdout).not.toMatch(/^ {2}cost/m);
  const none = await world.run(['doctor', '--selftest', 'acme'], { PATH: SYSTEM });
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('known: claude')]);
  const missing = await world.run(['doctor', '--selftest', 'claude'], { PATH: SYSTEM });
  expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining('not installed')]);
});
