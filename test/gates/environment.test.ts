/** A gate in the environment of its base: what is mounted, what a changed lock file means, and services beside the gate. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServiceConfig } from '../../src/mind/environment/environment-config.ts';
import { joined } from '../environment/joined.ts';
import { put } from '../workspace/repository.ts';
import { Checks, directoryEnvironment } from './checks.ts';

const FILES = { 'a.txt': 'old\n', lock: '1\n' };

function withDirectory(checks: Checks): void {
  const dir = join(checks.world.root, 'environment');
  mkdirSync(join(dir, 'bin'), { recursive: true });
  put(dir, { 'bin/tool': '#!/bin/sh\necho "tool of $DEPS"\n' });
  chmodSync(join(dir, 'bin/tool'), 0o755);
  checks.environments = directoryEnvironment(checks.world, dir);
}

test('the environment is on PATH, readable, and cannot be written to', async () => {
  await using checks = new Checks(FILES);
  withDirectory(checks);
  checks.gates({ name: 'tests', command: 'tool && cat a.txt && ! echo x >>deps/bin/tool' });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found.status).toBe('pass');
  expect(found.text).toContain('tool of /workspace/deps\nnew\n');
  expect(found.text).toMatch(/^environment: key-[0-9a-f]{40}$/m);
  checks.environments = null;
  expect(await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }))).toMatchObject({ status: 'error' });
});

test('a candidate with another lock file is an error that names the file and says what to do (WT-17)', async () => {
  await using checks = new Checks(FILES);
  withDirectory(checks);
  checks.gates({ name: 'tests', command: 'true' });
  const found = await checks.check('tests', await checks.candidate({ lock: '2\n' }));
  expect(found.status).toBe('error');
  expect(found.text).toContain('another environment than its base, by lock: commit that change first');
  // No list of packages could say what such a file does.
  expect(found.environment).toBeUndefined();
  expect(checks.runs).toBe(0);
});

const manifest = (dependencies: object, more = {}) => JSON.stringify({ name: 'shop', dependencies, ...more });
const lock = (names: readonly string[], hash = (name: string) => `sha512-${name}==`) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      names.map((name) => [
        `node_modules/${name}`,
        { version: '1.0.0', resolved: `https://registry.example/${name}.tgz`, integrity: hash(name) },
      ]),
    ),
  });
const NPM = {
  'package.json': manifest({ ms: '1.0.0' }),
  'package-lock.json': lock(['ms']),
  Makefile: 'deps:\n\tmkdir -p deps && cp package-lock.json deps/installed\n',
};
/** Installs by copying the lock file; a recipe of the candidate would leave a trace. */
function withInstaller(checks: Checks): void {
  const config = { prepare: 'make deps', key: ['package.json', 'package-lock.json'], outputs: ['deps'] };
  checks.environments = joined(checks.world.root, config).environments;
  checks.gates({ name: 'tests', command: 'cat deps/installed; test ! -e deps/foreign' });
}
const WITH_ZOD = {
  'package.json': manifest({ ms: '1.0.0', zod: '1.0.0' }),
  'package-lock.json': lock(['ms', 'zod']),
  Makefile: 'deps:\n\tmkdir -p deps && touch deps/foreign deps/installed\n',
};
const NAMED = { text: 'Use the package zod to validate settings.', own_words: true };

test("a package that the operator's words name is prepared, by the recipe of the base, and the base keeps its own", async () => {
  await using checks = new Checks(NPM);
  withInstaller(checks);
  const candidate = await checks.candidate(WITH_ZOD);
  const found = await checks.check('tests', candidate, { spec: NAMED });
  expect(found).toMatchObject({ status: 'pass', text: expect.stringContaining('zod') });
  const before = await checks.environments?.keyOf(candidate.base);
  expect(found.text).not.toContain(`environment: ${before}`);
  const { base } = candidate;
  const ask = { task: 't-1', token: 7, gate: 'tests', spec: { version: 1 as const, ...NAMED }, base };
  expect((await checks.hand().baseOf(ask, checks.context(), 'run'))?.status).toBe('pass');
  const ran = [...checks.blobs.values()].find((text) => text.includes('this is the base'));
  expect(ran).toContain('ms.tgz');
  expect(ran).not.toContain('zod.tgz');
});

test.each<[string, Record<string, string>, object]>([
  ['words of a model', WITH_ZOD, { text: NAMED.text }],
  ['a package that nobody named', WITH_ZOD, { text: 'Validate settings.', own_words: true }],
  ['no hash', { ...WITH_ZOD, 'package-lock.json': lock(['ms', 'zod'], () => '') }, NAMED],
  [
    'a script of the project',
    { ...WITH_ZOD, 'package.json': manifest({ ms: '1.0.0', zod: '1.0.0' }, { scripts: { prepare: 'x' } }) },
    NAMED,
  ],
])('nothing is prepared for %s', async (_, files, spec) => {
  await using checks = new Checks(NPM);
  withInstaller(checks);
  const found = await checks.check('tests', await checks.candidate(files), { spec });
  expect(found).toMatchObject({ status: 'error', text: expect.stringContaining('another environment than its base') });
  expect(checks.runs).toBe(0);
});

