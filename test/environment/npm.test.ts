/** Node projects: installed from the operator's cache without network, from a registry with it, and tools that write into node_modules. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCaches } from '../../src/hands/environment/find-caches.ts';
import { environmentConfig } from '../../src/mind/environment/environment-config.ts';
import { remove } from '../support/remove.ts';
import { tools } from './joined.ts';
import { Site } from './site.ts';

let dir = '';
let tarball = '';
const home = () => join(dir, 'home');

/** A package with a command and a script of its own, in a cache as npm fills it, beside settings that hold a token. */
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-npm-'));
  const source = join(dir, 'tiny-dep');
  mkdirSync(source);
  const manifest = {
    name: 'tiny-dep',
    version: '1.0.0',
    bin: { tiny: 'tiny.js' },
    scripts: { postinstall: 'touch ran' },
  };
  writeFileSync(join(source, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(source, 'tiny.js'), '#!/usr/bin/env node\nconsole.log("tiny works");\n');
  mkdirSync(home());
  writeFileSync(join(home(), '.npmrc'), '//localhost/:_authToken=do-not-show\n');
  npm(source, 'pack', '--silent', '--pack-destination', dir);
  tarball = join(dir, 'tiny-dep-1.0.0.tgz');
  npm(dir, 'cache', 'add', `file:${tarball}`);
});

afterAll(() => remove(dir));

function npm(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home(), npm_config_update_notifier: 'false' };
  execFileSync('npm', args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

const CONFIG = { prepare: 'npm ci', key: ['package-lock.json'], outputs: ['node_modules'] };

function files(registry: string) {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const top = { name: 'demo', version: '1.0.0', dependencies: { 'tiny-dep': '1.0.0' } };
  const dep = {
    version: '1.0.0',
    resolved: `${registry}/tiny-dep/-/tiny-dep-1.0.0.tgz`,
    integrity,
    hasInstallScript: true,
    bin: { tiny: 'tiny.js' },
  };
  const lock = {
    name: 'demo',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': top, 'node_modules/tiny-dep': dep },
  };
  return { 'package.json': JSON.stringify(top), 'package-lock.json': JSON.stringify(lock) };
}

test('npm ci without network, from the cache, which stays as it is; no script of a package runs', async () => {
  await using site = new Site(files('https://registry.invalid'));
  const caches = findCaches(home(), {});
  expect(caches).toEqual([{ kind: 'npm', from: join(home(), '.npm/_cacache') }]);
  const environment = await site.ready(site.open(CONFIG, { caches }));
  expect(environment.path).toEqual(['/workspace/node_modules/.bin']);
  const { output } = await site.use(environment, 'tiny; npx --no tiny; ls node_modules/tiny-dep');
  expect(output).toBe('tiny works\ntiny works\npackage.json\ntiny.js');
  site.nothingLeft();

  const scripts = { ...CONFIG, env: { npm_config_ignore_scripts: 'false' } };
  const allowed = await site.ready(site.open(scripts, { caches }));
  expect((await site.use(allowed, 'ls node_modules/tiny-dep')).output).toContain('ran');
});

test('without the cache the same is a clear failure; the settings with a token are never there', async () => {
  await using site = new Site(files('https://registry.invalid'));
  expect(await site.failure(site.open(CONFIG))).toMatch(/"npm ci" did not prepare.*not in the local caches.*--network/);
  const prepare = `mkdir node_modules; npm config ls -l >node_modules/all;
    cat ~/.npmrc ${home()}/.npmrc >node_modules/found 2>/dev/null; ls node_modules`;
  const environment = await site.ready(site.open({ ...CONFIG, prepare }, { caches: findCaches(home(), {}) }));
  const { output } = await site.use(environment, 'cat node_modules/found node_modules/all');
  expect(output).toContain('registry =');
  expect(output).not.toMatch(/do-not-show|authToken/);
});

test('a lock file that is not in sync: the message has the first error, not the last lines of help', async () => {
  const top = { name: 'demo', version: '1.0.0' };
  const lock = { ...top, lockfileVersion: 3, packages: { '': top } };
  await using site = new Site({
    'package.json': JSON.stringify({ ...top, dependencies: { own: 'file:own' } }),
    'package-lock.json': JSON.stringify(lock),
    'own/package.json': JSON.stringify({ name: 'own', version: '1.0.0' }),
  });
  const failure = await site.failure(site.open(CONFIG));
  expect(failure).toMatch(/it said: npm error code EUSAGE \| npm error `npm ci` can only install .* are in sync/);
  // That is all of it: no registry could help.
  expect(failure).not.toMatch(/complete log|local caches/);
});

test('with the network allowed it comes from a registry, and the cache is not shown', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(readFileSync(tarball));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await using site = new Site(files(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    const caches = findCaches(home(), {});
    const env = { npm_config_replace_registry_host: 'never' };
    await site.ready(site.open({ ...CONFIG, env }, { caches, network: true }));
    expect(asked).toEqual(['/tiny-dep/-/tiny-dep-1.0.0.tgz']);
    // The same without the operator's word reaches nobody.
    expect(
      await site.failure(
        site.open({ ...CONFIG, env: { ...env, npm_config_offline: 'false', npm_config_fetch_retries: '0' } }),
      ),
    ).toMatch(/did not prepare/);
    expect(asked).toHaveLength(1);
  } finally {
    server.close();
  }
});

test('vitest runs over a sealed node_modules: what it writes there is temporary', async () => {
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const config =
    "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { include: ['*.test.ts'] } });\n";
  const one = "import { expect, test } from 'vitest';\ntest('one', () => expect(1 + 1).toBe(2));\n";
  await using site = new Site({
    'package.json': '{"type":"module"}',
    'vitest.config.ts': config,
    'one.test.ts': one,
  });
  const copy = join(dir, 'modules');
  const skip = /node_modules\/(?:\.vite|\.cache|typescript|@typescript|@biomejs|@secretlint|fast-check)/;
  cpSync(modules, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !skip.test(path) });
  const chain = tools();
  const options = { tools: { ...chain, readable: [...chain.readable, { from: copy, to: '/modules' }] } };
  const environment = await site.ready(
    site.open({ prepare: 'cp -r /modules node_modules', key: ['package.json'], outputs: ['node_modules'] }, options),
  );
  const run = await site.use(environment, 'vitest run');
  expect(run.output).toMatch(/Tests\s+1 passed/);
  expect(run.output).not.toMatch(/could not|EROFS|ENOENT/);
  expect(run.end).toEqual({ how: 'exit', code: 0 });
  // Without a place to write to, it does not even start.
  const without = await site.use({ ...environment, temporary: [] }, 'vitest run');
  expect(without.output).toMatch(/Startup Error/);
});

test('the schema takes what these tests use', async () => {
  const { parse } = await import('valibot');
  expect(parse(environmentConfig, CONFIG)).toMatchObject(CONFIG);
});
