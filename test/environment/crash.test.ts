/** Killed, stopped, at the same time as another, tampered with: what is used is always whole, and nothing is left. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { sha256 } from '../../src/kernel/hash.ts';
import { canonicalJson } from '../../src/kernel/json.ts';
import { thisProcess } from '../../src/os/machine/identity.ts';
import { joined } from './joined.ts';
import { Site } from './site.ts';

const PROGRAM = fileURLToPath(new URL('prepare-program.ts', import.meta.url));
const FILES = { 'deps.lock': 'one\n' };
const QUICK = 'echo preparing; mkdir vendor; cp deps.lock vendor/';
const UNTIL_GO = 'until [ -e go ]; do sleep 0.05; done';
const config = (prepare: string) => ({ prepare, key: ['deps.lock'], outputs: ['vendor'] });

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function supervisor(site: Site, prepare: string) {
  const child = spawn(process.execPath, [PROGRAM, site.world.root, prepare], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += bytes;
  });
  children.push(child);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, exited, said: () => said };
}

/** Lets a preparation go on that waits for it. */
function go(site: Site): void {
  const [tree = ''] = readdirSync(join(site.world.root, 'state/workspaces/demo'));
  writeFileSync(join(site.world.root, 'state/workspaces/demo', tree, 'tree/go'), '');
}

test('killed in the middle: its half-made output is not used, and the next preparation removes it', async () => {
  await using site = new Site(FILES);
  const slow = 'echo preparing; mkdir vendor; echo half >vendor/deps.lock; sleep 30; cp deps.lock vendor/';
  const running = supervisor(site, slow);
  await expect.poll(running.said, { timeout: 120_000 }).toContain('preparing');
  running.child.kill('SIGKILL');
  await running.exited;
  expect(site.halves().map((name) => name.replace(/[0-9a-f]{12,}/g, '…'))).toEqual(['….lock', 'making-…-…']);
  const { sandbox, workspaces } = joined(site.world.root, {});
  await sandbox.sweep();
  const environments = site.open(config(slow.replace('sleep 30', 'true')));
  const environment = await site.ready(environments);
  expect((await site.use(environment, 'cat vendor/deps.lock')).output).toBe('one');
  expect(site.halves()).toEqual([]);
  await workspaces.sweep(() => false, false);
  await workspaces.close();
  site.nothingLeft();
});

test('killed at any moment of a preparation: afterwards it is whole or not there', async () => {
  await using site = new Site(FILES);
  const { sandbox } = joined(site.world.root, {});
  for (const delay of [0, 80, 160, 240, 320, 480]) {
    const running = supervisor(site, QUICK);
    await expect.poll(running.said, { timeout: 120_000 }).toContain('starting');
    await sleep(delay);
    running.child.kill('SIGKILL');
    await running.exited;
    await sandbox.sweep();
    const environment = await site.ready(site.open(config(QUICK)));
    expect((await site.use(environment, 'cat vendor/deps.lock; ls vendor')).output).toBe('one\ndeps.lock');
    // Killed before it could say whose it is, or just after: such a one is left alone for a minute, which is over then.
    for (const name of site.halves()) utimesSync(join(site.shelf, name), 0, 0);
    await site.open(config(QUICK)).sweep(new Set(), false);
    expect(readdirSync(site.shelf)).toEqual([]);
  }
});

