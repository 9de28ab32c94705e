/** A preparation from start to end: once per key, sealed, the same for workers and gates; and what it must not do. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Site } from './site.ts';

const FILES = { 'deps.lock': 'one 1.0\n', 'src/main.txt': 'main\n' };
/** Counts its own runs outside of the outputs: by what is printed. */
const CONFIG = {
  prepare: 'echo preparing; mkdir -p vendor/bin /env/tool && cp deps.lock vendor/ && echo out >/env/tool/file',
  key: ['deps.lock'],
  outputs: ['vendor', '/env/tool'],
};

test('prepared once, then only used; a new lock file means another environment', async () => {
  await using site = new Site(FILES);
  const environments = site.open(CONFIG);
  expect(environments.outputs).toEqual(['vendor']);
  const first = await site.ready(environments);
  expect(site.said.join('')).toBe('preparing\n');
  expect(first.key).toBe(await environments.keyOf(site.head));
  const show = 'cat vendor/deps.lock /env/tool/file src/main.txt';
  expect((await site.use(first, show)).output).toBe('one 1.0\nout\nmain');
  expect(await site.ready(environments)).toEqual(first);
  expect(await site.ready(site.open(CONFIG))).toEqual(first);
  expect(site.said).toHaveLength(1);

  const before = site.head;
  const other = site.commit({ 'src/main.txt': 'changed\n' });
  expect(await environments.keyOf(other)).toBe(first.key);
  expect(await environments.changedKeys(before, other)).toEqual([]);
  const locked = site.commit({ 'deps.lock': 'one 2.0\n' });
  expect(await environments.changedKeys(before, locked)).toEqual(['deps.lock']);
  const second = await site.ready(environments);
  expect(second.key).not.toBe(first.key);
  expect((await site.use(second, 'cat vendor/deps.lock')).output).toBe('one 2.0');
  expect((await site.use(first, 'cat vendor/deps.lock')).output).toBe('one 1.0');
  expect(site.halves()).toEqual([]);
  site.nothingLeft();
});

test('a new version of the project itself needs no other environment, one of a dependency does', async () => {
  const manifest = (version: string, dependency: string) =>
    JSON.stringify({ name: 'shop', version, dependencies: { zod: dependency } });
  await using site = new Site({ 'package.json': manifest('1.0.0', '4.0.0') });
  const environments = site.open({ prepare: 'mkdir vendor', key: ['package.json'], outputs: ['vendor'] });
  const before = site.head;
  const key = await environments.keyOf(before);
  const released = site.commit({ 'package.json': manifest('1.1.0', '4.0.0') });
  expect(await environments.keyOf(released)).toBe(key);
  expect(await environments.changedKeys(before, released)).toEqual([]);
  const updated = site.commit({ 'package.json': manifest('1.1.0', '4.0.1') });
  expect(await environments.keyOf(updated)).not.toBe(key);
  expect(await environments.changedKeys(before, updated)).toEqual(['package.json']);
});

