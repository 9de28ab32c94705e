/** The same gate on the same tree in the same environment runs once; if its record has any fault, it runs again. */
import { cpSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Checks } from './checks.ts';

const FILES = { 'a.txt': 'old\n' };
/** A whole run of one test, for a gate with `ids`. */
const TAP_OK = 'echo 1..1; echo ok 1 - a';

const cacheFiles = ({ cacheDir }: Checks): string[] =>
  readdirSync(cacheDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => join(cacheDir, path));

test.each([
  ['pass', 'echo hello; date +%N'],
  ['fail', 'echo hello; date +%N; exit 3'],
] as const)('a %s is remembered, with its evidence', async (status, command) => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const first = await checks.check('tests', candidate);
  const workspaces = new Proxy(checks.workspaces, {
    get: (target, name) => {
      if (name === 'make') return () => expect.fail('no workspace is needed');
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const sandbox = checks.sandboxThat(() => expect.fail('no sandbox is needed'));
  const second = await checks.check('tests', candidate, { hand: checks.hand({ workspaces, sandbox }) });
  expect([first.status, second.status, second.ms]).toEqual([status, status, first.ms]);
  expect(first.text).toContain('from the cache: no');
  expect(second.text).toContain(`from the cache: yes, the whole evidence is ${first.evidence}`);
  expect(second.text.split('--- what it printed ---')[1]).toBe(first.text.split('--- what it printed ---')[1]);
});

test('a remembered gate is run once, however often it is asked for', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'true' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const hand = checks.hand();
  for (let n = 0; n < 20; n += 1)
    expect(await checks.check('tests', candidate, { hand })).toMatchObject({ status: 'pass' });
  expect(checks.runs).toBe(1);
});

test('another tree, command, time or format of ids is another run; another name of the same command is not', async () => {
  await using checks = new Checks(FILES);
  const [one, two] = [await checks.candidate({ 'a.txt': '1\n' }), await checks.candidate({ 'a.txt': '2\n' })];
  const steps = [
    [one, { name: 'tests', command: 'true' }, 1],
    [two, { name: 'tests', command: 'true' }, 2],
    [two, { name: 'tests', command: 'true', weight: 3 }, 2],
    [two, { name: 'tests', command: ['true'] }, 3],
    [two, { name: 'tests', command: 'true', timeout: 1234 }, 4],
    [two, { name: 'tests', command: TAP_OK }, 5],
    // Its base runs too, to see whether tests were lost.
    [two, { name: 'tests', command: TAP_OK, ids: 'tap' }, 7],
    [one, { name: 'tests', command: 'true' }, 7],
  ] as const;
  for (const [candidate, gate, runs] of steps) {
    const command = typeof gate.command === 'string' ? gate.command : [...gate.command];
    checks.gates({ ...gate, command });
    expect(await checks.check('tests', candidate)).toMatchObject({ status: 'pass' });
    expect(checks.runs).toBe(runs);
  }
});

test('a pass without a sandbox says nothing about a run in one', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'true' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  await checks.check('tests', candidate, { hand: checks.hand({ sandboxName: 'none' }) });
  await checks.check('tests', candidate);
  expect(checks.runs).toBe(2);
});

test('an error is never remembered', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'no-such-program' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  for (const runs of [1, 2]) {
    expect(await checks.check('tests', candidate)).toMatchObject({ status: 'error' });
    expect(checks.runs).toBe(runs);
  }
});

test.each([
  ['half of it', (path: string) => truncateSync(path, 40)],
  ['an empty file', (path: string) => truncateSync(path, 0)],
  ['another status', (path: string) => edit(path, '"fail"', '"pass"')],
  ['one more field', (path: string) => edit(path, '"version":2', '"version":2,"trusted":true')],
  ['no text at all', (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0]))],
  ['too much', (path: string) => writeFileSync(path, `${readFileSync(path, 'utf8')}${' '.repeat(5000)}`)],
])('a file of the cache that holds %s is a miss', async (_, spoil) => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'exit 3' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  await checks.check('tests', candidate);
  const [path = ''] = cacheFiles(checks);
  spoil(path);
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'fail' });
  expect(checks.runs).toBe(2);
  await checks.check('tests', candidate);
  expect(checks.runs).toBe(2);
});

function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

test('the record of one run under the name of another is a miss', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'green', command: 'true' }, { name: 'red', command: 'false' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  await checks.check('green', candidate);
  const [green = ''] = cacheFiles(checks);
  await checks.check('red', candidate);
  const red = cacheFiles(checks).find((path) => path !== green) ?? '';
  cpSync(green, red);
  expect(await checks.check('red', candidate)).toMatchObject({ status: 'fail' });
  expect(checks.runs).toBe(3);
});

test('a run with forgotten evidence is made again, and no printed text lies in the cache', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'echo hello-secret; exit 1' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  await checks.check('tests', candidate);
  expect(readFileSync(cacheFiles(checks)[0] ?? '', 'utf8')).not.toContain('hello');
  checks.blobs.clear();
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'fail' });
  expect(checks.runs).toBe(2);
});

test('a cache that cannot be written stops no gate', async () => {
  await using checks = new Checks(FILES);
  checks.gates({ name: 'tests', command: 'true' });
  mkdirSync(checks.world.state, { recursive: true });
  const cacheDir = join(checks.world.repo, 'a.txt');
  const told: string[] = [];
  const hand = checks.hand({ cacheDir, log: (_, message) => told.push(message) });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  expect(await checks.check('tests', candidate, { hand })).toMatchObject({ status: 'pass' });
  expect(told).toEqual(['the outcome of a gate was not remembered']);
});