test('two processes at once prepare once', async () => {
  await using site = new Site(FILES);
  const prepare = `echo preparing; ${UNTIL_GO}; mkdir vendor`;
  const first = supervisor(site, prepare);
  await expect.poll(first.said, { timeout: 120_000 }).toContain('preparing');
  const second = supervisor(site, prepare);
  await expect.poll(second.said, { timeout: 120_000 }).toContain('waiting for it');
  expect(second.said()).toContain(`process ${first.child.pid} prepares the same environment: waiting for it\n`);
  go(site);
  await Promise.all([first.exited, second.exited]);
  const keys = [first, second].map(({ said }) => said().trim().split('\n').at(-1));
  expect(keys[0]).toMatch(/^[0-9a-f]{40}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(second.said()).not.toContain('preparing');
  expect(site.halves()).toEqual([]);
  site.nothingLeft();
});

test('several callers in one process prepare once; it is stopped when the last of them leaves', async () => {
  await using site = new Site(FILES);
  const environments = site.open(config(`${QUICK}; ${UNTIL_GO}`));
  const leaving = new AbortController();
  const callers = [site.ready(environments), site.ready(environments), site.failure(environments, leaving.signal)];
  await expect.poll(() => site.said.join(''), { timeout: 120_000 }).toContain('preparing');
  leaving.abort();
  const early = await Promise.race(callers);
  expect(early).toBe('preparing the environment was stopped');
  go(site);
  const [first, second] = await Promise.all(callers);
  expect(second).toEqual(first);
  expect(readdirSync(site.shelf)).toHaveLength(1);

  site.commit({ 'deps.lock': 'two\n' });
  const stop = new AbortController();
  const slow = site.open(config('echo begun; mkdir vendor; sleep 60'));
  site.said.length = 0;
  const failures = [1, 2].map(() => site.failure(slow, stop.signal));
  await expect.poll(() => site.said.join(''), { timeout: 120_000 }).toContain('begun');
  stop.abort();
  expect(await Promise.all(failures)).toEqual(Array(2).fill('preparing the environment was stopped'));
  expect(readdirSync(site.shelf)).toHaveLength(1);
  site.nothingLeft();
  // Stopped before it began.
  expect(await site.failure(slow, AbortSignal.abort())).toBe('preparing the environment was stopped');
});

test('a manifest that was changed, or belongs elsewhere, means: prepared again', async () => {
  await using site = new Site(FILES);
  const environments = site.open(config(QUICK));
  const { key } = await site.ready(environments);
  const place = join(site.shelf, key, 'manifest.json');
  const whole = JSON.parse(readFileSync(place, 'utf8')) as { manifest: Record<string, unknown>; check: string };
  const changes = [
    () => rmSync(place),
    () => writeFileSync(place, '{"manifest":'),
    () => writeFileSync(place, JSON.stringify({ ...whole, manifest: { ...whole.manifest, path: ['/tmp'] } })),
    () => {
      const manifest = { ...whole.manifest, key: 'another' };
      writeFileSync(place, JSON.stringify({ manifest, check: sha256(canonicalJson(manifest)) }));
    },
    () => renameSync(join(site.shelf, key, 'output-0'), join(site.shelf, key, 'output-1')),
  ];
  for (const change of changes) {
    change();
    site.said.length = 0;
    const environment = await site.ready(environments);
    expect(site.said).toEqual(['preparing\n']);
    expect((await site.use(environment, 'cat vendor/deps.lock')).output).toBe('one');
  }
  await site.ready(environments);
  expect(site.said).toHaveLength(1);
});

test('after a restart of the machine everything is looked at once: a file that lost its end is noticed', async () => {
  await using site = new Site(FILES);
  const environments = site.open(config(QUICK));
  const { key } = await site.ready(environments);
  const restarted = () => {
    const place = join(site.shelf, key, 'manifest.json');
    const { manifest } = JSON.parse(readFileSync(place, 'utf8')) as { manifest: Record<string, unknown> };
    const before = { ...manifest, boot: 'before' };
    writeFileSync(place, JSON.stringify({ manifest: before, check: sha256(canonicalJson(before)) }));
  };
  restarted();
  await site.ready(environments);
  expect(site.said).toHaveLength(1);
  restarted();
  const sealed = join(site.shelf, key, 'output-0/deps.lock');
  chmodSync(sealed, 0o600);
  writeFileSync(sealed, '');
  await site.ready(environments);
  expect(site.said).toHaveLength(2);
});

test('a lock of a process that is gone is taken over, also when its number was given to another', async () => {
  await using site = new Site(FILES);
  const environments = site.open(config(QUICK));
  const { key } = await site.ready(environments);
  await environments.sweep(new Set(), false);
  for (const owner of [
    { ...thisProcess(), pid: 2 ** 22 - 1 },
    { ...thisProcess(), started: '1' },
    { ...thisProcess(), boot: 'before' },
  ]) {
    writeFileSync(join(site.shelf, `${key}.lock`), JSON.stringify(owner));
    await site.ready(environments);
    await environments.sweep(new Set(), false);
    expect(readdirSync(site.shelf)).toEqual([]);
  }
  // One of a process that lives is waited for.
  writeFileSync(join(site.shelf, `${key}.lock`), JSON.stringify(thisProcess()));
  expect(await site.failure(environments, AbortSignal.timeout(400))).toBe('preparing the environment was stopped');
});

test('a sweep removes what no key needs and what dead processes left, and only says so in a dry run', async () => {
  await using site = new Site(FILES);
  const environments = site.open(config(QUICK));
  const { key: first } = await site.ready(environments);
  site.commit({ 'deps.lock': 'two\n' });
  const { key: second } = await site.ready(environments);
  const left = join(site.shelf, `making-${first}-x`);
  writeFileSync(left, JSON.stringify({ ...thisProcess(), boot: 'before' }));
  const fresh = join(site.shelf, `making-${first}-y`);
  writeFileSync(fresh, '');
  const gone = [left, join(site.shelf, first)];
  expect(await environments.sweep(new Set([second]), true)).toEqual(gone);
  expect(gone.every((path) => existsSync(path))).toBe(true);
  expect(await environments.sweep(new Set([second]), false)).toEqual(gone);
  expect(readdirSync(site.shelf).sort()).toEqual([second, `making-${first}-y`].sort());
  utimesSync(fresh, 0, 0);
  expect(await environments.sweep(new Set([second]), false)).toEqual([fresh]);
  expect((await site.use(await site.ready(environments), 'cat vendor/deps.lock')).output).toBe('two');
});
