/** What the operator's machine and environment can do to Supervisor itself: one sentence and exit 5, never a stack trace. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { machineTrouble } from '../../src/os/machine/machine-refusal.ts';
import { ENV, script } from '../real/task.ts';
import { ENTRY, type Result, World } from '../support/cli.ts';

const LAUNCHERS = { checkout: resolve(import.meta.dirname, '../../bin/supervisor'), package: ENTRY } as const;

let world: World;
beforeEach(() => {
  world = new World();
});
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  world[Symbol.dispose]();
});

/** As a shell would start it; `$@` are the arguments. */
function shell(text: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
  const child = spawn('/bin/sh', ['-c', text, 'sh', ...args], {
    cwd: world.repository,
    env: { ...ENV, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal, stdout, stderr })));
}

const node = (text: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  shell(`${text} exec "$NODE" "$ENTRY" "$@"`, args, { NODE: process.execPath, ENTRY, ...env });

/** One line, whatever is wrong. */
function oneSentence({ code, stdout, stderr }: Result, words: RegExp): void {
  expect([code, stdout], stderr).toEqual([5, '']);
  expect(stderr).toMatch(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
}

const GATE = ['--gate', 'tests=grep -qx right a.txt'];
const task = () => {
  world.commit({ 'a.txt': 'one\n' });
  return ['run', 'x', '--script', script(world, [{ files: { 'a.txt': 'right\n' } }]), ...GATE];
};

describe.each(Object.entries(LAUNCHERS))(
  "the operator's NODE_OPTIONS and the launcher of the %s",
  (_name, launcher) => {
    test.each([
      '--require /missing.js',
      '--inspect-brk=127.0.0.1:0',
      '--no-such-option',
      '--import data:text/javascript,process.exit(7)',
    ])('%s do it nothing', async (options) => {
      const { code, stdout, stderr } = await shell('exec "$IT" "$@"', ['--version'], {
        IT: launcher,
        NODE_OPTIONS: options,
      });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
    });

    test('no process of a whole task loads what they name', async () => {
      const trace = join(world.dir, 'loaded');
      const program = world.file(
        'mark.cjs',
        `require('node:fs').appendFileSync(${JSON.stringify(trace)}, process.pid + '\\n');\n`,
      );
      const env = { IT: launcher, NODE_OPTIONS: `--require ${program}` };
      const { code, stderr } = await shell('exec "$IT" "$@"', task(), env);
      expect(code, stderr).toBe(0);
      expect(existsSync(trace)).toBe(false);
    });

    test('with a limit of open files that Node does not survive, it says so', async () => {
      oneSentence(
        await shell('ulimit -n 16; exec "$IT" "$@"', ['status'], { IT: launcher }),
        /too few files.*ulimit -n 4096/,
      );
    });
  },
);

test('control: Node itself fails on them with a stack trace', async () => {
  const { code, stderr } = await node('', ['--version'], { NODE_OPTIONS: '--require /missing.js' });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\n {4}at /)]);
});

test('started as a program of Node, only it loads what they name, and nothing that it starts', async () => {
  const trace = join(world.dir, 'loaded');
  const program = world.file(
    'mark.cjs',
    `require('node:fs').appendFileSync(${JSON.stringify(trace)}, process.pid + '\\n');\n`,
  );
  const { code, stderr } = await node('', task(), { NODE_OPTIONS: `--require ${program}` });
  expect(code, stderr).toBe(0);
  expect(readFileSync(trace, 'utf8').trim().split('\n')).toHaveLength(1);
});

describe('too few descriptors', () => {
  test.each([22, 24, 28])('%i: nothing is begun', async (limit) => {
    oneSentence(await node(`ulimit -n ${limit};`, task()), /too (?:many|few) files|cannot be loaded.*EMFILE/);
  });

  test('enough to begin and not to end: the task is not taken on', async () => {
    oneSentence(await node('ulimit -n 42;', task()), /too few files may be open \(42\)/);
    expect(await world.tasks()).toEqual([]);
  });
});

test('a working directory that was removed is named; with --project it is not needed', async () => {
  mkdirSync(join(world.dir, 'gone'));
  const gone = 'cd ../gone && rmdir ../gone &&';
  oneSentence(await node(gone, ['status']), /the working directory was removed.*--project DIR/);
  mkdirSync(join(world.dir, 'gone'));
  const { code, stderr } = await node(gone, ['run', 'x', '--simulate', '--project', world.repository]);
  expect(code, stderr).toBe(0);
});

test('a shell adds nothing to that: the launcher of the checkout says it in one sentence too', async () => {
  const gone = 'mkdir ../gone && cd ../gone && rmdir ../gone &&';
  const control = await shell(`${gone} exec /bin/sh -c 'echo started'`, []);
  expect(control.stderr).toMatch(/getcwd|current directory/);
  const found = await shell(`${gone} exec "$IT" "$@"`, ['status'], { IT: LAUNCHERS.checkout });
  oneSentence(found, /the working directory was removed.*--project DIR/);
});

test('a program that gets more descriptors than may be open cannot be started: the limit is named', async () => {
  const starts = `
    const { spawn } = require('node:child_process');
    const last = require('node:fs').openSync('/dev/null', 'r');
    try {
      spawn('true', [], { stdio: [...Array(60).fill('ignore'), last] });
    } catch (error) {
      console.log(JSON.stringify({ message: error.message, code: error.code, syscall: error.syscall }));
    }`;
  const { stdout } = await shell('ulimit -n 50; exec "$NODE" -e "$1"', [starts], { NODE: process.execPath });
  const { message, ...facts } = JSON.parse(stdout) as { message: string; code: string; syscall: string };
  expect(facts.code).toBe('EINVAL');
  expect(machineTrouble(Object.assign(new Error(message), facts))).toContain('ulimit -n 4096');
});

test('only a refusal of the machine is printed without a stack trace', () => {
  const system = (code: string, more = {}) => Object.assign(new Error(`spawn git ${code}`), { code, ...more });
  expect(machineTrouble(new Error('outer', { cause: system('EMFILE') }))).toContain('ulimit -n 4096');
  expect(machineTrouble(system('EAGAIN', { syscall: 'spawn' }))).toContain('no more processes');
  expect(machineTrouble(system('EACCES', { syscall: 'scandir' }))).toContain('belongs to another user');
  expect(machineTrouble(system('EACCES', { syscall: 'spawn' }))).toBe(null);
  expect(machineTrouble(system('ENOENT'))).toBe(null);
  expect(machineTrouble(system('EINVAL', { syscall: 'open' }))).toBe(null);
  expect(machineTrouble(new TypeError('x'))).toBe(null);
  const round = new Error('round');
  round.cause = round;
  expect(machineTrouble(round)).toBe(null);
});
