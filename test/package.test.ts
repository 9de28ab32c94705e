/** The published package: packed, installed far from the checkout and offline, then run by new and old Nodes. */
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untested } from './support/untested.ts';

const checkout = resolve(import.meta.dirname, '..');
const here = mkdtempSync(join(tmpdir(), 'supervisor-package-'));
const elsewhere = join(here, 'elsewhere');
const command = join(here, 'installed/bin/supervisor');

/** An operator's bare environment: nothing of ours, an empty home, the Node that runs this test. */
const env = {
  PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
  HOME: join(here, 'home'),
  SUPERVISOR_HOME: join(here, 'state'),
};

beforeAll(() => {
  for (const folder of ['home', 'elsewhere', 'copy']) mkdirSync(join(here, folder));
  // A copy, because packing builds dist/ and must not disturb the checkout or another test.
  const copy = join(here, 'copy');
  for (const entry of [
    'package.json',
    'src',
    'templates',
    'schemas',
    'tools',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
  ]) {
    if (existsSync(join(checkout, entry))) cpSync(join(checkout, entry), join(copy, entry), { recursive: true });
  }
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  npm(['pack', '--pack-destination', here], copy);
  npm(['install', '--global', '--offline', '--prefix', join(here, 'installed'), tarball()], elsewhere);
}, 120_000);

afterAll(() => rmSync(here, { recursive: true, force: true }));

test('the package holds the bundle, its data and its notices, and depends on nothing', () => {
  const files = execFileSync('tar', ['-tzf', tarball()], { encoding: 'utf8' }).trim().split('\n');
  const outside = files.filter(
    (file) => !/^package\/(dist\/|templates\/|schemas\/|(package\.json|README\.md|LICENSE|CHANGELOG\.md)$)/.test(file),
  );
  expect(outside).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(['package/dist/supervisor.js', 'package/dist/THIRD_PARTY_LICENSES.txt', 'package/LICENSE']),
  );
  expect(files.filter((file) => file.startsWith('package/templates/'))).not.toEqual([]);
  expect(readdirSync(join(here, 'installed/lib/node_modules'))).toEqual(['supervisor-cli']);
  expect(existsSync(join(here, 'installed/lib/node_modules/supervisor-cli/node_modules'))).toBe(false);
  expect(statSync(command).mode & 0o111).toBe(0o111);
});

test('the installed command tells its version from any directory', () => {
  const result = run([command, '--version']);
  expect(result).toMatchObject({ status: 0, stderr: '' });
  expect(result.stdout).toMatch(/\b0\.1\.0\b/);
});

test('the installed command examines the machine with an empty home', () => {
  const result = run([command, 'doctor', '--json']);
  // On a busy machine it takes longer than a second, and says so.
  expect(result.stderr.replace('checking the sandbox, the CLIs and the log …\n', '')).toBe('');
  // 5 where this machine lacks something; the report must be complete either way.
  expect([0, 5]).toContain(result.status);
  expect(JSON.parse(result.stdout)).toBeTypeOf('object');
});

test.each([
  ['an old Node', { node: '24.14.1', sqlite: '3.51.2' }],
  ['a newer Node with an older SQLite', { node: '25.0.0', sqlite: '3.50.4' }],
  ['a Node without SQLite', { node: '20.20.2', sqlite: null }],
])('%s is refused in one sentence with exit code 5', (_, versions) => {
  const disguise = `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(versions)} } })`;
  const result = run([
    process.execPath,
    '--import',
    `data:text/javascript,${encodeURIComponent(disguise)}`,
    command,
    '--version',
  ]);
  expectRefusal(result, versions.node);
});

const oldNode = ['/usr/local/bin/node', '/usr/bin/node'].find((path) => existsSync(path) && versionOf(path) < 24.15);
const noOldNode = oldNode === undefined ? 'neither /usr/bin/node nor /usr/local/bin/node is an old one' : null;
test.skipIf(untested('a Node that is really too old', noOldNode))(
  'a really old Node can read the entry and is refused by it',
  () => {
    expectRefusal(
      run([String(oldNode), command, '--version']),
      run([String(oldNode), '--version'])
        .stdout.trim()
        .slice(1),
    );
  },
);

function expectRefusal(result: SpawnSyncReturns<string>, version: string): void {
  expect(result).toMatchObject({ status: 5, stdout: '' });
  expect(result.stderr).toMatch(/^supervisor needs Node\.js 24\.15\.0 or newer[^\n]*\n$/);
  expect(result.stderr).toContain(`this is Node.js ${version} `);
}

function run([program = '', ...args]: string[]): SpawnSyncReturns<string> {
  return spawnSync(program, args, { cwd: elsewhere, env, encoding: 'utf8' });
}

function npm(args: string[], cwd: string): void {
  const cache = { npm_config_cache: join(here, 'npm-cache'), npm_config_update_notifier: 'false' };
  execFileSync('npm', args, { cwd, env: { ...env, ...cache }, stdio: 'pipe' });
}

function tarball(): string {
  return join(here, readdirSync(here).find((file) => file.endsWith('.tgz')) ?? 'no tarball was made');
}

/** 24.15.3 as 24.15; minors below 10 are padded by hand because 24.9 is older than 24.15. */
function versionOf(node: string): number {
  const [major = '0', minor = '0'] = execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1).split('.');
  return Number(`${major}.${minor.padStart(2, '0')}`);
}