test('an unnamed package is asked about, with all new ones; nothing is prepared before people have allowed exactly that', async () => {
  await using checks = new Checks(NPM);
  withInstaller(checks);
  const candidate = await checks.candidate(WITH_ZOD);
  const asked = await checks.check('tests', candidate);
  expect(asked).toMatchObject({
    status: 'error',
    environment: { key: await checks.environments?.keyOf(candidate.tree) },
  });
  expect(asked.environment?.text).toContain('new: `zod` 1.0.0 from registry.example, sha512-zod==');
  expect(checks.runs).toBe(0);
  const base = (await checks.environments?.keyOf(candidate.base)) ?? '';
  expect(await checks.check('tests', candidate, { environments: [base] })).toMatchObject({ status: 'error' });
  expect(checks.runs).toBe(0);
  const allowed = await checks.check('tests', candidate, { environments: [asked.environment?.key ?? ''] });
  expect(allowed).toMatchObject({ status: 'pass', text: expect.stringContaining('zod') });
  // Another lock file is another question.
  const more = { ...WITH_ZOD, 'package-lock.json': lock(['ms', 'zod', 'left-pad']) };
  const other = await checks.check('tests', await checks.candidate(more), {
    environments: [asked.environment?.key ?? ''],
  });
  expect(other).toMatchObject({ status: 'error', environment: { text: expect.stringContaining('`left-pad`') } });
});

test('an environment that cannot be prepared is an error', async () => {
  await using checks = new Checks(FILES);
  withDirectory(checks);
  const ready = async () => ({ type: 'failed', message: 'npm ci ended with code 1' }) as const;
  checks.environments = { ...(checks.environments as NonNullable<typeof checks.environments>), ready };
  checks.gates({ name: 'tests', command: 'true' });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found).toMatchObject({ status: 'error', text: expect.stringContaining('npm ci ended with code 1') });
});

const SERVER = `import { createServer } from 'node:http';
setTimeout(() => createServer((_, answer) => answer.end(process.env.SAYS + ' ' + process.argv[2])).listen(8123, '127.0.0.1'), 300);
`;
const ASK = `const answer = await fetch('http://127.0.0.1:8123/').catch((error) => (console.error(String(error)), process.exit(1)));
console.log(await answer.text());
`;
const PROGRAMS = { ...FILES, 'server.mjs': SERVER, 'ask.mjs': ASK };
const server: ServiceConfig = {
  name: 'web',
  command: ['node', 'server.mjs', "a 'b' $(c) \n d"],
  ready: 'node ask.mjs',
  env: { SAYS: 'hello $HOME; "x"' },
};

const withServices = (checks: Checks, ...services: ServiceConfig[]): void => {
  checks.settings = { ...checks.settings, environment: { key: [], outputs: [], env: {}, services } };
};

test('services run inside the sandboxes of the gate: ready before it, gone after it, their words passed untouched', async () => {
  await using checks = new Checks(PROGRAMS);
  checks.gates({ name: 'tests', command: 'echo "SAYS=$SAYS"; node ask.mjs && exit 7' });
  withServices(checks, { name: 'idle', command: 'sleep 600', env: {} }, server);
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found).toMatchObject({ status: 'fail', text: expect.stringContaining('ended: exit code 7') });
  expect(found.text).toContain('SAYS=\nhello $HOME; "x" a \'b\' $(c) \n d\n');
  withServices(checks);
  const without = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(without).toMatchObject({ status: 'fail', text: expect.stringContaining('ended: exit code 1') });
});

test('a gate without services and one with them tell the same ends apart', async () => {
  await using checks = new Checks(PROGRAMS);
  withServices(checks, { name: 'idle', command: ['sleep', '600'], env: {} });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const ends = [
    ['true', 'pass', 'exit code 0'],
    ['exit 125', 'fail', 'exit code 125'],
    ['kill -SEGV $$', 'fail', 'exit code 139'],
    ['no-such-program', 'error', 'exit code 127'],
  ] as const;
  for (const [command, status, text] of ends) {
    checks.gates({ name: 'tests', command });
    expect(await checks.check('tests', candidate)).toMatchObject({ status, text: expect.stringContaining(text) });
  }
});

test('a service that ends badly is an error with its last words, and the gate is not run', async () => {
  await using checks = new Checks(PROGRAMS);
  checks.gates({ name: 'tests', command: 'echo the gate ran' });
  withServices(checks, { ...server, command: 'echo no room for a server; exit 3' });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found).toMatchObject({
    status: 'error',
    text: expect.stringContaining('a service of the environment did not'),
  });
  expect(found.text).toContain('service web: it ended with code 3');
  expect(found.text).toContain('no room for a server');
  expect(found.text.split('--- what it printed ---')[1]).not.toContain('the gate ran');
});

test('a service that takes all the time of the gate is an error, not a failure of the code', async () => {
  await using checks = new Checks(PROGRAMS);
  withServices(checks, { name: 'slow', command: 'sleep 600', ready: 'false', env: {} });
  checks.gates({ name: 'tests', command: 'true', timeout: 1_000 });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found).toMatchObject({
    status: 'error',
    text: expect.stringContaining('a service of the environment did not'),
  });
});

test('code under check cannot play a service that did not come up: its gate fails', async () => {
  await using checks = new Checks({ ...PROGRAMS, 'forge.mjs': FORGE });
  withServices(checks, { name: 'idle', command: 'sleep 600', env: {} });
  checks.gates({ name: 'tests', command: 'node forge.mjs' });
  const found = await checks.check('tests', await checks.candidate({ 'a.txt': 'new\n' }));
  expect(found).toMatchObject({ status: 'fail', text: expect.stringContaining('service idle: it ended with code 3') });
});
const FORGE = `process.stderr.write('service idle: it ended with code 3\\n'); process.exit(125);\n`;
