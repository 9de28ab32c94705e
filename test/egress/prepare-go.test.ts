/** Go modules: from the cache, and through the proxy from the operator's own GOPROXY when the cache lacks one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { insidePrograms } from '../../src/hands/egress/inside-programs.ts';
import { EgressProxies } from '../../src/hands/egress/proxies.ts';
import { registriesOf } from '../../src/hands/environment/registries.ts';
import { tools } from '../environment/joined.ts';
import { Site } from '../environment/site.ts';

/** A small program that prints what Go prints; Go itself is on few of the machines that run these tests. */
const GO = fileURLToPath(new URL('../fixtures/programs/go-like', import.meta.url));
const FILES = { 'go.mod': 'module demo\nrequire example.com/dep v1.0.0\n', 'go.sum': '' };
const CONFIG = {
  prepare: 'go mod download',
  key: ['go.mod', 'go.sum'],
  outputs: ['/env/go'],
  env: { GOMODCACHE: '/env/go' },
};

function chain() {
  const found = tools();
  return { ...found, readable: [...found.readable, { from: GO, to: GO }], path: [GO, ...found.path] };
}

/** The operator's Go uses a proxy on this machine. */
async function withProxy(use: (site: Site, open: (caches?: string) => ReturnType<Site['open']>) => Promise<void>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('from the proxy');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await using site = new Site(FILES);
    await using egress = new EgressProxies({
      dir: join(site.world.root, 'e'),
      log: () => {},
      resolve: async () => ['127.0.0.1'],
    });
    const proxy = `http://modules.test:${(server.address() as AddressInfo).port}`;
    const path = [GO, ...tools().path].join(':');
    const operator = {
      home: site.world.root,
      path,
      variable: (name: string) => (name === 'GOPROXY' ? proxy : undefined),
    };
    const wayOut = {
      egress,
      registries: (command: string) => registriesOf(operator, command),
      inside: insidePrograms(),
    };
    await use(site, (cache) =>
      site.open(CONFIG, {
        wayOut,
        tools: chain(),
        caches: cache === undefined ? [] : [{ kind: 'go', from: cache }],
      }),
    );
    expect(asked.every((url) => url === '/example.com/dep/@v/v1.0.0.mod')).toBe(true);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('a module that no cache has comes through the proxy', async () => {
  await withProxy(async (site, open) => {
    const environment = await site.ready(open());
    expect((await site.use(environment, 'cat /env/go/dep.mod')).output).toBe('from the proxy');
    expect(site.said.join('')).toMatch(/module lookup disabled by GOPROXY=off[\s\S]*asking the registries/);
  });
});

test('so does one that a cache of others lacks; one that it has needs no proxy', async () => {
  await withProxy(async (site, open) => {
    const cache = join(site.world.root, 'cache');
    mkdirSync(cache);
    const environment = await site.ready(open(cache));
    expect((await site.use(environment, 'cat /env/go/dep.mod')).output).toBe('from the proxy');
    expect(site.said.join('')).toMatch(/reading file:.*no such file or directory[\s\S]*asking the registries/);
  });
  await withProxy(async (site, open) => {
    const cache = join(site.world.root, 'cache');
    mkdirSync(join(cache, 'example.com/dep/@v'), { recursive: true });
    writeFileSync(join(cache, 'example.com/dep/@v/v1.0.0.mod'), '');
    const environment = await site.ready(open(cache));
    expect((await site.use(environment, 'cat /env/go/dep.mod')).output).toBe('from the cache');
    expect(site.said.join('')).not.toContain('asking the registries');
  });
});

test('without a way out, it names what is missing', async () => {
  await using site = new Site(FILES);
  expect(await site.failure(site.open(CONFIG, { tools: chain() }))).toMatch(
    /it said: go: example\.com\/dep@v1\.0\.0: module lookup disabled by GOPROXY=off; a package is not in the local caches/,
  );
});
