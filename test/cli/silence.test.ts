/** A second without a word is broken by a sentence beside the result, and work that takes long says so again and again. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Output } from '../../src/faces/cli/output.ts';
import { Heartbeat, READING, tellSilence } from '../../src/faces/cli/silence.ts';
import { accepted, ENV, script } from '../real/task.ts';
import { eventually, World } from '../support/cli.ts';

/** Lets git stand still in this repository: its configuration is a pipe. The result lets it go on. */
function holdGit({ repository }: World): () => void {
  const config = join(repository, '.git', 'config');
  const kept = `${config}.kept`;
  renameSync(config, kept);
  execFileSync('mkfifo', [config]);
  return () => {
    // Read and write: it does not wait for a reader.
    const pipe = openSync(config, 'r+');
    const text = readFileSync(kept);
    renameSync(kept, config);
    writeFileSync(pipe, text);
    closeSync(pipe);
  };
}

/** Starts a command and waits until it has said `sentence`, not until it ends. */
async function saying(world: World, args: readonly string[], sentence: string | RegExp) {
  const { child, done } = world.start(args, ENV);
  let stderr = '';
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const isSaid = () => (typeof sentence === 'string' ? stderr.includes(sentence) : sentence.test(stderr));
  const ended = done.then(({ code }) => {
    if (!isSaid()) throw new Error(`${args[0]} ended with ${code} and had not said it: ${stderr}`);
  });
  await Promise.race([eventually(isSaid, `${args[0]} says ${sentence}`), ended]);
  return { done };
}

describe('when git takes its time, a command says what it does, and its JSON stays clean', () => {
  let world: World;
  let task: string;
  beforeAll(async () => {
    world = new World();
    world.commit({ 'a.txt': 'one\n' });
    ({ task_id: task } = await accepted(world, [{ files: { 'a.txt': 'two\n' } }], ['--gate', 'tests=true']));
    world.git('branch', 'other', 'main');
  });
  afterAll(() => world[Symbol.dispose]());

  test.each<[string, (task: string) => string[], string]>([
    ['run', () => ['run', 'x', '--simulate'], READING],
    ['resume', (id) => ['resume', id], READING],
    ['init', () => ['init', '--yes'], 'looking through the repository …'],
    ['pack', () => ['pack', 'x'], 'choosing context for the role …'],
    ['land', (id) => ['land', id, '--onto', 'other'], 'reading the repository and the branch …'],
    ['gc', () => ['gc'], 'looking for what can be removed …'],
  ])('%s', async (_, args, sentence) => {
    const goOn = holdGit(world);
    const { done } = await saying(world, [...args(task), '--json'], `${sentence}\n`).finally(goOn);
    const { code, stdout, stderr } = await done;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
    expect(stderr.split(sentence)).toHaveLength(2);
  });
});

test('on a pipe, `run` says that a worker or a gate is still running', async () => {
  using world = new World();
  const [worker, gate] = [join(world.dir, 'worker-may-end'), join(world.dir, 'gate-may-end')];
  const until = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`;
  const plays = script(world, [{ files: { 'a.txt': 'two\n' }, run: until(worker) }]);
  const { child, done } = world.start(
    ['run', 'x', '--script', plays, '--gate', `tests=${until(gate)}`, '--unsafe-no-sandbox', '--json'],
    ENV,
  );
  let stderr = '';
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  await eventually(() => /^ +[\d.]+ s implement: scripted is still running$/m.test(stderr), 'the worker is at work');
  writeFileSync(worker, '');
  await eventually(() => /^ +[\d.]+ s implement: still waiting for gate tests$/m.test(stderr), 'the gate is at work');
  writeFileSync(gate, '');
  const { code, stdout } = await done;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'accepted' });
});

describe('the clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** An output that keeps what is said beside the result. */
  class Kept extends Output {
    readonly said: string[] = [];
    override aside(text: string): void {
      this.said.push(text);
    }
  }

  test('work that ends within a second prints nothing; longer work says once that it runs', () => {
    const out = new Kept(false);
    const quick = tellSilence(out, 'quick');
    vi.advanceTimersByTime(999);
    quick.look();
    quick.end();
    vi.advanceTimersByTime(10_000);
    quick.look();
    expect(out.said).toEqual([]);
    const slow = tellSilence(out, 'slow');
    vi.advanceTimersByTime(10_000);
    slow.look();
    expect(out.said).toEqual(['slow']);
  });

  test('work that lets no timer run speaks when it looks', () => {
    const out = new Kept(false);
    const busy = tellSilence(out, 'busy');
    vi.setSystemTime(Date.now() + 1_000);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    busy.look();
    busy.look();
    vi.restoreAllMocks();
    expect(out.said).toEqual(['busy']);
  });

  test('a heartbeat pauses longer and longer, up to a minute; anything else that is said starts it anew', () => {
    const beats: number[] = [];
    const began = Date.now();
    const seconds = () => (Date.now() - began) / 1_000;
    const heartbeat = new Heartbeat(() => beats.push(seconds()));
    vi.advanceTimersByTime(200_000);
    expect(beats).toEqual([5, 15, 35, 75, 135, 195]);
    vi.advanceTimersByTime(4_000);
    heartbeat.said();
    vi.advanceTimersByTime(6_000);
    expect(beats.slice(6)).toEqual([209]);
    heartbeat[Symbol.dispose]();
    vi.advanceTimersByTime(100_000);
    expect(beats).toHaveLength(7);
  });
});
