/** `make install`: what it puts where, that it runs without the checkout's help, and that it touches nothing of others. */
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const CHECKOUT = resolve(import.meta.dirname, '..');
const here = mkdtempSync(join(tmpdir(), 'supervisor-install-'));
afterAll(() => rmSync(here, { recursive: true, force: true }));

function install(prefix: string, ...args: readonly string[]): SpawnSyncReturns<string> {
  const PATH = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  return spawnSync('sh', [join(CHECKOUT, 'tools/install.sh'), ...args], {
    cwd: here,
    env: { PATH, HOME: here, PREFIX: prefix },
    encoding: 'utf8',
  });
}

test('the installed command runs from anywhere, and uninstall leaves nothing', () => {
  const prefix = join(here, 'a place');
  const installed = install(prefix);
  expect([installed.status, installed.stderr]).toEqual([0, '']);
  expect(installed.stdout).toMatch(/^installed .*\/a place\/bin\/supervisor \(.*0\.1\.0\)\n.*is not on your PATH/);
  const run = (...args: string[]) =>
    execFileSync(join(prefix, 'bin/supervisor'), args, {
      cwd: '/',
      env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: here, SUPERVISOR_HOME: join(here, 'state') },
      encoding: 'utf8',
    });
  expect(run('--version')).toContain('0.1.0');
  expect(run('roles')).toContain('implementer');
  // Again, over the one that is there.
  expect(install(prefix).status).toBe(0);
  expect(install(prefix, 'uninstall').status).toBe(0);
  expect([existsSync(join(prefix, 'bin/supervisor')), existsSync(join(prefix, 'lib/supervisor'))]).toEqual([
    false,
    false,
  ]);
});

test('a program or folder of that name that was not made by it stays', () => {
  const prefix = join(here, 'taken');
  mkdirSync(join(prefix, 'bin'), { recursive: true });
  writeFileSync(join(prefix, 'bin/supervisor'), 'mine');
  for (const args of [[], ['uninstall']]) {
    const { status, stderr } = install(prefix, ...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining('was not made by this')]);
  }
  expect(readFileSync(join(prefix, 'bin/supervisor'), 'utf8')).toBe('mine');
  rmSync(join(prefix, 'bin/supervisor'));
  mkdirSync(join(prefix, 'lib/supervisor'), { recursive: true });
  expect(install(prefix, 'uninstall').status).toBe(1);
  expect(existsSync(join(prefix, 'lib/supervisor'))).toBe(true);
  expect(install('relative').status).toBe(2);
});
