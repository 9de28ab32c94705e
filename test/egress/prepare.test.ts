/** Preparations through the proxy: the operator's registries can be reached, nothing else, and the gate then has no network. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insidePrograms } from '../../src/hands/egress/inside-programs.ts';
import { EgressProxies } from '../../src/hands/egress/proxies.ts';
import type { RegistryAccess } from '../../src/hands/environment/prepare.ts';
import { registriesOf } from '../../src/hands/environment/registries.ts';
import { registriesIn } from '../../src/mind/environment/registries.ts';
import { Site } from '../environment/site.ts';
import { writeWheel } from '../support/wheel.ts';

const operator = { home: homedir(), path: process.env['PATH'] ?? '', variable: (name: string) => process.env[name] };
const NOTHING = { allow: [], env: {}, files: [], readable: [] };

type Logged = { readonly message: string; readonly facts: Readonly<Record<string, unknown>> };

function wayOut(site: Site, registries: RegistryAccess['registries'], resolve?: (host: string) => Promise<string[]>) {
  const logged: Logged[] = [];
  const egress = new EgressProxies({
    dir: join(site.world.root, 'e'),
    log: (_, message, facts = {}) => logged.push({ message, facts }),
    ...(resolve === undefined ? {} : { resolve }),
  });
  return { logged, wayOut: { egress, registries, inside: insidePrograms() } satisfies RegistryAccess };
}

// A registry may take its time, and a slow answer of it is no fault of ours: it is asked again.
const PATIENT = { timeout: 240_000, retry: 2 };

test(
  'a real npm project comes from the registry that npm uses here, and runs in a gate without network',
  PATIENT,
  async () => {
    const manifest = { name: 'demo', version: '1.0.0', dependencies: { 'is-odd': '3.0.1' } };
    await using site = new Site({ 'package.json': JSON.stringify(manifest) });
    const config = { prepare: 'npm install --no-package-lock', key: ['package.json'], outputs: ['node_modules'] };
    const asked = await registriesOf(operator, config.prepare);
    expect(asked.allow.length).toBeGreaterThan(0);
    const out = wayOut(site, async () => asked);
    const environment = await site.ready(site.open(config, { wayOut: out.wayOut }));
    const gate = await site.use(
      environment,
      `node -e "console.log(require('is-odd')(3))"; npm view is-odd --fetch-retries=0 2>&1 | tail -1`,
    );
    expect(gate.output).toMatch(/^true\n/);
    expect(gate.output).not.toContain('3.0.1');
    const places = out.logged.filter(({ message }) => message === 'egress_allowed').map(({ facts }) => facts['host']);
    expect(asked.allow.map(({ host }) => host)).toEqual(expect.arrayContaining(places));
    expect(places.length).toBeGreaterThan(0);
    site.nothingLeft();

    // The control: without the registry on the list the same is refused, and said so.
    const closed = wayOut(site, async () => ({ ...asked, allow: [] }));
    const failure = await site.failure(
      site.open({ ...config, prepare: `${config.prepare} --fetch-retries=0` }, { wayOut: closed.wayOut }),
    );
    expect(failure).toMatch(/did not prepare.*not reached: .*not on the list.*egress\.prepare/);
  },
);

test('a real pip project comes from an index, through the proxy alone', async () => {
  await using site = new Site({ 'requirements.txt': 'tiny-dep==1.0\n' });
  const dir = join(site.world.root, 'wheels');
  mkdirSync(dir);
  const name = 'tiny_dep-1.0-py3-none-any.whl';
  writeWheel(dir, 'def word():\n    return "from the wheel"\n');
  const wheel = join(dir, name);
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    if (request.url === `/files/${name}`) response.end(readFileSync(wheel));
    else response.writeHead(200, { 'content-type': 'text/html' }).end(`<a href="/files/${name}">${name}</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const registries = registriesIn({
      ...{ npm: null, go: null },
      pip: { config: `global.index-url='http://me:secret@packages.test:${port}/simple'\n`, help: '' },
    });
    expect(JSON.stringify(registries)).not.toContain('secret');
    const out = wayOut(
      site,
      async () => ({ ...NOTHING, ...registries }),
      async () => ['127.0.0.1'],
    );
    const config = {
      prepare: 'python3 -m venv /env/venv && /env/venv/bin/pip install -q -r requirements.txt',
      key: ['requirements.txt'],
      outputs: ['/env/venv'],
      env: { PIP_TRUSTED_HOST: 'packages.test' },
    };
    const environment = await site.ready(site.open(config, { wayOut: out.wayOut }));
    const gate = await site.use(environment, 'python3 -c "import tiny_dep; print(tiny_dep.word())"');
    expect(gate.output).toBe('from the wheel');
    expect(heard).toEqual(['GET /simple/tiny-dep/', `GET /files/${name}`]);
    expect(out.logged.filter(({ message }) => message === 'egress_denied')).toEqual([]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('scripts of packages run only by the project’s word', async () => {
  await using site = new Site({
    'package.json': JSON.stringify({ name: 'demo', version: '1.0.0', dependencies: { own: 'file:own' } }),
    'own/package.json': JSON.stringify({ name: 'own', version: '1.0.0', scripts: { install: 'echo ran >ran' } }),
  });
  const config = {
    prepare: 'npm install --install-links --no-package-lock',
    key: ['package.json'],
    outputs: ['node_modules'],
  };
  const quiet = await site.ready(site.open(config));
  expect((await site.use(quiet, 'ls node_modules/own')).output).toBe('package.json');
  const loud = await site.ready(site.open({ ...config, scripts: true }));
  expect(loud.key).not.toBe(quiet.key);
  expect((await site.use(loud, 'ls node_modules/own')).output).toBe('package.json\nran');
});

test('the output of the managers is read; credentials and directories of users are not taken over', () => {
  const npm = JSON.stringify({
    ...{
      registry: 'https://me:word@npm.test/repo/',
      '@team:registry': 'http://team.test:4873/',
      '//npm.test/:_authToken': 'x',
    },
    cafile: null,
  });
  const found = registriesIn({
    npm,
    pip: {
      config: "global.extra-index-url='https://more.test/simple file:///srv'\n",
      help: 'Index (default\n   https://pip.test/simple).',
    },
    go: 'https://go.test,direct\nsum.test\n',
  });
  expect(found.allow.map(({ host, port }) => `${host}:${port}`)).toEqual([
    ...['npm.test:443', 'team.test:4873', 'pip.test:443', 'more.test:443', 'go.test:443', 'sum.test:443'],
  ]);
  expect(found.env).toEqual({
    PIP_INDEX_URL: 'https://pip.test/simple',
    PIP_EXTRA_INDEX_URL: 'https://more.test/simple',
    GOPROXY: 'https://go.test',
    GOSUMDB: 'sum.test',
  });
  expect(found.files).toEqual([
    { path: '/tmp/home/.npmrc', text: 'registry=https://npm.test/repo/\n@team:registry=http://team.test:4873/\n' },
  ]);
  expect(JSON.stringify(found)).not.toMatch(/word|authToken/);
  expect(registriesIn({ npm: 'nonsense', pip: null, go: null })).toEqual({ allow: [], env: {}, files: [] });
});

test('the operator’s own npm is asked, not the project’s', async () => {
  await using site = new Site({ '.npmrc': 'registry=https://evil.test/\n' });
  const home = join(site.world.root, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.npmrc'), 'registry=https://own.test/npm/\n//own.test/npm/:_authToken=secret\n');
  const found = await registriesOf({ home, path: operator.path, variable: () => undefined }, 'npm ci');
  expect(found.allow).toEqual([{ host: 'own.test', port: 443, private: true }]);
  expect(JSON.stringify(found)).not.toMatch(/secret|evil/);
});
