/** What a user without special rights runs into: each is said before anything is paid, with a way out that this user has. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { npmInstall } from '../../src/hands/workers/npm-install.ts';
import { refused, run, script } from '../real/task.ts';
import { ENTRY, type Result, World } from '../support/cli.ts';
import { untested } from '../support/untested.ts';

const ROOT = process.getuid?.() === 0;
const GATE = ['--gate', 'tests=true'];
const PLAYS = [{ files: { 'a.txt': 'x\n' } }];

/** A command line in a mount namespace of its own, in which the shell program has made its mounts. */
function mounted(world: World, mounts: string, at: string, args: readonly string[], TMPDIR = at): Result {
  const words = [
    ROOT ? '-m' : '-Urm',
    'sh',
    '-c',
    `${mounts} && shift && exec "$@"`,
    'sh',
    at,
    process.execPath,
    ENTRY,
  ];
  const { status, signal, stdout, stderr } = spawnSync('unshare', [...words, ...args], {
    cwd: world.repository,
    env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state, TMPDIR },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, signal, stdout, stderr };
}

describe('a repository that cannot be written is refused before a worker is started', () => {
  test('by its file system', async () => {
    using world = new World();
    const flags = ['run', 'x', '--script', script(world, PLAYS), ...GATE];
    const readOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"';
    refused(mounted(world, readOnly, world.repository, flags), 5, 'the repository cannot be written (EROFS', 'clone');
    expect(await world.tasks()).toEqual([]);
    const doctor = mounted(world, readOnly, world.repository, ['doctor'], world.dir).stdout;
    expect(doctor).toMatch(/! project +`run` refuses: the repository cannot be written \(EROFS: /);
    expect((await world.run(['doctor'])).stdout).toMatch(/✓ project/);
    // The control: the same can be written.
    expect((await run(world, PLAYS, GATE)).code).toBe(0);
  });

  test.skipIf(untested('a repository closed by its modes', ROOT ? 'modes do not hold for root' : null))(
    'by its modes',
    async () => {
      using world = new World();
      const closed = ['objects', 'refs', 'refs/heads'].map((name) => join(world.repository, '.git', name));
      for (const dir of closed) {
        chmodSync(dir, 0o555);
        refused(await run(world, PLAYS, GATE), 5, `EACCES: ${dir}`, 'chmod -R u+w');
        expect(await world.tasks()).toEqual([]);
        chmodSync(dir, 0o755);
      }
    },
  );
});

test.skipIf(untested('a second user of the machine', ROOT ? null : 'only root can run a program as another user'))(
  'another user of the machine is told that log and repository belong to somebody',
  async () => {
    using world = new World();
    expect((await run(world, PLAYS, GATE)).code).toBe(0);
    const other = (state: string, ...args: string[]): Result => {
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...args], {
        cwd: world.repository,
        env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: state },
        uid: 4242,
        gid: 4242,
        encoding: 'utf8',
        timeout: 60_000,
      });
      return { code: status, signal, stdout, stderr };
    };
    refused(other(world.state, 'status'), 5, 'log.db', 'belongs to you');
    const own = join(world.dir, 'theirs');
    mkdirSync(own);
    chownSync(own, 4242, 4242);
    refused(other(own, 'run', 'x', '--simulate'), 5, 'belongs to another user', 'git clone');
  },
);

test('a full temporary directory: the self-test says so and ends', () => {
  using world = new World();
  const at = join(world.dir, 'small');
  mkdirSync(at);
  const full = 'mount -t tmpfs -o size=64k tmpfs "$1" && { head -c 100k /dev/zero >"$1/fill" || true; } 2>/dev/null';
  refused(mounted(world, full, at, ['doctor', '--selftest', 'claude']), 5, `${at} has 0 MiB free`, 'set TMPDIR');
});

test('a lost log is reported with the way to continue without it', async () => {
  using world = new World();
  expect((await world.run(['run', 'x', '--simulate'])).code).toBe(0);
  for (const end of ['', '-wal', '-shm']) rmSync(join(world.state, `log.db${end}`), { force: true });
  refused(await world.run(['run', 'y', '--simulate']), 5, 'log_truncated', 'supervisor verify --reanchor');
});

describe('how to install a CLI', () => {
  const tools = { find: () => null } as unknown as Parameters<typeof npmInstall>[1]['tools'];
  const around = (prefix: string, path = '/usr/bin') => ({
    tools,
    home: '/home/someone',
    env: (name: string) => ({ npm_config_prefix: prefix, PATH: path })[name],
  });
  // Nobody, not even root, makes a directory below a device.
  const CLOSED = '/dev/null/prefix';

  test('if npm cannot write, the advice is to install into the home directory', () => {
    expect(npmInstall('npm install -g acme@1', around(CLOSED))).toBe(
      'npm install -g --prefix ~/.local acme@1 (and put ~/.local/bin on PATH)',
    );
    expect(npmInstall('npm install -g acme@1', around(CLOSED, '/usr/bin:/home/someone/.local/bin'))).toBe(
      'npm install -g --prefix ~/.local acme@1',
    );
  });

  test('if npm can write, or a program is not installed by npm, nothing changes', () => {
    using world = new World();
    expect(npmInstall('npm install -g acme@1', around(join(world.dir, 'prefix')))).toBe('npm install -g acme@1');
    expect(npmInstall('see https://example.com', around(CLOSED))).toBe('see https://example.com');
  });
});

test.skipIf(
  untested('a machine whose bubblewrap is refused', ROOT ? null : 'only root can put another one in its place'),
)('without a sandbox doctor still says all it can, and calls no CLI ready', async () => {
  using world = new World();
  const bin = join(world.dir, 'bin');
  mkdirSync(bin);
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('bwrap', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1');
  program('claude', 'echo 2.1.197');
  const words = 'export PATH="$1/bin:$PATH" ANTHROPIC_API_KEY=sk-none';
  const broken = `${words} && mount --bind "$1/bin/bwrap" "$(readlink -f /usr/bin/bwrap)"`;
  const { code, stdout, stderr } = mounted(world, broken, world.dir, ['doctor']);
  expect([code, stderr]).toEqual([5, expect.not.stringContaining('could not be built')]);
  expect(stdout).toMatch(/✗ sandbox +the sandbox could not be built: bwrap: No permissions/);
  expect(stdout).toMatch(
    /! cli claude +does not start in the sandbox: no sandbox can be built here\n +fix: see the sandbox above/,
  );
  expect(stdout).toMatch(/✗ workers +no CLI works, so `run` refuses/);
  // The control: the same with the machine's own bubblewrap.
  expect(mounted(world, words, world.dir, ['doctor']).stdout).not.toMatch(/✗ sandbox|no sandbox can be built/);
});