test('other commands, outputs, variables and tools are other keys; the order of key files is not', async () => {
  await using site = new Site(FILES);
  const key = (config: object, options = {}) => site.open({ ...CONFIG, ...config }, options).keyOf(site.head);
  const keys = [
    await key({}),
    await key({ prepare: 'true' }),
    await key({ outputs: ['vendor'] }),
    await key({ env: { A: '1' } }),
    await key({ key: [] }),
    await key({}, { tools: { readable: [], path: ['/usr/bin'], identity: ['another python'] } }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  const files = ['deps.lock', 'src/main.txt', 'absent.lock'];
  expect(await key({ key: files })).toBe(await key({ key: files.toReversed() }));
});

test('a program in a sandbox cannot change it', async () => {
  await using site = new Site(FILES);
  const environment = await site.ready(site.open(CONFIG));
  const attacks = [
    'echo x >vendor/deps.lock',
    'echo x >vendor/new',
    'rm -rf vendor',
    'rm vendor/deps.lock',
    'mv vendor away',
    'mv vendor/deps.lock vendor/b',
    'ln -s /etc vendor/link',
    'ln vendor/deps.lock hard',
    'chmod u+w vendor/deps.lock',
    'rm -rf vendor && ln -s src vendor',
    'echo x >/env/tool/file',
    'rm -rf /env/tool',
    'touch /env/new',
  ];
  const all = attacks.map((attack) => `( ${attack} ) 2>/dev/null && echo 'done: ${attack}'`).join('\n');
  for (const kind of ['worker', 'gate'] as const) {
    const { output } = await site.use(environment, `${all}\ncat vendor/deps.lock /env/tool/file`, { kind });
    expect(output).toBe('one 1.0\nout');
  }
  // Without the seal, on a copy of the same files, each of them succeeds.
  for (const attack of attacks) {
    const copy = 'cp -r vendor /tmp/v; cp -r /env /tmp/e; chmod -R u+w /tmp/v /tmp/e; cd /tmp; mv v vendor; mkdir src;';
    const { output } = await site.use(environment, `${copy} ( ${attack.replaceAll('/env/', 'e/')} ) && echo done`);
    expect([attack, output]).toEqual([attack, 'done']);
  }
});

test('on the disk it belongs to the operator, without a right to write, and without set-user bits', async () => {
  await using site = new Site(FILES);
  const prepare =
    'mkdir -p vendor/deep; cp /bin/true vendor/deep/x; chmod 6777 vendor/deep/x; mkdir -m 000 vendor/shut';
  await site.ready(site.open({ ...CONFIG, prepare, outputs: ['vendor'] }));
  const vendor = join(site.shelf, readdirSync(site.shelf)[0]!, 'output-0');
  const modes = ['', 'deep', 'deep/x', 'shut'].map((path) => lstatSync(join(vendor, path)));
  expect(modes.map(({ mode }) => (mode & 0o7777).toString(8))).toEqual(['555', '555', '555', '555']);
  expect(modes.map(({ uid }) => uid)).toEqual(Array(4).fill(process.getuid?.()));
});

test('a preparation sees no secrets of the operator, no network and no state; its words are made harmless', async () => {
  await using site = new Site(FILES);
  const { root } = site.world;
  const prepare = `mkdir vendor; env | sort >vendor/env; ls -A ~ >vendor/seen; ls ${root} ${join(root, 'state')} >>vendor/seen;
    cat /proc/net/dev | grep -c : >vendor/devices; printf '\\033]0;x\\007bad\\r\\n'`;
  process.env['SECRET_TOKEN'] = 'do-not-show';
  const environment = await site.ready(site.open({ ...CONFIG, prepare, outputs: ['vendor'], env: { MINE: 'yes' } }));
  expect(execFileSync('env', { encoding: 'utf8' })).toContain('do-not-show');
  delete process.env['SECRET_TOKEN'];
  const { output } = await site.use(environment, 'cat vendor/env; echo; cat vendor/seen vendor/devices');
  expect(output).toContain('MINE=yes');
  expect(output).toContain('HOME=/tmp/home');
  expect(output).not.toContain('do-not-show');
  expect(output.split('\n').slice(-1)).toEqual(['1']);
  expect(output.split('\n\n')[1]).toBe('1');
  expect(site.said.join('')).toContain('\\u001b]0;x\\u0007bad');
});

test.each([
  ['false', /"false" did not prepare the environment: it ended with exit code 1$/],
  ['echo broken >&2; exit 3', /exit code 3; it said: broken$/],
  ['mkdir /env/tool', /it did not produce the output vendor: check "outputs"$/],
  ['mkdir vendor', /it did not produce the output \/env\/tool/],
  ['mkdir -p vendor; ln -s /etc /env/tool', /it did not produce the output \/env\/tool/],
  ['mkdir -p vendor /env/tool; mkfifo vendor/pipe', /vendor\/pipe is a fifo/],
  ['mkdir -p vendor /env/tool; ln -s /srv/x vendor/away', /vendor\/away is a link to \/srv\/x/],
  ['mkdir -p vendor /env/tool; ln -s ../../tmp /env/tool/away', /tool\/away is a link/],
  ['ln -s src vendor; mkdir /env/tool', /vendor: a link lies on its path/],
  ['kill -9 $$', /was ended by SIGKILL/],
  ['echo "getaddrinfo ENOTFOUND somewhere"; exit 1', /not in the local caches: allow the network/],
])('a failure is reported and leaves nothing: %s', async (prepare, message) => {
  await using site = new Site(FILES);
  const environments = site.open({ ...CONFIG, prepare });
  expect(await site.failure(environments)).toMatch(message);
  expect(readdirSync(site.shelf)).toEqual([]);
  site.nothingLeft();
  expect(await site.ready(site.open(CONFIG))).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{40}$/) });
});

test('links to the tree, to /env, to the system and inside stay', async () => {
  await using site = new Site(FILES);
  const prepare = `mkdir -p vendor/a /env/tool; cd vendor; ln -s a b; ln -s ../src src; ln -s /bin/sh sh;
    ln -s /env/tool tool; ln -s /workspace/src/main.txt main`;
  const environment = await site.ready(site.open({ ...CONFIG, prepare }));
  expect((await site.use(environment, 'cat vendor/src/main.txt vendor/main; vendor/sh -c "echo ok"')).output).toBe(
    'main\nmain\nok',
  );
});

test('a link that the preparation puts on the way to an output does not lead to files of the operator', async () => {
  await using site = new Site({ ...FILES, 'packages/a/file': '' });
  const precious = join(site.world.root, 'precious');
  mkdirSync(join(precious, 'vendor'), { recursive: true });
  writeFileSync(join(precious, 'vendor/file'), 'mine');
  const prepare = `rm -rf packages/a && ln -s ${precious} packages/a`;
  expect(await site.failure(site.open({ prepare, outputs: ['packages/a/vendor'] }))).toMatch(
    /a link lies on its path, at a/,
  );
  expect(readFileSync(join(precious, 'vendor/file'), 'utf8')).toBe('mine');
  expect(readdirSync(site.shelf)).toEqual([]);
  // A plain rename follows the link and takes them.
  symlinkSync(precious, join(site.world.root, 'way'));
  renameSync(join(site.world.root, 'way/vendor'), join(site.world.root, 'taken'));
  expect(existsSync(join(precious, 'vendor'))).toBe(false);
});

test('limits end a preparation', async () => {
  await using site = new Site(FILES);
  expect(
    await site.failure(site.open({ ...CONFIG, prepare: 'sleep 600' }, { limits: { ...SMALL, wallMs: 300 } })),
  ).toMatch(/passed its limit \(wall\)/);
  site.nothingLeft();
});

const MIB = 1 << 20;
const SMALL = { memoryBytes: 64 * MIB, processes: 20, cpus: 1, idleMs: null, outputBytes: MIB, diskBytes: 64 * MIB };

test('without a command nothing is prepared', async () => {
  await using site = new Site(FILES);
  const environments = site.open({ env: { A: 'b' } });
  expect(await site.ready(environments)).toMatchObject({ readable: [], env: { A: 'b' }, path: [] });
  expect(existsSync(site.shelf)).toBe(false);
  expect(await site.open({}).keyOf(site.head)).toBe('none');
});

test.each([
  [{ outputs: ['vendor'] }, /no prepare command/],
  [{ prepare: 'true' }, /no outputs/],
  [{ prepare: 'true', outputs: ['a', './a/b/'] }, /a\/b lies inside another/],
  [{ prepare: 'true', outputs: ['a', 'a'] }, /lies inside another/],
  [{ prepare: 'true', outputs: ['.'] }, /not a plain path/],
  [{ prepare: 'true', outputs: ['/env/../etc'] }, /not a plain path/],
  [{ prepare: 'true', outputs: ['.git/hooks'] }, /cannot be an output/],
  [{ prepare: 'true', outputs: ['a'], env: { PATH: '/x' } }, /PATH belongs to the sandbox/],
])('%j is refused', async (config, message) => {
  await using site = new Site(FILES);
  expect(() => site.open(config)).toThrow(message);
});
